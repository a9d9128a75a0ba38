import type { Refusal, Unavailable } from '../license-service.ts'

/** How long a walk answers after its end for license keys that it didn't find, in milliseconds. */
const rememberedMs = 10_000

/** How often a call looks at the walk of another one, in milliseconds. */
const lookEveryMs = 50

/**
 * What the calls of one adapter share, so that made-up license keys don't make each of them read every page. It is plain
 * data: on some platforms, a request can't wait for another one's promise.
 */
export interface SharedWalk {
  /** The license's ID for each license key that was seen on a page. */
  readonly idsByKey: Map<string, string>
  /** License keys that may have an activation of which no answer came. An earlier walk doesn't call them unknown. */
  readonly unanswered: Set<string>
  /** The latest walk; `null` if it found what it was looking for, so that its end is unknown. */
  latest: Walk | null
  /** The latest walk that read all pages without finding what it was looking for; `null` before there was one. */
  whole: WholeWalk | null
}

/** What a walk through all pages leaves for the later ones, which only read the pages with the newest licenses. */
export interface WholeWalk {
  readonly endedMs: number
  /** The number of the last page that had a license, by product. */
  readonly lastPages: ReadonlyMap<string, number>
}

/** One walk through the pages. Times are from `performance.now()`. */
interface Walk {
  readonly startedMs: number
  /** When it requested its last page. */
  requestedMs: number
  ended: WalkEnd | null
}

interface WalkEnd {
  readonly atMs: number
  readonly outcome: Refusal | Unavailable
  /** Whether it read every page that it had to, so that a later call need not do so at once. */
  readonly isComplete: boolean
}

/** A call's own walk. */
export interface OwnWalk {
  readonly kind: 'own-walk'
  /** To be called before each page. */
  nextPage(): void
  /** To be called when the license key was found. */
  found(): void
  end<Outcome extends Refusal | Unavailable>(outcome: Outcome, isComplete: boolean): Outcome
}

export function createSharedWalk(): SharedWalk {
  return { idsByKey: new Map(), unanswered: new Set(), latest: null, whole: null }
}

/**
 * Waits for another call's walk, and returns how it ended. Returns `seen` once it has come across the license key, and a
 * walk of the caller's own if there is none to wait for.
 *
 * @param call when the caller began, and whether only a walk that started after that counts.
 * @param pageTimeoutMs timeout of one page, which may be requested twice. A walk that takes longer for it was given up.
 */
export async function joinWalk(
  shared: SharedWalk,
  licenseKey: string,
  call: { readonly arrivedMs: number; readonly needsNewWalk: boolean },
  pageTimeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Refusal | Unavailable | OwnWalk | { readonly kind: 'seen' }> {
  const joinedMs = performance.now()
  for (;;) {
    const { latest } = shared
    if (latest === null) return startWalk(shared)
    const { startedMs, requestedMs, ended } = latest
    if (ended !== null) {
      const isRecent = call.needsNewWalk
        ? startedMs >= call.arrivedMs
        : ended.atMs >= call.arrivedMs - rememberedMs
      const counts = ended.isComplete ? isRecent : ended.atMs >= joinedMs
      return counts ? ended.outcome : startWalk(shared)
    }
    const isGivenUp = performance.now() - requestedMs > 2 * pageTimeoutMs + 3_000
    if (isGivenUp || signal?.aborted === true) return startWalk(shared)
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    if (shared.idsByKey.has(licenseKey)) return { kind: 'seen' }
  }
}

function startWalk(shared: SharedWalk): OwnWalk {
  const startedMs = performance.now()
  const walk: Walk = { startedMs, requestedMs: startedMs, ended: null }
  shared.latest = walk
  return {
    kind: 'own-walk',
    nextPage() {
      walk.requestedMs = performance.now()
    },
    found() {
      if (shared.latest === walk) shared.latest = null
    },
    end(outcome, isComplete) {
      // Only the call itself was canceled.
      const isOwn = outcome.kind === 'unavailable' && outcome.cause === 'cancelled'
      if (!isOwn) walk.ended = { atMs: performance.now(), outcome, isComplete }
      else if (shared.latest === walk) shared.latest = null
      return outcome
    },
  }
}
