export type { Logger } from '../core/ports.ts'
export type { LicenseTerms, LicensingListener } from '../core/state.ts'
export type { ActivationLink } from '../shared/activation-screen.ts'
export type {
  DeviceSummary,
  Feature,
  LicenseReleaseCode,
  LicenseSummary,
  LicensingActivity,
  LicensingState,
  LicensingStatus,
  ReleaseCode,
  StorageTier,
} from '../shared/licensing-state.ts'
export type { OfflineProblem, OfflineProblemCode } from '../shared/offline-problem.ts'
export { type Problem, type ProblemCode, problemMessages } from '../shared/problem.ts'
export type {
  ActivationResult,
  DeactivationResult,
  Device,
  DevicesResult,
  FreedSeat,
  OfflineActivationResult,
  OfflineRequestResult,
  ReleaseResult,
} from '../shared/results.ts'
export type { ActivationTextName, ActivationTexts } from '../texts/load-strings.ts'
export { createLicensing } from './create-licensing.ts'
export type { Licensing } from './licensing.ts'
export type {
  ActivationWindowOptions,
  BuildOptions,
  DeviceOptions,
  LeaseKey,
  LeaseKeys,
  LicensingOptions,
  OfflineActivationOptions,
  ProvisioningOptions,
  ServiceOptions,
} from './options/licensing-options.ts'
export { LicensingOptionsError } from './options/parse-licensing-options.ts'
export type { GateOptions } from './window/gate.ts'
