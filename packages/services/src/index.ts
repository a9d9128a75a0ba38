export { maxAnswerBytes } from '@latchkey/commerce/http'
export { composeActivationName, parseActivationName } from './activation-name.ts'
export {
  type ActivatedLicense,
  type ActivateRequest,
  type Activation,
  type ActivationList,
  type ActivationRequest,
  type DeviceRequest,
  isTestLicense,
  type LicenseFacts,
  type LicenseRequest,
  type LicenseService,
  type LicenseStatus,
  type ListRequest,
  type ResponseFacts,
  readVerdict,
  type ServiceCall,
  type ServiceCapabilities,
  type ServiceLinks,
  type SignedAnswer,
  type Verdict,
  type WebCrypto,
} from './contract/license-service.ts'
export {
  type Answer,
  isOlderThan,
  type Outcome,
  type Refusal,
  type RefusalReason,
  type Unavailable,
  type UnavailableCause,
  unavailable,
} from './contract/outcome.ts'
export {
  type FoundLicenseKey,
  findAnyLicenseKey,
  findLicenseKey,
  type LicenseKeyForm,
} from './license-key.ts'
