export { isOlderThan } from './contract/is-older-than.ts'
export { isTestLicense } from './contract/is-test-license.ts'
export type {
  ActivatedLicense,
  Activation,
  ActivationList,
  LicenseFacts,
  LicenseStatus,
} from './contract/license-facts.ts'
export type {
  ActivateRequest,
  ActivationRequest,
  DeviceRequest,
  LicenseRequest,
  LicenseService,
  ListRequest,
  ServiceCapabilities,
  ServiceLinks,
  SignedAnswer,
} from './contract/license-service.ts'
export type {
  Answer,
  Outcome,
  Refusal,
  RefusalReason,
  Unavailable,
  UnavailableCause,
} from './contract/outcome.ts'
export { readVerdict, type Verdict } from './contract/read-verdict.ts'
export type { ResponseFacts, ServiceCall, WebCrypto } from './contract/service-call.ts'
export { maxAnswerBytes } from './http/read-text.ts'
export { composeActivationName, parseActivationName } from './text/activation-name.ts'
export { findAnyLicenseKey } from './text/find-any-license-key.ts'
export type { FoundLicenseKey } from './text/find-license-key.ts'
