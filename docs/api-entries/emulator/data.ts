export type {
  Dialect,
  DialectChanges,
  ItemSource,
  License,
  LicenseData,
  LicenseKey,
  LicenseKeyData,
  ShownLicense,
  Timestamp,
} from '@latchkey/emulator'
