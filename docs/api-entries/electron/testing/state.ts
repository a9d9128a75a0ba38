export { type FakeState, licensingState } from '@latchkey/electron/testing'
