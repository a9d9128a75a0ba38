import { randomUUID } from 'node:crypto'
import { activationPageHtml, activationPageScript, preloadScript } from 'virtual:latchkey/embedded-texts'
import { initialRender } from 'virtual:latchkey/initial-render'
import { app, BrowserWindow, nativeTheme, type Session, screen, session, systemPreferences } from 'electron'
import type { Logger } from '../../core/ports/logger-port.ts'
import type { PageStart } from '../../shared/page-start.ts'
import { serveActivationPage, type TitleBar } from './activation-page.ts'
import { type ActivationWindow, createActivationWindow } from './activation-window.ts'
import { ensurePreloadFile } from './preload-file.ts'

const titleBars: Readonly<Partial<Record<NodeJS.Platform, TitleBar>>> = { darwin: 'mac', win32: 'windows' }
const titleBar = titleBars[process.platform] ?? 'native'

/** Creates the activation window's controller on top of Electron. @param start returns the page's initial data */
export function createElectronActivationWindow(
  directory: () => string,
  start: () => PageStart,
  isQuitting: () => boolean,
  logger: Logger,
): ActivationWindow {
  let pageSession: Session | null = null

  function preparedSession(): Session {
    if (pageSession === null) {
      // Without `persist:` the session is in memory only, and its random name can't be guessed.
      pageSession = session.fromPartition(`latchkey-activation-${randomUUID()}`, { cache: false })
      serveActivationPage(pageSession, {
        html: activationPageHtml,
        titleBar,
        script: activationPageScript,
        start,
        initialRender,
      })
    }
    return pageSession
  }

  return createActivationWindow({
    createWindow: (options) =>
      new BrowserWindow({
        ...options,
        webPreferences: {
          session: preparedSession(),
          preload: ensurePreloadFile({
            script: preloadScript,
            appPath: app.getAppPath(),
            directory: directory(),
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
      }),
    titleBar,
    isDark: () => nativeTheme.shouldUseDarkColors,
    onThemeChange: (listener) => {
      nativeTheme.on('updated', listener)
      return () => nativeTheme.off('updated', listener)
    },
    workAreaOf: (bounds) => screen.getDisplayMatching(bounds).workArea,
    isAnimated: () => !systemPreferences.getAnimationSettings().prefersReducedMotion,
    isQuitting,
    logger,
  })
}
