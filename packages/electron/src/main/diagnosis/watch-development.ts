import { app, BrowserWindow } from 'electron'
import type { ClockPort } from '../../core/ports.ts'
import type { LicensingOptions } from '../options/licensing-options.ts'
import { developmentWarnings, lateWarnings } from './development-warnings.ts'

/** What the watch knows about an app. */
export interface DevelopmentFacts {
  readonly options: LicensingOptions
  /** Whether the app was ready when it created its licensing. */
  readonly isReady: boolean
  /** How the main process has used licensing. */
  readonly use: () => { readonly isUsed: boolean; readonly isRead: boolean }
  /** Whether the app has a window besides the activation window. */
  readonly hasWindow: () => boolean
  readonly after: ClockPort['after']
  readonly warn: (warning: string) => void
}

/** Watches an app while it is developed. */
export interface DevelopmentWatch {
  /** Looks for a window of the app soon. Call it when `whenEntitled` has settled. */
  noteEntered(): void
  stop(): void
}

/** How long an app in development may show a window before its main process uses licensing, in milliseconds. */
const usedByMs = 15_000
/** How long an app in development may take to open a window once `whenEntitled` has settled, in milliseconds. */
const openedByMs = 5_000
const noWindow =
  'whenEntitled opened no window. If your app has a window, does whenEntitled call the function that opens it?'

/** Warns of calls that are probably missing in the app. */
export function watchDevelopment(facts: DevelopmentFacts): DevelopmentWatch {
  const { options, isReady, use, hasWindow, after, warn } = facts
  const stops: (() => void)[] = []
  let hasEntered = false

  function warnLate(): void {
    const hasSingleInstanceLock = app.hasSingleInstanceLock()
    const running = { platform: process.platform, ...use(), hasWindow: hasWindow() }
    lateWarnings(options, { ...running, hasSingleInstanceLock }).forEach(warn)
  }

  // Setting a process's first timer takes a millisecond, so this waits until the first window has loaded.
  const lookLater = (): void => void stops.push(after(usedByMs, warnLate))
  const onWindow = (_event: unknown, { webContents }: BrowserWindow): void => {
    webContents.once('did-finish-load', lookLater)
  }
  if (BrowserWindow.getAllWindows().length > 0) lookLater()
  else app.once('browser-window-created', onWindow)
  stops.push(() => app.off('browser-window-created', onWindow))
  developmentWarnings(options, { isReady }).forEach(warn)

  return {
    noteEntered() {
      // An app without windows reads this once. One with a window needs no timer.
      if (hasEntered || hasWindow()) return
      hasEntered = true
      stops.push(after(openedByMs, () => !hasWindow() && warn(noWindow)))
    },
    stop() {
      for (const stop of stops.splice(0)) stop()
    },
  }
}
