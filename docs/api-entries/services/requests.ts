export type {
  ActivateRequest,
  ActivationRequest,
  DeviceRequest,
  LicenseRequest,
  ListRequest,
} from '@latchkey/services'
