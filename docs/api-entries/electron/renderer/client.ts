export {
  createLicensingClient,
  type LicensingClient,
  type LicensingClientListener,
  licensing,
} from '@latchkey/electron/renderer'
