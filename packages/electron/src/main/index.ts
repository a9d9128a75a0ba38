export type { Logger } from '../core/ports.ts'
export type { LicenseTerms, LicensingListener } from '../core/state.ts'
export type { ActivationLink } from '../shared/activation-screen.ts'
export type { Feature } from '../shared/feature.ts'
export type {
  DeviceSummary,
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
export type { ActivationTextName, ActivationTexts } from '../shared/text-names.ts'
export { createLicensing } from './create-licensing.ts'
export type { Licensing } from './licensing.ts'
export type { LeaseKey, LeaseKeys } from './options/lease-key.ts'
export type {
  ActivationWindowOptions,
  BuildOptions,
  DeviceOptions,
  LicensingOptions,
  OfflineActivationOptions,
  ServiceOptions,
} from './options/licensing-options.ts'
export { LicensingOptionsError } from './options/licensing-options-error.ts'
export type { GateOptions } from './window/gate.ts'
