import type { BrowserWindow, BrowserWindowConstructorOptions, Rectangle, WebContents } from 'electron'
import * as z from 'zod/mini'
import type { Logger } from '../../core/ports/logger-port.ts'
import { eventChannels } from '../../shared/ipc-channels.ts'
import { activationPageUrl, type TitleBar } from './activation-page.ts'
import { fitContent } from './fit-content.ts'

/** The Electron functions that the activation window uses. */
export interface ActivationWindowPorts {
  /** Creates a window. Its page's session is ready when this returns. */
  readonly createWindow: (options: BrowserWindowConstructorOptions) => BrowserWindow
  readonly titleBar: TitleBar
  readonly isDark: () => boolean
  /** Calls back when the system switches between light and dark. @returns a function that removes the listener. */
  readonly onThemeChange: (listener: () => void) => () => void
  /** Returns the part of a window's display that windows may use. */
  readonly workAreaOf: (bounds: Rectangle) => Rectangle
  /** Whether to animate the window's resizing. Only macOS does. */
  readonly isAnimated: () => boolean
  /** Whether the app is about to quit. Then the window isn't held, and its closing isn't reported. */
  readonly isQuitting: () => boolean
  readonly logger: Logger
}

/** The appearance of the window. */
export interface ActivationWindowAppearance {
  readonly title: string
  readonly parent: BrowserWindow | undefined
  /** Whether an open window has something new to show, so that its page reloads its data. */
  readonly isNews: boolean
}

/** The activation window, of which there is at most one. */
export interface ActivationWindow {
  /** Shows the window, or focuses the existing one. Resolves when it is visible, or closed before that. */
  open(appearance: ActivationWindowAppearance): Promise<void>
  close(): void
  /** Closes it on the user's behalf, unless it is held. */
  leave(): void
  /** Keeps it open when the user closes it, and calls back instead. @returns a function that stops this. */
  hold(onLeft: () => void): () => void
  readonly isOpen: boolean
  /** Whether it is visible: open and not minimized. */
  readonly isShown: boolean
  /** Whether the id of a `webContents` is that of the current window. */
  owns(windowId: number): boolean
  /**
   * Calls back when the window was closed for any reason except quitting. @returns a function that removes the
   * listener.
   */
  onClosed(listener: () => void): () => void
}

/** How often a crashed page is reloaded. */
const maxReloads = 3

const contentWidth = 464
const lowestScreen = 100
const highestPage = 10_000
/** How long to wait for a painted page to report its height, in milliseconds. */
const longestMeasuringMs = 1_000

/** Creates the controller of the activation window. The first `open` creates the window itself. */
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
      // The page's own background, so that the window doesn't flash when it opens.
      backgroundColor: ports.isDark() ? '#1e1e21' : '#f5f5f7',
    })
    if (ports.titleBar === 'windows') {
      const stop = ports.onThemeChange(() => created.setTitleBarOverlay(overlay()))
      created.once('closed', stop)
    }
    // On macOS the menu belongs to the app, and its Edit menu is needed for pasting.
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

  /** Makes the window as tall as its page, within the display. */
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
      ports.logger.warn(`The activation window's page ended (${reason}) and is being reloaded`)
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
        // A lower value means that the page hasn't rendered its screen yet.
        const read = z.number().check(z.int(), z.gte(lowestScreen), z.lte(highestPage)).safeParse(height)
        if (!read.success || created.isDestroyed()) return
        fit(created, read.data)
        skipMeasuring()
      })
      created.loadURL(activationPageUrl).catch((error: unknown) => {
        // It was closed while loading. Showing a window without a page would crash the process.
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
        // An app that exits immediately closes its windows before it reports the quit.
        queueMicrotask(() => {
          if (goesWithApp || ports.isQuitting()) return
          for (const listener of [...listeners]) listener()
        })
      })
      shown = show(created)
      await shown
    },
    close() {
      // Not `close()`, because the page could prevent that.
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

/** Prevents the page from navigating and from opening windows. */
function confine(contents: WebContents): void {
  contents.on('will-navigate', (event) => event.preventDefault())
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.on('will-frame-navigate', (event) => event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}
