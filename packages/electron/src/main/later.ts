/** What the decision at launch and the app's first window don't need. `loadLater` loads it. */

export { createOfflinePort } from './adapters/offline-port.ts'
export { reportEnvironment } from './diagnosis/report-environment.ts'
export { readPolicyFile } from './policy-file.ts'
export { processTerminal, runCommand } from './run-command.ts'
export { createElectronWindowView } from './window/electron-activation-window.ts'
