import type { BrowserWindow, BrowserWindowConstructorOptions, Rectangle, WebContents } from 'electron'
import * as z from 'zod/mini'
import type { Logger } from '../../core/ports.ts'
import { eventChannels } from '../../shared/licensing-bridge.ts'
import { activationPageUrl, type TitleBar } from './activation-page.ts'
import type { ActivationWindowAppearance, ActivationWindowView } from './activation-window.ts'

/** The Electron functions that creating and showing the activation window uses. */
export interface ActivationWindowViewPorts {
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
  readonly logger: Logger
}

/** Returns what draws the title bar on a platform. */
export function titleBarOf(platform: NodeJS.Platform): TitleBar {
  if (platform === 'darwin') return 'mac'
  return platform === 'win32' ? 'windows' : 'native'
}

/** How often a crashed page is reloaded. */
const maxReloads = 3

const contentWidth = 464
/** Height of the usual first screen. The window of a different one is resized before it is shown. */
const usualHeight = 428
/** A lower value means that the page hasn't rendered its screen yet. */
const pageHeightSchema = z.int().check(z.gte(100), z.lte(10_000))
/** How long to wait for a painted page to report its height, in milliseconds. */
const longestMeasuringMs = 1_000
/**
 * How long to wait until a loaded page is painted, in milliseconds. Some versions of Electron never report it for a hidden
 * window: those with an overlay on Windows (electron/electron#54025), all on Wayland (electron/electron#48859).
 */
const longestPaintingMs = 400

/** Creates and shows activation windows. Most launches need none, so this is loaded on demand. */
export function createActivationWindowView(ports: ActivationWindowViewPorts): ActivationWindowView {
  function create({ title, parent }: ActivationWindowAppearance): BrowserWindow {
    const created = ports.createWindow({
      title,
      ...(parent === undefined || parent.isDestroyed() ? {} : { parent }),
      width: contentWidth,
      height: usualHeight,
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
    // On macOS the menu belongs to the app.
    if (ports.titleBar === 'mac') editByKeyboard(created.webContents)
    else created.removeMenu()
    created.on('page-title-updated', (event) => event.preventDefault())
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
    if (fitted.y === content.y && fitted.height === content.height) return
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
      const onPaint = (): void => {
        if (isPainted) return
        isPainted = true
        if (!isMeasured) setTimeout(skipMeasuring, longestMeasuringMs)
        showWhenReady()
      }
      created.once('ready-to-show', onPaint)
      created.webContents.once('did-finish-load', () => setTimeout(onPaint, longestPaintingMs))
      created.webContents.ipc.on(eventChannels.pageHeight, (_event, height: unknown) => {
        const read = z.safeParse(pageHeightSchema, height)
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

  return { create, show }
}

const editCommands: Readonly<Record<string, 'selectAll' | 'copy' | 'paste' | 'cut' | 'undo'>> = {
  a: 'selectAll',
  c: 'copy',
  v: 'paste',
  x: 'cut',
  z: 'undo',
}

/** Makes the keys for editing work on macOS, where they belong to an Edit menu that the app may not have. */
function editByKeyboard(contents: WebContents): void {
  contents.on('before-input-event', (event, { type, key, code, meta, control, alt, shift }) => {
    if (type !== 'keyDown' || !meta || control || alt || shift) return
    // A keyboard for another script has the Latin letters of its keys only in `code`.
    const command = editCommands[/^[a-z]$/iu.test(key) ? key.toLowerCase() : code.slice(-1).toLowerCase()]
    if (command === undefined) return
    event.preventDefault()
    contents[command]()
  })
}

/** Prevents the page from navigating and from opening windows. */
function confine(contents: WebContents): void {
  contents.on('will-navigate', (event) => event.preventDefault())
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.on('will-frame-navigate', (event) => event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}

/**
 * Computes the bounds of a window's content that should be as tall as its page. The top edge stays in place, unless the
 * window would extend below the display's work area. It is never taller than that area.
 *
 * @param content the current bounds of the content, in desktop pixels
 * @param height the page's own height, in pixels
 * @param frameHeight height of the frame above the content, in pixels; 0 for none
 * @param area the display's work area
 */
export function fitContent(
  content: Rectangle,
  height: number,
  frameHeight: number,
  area: Rectangle,
): Rectangle {
  const top = area.y + frameHeight
  const fitted = Math.min(height, area.height - frameHeight)
  const lowestTop = area.y + area.height - fitted
  return { ...content, y: Math.max(top, Math.min(content.y, lowestTop)), height: fitted }
}
