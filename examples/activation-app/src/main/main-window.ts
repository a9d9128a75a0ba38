import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BrowserWindow, dialog, nativeTheme, shell, type WebFrameMain } from 'electron'

// electron-vite sets the address of its dev server here.
const devServerUrl = process.env['ELECTRON_RENDERER_URL']
const page = join(__dirname, '../renderer/index.html')
const pageUrl = new URL(devServerUrl ?? pathToFileURL(page))

let mainWindow: BrowserWindow | null = null

/** Shows the notebook's window; creates it if there is none. */
export async function showMainWindow(): Promise<void> {
  if (mainWindow) return focusMainWindow()
  const window = new BrowserWindow({
    title: 'Inkwell',
    width: 1120,
    height: 740,
    minWidth: 640,
    minHeight: 420,
    show: false,
    autoHideMenuBar: true,
    // The page's background, so that the window doesn't flash when it opens.
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#17181c' : '#fffdf9',
    webPreferences: {
      preload: join(__dirname, '../preload/index.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      spellcheck: false,
    },
  })
  mainWindow = window
  window.once('ready-to-show', () => window.show())
  window.once('closed', () => {
    mainWindow = null
  })
  keepOnPage(window)
  askBeforeLosingText(window)
  await window.loadURL(pageUrl.href)
}

/** Brings the notebook's window to the front, if there is one. */
export function focusMainWindow(): void {
  if (mainWindow?.isMinimized()) mainWindow.restore()
  mainWindow?.focus()
}

/** Whether a message's sender is the top frame of the notebook's own page. */
export function isMainWindowPage(frame: WebFrameMain | null): boolean {
  if (!frame || frame.parent) return false
  const url = new URL(frame.url)
  return (
    url.origin === pageUrl.origin && url.protocol === pageUrl.protocol && url.pathname === pageUrl.pathname
  )
}

/** Denies navigation, new windows and permissions. Links in a note open in the system browser. */
function keepOnPage({ webContents }: BrowserWindow): void {
  webContents.on('will-navigate', (event) => {
    event.preventDefault()
    openOutside(event.url)
  })
  webContents.setWindowOpenHandler(({ url }) => {
    openOutside(url)
    return { action: 'deny' }
  })
  webContents.on('will-attach-webview', (event) => event.preventDefault())
  webContents.session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
}

/** The page prevents closing while it has unsaved text. The user decides whether to discard it. */
function askBeforeLosingText(window: BrowserWindow): void {
  window.webContents.on('will-prevent-unload', (event) => {
    const pressed = dialog.showMessageBoxSync(window, {
      type: 'warning',
      message: 'Your changes could not be saved.',
      detail: 'Keep the window open to copy the text, or to try again.',
      buttons: ['Keep writing', 'Close without saving'],
      defaultId: 0,
      cancelId: 0,
    })
    // In Electron, preventing this event lets the page close.
    if (pressed === 1) event.preventDefault()
  })
}

function openOutside(url: string): void {
  const { protocol } = new URL(url)
  if (protocol === 'https:' || protocol === 'mailto:') void shell.openExternal(url)
}
