import type { CommerceError, WalkProgress } from '@latchkey/commerce'
import { Presets, SingleBar } from 'cli-progress'
import type { Terminal } from '../terminal.ts'

/** Shows the progress of reading a list. Without a terminal on standard error, it only reports a wait. */
export interface Progress {
  update(progress: Pick<WalkProgress, 'page' | 'lastPage'>): void
  /** Removes the bar to make room for output. The next update draws it again. */
  clear(): void
  /** Reports why the command waits before a retry, unless the wait is short. */
  wait(error: CommerceError, delayMs: number): void
  stop(): void
}

const shortWaitMs = 2000

export function showProgress(terminal: Terminal): Progress {
  const report = ({ status }: CommerceError, delayMs: number): void => {
    if (delayMs < shortWaitMs) return
    const why = status === 429 ? 'The service limits the requests' : 'The service doesn’t answer as it should'
    terminal.err.write(`${why}. Retrying in ${Math.ceil(delayMs / 1000)} s.\n`)
  }
  if (!terminal.err.isTerminal) return { update: () => {}, clear: () => {}, wait: report, stop: () => {} }
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
  const clear = (): void => {
    if (isStarted) terminal.err.write('\r\u001b[2K')
  }
  return {
    update({ page, lastPage }) {
      if (!isStarted) bar.start(lastPage, page)
      isStarted = true
      bar.setTotal(lastPage)
      bar.update(page)
    },
    clear,
    wait(error, delayMs) {
      clear()
      report(error, delayMs)
    },
    stop: () => bar.stop(),
  }
}
