export {
  buildOpenApiDocument,
  demoLicenseId,
  type Emulator,
  type EmulatorData,
  type EmulatorOptions,
  type FaceName,
  faceNames,
  startEmulator,
} from '@latchkey/emulator'
