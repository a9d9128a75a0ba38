/** Why a window cannot talk to Latchkey. */
export type LicensingBridgeFault = 'bridge-missing' | 'bridge-version' | 'bridge-silent'

const messages: Record<LicensingBridgeFault, string> = {
  'bridge-missing':
    "window.latchkey is missing. Call exposeLicensing() from '@latchkey/electron/preload' in this window's preload " +
    "script, or set webPreferences.preload to the bundled '@latchkey/electron/preload.cjs'.",
  'bridge-version':
    'The preload script of this window was built with another version of @latchkey/electron than this page. ' +
    'Build both again with the same version.',
  'bridge-silent':
    "Latchkey's main process does not answer this window. Check that createLicensing() runs there and that this " +
    "window's page is one of its trusted origins.",
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
