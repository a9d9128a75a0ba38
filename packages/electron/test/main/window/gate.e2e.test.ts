import { readdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { clickToClose } from '@latchkey/scripts/e2e/click-to-close'
import { serviceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import { whenPainted } from '@latchkey/scripts/e2e/when-painted'
import { describe, expect } from 'vitest'
import { type OpenApp, test } from '../../fixtures/open-app-test.ts'

/** Puts the app behind a gate, hasty if it does not wait for its own window; what happens is kept in `globalThis.logged` between the log's lines. */
async function openGate(
  app: OpenApp,
  options: { keepsRunning?: boolean; isHasty?: boolean } = {},
): Promise<void> {
  await app.electronApp.evaluate(
    ({ app: electronApp, BrowserWindow }, { page, keepsRunning, isHasty }) => {
      electronApp.on('browser-window-created', (_event, window) => {
        const isActivation = window.webContents.session !== globalThis.defaultSession
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
          const loaded = window.loadURL(page)
          if (isHasty) return
          await loaded
        },
        ...(keepsRunning ? { whenDismissed: () => globalThis.logged.push('dismissed') } : {}),
      })
    },
    {
      page: pathToFileURL(path.join(app.appPath, 'page.html')).href,
      keepsRunning: options.keepsRunning === true,
      isHasty: options.isHasty === true,
    },
  )
}

async function createLicensing(app: OpenApp): Promise<void> {
  await app.electronApp.evaluate(async ({ app: electronApp, session }) => {
    await electronApp.whenReady()
    globalThis.defaultSession = session.defaultSession
  })
  await app.createLicensing()
}

async function happened(app: OpenApp): Promise<readonly string[]> {
  return (await app.logged()).filter((line) => !line.includes('[latchkey]'))
}

async function activate(app: OpenApp, licenseKey: string): Promise<void> {
  const page = await app.firstWindow()
  await page.getByLabel('License key').fill(licenseKey)
  await page.getByRole('button', { name: 'Activate', exact: true }).click()
  const mainWindow = app.electronApp.waitForEvent('window')
  await clickToClose(page.getByRole('button', { name: 'Continue' }))
  await mainWindow
  await expect.poll(() => happened(app)).toContain('activation closed')
}

describe('an app behind the gate', () => {
  test('opens after an activation, and is never without a window; the next launch opens at once', async ({
    openApp,
    emulator,
    service,
    userDataPath,
  }) => {
    const first = await openApp()
    await createLicensing(first)
    await openGate(first)
    await activate(first, emulator.licenseKey)
    expect(await happened(first)).toEqual([
      'activation shown',
      'entitled active',
      'main shown',
      'activation closed',
    ])
    await first.close()

    const folder = path.join(userDataPath, 'latchkey')
    const files = await readdir(folder)
    expect(files).toEqual(expect.arrayContaining(['license.json', 'license.last-good.json']))
    for (const file of files) {
      if (process.platform !== 'win32') expect((await stat(path.join(folder, file))).mode & 0o077).toBe(0)
    }

    service.forget()
    const second = await openApp()
    await createLicensing(second)
    await openGate(second)
    await expect.poll(() => happened(second)).toContain('main shown')
    await expect.poll(() => service.operations()).toEqual(['validate'])
    expect(await happened(second)).toEqual(['entitled active', 'main shown'])
  })

  test('says who is activated before it opens; closing that window is going on, too', async ({
    openApp,
    emulator,
  }) => {
    const app = await openApp()
    await createLicensing(app)
    await openGate(app)
    const page = await app.firstWindow()
    await page.getByLabel('License key').fill(emulator.licenseKey)
    await whenPainted(page)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'latchkey-open-app is activated' }).waitFor()
    const tellsSeats = serviceUnderTest.has('the number of seats in use')
    if (tellsSeats) expect(await page.locator('dd').allTextContents()).toContain('1 of 3')
    await app.electronApp.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
    await expect.poll(() => happened(app)).toContain('activation closed')
    expect(await happened(app)).toEqual([
      'activation shown',
      'entitled active',
      'main shown',
      'activation closed',
    ])
  })

  test('quits on request while it shows that it is activated', async ({ openApp, emulator }) => {
    const app = await openApp()
    await createLicensing(app)
    await openGate(app)
    const page = await app.firstWindow()
    await page.getByLabel('License key').fill(emulator.licenseKey)
    await whenPainted(page)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Continue' }).waitFor()
    const ended = new Promise<void>((resolve) => app.process.once('exit', () => resolve()))
    await app.electronApp.evaluate(({ app: electronApp }) => electronApp.quit())
    await ended
  })

  test('comes back by one click after its seat was freed from another device, and no page sees the key', async ({
    openApp,
    emulator,
    needs,
  }) => {
    needs('the list of devices')
    const { licenseKey } = emulator
    const { id } = emulator.demoLicense
    const app = await openApp()
    await createLicensing(app)
    await openGate(app)
    await activate(app, licenseKey)
    const [key] = emulator.control.keys(id)
    emulator.control.removeKey(id, key?.id ?? '')
    // The gate asks for a key on its own as soon as the license is lost.
    const asked = app.electronApp.waitForEvent('window')
    const state = await app.electronApp.evaluate(() => globalThis.licensing.validate())
    expect(state.status).toBe('revoked')

    const page = await asked
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

  test('closed during an activation, it finishes the activation and opens the app', async ({
    openApp,
    emulator,
  }) => {
    const app = await openApp()
    await createLicensing(app)
    await openGate(app, { keepsRunning: true })
    const page = await app.firstWindow()
    await page.getByLabel('License key').fill(emulator.licenseKey)
    emulator.control.faults.inject({ fault: 'delay', delayMs: 1_500, operation: 'activate' })
    await whenPainted(page)
    await page.keyboard.press('Enter')
    await page.locator('.spinner').waitFor()
    await page.close()
    await expect.poll(() => happened(app)).toContain('dismissed')
    expect(await happened(app)).not.toContain('main shown')
    await expect.poll(() => happened(app)).toContain('main shown')
    expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(1)
    expect(await happened(app)).toEqual([
      'activation shown',
      'activation closed',
      'dismissed',
      'entitled active',
      'main shown',
    ])
  })

  test('is decided from disk while the service keeps silent', async ({ openApp, emulator }) => {
    const first = await openApp()
    await createLicensing(first)
    await openGate(first)
    await activate(first, emulator.licenseKey)
    await first.close()

    emulator.control.faults.inject({ fault: 'timeout' })
    const second = await openApp()
    await createLicensing(second)
    await openGate(second)
    await expect.poll(() => happened(second)).toContain('main shown')
    // The window closes before the check, so there is no window.
    await expect
      .poll(() => second.electronApp.evaluate(() => globalThis.licensing.state))
      .toMatchObject({ status: 'active', entitled: true, activity: 'validating' })
    expect(await happened(second)).toEqual(['entitled active', 'main shown'])
  })

  test('quits when the user closes the activation window', async ({ openApp }) => {
    const app = await openApp()
    await createLicensing(app)
    await openGate(app)
    const page = await app.firstWindow()
    await expect.poll(() => happened(app)).toContain('activation shown')
    const ended = new Promise<void>((resolve) => app.process.once('exit', () => resolve()))
    await page.close()
    await ended
  })

  test('shows a system dialog if no activation window can be opened, instead of running invisibly', async ({
    openApp,
    userDataPath,
  }) => {
    const notAFolder = path.join(userDataPath, 'latchkey')
    await writeFile(notAFolder, 'in the way')
    const app = await openApp()
    await createLicensing(app)
    await app.electronApp.evaluate(({ app: electronApp, dialog }, temporary) => {
      electronApp.setPath('temp', temporary)
      // A system dialog waits for a click.
      dialog.showErrorBox = (title, content) => globalThis.logged.push(`${title}: ${content}`)
    }, notAFolder)
    await openGate(app, { keepsRunning: true })
    await expect
      .poll(() => happened(app))
      .toEqual([
        expect.stringMatching(/^latchkey-open-app: Something went wrong\. .*\(ENOTDIR\)$/),
        'dismissed',
      ])
  })

  test('closes no activation window but its own', async ({ openApp }) => {
    const app = await openApp()
    await app.createLicensing({ trialDays: 7 })
    const isThere = await app.electronApp.evaluate(async ({ BrowserWindow }) => {
      await globalThis.licensing.openActivationWindow({ prefilledText: 'from a link' })
      await new Promise<void>((resolve) => {
        globalThis.licensing.gate({
          whenEntitled() {
            new BrowserWindow({ show: true })
            setTimeout(resolve)
          },
        })
      })
      return BrowserWindow.getAllWindows().length
    })
    expect(isThere).toBe(2)
  })

  test('keeps its window while the app opens, however often the user continues', async ({
    openApp,
    emulator,
  }) => {
    const app = await openApp()
    await createLicensing(app)
    await app.electronApp.evaluate(({ app: electronApp, BrowserWindow }) => {
      electronApp.on('window-all-closed', () => globalThis.logged.push('no window left'))
      globalThis.licensing.gate({
        async whenEntitled() {
          // The second click, and a try to close the window, come before the app has a window of its own.
          const [activation] = BrowserWindow.getAllWindows()
          globalThis.licensing.closeActivationWindow()
          activation?.close()
          await new Promise((resolve) => setTimeout(resolve, 200))
          new BrowserWindow({ show: true })
        },
      })
    })
    const page = await app.firstWindow()
    await page.getByLabel('License key').fill(emulator.licenseKey)
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    await clickToClose(page.getByRole('button', { name: 'Continue' }))
    expect(await happened(app)).toEqual([])
  })

  test('called to the front, it shows the activation window again, or brings it forward', async ({
    openApp,
  }) => {
    const app = await openApp()
    await createLicensing(app)
    await openGate(app, { keepsRunning: true })
    const page = await app.firstWindow()
    await expect.poll(() => happened(app)).toContain('activation shown')
    await page.close()
    await expect.poll(() => happened(app)).toContain('dismissed')

    const again = app.electronApp.waitForEvent('window')
    await app.electronApp.evaluate(({ app: electronApp }) => void electronApp.emit('activate', {}, false))
    await again
    await expect
      .poll(() => happened(app))
      .toEqual(['activation shown', 'activation closed', 'dismissed', 'activation shown'])
    const count = await app.electronApp.evaluate(async ({ app: electronApp, BrowserWindow }) => {
      electronApp.emit('second-instance', {}, [], '')
      await globalThis.licensing.openActivationWindow()
      return BrowserWindow.getAllWindows().length
    })
    expect(count).toBe(1)
  })
})

describe('licensing as a whole', () => {
  test('made a second time says what to do, and can be made again after it was disposed of', async ({
    openApp,
    emulator,
  }) => {
    const app = await openApp()
    await app.createLicensing()
    const messages = await app.electronApp.evaluate(async ({ app: electronApp, powerMonitor }, baseUrl) => {
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
      const third = attempt(() => {
        globalThis.licensing = globalThis.createLicensing(options)
      })
      const { status } = await globalThis.licensing.start()
      await globalThis.licensing.openActivationWindow()
      return { second, added, afterwards, third, status, wakers: [running - before, disposed - before] }
    }, emulator.baseUrl)
    expect(messages).toEqual({
      second: expect.stringMatching(/createLicensing\(\) was called twice.*dispose\(\)/),
      added: 0,
      afterwards: expect.stringMatching(/disposed of.*createLicensing\(\) again/),
      third: 'made',
      status: 'unlicensed',
      wakers: [1, 0],
    })
  })

  test('imported in a preload script, points to the right subpath', async ({ openApp }) => {
    const app = await openApp()
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

  test('made before the app is ready, with unusable options, names the option', async ({ openApp }) => {
    const app = await openApp()
    const message = await app.electronApp.evaluate(() => {
      try {
        globalThis.createLicensing({ appId: 'a', service: { baseUrl: 'licensing.example.com' } })
        return 'made'
      } catch (error) {
        return String(error)
      }
    })
    expect(message).toMatch(/LicensingOptionsError: createLicensing: service\.baseUrl /)
  })

  test('with a wrong address logs once what to check', async ({ openApp, service, emulator, needs }) => {
    needs('an address as `service`')
    const app = await openApp()
    const { access } = service
    const address = access.kind === 'address' ? access.service : access.values
    await app.createLicensing({ service: { ...address, baseUrl: new URL('/', address.baseUrl).href } })
    await app.electronApp.evaluate(async (_electron, key) => {
      await globalThis.licensing.activate(key)
      await globalThis.licensing.activate(key)
    }, emulator.licenseKey)
    const lines = (await app.logged()).filter((line) => line.includes('baseUrl'))
    expect(lines).toEqual([
      expect.stringMatching(/^warn .*version segment, such as \/v1\?.* Check service\.baseUrl/),
    ])
    expect(lines.join()).not.toContain(emulator.licenseKey)
  })

  test('reports what support needs, and no secret', async ({ openApp, emulator }) => {
    const app = await openApp()
    await createLicensing(app)
    await openGate(app)
    await activate(app, emulator.licenseKey)
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
    const [key] = emulator.control.keys(emulator.demoLicense.id)
    for (const secret of [emulator.licenseKey, key?.id ?? '-', emulator.accessToken ?? '-']) {
      expect(report).not.toContain(secret)
    }
  })
})
