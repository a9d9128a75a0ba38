export type {
  AccompanyingFault,
  Fault,
  FaultControl,
  FaultMoment,
  FaultRule,
  FaultScope,
  InjectedFault,
  RedirectFault,
  ReplacingFault,
  SpoilingFault,
  StatusFault,
} from '@latchkey/emulator'
