export type { AnswerMeta, CallOptions } from './call-options.ts'
export type { CommerceClientOptions, Fetch } from './client-options.ts'
export {
  CommerceError,
  type CommerceErrorDetails,
  isCommerceError,
  type UnreachableReason,
} from './commerce-error.ts'
export { type CommerceClient, createCommerceClient } from './create-commerce-client.ts'
export { type CommerceErrorCode, commerceErrorMessages } from './error-messages.ts'
export type { License, LicenseStatus } from './license.ts'
export type { LicenseKey } from './license-key.ts'
export type { Activation, Deactivation, Licenses, Validation } from './licenses.ts'
export type { Operation } from './operation.ts'
export { toDate } from './timestamps.ts'
