export {
  type ActivatedLicense,
  type Activation,
  type ActivationList,
  isTestLicense,
  type LicenseFacts,
  type LicenseStatus,
  nothingTold,
  readVerdict,
  type Verdict,
} from '@latchkey/services'
