export type { AnswerMeta, CallOptions } from './call-options.ts'
export type { CommerceClientOptions, Fetch } from './client-options.ts'
export {
  CommerceError,
  type CommerceErrorDetails,
  isCommerceError,
  type UnreachableReason,
} from './commerce-error.ts'
export { type CommerceClient, createCommerceClient } from './create-commerce-client.ts'
export type { Customer } from './customer.ts'
export type { Discount, DiscountStatus } from './discount.ts'
export { isDiscountOpen } from './discount-open.ts'
export { type CommerceErrorCode, commerceErrorMessages } from './error-messages.ts'
export type { KeyList, KeyListOptions } from './key-list.ts'
export { composeKeyName, type KeyName, parseKeyName } from './key-name.ts'
export type { License, LicenseStatus } from './license.ts'
export type { Activation, Deactivation, Validation } from './license-answers.ts'
export type { LicenseKey } from './license-key.ts'
export { isLicenseUsable, remainingSeats } from './license-usable.ts'
export type { KeyInput, Licenses } from './licenses.ts'
export type { Operation } from './operation.ts'
export type { Page, PageLinks, PageMeta, PageMetaLink } from './page.ts'
export type { ListOptions, PagedList, WalkOptions, WalkProgress } from './paged-list.ts'
export type { Product, ProductType } from './product.ts'
export { toDate, toEndDate } from './timestamps.ts'
