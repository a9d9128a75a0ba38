export type {
  DeviceSummary,
  Feature,
  LicenseSummary,
  LicensingActivity,
  LicensingState,
  LicensingStateBase,
  LicensingStatus,
  Problem,
  ProblemCode,
  StorageTier,
} from '@latchkey/electron/renderer'
