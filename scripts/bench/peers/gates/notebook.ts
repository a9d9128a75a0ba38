import { app } from 'electron'

/** What the bench passes to a gated notebook. */
export interface PeerEnvironment {
  readonly serviceUrl: string
  readonly accessToken: string
  readonly licenseKey: string
  /** Whether this start activates the device instead of opening a window. */
  readonly isActivating: boolean
}

/** Reads the environment in a gated notebook. */
export function peerEnvironment(): PeerEnvironment {
  return {
    serviceUrl: process.env['BENCH_SERVICE_URL'] ?? '',
    accessToken: process.env['BENCH_SERVICE_TOKEN'] ?? '',
    licenseKey: process.env['BENCH_LICENSE_KEY'] ?? '',
    isActivating: process.env['BENCH_ACTIVATING'] === '1',
  }
}

/** Quits the notebook like the example does. */
export function quitWithLastWindow(): void {
  app.on('window-all-closed', () => app.quit())
}
