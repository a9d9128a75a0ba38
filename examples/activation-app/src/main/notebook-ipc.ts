import { ipcMain, type WebFrameMain } from 'electron'
import type * as z from 'zod/mini'
import type { Answer } from '../shared/notebook-bridge.ts'
import { notebookChannels as channels } from '../shared/notebook-channels.ts'
import { notebookMessages as messages } from '../shared/notebook-messages.ts'
import { isMainWindowPage } from './main-window.ts'
import { type Notebook, NotebookError } from './notebook.ts'

/** Lets only the main window read and write the notebook. */
export function serveNotebook(notebook: Notebook): void {
  handle(channels.list, messages.query, ([query]) => notebook.list(query))
  handle(channels.read, messages.name, ([name]) => notebook.read(name))
  handle(channels.create, messages.nothing, () => notebook.create())
  handle(channels.write, messages.note, ([name, text]) => notebook.write(name, text))
  handle(channels.rename, messages.names, ([name, newName]) => notebook.rename(name, newName))
  handle(channels.remove, messages.name, ([name]) => notebook.remove(name))
  handle(channels.restore, messages.name, ([name]) => notebook.restore(name))

  ipcMain.on(channels.writeNow, (event, ...message) => {
    // A synchronous message needs a reply in every case, otherwise the page hangs and never closes.
    event.returnValue = writeNow(notebook, event.senderFrame, message)
  })
}

function writeNow(notebook: Notebook, frame: WebFrameMain | null, message: readonly unknown[]): Answer<void> {
  try {
    const note = messages.note.safeParse(message)
    if (!isMainWindowPage(frame) || !note.success) return { ok: false, message: 'Refused.' }
    return { ok: true, value: notebook.write(...note.data) }
  } catch (error) {
    return { ok: false, message: sentenceOf(error) }
  }
}

/** Checks the sender first, then the message. Only then the handler runs. */
export function handle<Message, Value>(
  channel: string,
  schema: z.ZodMiniType<Message>,
  handler: (message: Message) => Value | Promise<Value>,
): void {
  ipcMain.handle(channel, async (event, ...message): Promise<Answer<Value>> => {
    // Read before the first await: the frame no longer exists once its page navigates.
    if (!isMainWindowPage(event.senderFrame)) throw new Error('Refused.')
    const parsed = schema.safeParse(message)
    if (!parsed.success) return { ok: false, message: parsed.error.issues[0]?.message ?? 'Refused.' }
    try {
      return { ok: true, value: await handler(parsed.data) }
    } catch (error) {
      return { ok: false, message: sentenceOf(error) }
    }
  })
}

function sentenceOf(error: unknown): string {
  if (error instanceof NotebookError) return error.message
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
  return `The notebook folder cannot be used${code}. Check that it is there and writable.`
}
