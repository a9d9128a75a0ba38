export type {
  ActivationLink,
  ActivationTextName,
  ActivationTexts,
  ActivationWindowOptions,
  GateOptions,
} from '@latchkey/electron/main'
