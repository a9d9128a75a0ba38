export type {
  DeviceOptions,
  LeaseKey,
  LeaseKeys,
  LicenseTerms,
  Logger,
  OfflineActivationOptions,
  ProvisioningOptions,
  ServiceOptions,
} from '@latchkey/electron/main'
