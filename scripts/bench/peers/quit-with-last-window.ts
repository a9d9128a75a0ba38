import { app } from 'electron'

/** Ends the notebook as the example ends. */
export function quitWithLastWindow(): void {
  app.on('window-all-closed', () => app.quit())
}
