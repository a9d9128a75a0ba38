import { activationPageStrings } from 'virtual:latchkey/embedded-texts'
import { app, dialog } from 'electron'
import { pickLanguage } from '../../shared/pick-language.ts'
import { problemMessages } from '../../shared/problem.ts'
import { errorCode, isDiskFull } from '../adapters/stored-file.ts'

/** Tells the user in a system dialog that the activation window could not be opened, and what to do. */
export function showWindowError(error: unknown, locale: string): void {
  const { language } = pickLanguage(locale, Object.keys(activationPageStrings))
  const messages = activationPageStrings[language]?.problems ?? problemMessages
  const message = messages[isDiskFull(error) ? 'disk-full' : 'unexpected']
  const code = errorCode(error)
  dialog.showErrorBox(app.getName(), code === '' ? message : `${message} (${code})`)
}
