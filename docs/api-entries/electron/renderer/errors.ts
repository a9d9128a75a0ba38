export {
  isLicensingBridgeError,
  LicensingBridgeError,
  type LicensingBridgeFault,
} from '@latchkey/electron/renderer'
