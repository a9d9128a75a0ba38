import { app, dialog } from 'electron'

/** Tells the user in a system dialog that an update was found which the license doesn't cover. Never rejects. */
export async function showNotCovered(version: string): Promise<void> {
  try {
    await app.whenReady()
    const { loadStrings } = await import('virtual:latchkey/strings')
    const { strings } = await loadStrings(app.getLocale())
    await dialog.showMessageBox({
      type: 'info',
      message: `${app.getName()} ${version}`,
      detail: strings.problems['license-expired'],
    })
  } catch {
    // A file of the app is gone, or the app quits: the update is just not offered.
  }
}
