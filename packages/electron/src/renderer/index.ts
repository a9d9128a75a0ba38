export type { ActivationLink, ActivationScreen } from '../shared/activation-screen.ts'
export type { LicensingBridge } from '../shared/licensing-bridge.ts'
export type {
  DeviceSummary,
  Feature,
  LicenseReleaseCode,
  LicenseSummary,
  LicensingActivity,
  LicensingState,
  LicensingStateBase,
  LicensingStatus,
  ReleaseCode,
  StorageTier,
} from '../shared/licensing-state.ts'
export type { OfflineProblem, OfflineProblemCode } from '../shared/offline-problem.ts'
export type { Problem, ProblemCode } from '../shared/problem.ts'
export type {
  ActivationResult,
  DeactivationResult,
  Device,
  DevicesResult,
  FreedSeat,
  LinkResult,
  OfflineActivationResult,
  OfflineRequestResult,
  ReleaseResult,
} from '../shared/results.ts'
export { licensing } from './licensing.ts'
export type { LicensingClient, LicensingClientListener } from './licensing-client.ts'
export {
  createLicensingClient,
  isLicensingBridgeError,
  LicensingBridgeError,
  type LicensingBridgeFault,
} from './licensing-client.ts'
