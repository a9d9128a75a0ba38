import { createSystemClock } from '../../../src/main/adapters/time.ts'
import { describeClockContract } from '../../contracts/clock-contract.ts'

describeClockContract('this process', () => ({
  clock: createSystemClock(),
  elapse: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}))
