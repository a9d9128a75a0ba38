import { app } from 'electron'

/** Whether the app is about to quit. */
export interface QuitWatch {
  readonly isQuitting: () => boolean
  readonly stop: () => void
}

/** Notices that the app begins to quit. An app that wants to save something first calls it off, and quits later. */
export function watchQuit(): QuitWatch {
  let isQuitting = false
  const onBeforeQuit = (event: { readonly defaultPrevented: boolean }): void => {
    isQuitting = true
    // Who calls it off may be listening behind us.
    queueMicrotask(() => {
      isQuitting = !event.defaultPrevented
    })
  }
  app.on('before-quit', onBeforeQuit)
  return { isQuitting: () => isQuitting, stop: () => app.off('before-quit', onBeforeQuit) }
}
