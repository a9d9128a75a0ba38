import type { BrowserWindow, BrowserWindowConstructorOptions, Rectangle, WebContents } from 'electron'
import * as z from 'zod/mini'
import type { Logger } from '../../core/ports/logger-port.ts'
import { eventChannels } from '../../shared/ipc-channels.ts'
import { activationPageUrl, type TitleBar } from './activation-page.ts'
import { fitContent } from './fit-content.ts'

/** What Electron does for the activation window. */
export interface ActivationWindowPorts {
  /** Makes a window; the session of its page is prepared by the time this returns. */
  readonly createWindow: (options: BrowserWindowConstructorOptions) => BrowserWindow
  readonly titleBar: TitleBar
  readonly isDark: () => boolean
  /** Calls back when the system turns light or dark. @returns stops that. */
  readonly onThemeChange: (listener: () => void) => () => void
  /** The part of a window's display that is free for windows. */
  readonly workAreaOf: (bounds: Rectangle) => Rectangle
  /** Whether windows may move smoothly; only macOS does so. */
  readonly isAnimated: () => boolean
  /** Whether the app is about to quit: then nothing is held, and nobody is told of a window that goes with it. */
  readonly isQuitting: () => boolean
  readonly logger: Logger
}

/** How the window is to appear. */
export interface ActivationWindowAppearance {
  readonly title: string
  readonly parent: BrowserWindow | undefined
  /** Whether a window that is open already has something new to show: its page asks again. */
  readonly isNews: boolean
}

/** The one activation window there may be. */
export interface ActivationWindow {
  /** Shows it; focuses the one there is. Resolves when it can be seen, or was closed before. */
  open(appearance: ActivationWindowAppearance): Promise<void>
  close(): void
  /** Closes it for the user, unless it is held. */
  leave(): void
  /** Keeps it open when the user leaves it, and calls back instead. @returns lets it go again. */
  hold(onLeft: () => void): () => void
  readonly isOpen: boolean
  /** Whether it can be seen: open, and not minimised. */
  readonly isShown: boolean
  /** Whether a window is the one shown, by the id of its `webContents`. */
  owns(windowId: number): boolean
  /** Calls back whenever it was closed, by whomever but an app that quits. @returns stops that. */
  onClosed(listener: () => void): () => void
}

/** A page that dies is loaded again, but not for ever. */
const maxReloads = 3

const contentWidth = 464
const lowestScreen = 100
const highestPage = 10_000
/** For how long a painted page is awaited that does not say how high it is. */
const longestMeasuringMs = 1_000

/** Makes the keeper of the activation window; the window itself comes with the first `open`. */
export function createActivationWindow(ports: ActivationWindowPorts): ActivationWindow {
  const listeners = new Set<() => void>()
  let window: BrowserWindow | null = null
  let windowId = -1
  let shown: Promise<void> = Promise.resolve()
  let holder: (() => void) | null = null
  let goesWithApp = false

  function create(appearance: ActivationWindowAppearance): BrowserWindow {
    const { title, parent } = appearance
    const created = ports.createWindow({
      title,
      ...(parent === undefined || parent.isDestroyed() ? {} : { parent }),
      width: contentWidth,
      height: 436,
      useContentSize: true,
      center: true,
      resizable: false,
      maximizable: false,
      fullscreenable: false,
      autoHideMenuBar: true,
      show: false,
      ...titleBarOptions(),
      // The page's own colors, so that opening does not flash.
      backgroundColor: ports.isDark() ? '#1e1e21' : '#f5f5f7',
    })
    if (ports.titleBar === 'windows') {
      const stop = ports.onThemeChange(() => created.setTitleBarOverlay(overlay()))
      created.once('closed', stop)
    }
    // On macOS the menu belongs to the app, and its Edit menu makes pasting work.
    if (process.platform !== 'darwin') created.removeMenu()
    created.on('page-title-updated', (event) => event.preventDefault())
    created.on('close', (event) => {
      goesWithApp = ports.isQuitting()
      if (holder === null || goesWithApp) return
      event.preventDefault()
      holder()
    })
    confine(created.webContents)
    revive(created.webContents)
    return created
  }

  function titleBarOptions(): BrowserWindowConstructorOptions {
    switch (ports.titleBar) {
      case 'native':
        return {}
      case 'mac':
        return { titleBarStyle: 'hidden', trafficLightPosition: { x: 14, y: 14 } }
      case 'windows':
        return { titleBarStyle: 'hidden', titleBarOverlay: overlay() }
    }
  }

  function overlay(): { color: string; symbolColor: string; height: number } {
    return { color: '#00000000', symbolColor: ports.isDark() ? '#f4f4f6' : '#1b1b1f', height: 32 }
  }

  /** Makes the window as high as its page, within the display. */
  function fit(created: BrowserWindow, height: number): void {
    const content = created.getContentBounds()
    const frame = created.getBounds()
    const fitted = fitContent(content, height, content.y - frame.y, ports.workAreaOf(frame))
    const isSeen = created.isVisible()
    const isSmooth = isSeen && ports.isAnimated()
    if (fitted.y === content.y || !isSeen) created.setContentSize(fitted.width, fitted.height, isSmooth)
    else created.setContentBounds(fitted, isSmooth)
    if (!isSeen) created.center()
  }

  function revive(contents: WebContents): void {
    let reloads = 0
    contents.on('render-process-gone', (_event, { reason }) => {
      if (reason === 'clean-exit' || reloads >= maxReloads || contents.isDestroyed()) return
      reloads += 1
      ports.logger.warn(`The activation window's page ended (${reason}) and is loaded again`)
      contents.reload()
    })
  }

  function show(created: BrowserWindow): Promise<void> {
    return new Promise((resolve) => {
      created.once('closed', resolve)
      let isPainted = false
      let isMeasured = false
      const showWhenReady = (): void => {
        if (!isPainted || !isMeasured || created.isDestroyed()) return
        if (!created.isVisible()) created.show()
        resolve()
      }
      const skipMeasuring = (): void => {
        isMeasured = true
        showWhenReady()
      }
      created.once('ready-to-show', () => {
        isPainted = true
        if (!isMeasured) setTimeout(skipMeasuring, longestMeasuringMs)
        showWhenReady()
      })
      created.webContents.ipc.on(eventChannels.pageHeight, (_event, height: unknown) => {
        // What is lower has not drawn its screen yet.
        const read = z.number().check(z.int(), z.gte(lowestScreen), z.lte(highestPage)).safeParse(height)
        if (!read.success || created.isDestroyed()) return
        fit(created, read.data)
        skipMeasuring()
      })
      created.loadURL(activationPageUrl).catch((error: unknown) => {
        // Closed while it was loading: showing a window whose page is gone ends the process.
        if (created.isDestroyed() || created.webContents.isDestroyed()) return
        ports.logger.error(`The activation window's page did not load: ${String(error)}`)
        created.show()
        resolve()
      })
    })
  }

  return {
    async open(appearance) {
      if (window !== null) {
        await shown
        if (window === null) return
        if (appearance.isNews) {
          window.setTitle(appearance.title)
          window.webContents.reload()
        }
        if (window.isMinimized()) window.restore()
        if (!window.isVisible()) window.show()
        window.focus()
        return
      }
      const created = create(appearance)
      window = created
      goesWithApp = false
      windowId = created.webContents.id
      created.once('closed', () => {
        window = null
        windowId = -1
        // An app that ends at once closes its windows before it says so.
        queueMicrotask(() => {
          if (goesWithApp || ports.isQuitting()) return
          for (const listener of [...listeners]) listener()
        })
      })
      shown = show(created)
      await shown
    },
    close() {
      // Not `close()`: the page must not be able to refuse.
      window?.destroy()
    },
    leave() {
      if (holder === null) window?.destroy()
      else holder()
    },
    hold(onLeft) {
      holder = onLeft
      return () => {
        if (holder === onLeft) holder = null
      }
    },
    get isOpen() {
      return window !== null
    },
    get isShown() {
      return window?.isVisible() === true && !window.isMinimized()
    },
    owns: (id) => id === windowId,
    onClosed(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

/** The page stays where it is and opens nothing. */
function confine(contents: WebContents): void {
  contents.on('will-navigate', (event) => event.preventDefault())
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.on('will-frame-navigate', (event) => event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}
