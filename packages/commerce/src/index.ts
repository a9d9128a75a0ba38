export * from './client.ts'
export * from './commerce-error.ts'
export type { Fetch } from './http.ts'
export { isSameId } from './ids.ts'
export type { KeyList, KeyListOptions } from './licenses/key-list.ts'
export * from './licenses/key-name.ts'
export {
  isLicenseUsable,
  type License,
  type LicenseKey,
  type LicenseStatus,
  remainingSeats,
} from './licenses/license-and-key.ts'
export type { Activation, Deactivation, KeyInput, Licenses, Validation } from './licenses/licenses.ts'
export { readFeatures, readPlan } from './licenses/terms.ts'
export {
  type Customer,
  type Discount,
  type DiscountStatus,
  isDiscountOpen,
  type Product,
  type ProductType,
} from './lists/items.ts'
export type {
  ListOptions,
  OnRetry,
  Page,
  PagedList,
  PageLinks,
  PageMeta,
  PageMetaLink,
  WalkOptions,
  WalkProgress,
} from './lists/paged-list.ts'
export type { AnswerMeta, CallOptions } from './request.ts'
export * from './timestamps.ts'
