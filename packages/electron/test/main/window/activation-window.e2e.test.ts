import { readdir, writeFile } from 'node:fs/promises'
import { serviceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import { describe, expect } from 'vitest'
import { licensingVerbs } from '../../../src/shared/licensing-bridge.ts'
import { type OpenApp, test } from '../../fixtures/open-app-test.ts'
import { startServer } from '../../fixtures/start-server.ts'

const activationPage = 'https://activation.latchkey.invalid/'

/** Links that an app has without setting any: Lemon Squeezy has one page for the customers of every vendor. */
const linksOfService =
  serviceUnderTest.face === 'lemon-squeezy' && !serviceUnderTest.isBehindGateway ? ['account'] : []

async function windows(app: OpenApp): Promise<readonly string[]> {
  return app.electronApp.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().map((window) => window.webContents.getURL()),
  )
}

describe('the activation window', () => {
  test('opens once, and is focused when it is requested again', async ({ app }) => {
    await app.createLicensing()
    const page = await app.openActivationWindow()
    for (const putAway of ['minimize', 'hide'] as const) {
      const isSeen = await app.electronApp.evaluate(async ({ BrowserWindow }, verb) => {
        BrowserWindow.getAllWindows()[0]?.[verb]()
        await Promise.all([
          globalThis.licensing.openActivationWindow({ title: 'Another title' }),
          globalThis.licensing.openActivationWindow(),
        ])
        return BrowserWindow.getAllWindows().map((window) => window.isVisible() && !window.isMinimized())
      }, putAway)
      expect(isSeen).toEqual([true])
    }
    expect(await windows(app)).toEqual([activationPage])
    expect(await page.title()).toBe('latchkey-open-app')
  })

  test('is shown when its page is painted, as high as that from the start, and follows it when the situation changes', async ({
    app,
    emulator,
  }) => {
    await app.createLicensing()
    const events = await app.electronApp.evaluate(async ({ app: electronApp, BrowserWindow }) => {
      const seen: (string | number)[] = []
      electronApp.once('browser-window-created', (_event, window) => {
        seen.push(window.isVisible() ? 'created visible' : 'created hidden')
        const noteHeight = (): void => void seen.push(window.getContentSize()[1] ?? 0)
        window.once('ready-to-show', () => seen.push('painted'))
        window.once('show', noteHeight)
        window.on('resize', () => window.isVisible() && noteHeight())
      })
      await globalThis.licensing.openActivationWindow()
      seen.push(BrowserWindow.getAllWindows()[0]?.isVisible() === true ? 'visible' : 'hidden')
      await new Promise((resolve) => setTimeout(resolve, 500))
      return [...seen, BrowserWindow.getAllWindows()[0]?.getContentSize()[1] ?? 0]
    })
    const page = await app.activationWindow()
    const pageHeight = () => page.evaluate(() => document.documentElement.offsetHeight)
    const first = await pageHeight()
    // Shown once, with its final height: nothing jumps.
    expect(events).toEqual(['created hidden', 'painted', first, 'visible', first])

    await page.getByLabel('License key').fill(emulator.licenseKey)
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    await page.getByRole('heading', { name: /is activated/ }).waitFor()
    await expect.poll(() => page.evaluate(() => window.innerHeight)).toBe(await pageHeight())
    expect(await pageHeight()).not.toBe(first)
  })

  test('accepts a click as soon as it is visible', async ({ app }) => {
    await app.createLicensing()
    await app.electronApp.evaluate(async ({ app: electronApp }) => {
      electronApp.once('browser-window-created', (_event, window) => {
        window.once('show', () => {
          const [width = 0, height = 0] = window.getContentSize()
          // The main button of the form: above the foot, in the middle.
          const at = { x: Math.round(width / 2), y: height - 92 }
          for (const type of ['mouseDown', 'mouseUp'] as const) {
            window.webContents.sendInputEvent({ type, ...at, button: 'left', clickCount: 1 })
          }
        })
      })
      await globalThis.licensing.openActivationWindow()
    })
    const page = await app.activationWindow()
    await page.getByText('Nothing was entered.').first().waitFor()
  })

  test('wears what the developer configured, and forgets it when it closes', async ({ app }) => {
    await app.createLicensing()
    await app.electronApp.evaluate(() =>
      globalThis.licensing.openActivationWindow({
        title: 'Notes <b>',
        accent: '#0a7c66',
        locale: 'ar-EG',
        links: { buy: 'https://example.com/buy' },
        strings: { enterLead: '<img src=x onerror=alert(1)>' },
      }),
    )
    const page = await app.activationWindow()
    const screen = await page.evaluate(() => window.latchkey.screen())
    const links = ['buy', ...linksOfService]
    expect(screen).toMatchObject({ title: 'Notes <b>', accent: '#0a7c66', links })
    expect(JSON.stringify(screen)).not.toContain('https://example.com/buy')
    const field = page.getByLabel('مفتاح الترخيص')
    await expect.poll(() => field.evaluate((input) => input.matches(':focus'))).toBe(true)
    await page.getByRole('heading', { name: 'Notes <b>' }).waitFor()
    await page.getByText('<img src=x').first().waitFor()
    const shown = await page.evaluate(() => {
      const element = document.querySelector('latchkey-activation')
      const { lang, dir } = element?.shadowRoot?.querySelector('section') ?? {}
      const fill = element?.style.getPropertyValue('--_accent-fill')
      return { lang, dir, fill, handed: document.querySelectorAll('#start').length }
    })
    expect(shown).toEqual({ lang: 'ar-EG', dir: 'rtl', fill: 'rgb(10 124 102)', handed: 0 })
    expect(await page.locator('img').count()).toBe(0)

    await app.electronApp.evaluate(() => globalThis.licensing.closeActivationWindow())
    const again = await app.openActivationWindow()
    expect(await again.evaluate(() => window.latchkey.screen())).toMatchObject({
      title: 'latchkey-open-app',
      accent: null,
      links: linksOfService,
    })
  })

  test('stands above the window it belongs to, and opens the configured link alone in the browser', async ({
    app,
  }) => {
    await app.createLicensing()
    await app.electronApp.evaluate(async ({ BrowserWindow, shell }) => {
      shell.openExternal = async (url) => void globalThis.logged.push(`browser ${url}`)
      const parent = new BrowserWindow({ show: false })
      await globalThis.licensing.openActivationWindow({
        parent,
        links: { buy: 'https://example.com/buy?from=app', support: 'https://example.com/help' },
      })
      const child = parent.getChildWindows()[0]
      globalThis.logged.push(`parent of ${child?.webContents.getURL()}`)
    })
    await app.activationWindow()
    const page = app.electronApp.windows().find((window) => window.url() === activationPage)
    await page?.getByRole('button', { name: 'Buy a license' }).click()
    await expect.poll(() => app.logged()).toContain('browser https://example.com/buy?from=app')
    expect(await app.logged()).toEqual([
      `parent of ${activationPage}`,
      'browser https://example.com/buy?from=app',
    ])
  })

  test('fills in the key of a deep link while it is open, activates nothing automatically, and logs a link without a key', async ({
    app,
    emulator,
  }) => {
    await app.createLicensing({ deepLinkScheme: 'notes' })
    await app.electronApp.evaluate(() =>
      globalThis.licensing.openActivationWindow({ title: 'Unlock Notes', locale: 'de' }),
    )
    const page = await app.activationWindow()
    const field = page.getByLabel('Lizenzschlüssel')
    const open = (prefilledText: string, title?: string): Promise<string | undefined> =>
      app.electronApp.evaluate(
        async ({ BrowserWindow }, options) => {
          await globalThis.licensing.openActivationWindow(options)
          return BrowserWindow.getAllWindows()[0]?.getTitle()
        },
        { prefilledText, ...(title === undefined ? {} : { title }) },
      )
    // It stays as it was opened, but for what is new.
    expect(await open(emulator.licenseKey)).toBe('Unlock Notes')
    await expect.poll(() => field.inputValue()).toBe(emulator.licenseKey)
    expect(await open('half a key', 'Unlock more')).toBe('Unlock more')
    await expect.poll(() => field.inputValue()).toBe('half a key')

    for (const link of [
      `notes://activate?key=${emulator.licenseKey}`,
      'notes:activate',
      'notes://open?note=1',
    ]) {
      await app.electronApp.evaluate(
        ({ app: electronApp }, word) =>
          electronApp.emit('second-instance', {}, ['/usr/bin/notes', word], '/', null),
        link,
      )
    }
    const warning = 'warn [latchkey] A link has no usable license parameter: notes://activate?license=…'
    const lines = async () => (await app.logged()).filter((line) => line.includes('notes:'))
    await expect.poll(lines).toEqual([warning, warning])
    expect(await field.inputValue()).toBe('half a key')
    expect(await windows(app)).toEqual([activationPage])
    expect(emulator.control.requests()).toEqual([])
  })

  test('closed while its page is loading, leaves an app that runs on', async ({ app }) => {
    await app.createLicensing()
    await app.electronApp.evaluate(async ({ app: electronApp }) => {
      electronApp.once('browser-window-created', (_event, window) => setImmediate(() => window.close()))
      await globalThis.licensing.openActivationWindow()
    })
    expect(await windows(app)).toEqual([])
    await app.openActivationWindow()
  })

  test('activates the copied key it offered, also when something else was copied since', async ({
    app,
    emulator,
    needs,
  }) => {
    needs('license keys unlike a password')
    await app.createLicensing()
    const copy = (copied: string): Promise<void> =>
      app.electronApp.evaluate(({ clipboard }, text) => clipboard.writeText(text), copied)
    await copy(`Your key: ${emulator.licenseKey}`)
    const page = await app.openActivationWindow()
    await page.getByLabel('License key').focus()
    await page.getByText('Key found on your clipboard.').first().waitFor()
    // A second look at the clipboard may still be under way, because the field was focused twice.
    await page.waitForTimeout(500)
    await copy('a shopping list')
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    await page.getByRole('heading', { name: /is activated/ }).waitFor()
    expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(1)
  })

  test('opens where nothing can be written', async ({ app, directory, emulator }) => {
    await writeFile(directory, 'in the way')
    await app.createLicensing()
    const page = await app.openActivationWindow()
    await page.getByLabel('License key').fill(emulator.licenseKey)
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    await expect
      .poll(() => page.evaluate(() => window.latchkey.getState()))
      .toMatchObject({ status: 'active', storage: 'memory', problem: { code: 'store-not-writable' } })
  })

  test('has a sandboxed page without Node, and a preload that offers the bridge alone', async ({
    app,
    directory,
  }) => {
    await app.createLicensing()
    const page = await app.openActivationWindow()
    const found = await page.evaluate(() => ({
      node: ['require', 'process', 'module', 'Buffer', 'global'].filter((name) => name in globalThis),
      bridge: Object.keys(window.latchkey).sort(),
    }))
    const bridge = [...Object.keys(licensingVerbs), 'onState'].sort()
    expect(found).toEqual({ node: [], bridge })
    // No file of the package is beside the app: the preload is written out.
    const written = await readdir(directory)
    expect(written.filter((name) => name.startsWith('preload-'))).toEqual([
      expect.stringMatching(/^preload-[0-9a-f]{16}\.cjs$/),
    ])
    const preferences = await app.electronApp.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents
      const known = contents && Reflect.get(contents, 'getLastWebPreferences').call(contents)
      return {
        sandbox: known?.sandbox,
        contextIsolation: known?.contextIsolation,
        nodeIntegration: known?.nodeIntegration,
        webviewTag: known?.webviewTag,
        isPersistent: contents?.session.isPersistent(),
      }
    })
    expect(preferences).toEqual({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      isPersistent: false,
    })
  })

  test('loads no fetch before its first words, doesn’t navigate, open windows or files or load anything else, and reloads when its page crashes', async ({
    openApp,
    userDataPath,
  }) => {
    const asked: string[] = []
    const elsewhere = await startServer((request, response) => {
      asked.push(request.url ?? '')
      response.setHeader('access-control-allow-origin', '*').end('<title>Elsewhere</title>')
    })
    const app = await openApp({
      expectProblem: ({ kind, text }) =>
        kind === 'renderer-gone' ||
        (kind === 'console-error' &&
          /Content Security Policy|Content-Security-Policy|blocked|requires 'Trusted/i.test(text)),
    })
    await app.createLicensing()
    const isFetchLoaded = await app.electronApp.evaluate(async ({ app: electronApp }) => {
      const isLoaded = new Promise<boolean>((resolve) => {
        electronApp.once('browser-window-created', (_event, window) => {
          window.once('ready-to-show', () =>
            resolve(Object(process).moduleLoadList.some((name: string) => name.includes('undici'))),
          )
        })
      })
      await globalThis.licensing.openActivationWindow()
      return isLoaded
    })
    // Loading it in the main process takes longer than the page.
    expect(isFetchLoaded).toBe(false)
    const page = await app.activationWindow()
    const file = `${userDataPath}/dropped.html`
    await writeFile(file, '<title>Dropped</title>')
    const session = await page.context().newCDPSession(page)
    const box = await page.getByLabel('License key').boundingBox()
    const data = { items: [], files: [file], dragOperationsMask: 1 }
    for (const { x, y } of [box ?? { x: 0, y: 0 }, { x: 0, y: 0 }]) {
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
        await session.send('Input.dispatchDragEvent', { type, x: x + 5, y: y + 5, data })
      }
    }
    expect(await page.title()).toBe('latchkey-open-app')
    const outcomes = await page.evaluate(async (address) => {
      const tried: Record<string, string> = {}
      const attempt = async (name: string, action: () => unknown): Promise<void> => {
        tried[name] = await Promise.resolve()
          .then(action)
          .then((value) => (value === null || value === false || value === 'denied' ? 'denied' : 'allowed'))
          .catch(() => 'denied')
      }
      await attempt('fetch', () => fetch(`${address}/fetch`))
      await attempt('fetch https', () => fetch('https://example.com/'))
      await attempt('window.open', () => window.open(`${address}/open`))
      await attempt('inline script', () => {
        const script = document.createElement('script')
        script.textContent = 'document.title = "injected"'
        document.body.append(script)
        return document.title === 'injected'
      })
      await attempt('markup', () => {
        document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=1>')
      })
      await attempt('notifications', () => Notification.requestPermission())
      await attempt(
        'geolocation',
        () => new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(resolve, reject)),
      )
      const image = new Image()
      image.src = `${address}/image`
      const frame = document.createElement('iframe')
      frame.src = `${address}/frame`
      const link = document.createElement('a')
      link.href = `${address}/link`
      link.target = '_blank'
      const download = document.createElement('a')
      download.href = `${address}/download`
      download.download = 'x'
      const form = document.createElement('form')
      form.action = `${address}/form`
      form.method = 'post'
      document.body.append(image, frame, link, download, form)
      link.click()
      download.click()
      form.submit()
      navigator.sendBeacon(`${address}/beacon`)
      location.href = `${address}/location`
      await new Promise((resolve) => setTimeout(resolve, 300))
      return tried
    }, elsewhere)

    expect(outcomes).toEqual({
      fetch: 'denied',
      'fetch https': 'denied',
      'window.open': 'denied',
      'inline script': 'denied',
      markup: 'denied',
      notifications: 'denied',
      geolocation: 'denied',
    })
    expect(await windows(app)).toEqual([activationPage])
    expect(page.url()).toBe(activationPage)
    // Not even the main process reaches anything else in the window's session.
    const error = await app.electronApp.evaluate(({ BrowserWindow, net }, url) => {
      const { session } = BrowserWindow.getAllWindows()[0]?.webContents ?? {}
      // `session.fetch` creates a `Request` with a signal, with which Node 18 may hang (nodejs/node#47748).
      const request = net.request({ url, ...(session && { session }) })
      return new Promise<string>((resolve) => {
        request.once('error', ({ message }) => resolve(message))
        request.once('response', () => resolve('an answer'))
        request.end()
      })
    }, elsewhere)
    expect(error).toContain('ERR_BLOCKED_BY_CLIENT')
    expect(asked).toEqual([])
    expect(await page.evaluate(() => window.latchkey.getState())).toMatchObject({ status: 'unlicensed' })

    await app.electronApp.evaluate(async ({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents
      // The first load may end only now: the one that counts begins when the page is gone.
      const isBack = new Promise<void>((resolve) => {
        contents?.once('render-process-gone', () => contents.once('did-finish-load', () => resolve()))
      })
      contents?.forcefullyCrashRenderer()
      await isBack
    })
    expect(await windows(app)).toEqual([activationPage])
    expect((await app.logged()).join('\n')).toMatch(/activation window's page ended .* is being reloaded/)
  })
})
