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
