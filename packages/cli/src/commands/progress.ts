import type { CommerceError, WalkProgress } from '@latchkey/commerce'
import { Presets, SingleBar } from 'cli-progress'
import type { Terminal } from '../terminal.ts'

/** Shows the progress of reading a list. If standard error isn't a screen, it only reports a wait. */
export interface Progress {
  update(progress: Pick<WalkProgress, 'page' | 'lastPage'>): void
  /** Removes the bar to make room for output. The next update draws it again. */
  clear(): void
  /** Reports why the command waits before a retry, unless the wait is short. */
  wait(error: CommerceError, delayMs: number): void
  stop(): void
}

const shortWaitMs = 2000

export function showProgress({ screen, tell }: Terminal): Progress {
  let bar: SingleBar | null = null
  const clear = (): void => {
    if (bar !== null) screen?.write('\r\u001b[2K')
  }
  return {
    update({ page, lastPage }) {
      if (screen === null) return
      if (bar === null) {
        bar = new SingleBar(
          {
            stream: screen,
            format: 'Page {value} of {total} [{bar}] {percentage} %, {eta_formatted} to go',
            clearOnComplete: true,
            gracefulExit: false,
            forceRedraw: true,
          },
          Presets.rect,
        )
        bar.start(lastPage, page)
      }
      bar.setTotal(lastPage)
      bar.update(page)
    },
    clear,
    wait({ status }, delayMs) {
      if (delayMs < shortWaitMs) return
      clear()
      const why =
        status === 429 ? 'The service limits the requests' : 'The service doesn’t answer as it should'
      tell(`${why}. Retrying in ${Math.ceil(delayMs / 1000)} s.\n`)
    },
    stop: () => bar?.stop(),
  }
}
