export type { EmulatorControl, LicenseControl, ShownLicense } from './control/control.ts'
export { ControlError, type LicenseInput, type LicensePatch } from './control/input.ts'
export {
  demoLicenseId,
  type EmulatorData,
  type ItemSource,
  type LicenseData,
  type LicenseKeyData,
  type Totals,
  type TotalsPatch,
} from './data/service-data.ts'
export type {
  AccompanyingFault,
  Fault,
  FaultMoment,
  FaultRule,
  FaultScope,
  RedirectFault,
  ReplacingFault,
  SpoilingFault,
  StatusFault,
} from './faults/fault.ts'
export type { FaultControl, InjectedFault } from './faults/fault-rules.ts'
export type { Dialect, DialectChanges, Refusal } from './formats/dialect.ts'
export { type FormatName as FaceName, formatNames as faceNames, type Operation } from './formats/format.ts'
export { buildOpenApiDocument } from './openapi.ts'
export type { RequestRecord } from './request-log.ts'
export { type Emulator, type EmulatorOptions, startEmulator } from './start-emulator.ts'
export type { License, LicenseKey, Timestamp } from './wire.ts'
