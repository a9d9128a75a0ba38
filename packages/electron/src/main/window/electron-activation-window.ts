import { randomUUID } from 'node:crypto'
import { script, styles } from 'virtual:latchkey/activation-page'
import { preloadScript } from 'virtual:latchkey/preload-script'
import {
  app,
  BrowserWindow,
  nativeImage,
  nativeTheme,
  type Session,
  screen,
  session,
  systemPreferences,
} from 'electron'
import type { Logger } from '../../core/ports.ts'
import type { ActivationScreen, PageStart } from '../../shared/activation-screen.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import { loadStrings } from '../../texts/load-strings.ts'
import { serveActivationPage, writePreloadFile } from './activation-page.ts'
import type { ActivationWindowView } from './activation-window.ts'
import { createActivationWindowView, titleBarOf } from './activation-window-view.ts'

const titleBar = titleBarOf(process.platform)

/** What the window shows, and where its preload script is written. */
export interface ElectronWindowOptions {
  readonly directory: () => string
  readonly state: () => LicensingState
  readonly screen: () => ActivationScreen
  readonly logger: Logger
}

/** Creates and shows activation windows on top of Electron. This module is loaded when the first window is needed. */
export function createElectronWindowView(options: ElectronWindowOptions): ActivationWindowView {
  const { logger } = options
  let pageSession: Session | null = null
  let latest: BrowserWindow | null = null

  async function start(): Promise<PageStart> {
    const shown = options.screen()
    const texts = await loadStrings(shown.locale)
    // The first words don't wait for it.
    if (titleBar === 'native') setTimeout(() => showIcon(shown.logo))
    return { state: options.state(), screen: shown, texts }
  }

  function preparedSession(): Session {
    if (pageSession === null) {
      // Without `persist:` the session is in memory only, and its random name can't be guessed.
      pageSession = session.fromPartition(`latchkey-activation-${randomUUID()}`, { cache: false })
      serveActivationPage(pageSession, { script, styles, titleBar, start })
    }
    return pageSession
  }

  /** Linux has no other source of a window's icon, and no SVG. */
  function showIcon(logo: string | null): void {
    if (logo === null || latest === null || latest.isDestroyed()) return
    const icon = nativeImage.createFromDataURL(logo)
    if (!icon.isEmpty()) latest.setIcon(icon)
  }

  return createActivationWindowView({
    createWindow(windowOptions) {
      latest = new BrowserWindow({
        ...windowOptions,
        webPreferences: {
          session: preparedSession(),
          preload: writePreloadFile({
            script: preloadScript,
            directory: options.directory(),
            temporaryDirectory: app.getPath('temp'),
          }),
          sandbox: true,
          contextIsolation: true,
          nodeIntegration: false,
          nodeIntegrationInSubFrames: false,
          nodeIntegrationInWorker: false,
          webSecurity: true,
          webviewTag: false,
          navigateOnDragDrop: false,
          devTools: !app.isPackaged,
          spellcheck: false,
        },
      })
      return latest
    },
    titleBar,
    isDark: () => nativeTheme.shouldUseDarkColors,
    onThemeChange: (listener) => {
      nativeTheme.on('updated', listener)
      return () => nativeTheme.off('updated', listener)
    },
    workAreaOf: (bounds) => screen.getDisplayMatching(bounds).workArea,
    isAnimated: () => !systemPreferences.getAnimationSettings().prefersReducedMotion,
    logger,
  })
}
