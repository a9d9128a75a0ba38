import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { shareOpenApp, test } from '../../fixtures/open-app-test.ts'
import { dispose, effects, pretendPackaged } from './effects.ts'

// A new option without a row in `effects` does not compile.
describe('every option of createLicensing does something:', () => {
  const sharedApp = shareOpenApp()
  for (const [option, effect] of Object.entries(effects)) {
    if (typeof effect === 'function') {
      test(option, async ({ openApp, emulator, service, needs, userDataPath }) => {
        const elsewhere = await mkdtemp(path.join(tmpdir(), 'latchkey-option-'))
        onTestFinished(() => rm(elsewhere, { recursive: true, force: true }))
        const app = sharedApp(service)
        await effect({ openApp, emulator, service, needs, userDataPath, elsewhere, sharedApp: app })
        await dispose(app)
      })
    } else {
      test(`${option}, shown elsewhere`, async () => {
        const text = await readFile(path.join(import.meta.dirname, effect.shownIn), 'utf8')
        expect(text).toContain(`'${effect.by}'`)
      })
    }
  }
})

/** The origin of a page on a port of its own. */
async function servePage(): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<title>Dev server</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

describe('a page that a server delivers', () => {
  const ask = () => window.latchkey.getState().then(({ status }) => status, String)

  test('a page of a trusted origin can use licensing', async ({ openApp }) => {
    const [trusted, other] = [await servePage(), await servePage()]
    const app = await openApp()
    await app.createLicensing({ trustedOrigins: [trusted] })
    expect(await (await app.openWindow(trusted)).evaluate(ask)).toBe('unlicensed')
    expect(await (await app.openWindow(other)).evaluate(ask)).toContain('refused this window')
  })

  test('a dev server can use licensing during development', async ({ openApp }) => {
    const devServer = await servePage()
    const trusted = await servePage()
    const app = await openApp({ env: { ELECTRON_RENDERER_URL: devServer } })
    await app.createLicensing({ trustedOrigins: [trusted] })
    for (const page of [devServer, trusted])
      expect(await (await app.openWindow(page)).evaluate(ask)).toBe('unlicensed')
  })

  test('a packaged app doesn’t trust ELECTRON_RENDERER_URL', async ({ openApp, emulator }) => {
    const devServer = await servePage()
    const app = await openApp({ env: { ELECTRON_RENDERER_URL: devServer } })
    await pretendPackaged(app)
    await app.createLicensing({ service: { baseUrl: emulator.baseUrl } })
    expect(await (await app.openWindow(devServer)).evaluate(ask)).toContain('refused this window')
  })
})

describe('the activation window', () => {
  test('has developer tools while the app is developed, and none in a packaged app', async ({
    openApp,
    emulator,
  }) => {
    const opened = async (isPackaged: boolean) => {
      const app = await openApp()
      if (isPackaged) await pretendPackaged(app)
      await app.createLicensing({ service: { baseUrl: emulator.baseUrl } })
      await app.openActivationWindow()
      const look = () =>
        app.electronApp.evaluate(({ BrowserWindow }) => {
          const [window] = BrowserWindow.getAllWindows()
          window?.webContents.openDevTools({ mode: 'detach', activate: false })
          return window?.webContents.isDevToolsOpened() === true
        })
      let isOpened = await look()
      for (let looks = 0; !isOpened && looks < 30; looks += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        isOpened = await look()
      }
      await app.close()
      return isOpened
    }
    expect([await opened(false), await opened(true)]).toEqual([true, false])
  })

  test('speaks the language of the system', async ({ openApp }) => {
    const app = await openApp({ switches: ['--lang=de'], env: { LANGUAGE: 'de', LANG: 'de_DE.UTF-8' } })
    await app.createLicensing()
    const window = await app.openActivationWindow()
    await window.getByLabel('Lizenzschlüssel').waitFor()
  })
})
