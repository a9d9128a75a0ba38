export type {
  BuildOptions,
  DeviceSummary,
  Feature,
  LicenseSummary,
  LicensingActivity,
  LicensingListener,
  LicensingState,
  LicensingStatus,
  StorageTier,
} from '@latchkey/electron/main'
