import type { LicenseService } from '@latchkey/services'
import type { RecordRules as LicensingRules } from '../../../src/core/device-record.ts'
import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import type { FakeClock } from '../../doubles/fake-clock.ts'
import { createFakeDevice } from '../../doubles/fake-device.ts'
import type { FakeSecrets } from '../../doubles/fake-secrets.ts'
import type { MemoryStore } from '../../doubles/memory-store.ts'
import type { RecordingLogger } from '../../doubles/recording-logger.ts'
import { startCore, type TestedCore } from '../start-core.ts'
import type { Survival } from './actions.ts'
import type { Turns } from './turns.ts'

/** What remains after a process. */
export interface Home {
  readonly store: MemoryStore
  readonly secrets: FakeSecrets
  readonly clock: FakeClock
  readonly logger: RecordingLogger
}

/** One run of the app. */
export interface Process {
  readonly core: TestedCore
  readonly isBusy: boolean
  /** `kill -9`. */
  die(survives: Survival): void
}

/**
 * Starts a process in which every step waits for its turn.
 *
 * @param reach makes the service as this process reaches it.
 * @param onLate takes a request that is on its way when its sender dies.
 */
export function createProcess(
  home: Home,
  rules: LicensingRules,
  turns: Turns,
  reach: (travel: (arrive: (() => void) | null) => Promise<void>) => LicenseService,
  onLate: (arrive: () => void) => void,
  onState: (state: LicensingState, previous: LicensingState) => void,
): Process {
  const { store, secrets, clock, logger } = home
  const owner = {}
  const never = new Promise<never>(() => {})
  let isDead = false

  const service = reach(async (arrive) => {
    await turns.take(owner, (survives) => {
      if (arrive !== null && survives !== 'nothing') onLate(arrive)
    })
  })

  const core = startCore(
    {
      service,
      clock: {
        ...clock,
        now: () => clock.now(),
        after: (delayMs, callback) => clock.after(delayMs, () => (isDead ? undefined : callback())),
      },
      logger,
      secrets,
      device: createFakeDevice(),
      store: {
        read: () => store.read(),
        setAside: (owner) => (isDead ? never : store.setAside(owner)),
        readSetAside: (owner) => store.readSetAside(owner),
        writeNow: (...args) => (isDead ? never : store.writeNow(...args)),
        async write(document, mayReplace, onReplaced) {
          if (isDead) return never
          await turns.take(owner, (survives) => {
            if (survives === 'nothing') return
            store.diesBetweenFiles = survives === 'half'
            void store.write(document)
            store.diesBetweenFiles = false
          })
          const outcome = await store.write(document, mayReplace, onReplaced)
          await turns.take(owner, () => {})
          return outcome
        },
      },
    },
    rules,
  )
  core.subscribe((state, previous) => {
    if (!isDead) onState(state, previous)
  })

  return {
    core,
    get isBusy() {
      return turns.isWaiting(owner)
    },
    die(survives) {
      isDead = true
      turns.drop(owner, survives)
    },
  }
}
