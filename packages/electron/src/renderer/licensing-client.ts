import type { LicensingBridge } from '../shared/licensing-bridge.ts'
import type { LicensingState } from '../shared/licensing-state.ts'
import { LicensingBridgeError } from './licensing-bridge-error.ts'

/** Called after every change of the state. */
export type LicensingClientListener = (state: LicensingState) => void

/**
 * Licensing as a window sees it: the verbs of the main process, and the state as an external store.
 * Every function stands on its own, so it can be passed around without the object.
 *
 * @example
 * const state = useSyncExternalStore(licensing.subscribe, licensing.getSnapshot)
 */
export interface LicensingClient extends Omit<LicensingBridge, 'contractVersion' | 'getState' | 'onState'> {
  /**
   * The state the main process told last; `null` until the first one arrived.
   * The same object as long as nothing changed, and frozen.
   */
  readonly getSnapshot: () => LicensingState | null
  /** Calls back after every change. @returns a function that stops it. */
  readonly subscribe: (listener: LicensingClientListener) => () => void
  /** Resolves with the first state; rejects with a `LicensingBridgeError` when nobody answers this window. */
  readonly ready: Promise<LicensingState>
}

/**
 * Makes a client over a bridge: for tests and for a bridge of your own making.
 * In an app, use `licensing`.
 *
 * @param first a state that is known already; the main process is asked all the same.
 */
export function createLicensingClient(
  bridge: LicensingBridge,
  first: LicensingState | null = null,
): LicensingClient {
  const { contractVersion: _, getState, onState, ...verbs } = bridge
  const listeners = new Set<LicensingClientListener>()
  let snapshot = deepFreeze(first)
  let isPushed = false

  const accept = (state: LicensingState): void => {
    if (JSON.stringify(snapshot) === JSON.stringify(state)) return
    snapshot = deepFreeze(state)
    for (const listener of [...listeners]) {
      try {
        listener(snapshot)
      } catch (error) {
        // One listener's bug must not keep the news from the others.
        reportError(error)
      }
    }
  }

  const ready = new Promise<LicensingState>((resolve, reject) => {
    onState((state) => {
      isPushed = true
      accept(state)
      resolve(snapshot ?? state)
    })
    getState().then(
      (state) => {
        // A pushed state is at least as new as this answer.
        if (!isPushed) accept(state)
        resolve(snapshot ?? state)
      },
      (cause: unknown) => reject(new LicensingBridgeError('bridge-silent', { cause })),
    )
  })
  // Whoever awaits it learns of the failure; nobody has to.
  ready.catch(() => {})

  return {
    ...verbs,
    getSnapshot: () => snapshot,
    subscribe: (listener) => {
      // Wrapped, so that the same function subscribed twice is called twice and stopped one by one.
      const entry: LicensingClientListener = (state) => listener(state)
      listeners.add(entry)
      return () => {
        listeners.delete(entry)
      }
    },
    ready,
  }
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner)
    Object.freeze(value)
  }
  return value
}
