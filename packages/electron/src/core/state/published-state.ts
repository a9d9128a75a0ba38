import type {
  DeviceSummary,
  LicensingActivity,
  LicensingState,
  StorageTier,
} from '../../shared/licensing-state.ts'
import type { Problem } from '../../shared/problem.ts'
import type { LicensingListener } from '../licensing-core.ts'
import type { Logger } from '../ports/logger-port.ts'
import { describeProblem } from '../problem.ts'
import type { Vault } from '../record/vault.ts'
import { describeChange, type Picture } from './describe-change.ts'
import type { Entitlement } from './entitlement.ts'
import { createListeners } from './listeners.ts'
import { projectState } from './project-state.ts'

/** What the published state is made of, besides activity and problems. */
export interface StateSources {
  readonly vault: Vault
  readonly entitlement: Entitlement
  readonly device: DeviceSummary | null
  readonly storage: StorageTier
  /** Why the record could not be saved. */
  readonly storageProblem: Problem | null
}

/** The state that the app and its windows see, and who listens to it. */
export interface PublishedState {
  readonly current: LicensingState
  /** Builds the state again. Listeners are called when it differs, and the log gets a line for each change. */
  publish(): void
  setActivity(activity: LicensingActivity): void
  /** What the last operation met. Without a problem, one from loading the record ends too. */
  setProblem(problem: Problem | null): void
  /** What was wrong with the record on disk. Shown until an operation succeeds. */
  setLoadProblem(problem: Problem | null): void
  /** The next state starts a new story: what it holds was there before, so nothing is logged. */
  startOver(): void
  subscribe(listener: LicensingListener): () => void
}

/** Makes the published state. `sources` is read for every new one. */
export function createPublishedState(sources: () => StateSources, logger: Logger): PublishedState {
  const listeners = createListeners(logger)
  let activity: LicensingActivity = 'idle'
  let problem: Problem | null = null
  let loadProblem: Problem | null = null
  let logged: Picture | null = null
  let current = project(sources())

  /** Problems in the order in which they matter: the last operation, saving, loading, the trial. */
  function project({ vault, entitlement, device, storage, storageProblem }: StateSources): LicensingState {
    return projectState({
      entitlement,
      activation: vault.activation,
      device,
      activity,
      problem: problem ?? storageProblem ?? loadProblem ?? trialProblem(entitlement),
      storage,
    })
  }

  function logChange(picture: Picture): void {
    if (logged !== null) for (const line of describeChange(logged, picture)) logger.info(line)
    logged = picture
  }

  function publish(): void {
    const latest = sources()
    const next = project(latest)
    logChange({ vault: latest.vault, state: next })
    if (JSON.stringify(next) === JSON.stringify(current)) return
    const previous = current
    current = next
    listeners.tell(next, previous)
  }

  return {
    get current() {
      return current
    },
    publish,
    setActivity(next) {
      activity = next
      publish()
    },
    setProblem(next) {
      problem = next
      // What was lost at launch matters until the service has confirmed this device again.
      if (next === null) loadProblem = null
      publish()
    },
    setLoadProblem(next) {
      loadProblem = next
    },
    startOver() {
      logged = null
    },
    subscribe: listeners.subscribe,
  }
}

function trialProblem(entitlement: Entitlement): Problem | null {
  return entitlement.status === 'unlicensed' && entitlement.trialEndedAtMs !== null
    ? describeProblem({ code: 'trial-over' }, entitlement.trialEndedAtMs)
    : null
}
