export type {
  ActivationLink,
  ActivationScreen,
  LicensingBridge,
  LinkResult,
} from '@latchkey/electron/renderer'
