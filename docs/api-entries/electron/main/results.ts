export type {
  ActivationResult,
  DeactivationResult,
  Device,
  DevicesResult,
  FreedSeat,
  LicenseReleaseCode,
  OfflineActivationResult,
  OfflineProblem,
  OfflineProblemCode,
  OfflineRequestResult,
  ReleaseCode,
  ReleaseResult,
} from '@latchkey/electron/main'
