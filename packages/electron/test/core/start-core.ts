import type { RecordRules } from '../../src/core/device-record.ts'
import { createLicensingCore, type LicensingCore } from '../../src/core/licensing.ts'
import type { LicensingPorts } from '../../src/core/ports.ts'

/** What the core needs from outside. */
export type CorePorts = LicensingPorts

/** The core as tests see it: state out, verbs in. */
export type TestedCore = LicensingCore

/** Starts the core. Every test does so through this function. */
export function startCore(ports: CorePorts, rules: RecordRules): TestedCore {
  return createLicensingCore(ports, rules)
}
