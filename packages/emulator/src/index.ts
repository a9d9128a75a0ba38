export type { EmulatorControl, FaultControl } from './control/control.ts'
export type { LicenseControl, ShownLicense } from './control/license-control.ts'
export type { LicenseInput, LicensePatch } from './control/license-input.ts'
export { ControlError } from './control-error.ts'
export type { EmulatorData, ItemSource, LicenseData, LicenseKeyData } from './data/emulator-data.ts'
export { demoLicenseId } from './data/seeded-data.ts'
export type { Totals, TotalsPatch } from './data/service-data.ts'
export type { Dialect, Refusal } from './dialects/dialect.ts'
export { type DialectName, dialects } from './dialects/dialects.ts'
export { type FaceName, faceNames } from './faces/face.ts'
export type {
  AccompanyingFault,
  Fault,
  FaultMoment,
  FaultRule,
  FaultScope,
  ReplacingFault,
  SpoilingFault,
} from './faults/fault.ts'
export type { InjectedFault } from './faults/fault-rules.ts'
export { buildOpenApiDocument } from './openapi/openapi-document.ts'
export type { Operation } from './operations.ts'
export type { RequestRecord } from './request-log.ts'
export { type Emulator, type EmulatorOptions, startEmulator } from './start-emulator.ts'
export type { Customer, Discount, License, LicenseKey, Page, PageLink, Product, Timestamp } from './wire.ts'
