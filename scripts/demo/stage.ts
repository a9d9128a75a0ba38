import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright'
import { type LaunchedApp, launchApp } from '../e2e/launch-app.ts'
import { waitUntil } from '../e2e/wait-until.ts'
import { repositoryRoot } from '../workspace/repository.ts'
import type { AppEnvironment } from './app-environment.ts'

/** The example app's folder. */
export const exampleAppPath: string = path.join(repositoryRoot, 'examples', 'activation-app')

/** Folders of a tour. */
export interface StageFolders {
  readonly userDataPath: string
  readonly picturesPath: string
}

/** The app at this point of the tour, and what can be done with it. */
export interface Stage {
  /** Starts the app with its existing data. */
  start(): Promise<void>
  /** Quits it like a user would. */
  quit(): Promise<void>
  /** Kills it if it is still running. */
  abandon(): Promise<void>
  /** Waits for the activation window. */
  activationWindow(): Promise<Page>
  /** Waits for the notebook's window. */
  mainWindow(): Promise<Page>
  /** Returns the number of open windows. */
  windowCount(): number
  /** Takes a screenshot of a window. */
  picture(page: Page, name: string): Promise<void>
}

/** Prepares the app for one user on one computer. */
export function createStage(environment: AppEnvironment, folders: StageFolders): Stage {
  const { userDataPath, picturesPath } = folders
  let app: LaunchedApp | undefined
  let pictureCount = 0

  const running = () => {
    if (app === undefined) throw new Error('The app is not running.')
    return app
  }
  const windowWith = (selector: string, what: string) =>
    waitUntil(what, async () => {
      for (const page of running().electronApp.windows()) {
        // A window that is closing can't be inspected any more.
        const count = await page
          .locator(selector)
          .count()
          .catch(() => 0)
        if (count > 0) return page
      }
      return undefined
    })

  return {
    async start() {
      app = await launchApp({
        appPath: exampleAppPath,
        userDataPath,
        env: environment,
      })
    },
    async quit() {
      await running().close()
      app = undefined
    },
    async abandon() {
      await app?.kill()
      app = undefined
    },
    activationWindow: () => windowWith('latchkey-activation', 'the activation screen opens'),
    mainWindow: () => windowWith('.sidebar', 'the main window opens'),
    windowCount: () => running().electronApp.windows().length,
    async picture(page, name) {
      pictureCount += 1
      await mkdir(picturesPath, { recursive: true })
      const file = `${String(pictureCount).padStart(2, '0')}-${name}.png`
      await page.screenshot({ path: path.join(picturesPath, file), animations: 'disabled' })
    },
  }
}
