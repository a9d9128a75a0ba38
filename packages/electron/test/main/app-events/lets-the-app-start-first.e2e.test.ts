import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningService } from '@latchkey/scripts/e2e/service-under-test'
import { expect, onTestFinished } from 'vitest'
import { type OpenApp, test } from '../../fixtures/open-app-test.ts'

/** Longer than a check would wait for a window that never comes. */
const longerThanWithoutWindowMs = 2_600

/** A page that does not come before it is let go. */
async function startSlowPage(): Promise<{ url: string; letGo: () => void }> {
  let letGo = (): void => {}
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const server = createServer(async (_request, response) => {
    await isLetGo
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>Slow</title><h1>Here at last</h1>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The test server has no port')
  return { url: `http://127.0.0.1:${address.port}/`, letGo }
}

type OpenAppFixture = (options?: object) => Promise<OpenApp>

/** The app at its second launch, on a device that is activated: nothing was asked yet. */
async function launchActivated(openApp: OpenAppFixture, service: RunningService): Promise<OpenApp> {
  const first = await openApp()
  await first.createLicensing()
  await first.electronApp.evaluate(async ({ app }, key) => {
    await app.whenReady()
    await globalThis.licensing.activate(key)
    await globalThis.licensing.validate()
    await globalThis.licensing.dispose()
  }, service.emulator.licenseKey)
  await first.close()
  service.forget()
  const app = await openApp()
  await app.createLicensing()
  return app
}

const asked = ({ emulator }: RunningService): number => emulator.control.requests().length

/** It comes, and it comes once. */
async function expectOneCheck(service: RunningService): Promise<void> {
  await expect.poll(() => service.operations()).toEqual(['validate'])
  await sleep(longerThanWithoutWindowMs)
  expect(service.operations()).toEqual(['validate'])
}

const isLongRun = process.env['LATCHKEY_LONG'] === '1'
/** Most apps make their window hidden and show it when it is ready. */
const windows = { 'made hidden': false, ...(isLongRun && { 'visible from the start': true }) }

for (const [kind, show] of Object.entries(windows)) {
  test(`no request is sent before the first window, ${kind}, is painted`, async ({ openApp, service }) => {
    const page = await startSlowPage()
    const app = await launchActivated(openApp, service)
    const entitled = await app.electronApp.evaluate(
      async ({ BrowserWindow }, given) => {
        const { entitled } = await globalThis.licensing.start()
        const window = new BrowserWindow({ show: given.show })
        window.once('ready-to-show', () => window.show())
        void window.loadURL(given.url)
        return entitled
      },
      { url: page.url, show },
    )
    expect(entitled).toBe(true)
    await sleep(longerThanWithoutWindowMs)
    expect(asked(service)).toBe(0)
    page.letGo()
    await expectOneCheck(service)
  })
}

test('a window that is never painted does not keep the check from coming, once', async ({
  openApp,
  service,
}) => {
  const page = await startSlowPage()
  const app = await launchActivated(openApp, service)
  await app.electronApp.evaluate(async ({ BrowserWindow }, url) => {
    await globalThis.licensing.start()
    void new BrowserWindow({ show: false }).loadURL(url).catch(() => {})
  }, page.url)
  await expectOneCheck(service)
})

test('an app without windows is checked too, once', async ({ openApp, service }) => {
  const app = await launchActivated(openApp, service)
  const status = await app.electronApp.evaluate(async () => (await globalThis.licensing.start()).status)
  expect(status).toBe('active')
  expect(asked(service)).toBe(0)
  await expectOneCheck(service)
})

if (isLongRun) {
  test('an app that shows its window before it asks at the gate is checked, once', async ({
    openApp,
    service,
  }) => {
    const app = await launchActivated(openApp, service)
    await app.electronApp.evaluate(async ({ app: electronApp, BrowserWindow }) => {
      const window = new BrowserWindow({ show: true })
      await window.loadFile(`${electronApp.getAppPath()}/page.html`)
      globalThis.licensing.gate({ whenEntitled: () => {} })
    })
    await expectOneCheck(service)
  })

  test('an app that makes licensing long after its windows is checked, once', async ({
    openApp,
    service,
  }) => {
    const app = await launchActivated(openApp, service)
    await app.electronApp.evaluate(async ({ app: electronApp, BrowserWindow }) => {
      await globalThis.licensing.dispose()
      const window = new BrowserWindow({ show: true })
      await window.loadFile(`${electronApp.getAppPath()}/page.html`)
    })
    await app.createLicensing()
    await app.electronApp.evaluate(() => globalThis.licensing.start())
    await expectOneCheck(service)
  })
}

test('a check by the user is sent at once, and not repeated', async ({ openApp, service }) => {
  const page = await startSlowPage()
  const app = await launchActivated(openApp, service)
  await app.electronApp.evaluate(async ({ BrowserWindow }, url) => {
    void new BrowserWindow({ show: false }).loadURL(url)
    await globalThis.licensing.validate()
  }, page.url)
  await expect.poll(() => service.operations()).toEqual(['validate'])
  page.letGo()
  await expectOneCheck(service)
})
