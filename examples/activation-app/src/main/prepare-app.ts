import { join } from 'node:path'
import { app } from 'electron'
import { focusMainWindow } from './main-window.ts'
import { openNotebook } from './notebook.ts'
import { serveNotebook } from './notebook-ipc.ts'

/**
 * Prepares what the notebook needs before its first window: the single-instance lock and the notes.
 * @returns whether this process may continue; a second instance passes its arguments to the first one.
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
