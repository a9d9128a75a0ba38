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
import { releasesToShow } from '../record/outbox-entries.ts'
import type { Vault } from '../record/vault.ts'
import type { DescribeChange, Picture } from './describe-change.ts'
import type { Entitlement } from './entitlement.ts'
import type { FeaturesOf } from './features-of.ts'
import { createListeners } from './listeners.ts'
import { projectState } from './project-state.ts'

/** The inputs of the published state, besides activity and problems. */
export interface StateSources {
  readonly vault: Vault
  readonly entitlement: Entitlement
  readonly device: DeviceSummary | null
  readonly storage: StorageTier
  /** Why the record could not be saved. */
  readonly storageProblem: Problem | null
  /** Whether the record on disk still has an activation that was ended here. */
  readonly isSignOutUnsaved: boolean
  /** Whether the record on disk still has an activation that was replaced here. */
  readonly isActivationUnsaved: boolean
}

/** The state that the app and its windows see, and its listeners. */
export interface PublishedState {
  readonly current: LicensingState
  /** Rebuilds the state. If it differs, listeners are called and each change is logged. */
  publish(): void
  setActivity(activity: LicensingActivity): void
  /** Sets the last operation's problem. `null` also clears a problem from loading the record. */
  setProblem(problem: Problem | null): void
  /** Sets the problem with the record on disk. Shown until an operation succeeds. */
  setLoadProblem(problem: Problem | null): void
  /** Treats the next state as the starting point, so that its content isn't logged as a change. */
  startOver(): void
  subscribe(listener: LicensingListener): () => void
}

/** Creates the published state. `sources` is called for every new one. */
export function createPublishedState(
  sources: () => StateSources,
  featuresOf: FeaturesOf,
  logger: Logger,
  describeChange: DescribeChange = () => [],
): PublishedState {
  const listeners = createListeners(logger)
  let activity: LicensingActivity = 'idle'
  let problem: Problem | null = null
  let loadProblem: Problem | null = null
  let logged: Picture | null = null
  let current = project(sources())

  /** Problems in order of importance: the last operation, saving, loading, the trial. */
  function project(latest: StateSources): LicensingState {
    const { vault, entitlement, device, storage, storageProblem, isSignOutUnsaved, isActivationUnsaved } =
      latest
    return projectState({
      entitlement,
      activation: vault.activation,
      // If the activation comes back at the next launch, its seat must not have been freed from another device.
      releases: isSignOutUnsaved || isActivationUnsaved ? [] : releasesToShow(vault),
      featuresOf,
      device,
      activity,
      problem:
        (isSignOutUnsaved ? storageProblem : null) ??
        (isOutdated(problem, entitlement) ? null : problem) ??
        storageProblem ??
        loadProblem ??
        trialProblem(entitlement),
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
      // A problem from launch stays until the service has confirmed this device again.
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

/** Whether a problem is about an activation that was lost and that this device, or another process, has again. */
function isOutdated(problem: Problem | null, { status }: Entitlement): boolean {
  return problem?.code === 'moved-to-another-device' && status !== 'revoked'
}

function trialProblem(entitlement: Entitlement): Problem | null {
  return entitlement.status === 'unlicensed' && entitlement.trialEndedAtMs !== null
    ? describeProblem({ code: 'trial-over' }, entitlement.trialEndedAtMs)
    : null
}
