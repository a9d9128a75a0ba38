import { isExposed } from '@latchkey/commerce/options'
import { app, BrowserWindow, type WebContents } from 'electron'
import type { ClockPort } from '../../core/ports.ts'
import { bridgeName } from '../../shared/licensing-bridge.ts'
import type { LicensingOptions } from '../options/licensing-options.ts'

/** What the watch knows about an app. */
export interface DevelopmentFacts {
  readonly options: LicensingOptions
  /** Whether the main process has called `gate()` or `start()`. What pages call doesn't count. */
  readonly isUsed: () => boolean
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
/** Without a gate, the app runs unlicensed, and nothing else shows that: its pages can still read the state. */
const noGate =
  'The main process has not called gate() or start(), so this app opens without a license. Reading the state does not change that: open your window with gate(). If your pages lock the app themselves, call start().'
const noLock =
  'The app has no single-instance lock. On Windows and Linux, a link then opens a second copy of the app instead of reaching this one: with deepLinkScheme, call app.requestSingleInstanceLock() first, and quit if it returns false.'
const noWindow =
  'whenEntitled opened no window. If your app has a window, does whenEntitled call the function that opens it?'

/** Warns of what locks users out, leaks a secret, or makes the app silent. */
export function watchDevelopment(facts: DevelopmentFacts): DevelopmentWatch {
  const { options, isUsed, hasWindow, after, warn } = facts
  const stops: (() => void)[] = []
  let hasEntered = false

  function warnOfMissingCalls(): void {
    if (!isUsed() && hasWindow()) warn(noGate)
    const isMac = process.platform === 'darwin'
    if (options.deepLinkScheme !== undefined && !isMac && !app.hasSingleInstanceLock()) warn(noLock)
  }

  // Setting a process's first timer takes a millisecond, so this waits until the first window has loaded.
  const lookLater = (): void => void stops.push(after(usedByMs, warnOfMissingCalls))
  const onWindow = (_event: unknown, { webContents }: BrowserWindow): void => {
    webContents.once('did-finish-load', lookLater)
  }
  if (BrowserWindow.getAllWindows().length > 0) lookLater()
  else app.once('browser-window-created', onWindow)
  stops.push(() => app.off('browser-window-created', onWindow))
  const onContents = (_event: unknown, contents: WebContents): void => repeatPreloadErrors(contents, warn)
  app.on('web-contents-created', onContents)
  stops.push(() => app.off('web-contents-created', onContents))
  secretWarnings(options.service).forEach(warn)

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

/**
 * Repeats in the terminal why a page finds no bridge. Electron and the page say so only in the developer tools of the
 * window, which nobody may have open.
 */
function repeatPreloadErrors(contents: WebContents, warn: DevelopmentFacts['warn']): void {
  const told = new Set<string>()
  const repeat = (text: string): void => {
    if (!told.has(text)) warn(text)
    told.add(text)
  }
  contents.on('preload-error', (_event, file, { message }) => {
    repeat(`Unable to load preload script ${file}: ${message}`)
  })
  // Electron 35 put the text into the event, and warns of listeners that declare the older arguments.
  contents.on('console-message', (...given: readonly unknown[]) => {
    const [event, , olderText] = given
    const text = String(Reflect.get(Object(event), 'message') ?? olderText)
    if (text.includes(`window.${bridgeName} is missing`)) repeat(`A page can't use licensing: ${text}`)
  })
}

/** Warns of a vendor's secret. An emulator's gives access to nothing. */
export function secretWarnings(service: LicensingOptions['service']): readonly string[] {
  if (!('vendorSecrets' in service)) return []
  const isEmulator = service.baseUrl.startsWith('http:') && !isExposed(service.baseUrl)
  if (isEmulator) return []
  return service.vendorSecrets.map(
    (secret) =>
      `service contains ${secret}, which gives access to your account at ${service.name}. A packaged app doesn't start with it: leave it out, or put a gateway (@latchkey/gateway) between app and service.`,
  )
}
