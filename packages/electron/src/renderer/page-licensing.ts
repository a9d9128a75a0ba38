import { type LicensingBridge, licensingVerbs, refusedWindow } from '../shared/licensing-bridge.ts'
import type { LicensingState } from '../shared/licensing-state.ts'
import { licensing as plainLicensing } from './licensing.ts'
import {
  createLicensingClient as createPlainClient,
  LicensingBridgeError,
  type LicensingClient,
} from './licensing-client.ts'

// A client has no `getState`, because it keeps the state.
const verbNames = Object.keys(licensingVerbs).filter((verb) => verb !== 'getState')

/**
 * Licensing in this window, over the bridge that its preload script exposed.
 *
 * Without a bridge of this version, the methods and `ready` reject, and `getSnapshot`, `has` and `subscribe` throw. The
 * error is a {@link LicensingBridgeError} that names the missing step.
 *
 * @example
 * const state = await licensing.ready
 * if (!state.entitled) await licensing.openActivationWindow()
 */
export const licensing: LicensingClient = explainSilence(plainLicensing)

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
  return explainSilence(createPlainClient(bridge, first))
}

/**
 * Adds what a developer needs if the main process doesn't answer: the methods reject with a `LicensingBridgeError`, and
 * the console has the reason if the page doesn't use `ready`.
 */
function explainSilence(client: LicensingClient): LicensingClient {
  let isReadyUsed = false
  let isWatched = false

  /** Waits for the first state on behalf of a page that only subscribes. */
  function watch(): void {
    if (isWatched) return
    isWatched = true
    client.ready.catch(({ message }: Error) => {
      // biome-ignore lint/suspicious/noConsole: nothing else would tell a page that only subscribes.
      if (!isReadyUsed) console.error(`[latchkey] ${message}`)
    })
  }

  const verbs = Object.fromEntries(
    verbNames.map((verb) => [
      verb,
      async (...message: unknown[]) => {
        try {
          return await Reflect.apply(Reflect.get(client, verb), undefined, message)
        } catch (cause) {
          throw isSilence(cause) ? new LicensingBridgeError('bridge-silent', { cause }) : cause
        }
      },
    ]),
  ) as unknown as Omit<LicensingClient, 'getSnapshot' | 'has' | 'subscribe' | 'ready'>

  return {
    ...verbs,
    getSnapshot: client.getSnapshot,
    has: client.has,
    subscribe(listener) {
      const stop = client.subscribe(listener)
      watch()
      return stop
    },
    get ready() {
      isReadyUsed = true
      return client.ready
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
