import type { LicenseService } from '@latchkey/services'
import { createLicensingCore } from '../../src/core/create-licensing-core.ts'
import type { LicensingCore, LicensingPorts, LicensingRules } from '../../src/core/licensing-core.ts'
import { onlineOperations } from '../../src/core/operations/online-on-demand.ts'
import type { ServicePort } from '../../src/core/ports/service-port.ts'
import { describeChange } from '../../src/core/state/describe-change.ts'
import { describeSession } from '../../src/core/state/describe-session.ts'
import { oldCorePort } from '../doubles/old-core-port.ts'

/** What the core needs from outside. */
export interface CorePorts extends Omit<LicensingPorts, 'commerce' | 'describeChange'> {
  readonly service: LicenseService
}

/** The core as tests see it: state out, verbs in. */
export interface TestedCore extends Omit<LicensingCore, 'diagnose'> {
  /** Lines for the support report. */
  diagnose(describe?: unknown): readonly string[]
}

/**
 * Starts the core. Every test does so through this function.
 *
 * @param earlierPort replaces the service in tests of the earlier port.
 */
export function startCore(ports: CorePorts, rules: LicensingRules, earlierPort?: ServicePort): TestedCore {
  const { service, ...others } = ports
  const commerce = earlierPort ?? oldCorePort(service, ports.leases)
  const core = createLicensingCore({ ...others, commerce, describeChange }, rules)
  const { diagnose } = core
  return Object.assign(core, { diagnose: () => diagnose(describeSession) })
}

/** Loads what the core loads on demand, so that no step of a test waits for it. */
export async function loadCore(): Promise<void> {
  await onlineOperations()
}
