import { app } from 'electron'

/** Quits the notebook like the example does. */
export function quitWithLastWindow(): void {
  app.on('window-all-closed', () => app.quit())
}
