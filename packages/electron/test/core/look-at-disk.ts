import type { LicenseService, Outcome } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import type { RecordRules as LicensingRules } from '../../src/core/device-record.ts'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import { createFakeClock } from '../doubles/fake-clock.ts'
import { createFakeDevice, type FakeDevice } from '../doubles/fake-device.ts'
import type { FakeSecrets } from '../doubles/fake-secrets.ts'
import { createMemoryStore, type MemoryStore } from '../doubles/memory-store.ts'
import { createRecordingLogger } from '../doubles/recording-logger.ts'
import { unavailable } from '../doubles/scripted-service.ts'
import { startCore } from './start-core.ts'

/** What an app shows that starts offline with these files. */
export interface DiskLook {
  /** The state before the first check. */
  readonly state: LicensingState
  /** The support report at that time. */
  readonly report: readonly string[]
  /** An activation that waits to be sent or answered. */
  readonly pending: 'none' | 'not sent' | 'sent'
  /** How many seats wait to be freed. */
  readonly owed: number
  /** When the license was last confirmed, in milliseconds since the epoch; `null` if it never was. */
  readonly validAtMs: number | null
  /** Whether the files opened. A file that doesn't is set aside. */
  readonly isReadable: boolean
}

/** Starts a second core on a copy of the files, without a network. */
export async function lookAtDisk(options: {
  readonly store: MemoryStore
  readonly secrets: FakeSecrets
  /** The wall clock, in milliseconds since the epoch. */
  readonly nowMs: number
  readonly rules: LicensingRules
  readonly service?: LicenseService | undefined
  readonly device?: FakeDevice
}): Promise<DiskLook> {
  const { secrets, rules } = options
  const store = createMemoryStore(options.store.texts)
  const core = startCore(
    {
      service: unreachable(options.service ?? commerce({ baseUrl: 'https://service.example/v1' })),
      store,
      secrets,
      device: options.device ?? createFakeDevice(),
      clock: createFakeClock({ startMs: options.nowMs }),
      logger: createRecordingLogger(),
      whenPainted: () => new Promise(() => {}),
    },
    rules,
  )
  const state = await core.start()
  const report = core.diagnose()
  await core.dispose()
  const pending = lineOf(report, 'pending activation') ?? 'none'
  const validAt = lineOf(report, 'last valid answer')
  return {
    state,
    report,
    pending: pending === 'none' ? 'none' : pending.endsWith('not sent') ? 'not sent' : 'sent',
    owed: Number(lineOf(report, 'seats waiting to be freed')),
    validAtMs: validAt === null ? null : Date.parse(validAt),
    isReadable: store.setAsideTexts.length === 0,
  }
}

function lineOf(report: readonly string[], name: string): string | null {
  return report.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null
}

/** The same service without a network. */
function unreachable(service: LicenseService): LicenseService {
  const lost = async (): Promise<Outcome<never>> => unavailable('network', { mayHaveActed: false })
  return {
    ...service,
    activate: lost,
    validate: lost,
    deactivate: lost,
    ...(service.listActivations && { listActivations: lost }),
    ...(service.showActivation && { showActivation: lost }),
    ...(service.showLicense && { showLicense: lost }),
  }
}
