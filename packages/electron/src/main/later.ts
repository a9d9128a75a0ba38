/** Everything that the decision at launch and the app's first window don't need. `loadLater` loads it. */

export { packageVersion } from 'virtual:latchkey/package'
export { commerce } from '@latchkey/services/commerce'
export { createOfflinePort } from './adapters/offline-port.ts'
export { signedGateway } from './adapters/signed-gateway.ts'
export { reportEnvironment } from './diagnosis/report-environment.ts'
export { createServiceHint } from './diagnosis/service-hint.ts'
export { describeScreen } from './window/describe-screen.ts'
export { createElectronWindowView } from './window/electron-activation-window.ts'
