/** Why a window cannot talk to Latchkey. */
export type LicensingBridgeFault = 'bridge-missing' | 'bridge-version' | 'bridge-silent'

const messages: Record<LicensingBridgeFault, string> = {
  'bridge-missing':
    "window.latchkey is missing. Call exposeLicensing() from '@latchkey/electron/preload' in this window's preload script, and bundle it. If you do, look above for 'Unable to load preload script'.",
  'bridge-version':
    "This window's preload script contains another version of @latchkey/electron. Build both again.",
  'bridge-silent':
    "The main process doesn't answer this window. Call createLicensing() there, and trust the origin of this page.",
}

/** The window's preload does not offer the bridge this page needs, or nobody answers behind it. */
export class LicensingBridgeError extends Error {
  override readonly name = 'LicensingBridgeError'
  /** Which of the three it is, stable across versions. */
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
