import { createElectronClock } from '../src/main/electron-clock.ts'
import { describeClockContract } from './contracts/clock-contract.ts'

describeClockContract('this process', () => ({
  clock: createElectronClock(),
  elapse: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}))
