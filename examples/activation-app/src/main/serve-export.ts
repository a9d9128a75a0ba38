import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Licensing } from '@latchkey/electron/main'
import { app, dialog } from 'electron'
import { notebookChannels as channels } from '../shared/notebook-channels.ts'
import { notebookMessages as messages } from '../shared/notebook-messages.ts'
import { NotebookError } from './notebook.ts'
import { handle } from './notebook-ipc.ts'

/** Exports notes as HTML, for licenses that include it. A user can patch the page, so the license is checked here. */
export function serveExport(licensing: Pick<Licensing, 'has'>): void {
  handle(channels.exportNote, messages.page, async ([name, html]) => {
    if (!licensing.has('export')) throw new NotebookError('Your license doesn’t include export.')
    const { filePath, canceled } = await dialog.showSaveDialog({
      defaultPath: join(app.getPath('documents'), `${name}.html`),
      filters: [{ name: 'HTML', extensions: ['html'] }],
    })
    if (canceled) return null
    try {
      await writeFile(filePath, page(name, html))
    } catch {
      throw new NotebookError('The file can’t be saved there. Choose another folder or name.')
    }
    return basename(filePath)
  })
}

/** The content is what the page has sanitized. The policy keeps anything else from running. */
function page(name: string, html: string): string {
  const title = name.replace(/[&<>"]/gu, (character) => `&#${character.charCodeAt(0)};`)
  return `<!doctype html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:">
<title>${title}</title>
${html}`
}
