import { app, dialog } from 'electron'
import { type ProblemCode, problemMessages } from '../../shared/problem.ts'
import { errorCode, isDiskFull } from '../adapters/stored-file.ts'

/** Tells the user in a system dialog that the activation window could not be opened, and what to do. */
export async function showWindowError(error: unknown, locale: string): Promise<void> {
  const messages = await loadMessages(locale)
  const message = messages[isDiskFull(error) ? 'disk-full' : 'unexpected']
  const code = errorCode(error)
  dialog.showErrorBox(app.getName(), code === '' ? message : `${message} (${code})`)
}

/** The window may have failed because a file of the app is gone, so the texts may be gone too. */
async function loadMessages(locale: string): Promise<Readonly<Record<ProblemCode, string>>> {
  try {
    const { loadStrings } = await import('virtual:latchkey/strings')
    return { ...problemMessages, ...(await loadStrings(locale)).strings.problems }
  } catch {
    return problemMessages
  }
}
