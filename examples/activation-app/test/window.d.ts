import type { LicensingBridge } from '@latchkey/electron/renderer'

declare global {
  interface Window {
    /** See `exposeLicensing`. */
    readonly latchkey: LicensingBridge
  }
}
