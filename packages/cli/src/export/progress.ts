import type { WalkProgress } from '@latchkey/commerce'
import { Presets, SingleBar } from 'cli-progress'
import type { Terminal } from '../terminal.ts'

/** Shows the progress of reading a list. Prints nothing if standard error isn't a terminal. */
export interface Progress {
  update(progress: Pick<WalkProgress, 'page' | 'lastPage'>): void
  /** Removes the bar to make room for output. The next update draws it again. */
  clear(): void
  stop(): void
}

export function showProgress(terminal: Terminal): Progress {
  if (!terminal.err.isTerminal) return { update: () => {}, clear: () => {}, stop: () => {} }
  const bar = new SingleBar(
    {
      stream: terminal.err.stream,
      format: 'Page {value} of {total} [{bar}] {percentage} %, {eta_formatted} to go',
      clearOnComplete: true,
      gracefulExit: false,
      forceRedraw: true,
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
    clear() {
      if (isStarted) terminal.err.write('\r\u001b[2K')
    },
    stop: () => bar.stop(),
  }
}
