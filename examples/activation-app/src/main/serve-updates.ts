import type { Licensing } from '@latchkey/electron/main'
import { app, net } from 'electron'
import * as z from 'zod/mini'
import type { FoundUpdate } from '../shared/notebook-bridge.ts'
import { notebookChannels as channels } from '../shared/notebook-channels.ts'
import { notebookMessages as messages } from '../shared/notebook-messages.ts'
import { NotebookError } from './notebook.ts'
import { handle } from './notebook-ipc.ts'

const releaseSchema = z.object({
  version: z.string().check(z.regex(/^\d+\.\d+\.\d+$/u)),
  // A release without a date counts as released now.
  releaseDate: z.optional(z.string()),
})

const timeoutMs = 10_000

/**
 * Looks for a newer version and says whether the license covers it. With electron-updater, `guardUpdates` does this before
 * each download.
 *
 * @param feedUrl a JSON file with the newest `version` and its `releaseDate`; `undefined` for none.
 */
export function serveUpdates(licensing: Pick<Licensing, 'covers'>, feedUrl: string | undefined): void {
  handle(channels.findUpdate, messages.nothing, async (): Promise<FoundUpdate | null> => {
    if (!feedUrl)
      throw new NotebookError('This build has no update feed. Set INKWELL_UPDATE_FEED to try one.')
    const release = await newestRelease(feedUrl)
    if (release === null) throw new NotebookError('The update check failed. Try again later.')
    const { version, releaseDate } = release
    return isNewer(version, app.getVersion()) ? { version, isCovered: licensing.covers(releaseDate) } : null
  })
}

async function newestRelease(feedUrl: string): Promise<z.infer<typeof releaseSchema> | null> {
  try {
    const response = await net.fetch(feedUrl, { signal: AbortSignal.timeout(timeoutMs) })
    return releaseSchema.parse(await response.json())
  } catch {
    return null
  }
}

function isNewer(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) > 0
}
