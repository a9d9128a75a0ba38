// The operations that ask the service, in one module: a launch decides without them, so they load at their first use.
export { pursueActivation } from './activation.ts'
export { checkEverything } from './check.ts'
export { listDevices } from './devices.ts'
export { flushOutbox, isSearchHeldBack } from './outbox.ts'
export { releaseKey } from './release-key.ts'
