import type { LicenseService } from '@latchkey/services'
import type { RecordRules as LicensingRules } from '../../../src/core/device-record.ts'
import { createLicensingCore, type LicensingCore } from '../../../src/core/licensing.ts'
import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import type { FakeClock } from '../../doubles/fake-clock.ts'
import { createFakeDevice } from '../../doubles/fake-device.ts'
import type { FakeSecrets } from '../../doubles/fake-secrets.ts'
import type { MemoryStore } from '../../doubles/memory-store.ts'
import type { RecordingLogger } from '../../doubles/recording-logger.ts'
import type { Survival } from './actions.ts'

/** Decides which process continues: a promise settles when its process gets the turn, and never after it was killed. */
export interface Turns {
  /** Waits for a turn. @param onDeath called if the process is killed while it waits. */
  take(owner: object, onDeath: (survives: Survival) => void): Promise<void>
  isWaiting(owner: object): boolean
  drop(owner: object, survives: Survival): void
  /** Gives that many turns, or until no process waits. */
  give(count: number): Promise<void>
}

interface Waiting {
  readonly owner: object
  readonly go: () => void
  readonly onDeath: (survives: Survival) => void
}

/**
 * @param order whose turn it is, modulo those who wait; the longest waiting once it is used up.
 * @param isWorking whether somebody is at work without waiting for a turn.
 */
export function createTurns(order: readonly number[], isWorking: () => boolean = () => false): Turns {
  let waiting: readonly Waiting[] = []
  let given = 0

  return {
    take: (owner, onDeath) =>
      new Promise((resolve) => {
        waiting = [...waiting, { owner, go: resolve, onDeath }]
      }),
    isWaiting: (owner) => waiting.some((entry) => entry.owner === owner),
    drop(owner, survives) {
      const dying = waiting.filter((entry) => entry.owner === owner)
      waiting = waiting.filter((entry) => entry.owner !== owner)
      for (const entry of dying) entry.onDeath(survives)
    },
    async give(count) {
      await settle(isWorking)
      for (let left = count; left > 0 && waiting.length > 0; left -= 1) {
        const next = waiting[(order[given] ?? 0) % waiting.length]
        given += 1
        waiting = waiting.filter((entry) => entry !== next)
        next?.go()
        await settle(isWorking)
      }
    },
  }
}

/** Lets every promise settle that doesn't wait for a turn. */
async function settle(isWorking: () => boolean): Promise<void> {
  do await new Promise<void>((resolve) => setImmediate(resolve))
  while (isWorking())
}

/** What remains after a process. */
export interface Home {
  readonly store: MemoryStore
  readonly secrets: FakeSecrets
  readonly clock: FakeClock
  readonly logger: RecordingLogger
}

/** One run of the app. */
export interface Process {
  readonly core: LicensingCore
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

  const core = createLicensingCore(
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
