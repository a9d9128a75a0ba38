import { readdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Emulator } from '@latchkey/emulator'
import { clickToClose } from '@latchkey/scripts/e2e/click-to-close'
import { serviceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import { whenPainted } from '@latchkey/scripts/e2e/when-painted'
import type { Page } from 'playwright'
import { describe, expect } from 'vitest'
import { type OpenApp, test as openAppTest } from '../../fixtures/open-app-test.ts'

declare global {
  var leftToQuit: number[][]
}

/** Each test has an app of its own: Electron 25 crashes at times when windows of the test before are still closing. */
const test = openAppTest.extend<{ app: OpenApp }>({
  app: async ({ openApp, directory }, use) => {
    const app = await openApp()
    await use({ ...app, createLicensing: (options) => app.createLicensing({ directory, ...options }) })
  },
})

/** Puts the app behind a gate; what happens is kept in `globalThis.logged` between the log's lines. */
async function openGate(app: OpenApp, { keepsRunning = false } = {}): Promise<void> {
  await app.createLicensing()
  await app.electronApp.evaluate(
    ({ app: electronApp, BrowserWindow, session }, { page, keepsRunning }) => {
      electronApp.on('browser-window-created', (_event, window) => {
        const isActivation = window.webContents.session !== session.defaultSession
        const name = isActivation ? 'activation' : 'main'
        window.once('show', () => globalThis.logged.push(`${name} shown`))
        window.once('closed', () => globalThis.logged.push(`${name} closed`))
      })
      globalThis.licensing.gate({
        async whenEntitled(state) {
          globalThis.logged.push(`entitled ${state.status}`)
          const preload = `${electronApp.getAppPath()}/preload.cjs`
          const window = new BrowserWindow({ show: false, webPreferences: { preload } })
          window.once('ready-to-show', () => window.show())
          await window.loadURL(page)
        },
        ...(keepsRunning ? { whenDismissed: () => globalThis.logged.push('dismissed') } : {}),
      })
    },
    { page: pathToFileURL(path.join(app.appPath, 'page.html')).href, keepsRunning },
  )
}

async function happened(app: OpenApp): Promise<readonly string[]> {
  return (await app.logged()).filter((line) => !line.includes('[latchkey]'))
}

const opened = ['activation shown', 'entitled active', 'main shown', 'activation closed']

/** Enters the key in the activation window, and waits until the window says that the app is activated. */
async function enterKey(app: OpenApp, licenseKey: string): Promise<Page> {
  const page = await app.activationWindow()
  await page.getByLabel('License key').fill(licenseKey)
  await whenPainted(page)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'latchkey-open-app is activated' }).waitFor()
  return page
}

async function activate(app: OpenApp, licenseKey: string): Promise<void> {
  const page = await enterKey(app, licenseKey)
  await clickToClose(page.getByRole('button', { name: 'Continue' }))
  await expect.poll(() => happened(app)).toEqual(opened)
}

/** Expects what support needs in the report of an activated app, and no secret. */
async function expectReport(
  app: OpenApp,
  { control, demoLicense, licenseKey, accessToken }: Emulator,
): Promise<void> {
  const report = await app.electronApp.evaluate(() => globalThis.licensing.diagnose())
  expect(report).toMatch(/^Latchkey \d/)
  for (const line of [
    /app: latchkey-open-app 1\.2\.3 \(com\.example\.open\), not packaged/,
    /runtime: Electron \d+/,
    serviceUnderTest.has('the service’s own address as `service`')
      ? /service: http:\/\/127\.0\.0\.1:\d+\/v1, access token in the app: yes/
      : /service: http:\/\/127\.0\.0\.1:\d+[^ ]*, access token in the app: no/,
    /network: online, proxy: none/,
    /clock against the service: \d+ s (?:ahead|behind)/,
    /device ID: (?:machine-id|random)/,
    /status: active/,
  ]) {
    expect(report).toMatch(line)
  }
  const [key] = control.keys(demoLicense.id)
  for (const secret of [licenseKey, key?.id ?? '-', accessToken ?? '-']) expect(report).not.toContain(secret)
}

describe('an app behind the gate', () => {
  test('opens once it gets the focus after a second copy of the app was activated', async ({
    app,
    openApp,
    emulator,
    directory,
  }) => {
    await openGate(app)
    await app.activationWindow()
    const copy = await openApp({ switches: [`--user-data-dir=${path.join(directory, '..', 'copy')}`] })
    await copy.createLicensing({ directory })
    await copy.electronApp.evaluate(
      (_electron, key) => globalThis.licensing.activate(key),
      emulator.licenseKey,
    )
    await copy.close()
    await app.electronApp.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows()
      window?.blur()
      window?.focus()
    })
    await expect.poll(() => happened(app)).toEqual(opened)
  })

  test('says who is activated, opens without ever being without a window, and reports what support needs; the next launch is decided from disk', async ({
    app,
    emulator,
    service,
    directory,
  }) => {
    await openGate(app)
    const page = await enterKey(app, emulator.licenseKey)
    const tellsSeats = serviceUnderTest.has('the number of seats in use')
    if (tellsSeats) expect(await page.locator('dd').allTextContents()).toContain('1 of 3')
    // Closing that window is going on, too.
    await app.electronApp.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
    await expect.poll(() => happened(app)).toEqual(opened)
    const files = await readdir(directory)
    expect(files).toEqual(expect.arrayContaining(['license.json', 'license.last-good.json']))
    for (const file of files) {
      if (process.platform !== 'win32') expect((await stat(path.join(directory, file))).mode & 0o077).toBe(0)
    }
    await expectReport(app, emulator)

    await app.electronApp.evaluate(() => globalThis.startOver())
    service.forget()
    emulator.control.faults.inject({ fault: 'timeout' })
    await openGate(app)
    await expect.poll(() => happened(app)).toEqual(['entitled active', 'main shown'])
    await expect
      .poll(() => app.electronApp.evaluate(() => globalThis.licensing.state))
      .toMatchObject({ status: 'active', entitled: true, activity: 'validating' })
    expect(await happened(app)).toEqual(['entitled active', 'main shown'])
  })

  test('quits on request while it shows that it is activated, even if garbage is looked for just then', async ({
    app,
    emulator,
  }) => {
    await openGate(app)
    await enterKey(app, emulator.licenseKey)
    await app.electronApp.evaluate(({ app: electronApp }) => {
      // Enough for V8 to begin looking, too late for it to be done before the end.
      electronApp.once('will-quit', () => {
        globalThis.leftToQuit = Array.from({ length: 12_000 }, (_, index) => Array<number>(124).fill(index))
      })
    })
    await app.close()
    expect(app.process.signalCode).toBeNull()
  })

  test('comes back by one click after its seat was freed from another device, and no page sees the key', async ({
    app,
    emulator,
    needs,
  }) => {
    needs('the list of devices')
    const { licenseKey } = emulator
    const { id } = emulator.demoLicense
    await openGate(app)
    await activate(app, licenseKey)
    const [key] = emulator.control.keys(id)
    emulator.control.removeKey(id, key?.id ?? '')
    // The gate asks for a key on its own as soon as the license is lost.
    const state = await app.electronApp.evaluate(() => globalThis.licensing.validate())
    expect(state.status).toBe('revoked')

    const page = await app.activationWindow()
    await page.getByRole('button', { name: 'Activate again' }).waitFor()
    const shown = await page.evaluate(async () => {
      const root = document.querySelector('latchkey-activation')?.shadowRoot
      return `${document.documentElement.outerHTML}${root?.innerHTML}${JSON.stringify(await window.latchkey.getState())}`
    })
    expect(shown).toContain(`${licenseKey.slice(0, 4)}••••${licenseKey.slice(-4)}`)
    expect(shown).not.toContain(licenseKey)
    await page.getByRole('button', { name: 'Activate again' }).click()
    await page.getByRole('heading', { name: 'latchkey-open-app is activated' }).waitFor()
    expect(emulator.control.keys(id)).toHaveLength(1)
  })

  test('called to the front, it shows the activation window again; closed during an activation, it finishes that and opens', async ({
    app,
    emulator,
  }) => {
    await openGate(app, { keepsRunning: true })
    const first = await app.activationWindow()
    await expect.poll(() => happened(app)).toContain('activation shown')
    await first.close()
    const dismissed = ['activation shown', 'activation closed', 'dismissed']
    await expect.poll(() => happened(app)).toEqual(dismissed)
    await app.electronApp.evaluate(({ app: electronApp }) => void electronApp.emit('activate', {}, false))
    const page = await app.activationWindow()
    await expect.poll(() => happened(app)).toEqual([...dismissed, 'activation shown'])
    const count = await app.electronApp.evaluate(async ({ app: electronApp, BrowserWindow }) => {
      electronApp.emit('second-instance', {}, [], '')
      await globalThis.licensing.openActivationWindow()
      return BrowserWindow.getAllWindows().length
    })
    expect(count).toBe(1)

    await page.getByLabel('License key').fill(emulator.licenseKey)
    const held = emulator.control.faults.inject({ fault: 'delay', delayMs: 1_500, operation: 'activate' })
    await whenPainted(page)
    await page.keyboard.press('Enter')
    await page.locator('.spinner').waitFor()
    await page.close()
    await expect
      .poll(() => happened(app))
      .toEqual([...dismissed, ...dismissed, 'entitled active', 'main shown'])
    emulator.control.faults.remove(held.id)
    expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(1)
  })

  test('quits when the user closes the activation window', async ({ app }) => {
    await openGate(app)
    const page = await app.activationWindow()
    await expect.poll(() => happened(app)).toContain('activation shown')
    const ended = new Promise<void>((resolve) => app.process.once('exit', () => resolve()))
    await page.close()
    await ended
  })

  test('speaks the user’s language, in its window and in the system dialog that stands in for it', async ({
    openApp,
    userDataPath,
  }) => {
    const inTheWay = path.join(userDataPath, 'latchkey')
    await writeFile(inTheWay, 'a file where a folder should be')
    const app = await openApp({ switches: ['--lang=de'], env: { LANGUAGE: 'de', LANG: 'de_DE.UTF-8' } })
    const folder = await app.electronApp.evaluate(async ({ app: electronApp, dialog }, temporary) => {
      await electronApp.whenReady()
      // A system dialog waits for a click.
      dialog.showErrorBox = (title, content) => globalThis.logged.push(`${title}: ${content}`)
      const before = electronApp.getPath('temp')
      // No preload can be written anywhere: no activation window can be opened.
      electronApp.setPath('temp', temporary)
      return before
    }, inTheWay)
    await openGate(app, { keepsRunning: true })
    const dialog = expect.stringMatching(/^latchkey-open-app: Etwas Unerwartetes.*\(ENOTDIR\)$/su)
    await expect.poll(() => happened(app)).toEqual([dialog, 'dismissed'])
    expect(app.process.exitCode).toBeNull()
    await app.electronApp.evaluate(
      ({ app: electronApp }, before) => electronApp.setPath('temp', before),
      folder,
    )
    const window = await app.openActivationWindow()
    await window.getByLabel('Lizenzschlüssel').waitFor()
  })
})

describe('licensing as a whole', () => {
  openAppTest(
    'made a second time says what to do, and can be made again after it was disposed of',
    async ({ app, emulator }) => {
      await app.createLicensing()
      const messages = await app.electronApp.evaluate(async (electron, baseUrl) => {
        const { app: electronApp, BrowserWindow, powerMonitor } = electron
        const options = { appId: 'com.example.open', service: { baseUrl } }
        const attempt = (make: () => unknown): string => {
          try {
            make()
            return 'made'
          } catch (error) {
            return String(error)
          }
        }
        const first = globalThis.licensing
        const wakers = () => powerMonitor.listenerCount('resume')
        const listeners = () => electronApp.eventNames().flatMap((name) => electronApp.listeners(name)).length
        const before = wakers()
        const listenersBefore = listeners()
        const second = attempt(() => globalThis.createLicensing(options))
        const added = listeners() - listenersBefore
        await first.start()
        await first.openActivationWindow()
        const running = wakers()
        await first.dispose()
        await first.dispose()
        const disposed = wakers()
        const afterwards = await first.activate('x').then(String, String)
        const brief = globalThis.createLicensing(options)
        const opening = brief.openActivationWindow()
        await brief.dispose()
        await opening
        const windows = BrowserWindow.getAllWindows().length
        const third = attempt(() => {
          globalThis.licensing = globalThis.createLicensing(options)
        })
        const { status } = await globalThis.licensing.start()
        await globalThis.licensing.openActivationWindow()
        return {
          second,
          added,
          afterwards,
          windows,
          third,
          status,
          wakers: [running - before, disposed - before],
        }
      }, emulator.baseUrl)
      expect(messages).toEqual({
        second: expect.stringMatching(/createLicensing\(\) was called twice.*dispose\(\)/),
        added: 0,
        afterwards: expect.stringMatching(/disposed of.*createLicensing\(\) again/),
        windows: 0,
        third: 'made',
        status: 'unlicensed',
        wakers: [1, 0],
      })
    },
  )

  openAppTest('imported in a preload script, points to the right subpath', async ({ app }) => {
    const message = await app.electronApp.evaluate(() => {
      try {
        globalThis.exposeLicensing()
        return 'exposed'
      } catch (error) {
        return String(error)
      }
    })
    expect(message).toMatch(/belongs in a preload script.*createLicensing\(\).*@latchkey\/electron\/main/)
  })

  openAppTest('that misses a call while the app is developed says so in the log', async ({ app }) => {
    const usedByMs = 15_000
    const openedByMs = 5_000
    const fire = (delayMs: number) =>
      app.electronApp.evaluate((_electron, ms) => globalThis.fireTimers(ms), delayMs)
    const warnings = async () => (await app.logged()).filter((line) => line.startsWith('warn'))
    const warning = (text: string) => expect.stringContaining(`warn [latchkey] ${text}`)
    const page = await app.openWindow(pathToFileURL(path.join(app.appPath, 'page.html')).href)
    await app.electronApp.evaluate(() => globalThis.keepTimers())
    await app.createLicensing()
    // A page that shows the state keeps nobody out.
    expect(await page.evaluate(() => window.latchkey.getState())).toMatchObject({ entitled: false })
    expect(await app.electronApp.evaluate(async () => typeof (await globalThis.licensing))).toBe('object')
    await expect.poll(() => fire(usedByMs)).toBe(1)
    expect(await warnings()).toEqual([warning('The main process has not called gate() or start()')])

    await app.electronApp.evaluate(() => globalThis.licensing.dispose())
    await app.createLicensing({ deepLinkScheme: 'notes' })
    await app.electronApp.evaluate(() => globalThis.licensing.start().then(() => {}))
    await expect.poll(() => fire(usedByMs)).toBe(1)
    // Without a lock, a link doesn't reach an app that runs, except on macOS.
    const lock =
      process.platform === 'darwin' ? [] : [expect.stringContaining('app.requestSingleInstanceLock()')]
    expect(await warnings()).toEqual(lock)

    await app.electronApp.evaluate(() => globalThis.startOver())
    await app.electronApp.evaluate(() => globalThis.keepTimers())
    await app.createLicensing({ trialDays: 14 })
    await app.electronApp.evaluate(() => {
      globalThis.licensing.gate({ whenEntitled: () => () => {} })
      globalThis.licensing.gate({ whenEntitled: () => {} })
    })
    await expect.poll(() => fire(openedByMs)).toBe(1)
    expect(await warnings()).toEqual([warning('whenEntitled opened no window.')])
  })
})
