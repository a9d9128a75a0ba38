import { app, autoUpdater } from 'electron'

/** Tells whether the app is about to quit. */
export interface QuitWatch {
  readonly isQuitting: () => boolean
  /** Resolves at once, or once a started quit was canceled. */
  readonly whenStaying: () => Promise<void>
  readonly stop: () => void
}

interface Preventable {
  readonly defaultPrevented: boolean
}

/** After this time, in milliseconds, windows are closed or have refused to. The app is then treated as staying. */
const longestQuitMs = 3_000

/**
 * Detects that the app starts to quit, and that the quit was canceled: a listener prevents `before-quit` or `will-quit`, or
 * the app is still there after three seconds, for example because a window has unsaved work.
 *
 * @param after calls back once after that many milliseconds, and returns a function that cancels it.
 */
export function watchQuit(after: (delayMs: number, callback: () => void) => () => void): QuitWatch {
  let isQuitting = false
  let cancel = (): void => {}
  const waiting: (() => void)[] = []

  function stay(): void {
    isQuitting = false
    cancel()
    for (const resolve of waiting.splice(0)) resolve()
  }

  function begin(): void {
    isQuitting = true
    cancel()
    cancel = after(longestQuitMs, stay)
  }

  const onBeforeQuit = (event: Preventable): void => {
    begin()
    stayIfPrevented(event)
  }
  // A later listener may still prevent the event.
  const stayIfPrevented = (event: Preventable): void => queueMicrotask(() => event.defaultPrevented && stay())
  const onQuit = (): void => {
    isQuitting = true
  }
  app.on('before-quit', onBeforeQuit)
  app.on('will-quit', stayIfPrevented)
  // `app.exit()` emits only this event.
  app.on('quit', onQuit)
  // An update closes the windows first and emits `before-quit` afterwards.
  autoUpdater.on('before-quit-for-update', begin)

  return {
    isQuitting: () => isQuitting,
    whenStaying: async () => {
      if (isQuitting) await new Promise<void>((resolve) => waiting.push(resolve))
    },
    stop() {
      stay()
      app.off('before-quit', onBeforeQuit)
      app.off('will-quit', stayIfPrevented)
      app.off('quit', onQuit)
      autoUpdater.off('before-quit-for-update', begin)
    },
  }
}

/** How long a quit may be held up, in milliseconds. Docker kills a container ten seconds after it asked it to stop. */
const longestHoldMs = 5_000

/**
 * Holds up a quit, once all windows are closed, until the work is done. `app.exit()` doesn't wait.
 *
 * @param work returns `null` if there is nothing to do.
 * @param after calls back once after that many milliseconds, and returns a function that cancels it.
 */
export function holdQuit(
  work: () => Promise<unknown> | null,
  after: (delayMs: number, callback: () => void) => () => void,
): () => void {
  let phase: 'waiting' | 'working' | 'done' = 'waiting'

  function finish(): void {
    if (phase !== 'working') return
    phase = 'done'
    app.quit()
  }

  const onWillQuit = (event: { preventDefault(): void }): void => {
    if (phase === 'waiting') {
      const working = work()
      if (working === null) return
      phase = 'working'
      const cancel = after(longestHoldMs, finish)
      void working
        .catch(() => {})
        .then(() => {
          cancel()
          finish()
        })
    }
    if (phase === 'working') event.preventDefault()
  }
  app.on('will-quit', onWillQuit)
  return () => void app.off('will-quit', onWillQuit)
}

/**
 * Calls back before the process exits.
 *
 * @param finish called when it is about to exit. A listener may still prevent that.
 * @param leave called when nothing can prevent it anymore. `app.exit()` calls back only then.
 */
export function onQuit(finish: () => void, leave: () => void): () => void {
  const end = (): void => {
    finish()
    leave()
  }
  app.on('will-quit', finish)
  app.on('quit', end)
  return () => {
    app.off('will-quit', finish)
    app.off('quit', end)
  }
}
