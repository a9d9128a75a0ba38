import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { type LaunchOptions, launchApp } from '@latchkey/scripts/e2e/launch-app'
import { whenPainted } from '@latchkey/scripts/e2e/when-painted'
import { build } from 'esbuild'
import type { ElectronApplication, Page } from 'playwright'
import { bundleActivationPage } from '../../../scripts/bundle-activation-page.ts'
import { composePage, contentSecurityPolicy } from '../../../src/main/window/activation-page.ts'
import { screen } from './fake-bridge.ts'
import { unlicensed } from './states.ts'

/** What a situation is played with. */
export interface ShowOptions {
  readonly theme?: 'light' | 'dark'
  readonly locale?: string
  readonly accent?: string
  readonly title?: string
  readonly logo?: string
  readonly prefilled?: string
}

/** The real page of the activation window on real Electron, with a main process that is played. */
export interface Stage {
  readonly electronApp: ElectronApplication
  readonly page: Page
  /** Reloads the page and brings it to a situation of `situations.ts`. */
  show(situation: string, options?: ShowOptions): Promise<void>
  /** What the page asked of the main process since it was opened. */
  calls(): Promise<readonly string[]>
  /** What has the focus, by role and name; `null` when nothing in the screen has it. */
  focused(): Promise<string | null>
  /** Sets the page's zoom, 1 for 100 %. */
  zoom(factor: number): Promise<void>
  /** Sets the size of the page in its window, in pixels. */
  resize(width: number, height: number): Promise<void>
  /** Makes the window as wide as the one that ships, and as high as its page. @returns the height in pixels */
  fit(): Promise<number>
  close(): Promise<void>
}

/** Opens the stage. One window serves many situations, one after the other. @param options Chromium switches */
export async function openStage(options: Pick<LaunchOptions, 'switches'> = {}): Promise<Stage> {
  const [server, script] = await Promise.all([servePage(), bundleStage()])
  const { port } = server.address() as AddressInfo
  const app = await launchApp({ appPath: path.join(import.meta.dirname, 'stage-app'), ...options })
  const { electronApp } = app
  const page = await app.firstWindow()
  await page.addInitScript(script)
  let shown = 0
  const resize = async (width: number, height: number): Promise<void> => {
    await electronApp.evaluate(
      ({ BrowserWindow }, size) => {
        BrowserWindow.getAllWindows()[0]?.setContentSize(size.width, size.height)
      },
      { width, height },
    )
    await page.waitForFunction((wanted) => window.outerWidth === wanted, width)
  }
  return {
    electronApp,
    page,
    show: async (situation, { theme = 'light', ...options } = {}) => {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      const hash = new URLSearchParams({ situation, ...options })
      shown += 1
      // Changing only the part after # wouldn't reload the page, and another origin would start another process.
      await page.goto(`http://127.0.0.1:${port}/?${shown}#${hash}`)
      // The page loads its script by itself, so its load event doesn't wait for it.
      await page.evaluate(() => customElements.whenDefined('latchkey-activation').then(() => {}))
      await page.evaluate(() => window.stage.play())
      await whenPainted(page)
    },
    calls: () => page.evaluate(() => window.stage.calls),
    focused: () =>
      page.evaluate(() => {
        const element = document.querySelector('latchkey-activation')?.shadowRoot?.activeElement ?? null
        const name = element?.getAttribute('id') ?? element?.textContent?.trim() ?? ''
        return element === null ? null : `${element.tagName.toLowerCase()} ${name}`.trim()
      }),
    zoom: async (factor) => {
      await electronApp.evaluate(({ BrowserWindow }, level) => {
        BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(level)
      }, factor)
    },
    resize,
    fit: async () => {
      await resize(464, 300)
      const height = await page.evaluate(() => document.documentElement.offsetHeight)
      await resize(464, height)
      // At a scale of 1.5 an odd height is no whole number of the display's pixels.
      await page.waitForFunction((wanted) => Math.abs(window.innerHeight - wanted) <= 1, height)
      return height
    },
    close: async () => {
      server.close()
      await app.close()
    },
  }
}

async function servePage(): Promise<Server> {
  const content = await bundleActivationPage(path.join(import.meta.dirname, 'stage-page.ts'))
  // The staged page asks for all it shows.
  const html = composePage(content, 'native', { state: unlicensed(), screen, texts: { locale: 'en' } })
  const server = createServer(({ url }, response) => {
    const headers = {
      'content-security-policy': contentSecurityPolicy(content),
      'content-type': 'text/html; charset=utf-8',
    }
    if (url?.startsWith('/?')) response.writeHead(200, headers).end(html)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

async function bundleStage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, 'stage.ts')],
    bundle: true,
    format: 'iife',
    target: 'chrome114',
    write: false,
  })
  return outputFiles.map(({ text }) => text).join('')
}
