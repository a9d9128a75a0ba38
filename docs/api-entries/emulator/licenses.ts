export type { LicenseControl, LicenseInput, LicensePatch } from '@latchkey/emulator'
