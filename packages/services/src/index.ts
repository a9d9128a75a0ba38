export { maxAnswerBytes } from '@latchkey/commerce/http'
export * from './activation-name.ts'
export {
  type FoundLicenseKey,
  findAnyLicenseKey,
  findLicenseKey,
  type LicenseKeyForm,
} from './license-key.ts'
export * from './license-service.ts'
