import { app } from 'electron'
import { prepareApp } from '../../../examples/activation-app/src/main/prepare-app.ts'

/** The service of a gate, from the bench. */
export const service: Readonly<Record<'url' | 'accessToken' | 'licenseKey', string>> = {
  url: process.env['BENCH_SERVICE_URL'] ?? '',
  accessToken: process.env['BENCH_SERVICE_TOKEN'] ?? '',
  licenseKey: process.env['BENCH_LICENSE_KEY'] ?? '',
}

/** Opens the notebook behind a gate. A run for `activate` opens no window: it prepares the device for the later ones. */
export function startNotebook(gate: {
  readonly activate?: () => Promise<void> | void
  /** Opens the window if the license is valid. */
  readonly open: () => Promise<void> | void
}): void {
  // Quits like the example does.
  app.on('window-all-closed', () => app.quit())
  void prepareApp().then(async (mayGoOn) => {
    if (!mayGoOn) return
    if (process.env['BENCH_ACTIVATING'] !== '1') return gate.open()
    await gate.activate?.()
    process.stdout.write('activated\n')
  })
}
