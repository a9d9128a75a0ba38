import type { WalkProgress } from '@latchkey/commerce'
import { Presets, SingleBar } from 'cli-progress'
import type { Terminal } from '../terminal.ts'

/** Shows how far an export is; silent where nobody watches. */
export interface ExportProgress {
  update(progress: WalkProgress): void
  stop(): void
}

export function showProgress(terminal: Terminal): ExportProgress {
  if (!terminal.err.isTerminal) return { update: () => {}, stop: () => {} }
  const bar = new SingleBar(
    {
      stream: terminal.err.stream,
      format: 'Page {value} of {total} [{bar}] {percentage} %, {eta_formatted} to go',
      clearOnComplete: true,
      gracefulExit: false,
    },
    Presets.rect,
  )
  let isStarted = false
  return {
    update({ page, lastPage }) {
      if (!isStarted) bar.start(lastPage, page)
      isStarted = true
      bar.setTotal(lastPage)
      bar.update(page)
    },
    stop: () => bar.stop(),
  }
}
