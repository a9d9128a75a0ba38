import { app, dialog } from 'electron'
import { formatDay } from '../../shared/timestamp.ts'

/**
 * Tells the user in a system dialog that an update was found which the license doesn't cover. Never rejects.
 *
 * @param expiresAt when the license ends; `null` if the service doesn't say.
 */
export async function showNotCovered(version: string, expiresAt: string | null): Promise<void> {
  try {
    await app.whenReady()
    const { loadStrings } = await import('virtual:latchkey/strings')
    const { locale, strings } = await loadStrings(app.getLocale())
    const end = expiresAt === null ? null : formatDay(expiresAt, locale)
    // The second line is about a version that is already installed.
    const [covered = ''] = strings.notCoveredLead.split('\n')
    await dialog.showMessageBox({
      type: 'info',
      message: `${app.getName()} ${version}`,
      detail: end === null ? strings.problems['license-expired'] : covered.replace('{date}', end),
    })
  } catch {
    // A file of the app is gone, or the app quits: the update is just not offered.
  }
}
