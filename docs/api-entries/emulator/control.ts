export {
  ControlError,
  type EmulatorControl,
  type Operation,
  type Refusal,
  type RequestRecord,
  type Totals,
  type TotalsPatch,
} from '@latchkey/emulator'
