import { join } from 'node:path'
import { app } from 'electron'
import { focusMainWindow } from './main-window.ts'
import { openNotebook } from './notebook.ts'
import { serveNotebook } from './notebook-ipc.ts'

/**
 * What the notebook needs before its first window: one instance, and its notes.
 * @returns whether this process may go on; a second instance hands over to the first one.
 */
export async function prepareApp(): Promise<boolean> {
  if (!app.requestSingleInstanceLock()) {
    app.quit()
    return false
  }
  app.on('second-instance', focusMainWindow)
  await app.whenReady()
  serveNotebook(openNotebook(join(app.getPath('userData'), 'notes')))
  return true
}
