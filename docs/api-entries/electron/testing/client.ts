export type { Feature, LicensingClient } from '@latchkey/electron/testing'
