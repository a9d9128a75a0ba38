import { type LicensingBridge, licensingVerbs, refusedWindow } from '../shared/licensing-bridge.ts'
import { type Feature, hasFeature, type LicensingState } from '../shared/licensing-state.ts'

/** Called after every change of the state. */
export type LicensingClientListener = (state: LicensingState) => void

/**
 * Licensing in a window: the methods of the main process, and a copy of the state that is always current, with the two
 * functions that React's `useSyncExternalStore` and similar hooks take. Every function works without the object, so you
 * can pass it around on its own.
 *
 * If the main process doesn't serve this page, the methods reject with a `LicensingBridgeError`.
 *
 * @example
 * const state = useSyncExternalStore(licensing.subscribe, licensing.getSnapshot)
 */
export interface LicensingClient extends Omit<LicensingBridge, 'getState' | 'onState'> {
  /**
   * Returns the latest state from the main process; `null` until the first one arrives.
   * Returns the same frozen object until something changes.
   */
  readonly getSnapshot: () => LicensingState | null
  /**
   * Whether this device may use a feature, by the latest state. `false` until the first one arrives: render it again
   * when the state changes.
   */
  readonly has: (feature: Feature) => boolean
  /** Calls the listener after every change. @returns a function that removes it. */
  readonly subscribe: (listener: LicensingClientListener) => () => void
  /** Resolves with the first state. Rejects with a `LicensingBridgeError` if the main process doesn't answer. */
  readonly ready: Promise<LicensingState>
}

// A client has no `getState`, because it keeps the state.
const verbNames = Object.keys(licensingVerbs).filter((verb) => verb !== 'getState')

/** Makes the methods of a client, each of which calls the bridge. */
export function createVerbs(
  call: (verb: string, message: readonly unknown[]) => Promise<unknown>,
): Omit<LicensingClient, 'getSnapshot' | 'has' | 'subscribe' | 'ready'> {
  return Object.fromEntries(
    verbNames.map((verb) => [verb, (...message: unknown[]) => call(verb, message)]),
  ) as unknown as LicensingClient
}

/**
 * Creates a client from a bridge, for tests or for a bridge of your own. In an app, use `licensing`.
 *
 * @param bridge what a preload script would expose as `window.latchkey`.
 * @param first a state that is already known. The bridge's state replaces it as soon as it arrives.
 */
export function createLicensingClient(
  bridge: LicensingBridge,
  first: LicensingState | null = null,
): LicensingClient {
  const listeners = new Set<LicensingClientListener>()
  let snapshot = deepFreeze(first)
  let isPushed = false
  let isReadyUsed = false

  const accept = (state: LicensingState): void => {
    if (JSON.stringify(snapshot) === JSON.stringify(state)) return
    snapshot = deepFreeze(state)
    for (const listener of [...listeners]) {
      try {
        listener(snapshot)
      } catch (error) {
        // One listener's bug must not keep the others from being called.
        reportError(error)
      }
    }
  }

  const ready = new Promise<LicensingState>((resolve, reject) => {
    bridge.onState((state) => {
      isPushed = true
      accept(state)
      resolve(snapshot ?? state)
    })
    bridge.getState().then(
      (state) => {
        // A pushed state is at least as new as this answer.
        if (!isPushed) accept(state)
        resolve(snapshot ?? state)
      },
      (cause: unknown) => reject(new LicensingBridgeError('bridge-silent', { cause })),
    )
  })
  // Callers who await `ready` see the failure. For all others it must not be an unhandled rejection.
  ready.catch(() => {})

  /** Waits for the first state on behalf of a page that only subscribes. */
  let watch = (): void => {
    watch = () => {}
    ready.catch(({ message }: Error) => {
      // biome-ignore lint/suspicious/noConsole: nothing else would tell a page that only subscribes.
      if (!isReadyUsed) console.error(`[latchkey] ${message}`)
    })
  }

  return {
    ...createVerbs(async (verb, message) => {
      try {
        return await Reflect.apply(Reflect.get(bridge, verb), undefined, message)
      } catch (cause) {
        throw isSilence(cause) ? new LicensingBridgeError('bridge-silent', { cause }) : cause
      }
    }),
    getSnapshot: () => snapshot,
    has: (feature) => hasFeature(snapshot, feature),
    subscribe: (listener) => {
      // Wrapped, so that a function subscribed twice is called twice and each subscription can be removed on its own.
      const entry: LicensingClientListener = (state) => listener(state)
      listeners.add(entry)
      watch()
      return () => {
        listeners.delete(entry)
      }
    },
    get ready() {
      isReadyUsed = true
      return ready
    },
  }
}

/**
 * Whether a call failed because the main process doesn't serve this page. Any other failure, such as a wrong argument or
 * a window that is being closed, is left as it is.
 */
function isSilence(error: unknown): boolean {
  const text = String(error)
  return text.includes(refusedWindow) || text.includes('No handler registered for')
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner)
    Object.freeze(value)
  }
  return value
}

/**
 * Why a window can't reach Latchkey. The error's message says what to do.
 *
 * - `bridge-missing`: its preload script didn't call `exposeLicensing`, or failed to load.
 * - `bridge-version`: its preload script contains another version of Latchkey.
 * - `bridge-silent`: the main process doesn't answer, because it doesn't trust the page or never called
 *   `createLicensing`.
 */
export type LicensingBridgeFault = 'bridge-missing' | 'bridge-version' | 'bridge-silent'

const messages: Record<LicensingBridgeFault, string> = {
  'bridge-missing':
    "window.latchkey is missing. Call exposeLicensing() from '@latchkey/electron/preload' in this window's preload script, and bundle it. If you do, look above for 'Unable to load preload script'. The main process uses '@latchkey/electron/main'.",
  'bridge-version':
    "This window's preload script contains another version of @latchkey/electron. Build both again.",
  'bridge-silent':
    "The main process doesn't answer this window. Import and call createLicensing() there, and trust this page's origin.",
}

/** The window's preload script doesn't expose the bridge this page needs, or the main process doesn't answer. */
export class LicensingBridgeError extends Error {
  override readonly name = 'LicensingBridgeError'
  /** The kind of fault, stable across versions. */
  readonly code: LicensingBridgeFault

  constructor(code: LicensingBridgeFault, options?: ErrorOptions) {
    super(messages[code], options)
    this.code = code
  }
}

/** Whether something thrown is a {@link LicensingBridgeError}. */
export function isLicensingBridgeError(error: unknown): error is LicensingBridgeError {
  return error instanceof LicensingBridgeError
}
