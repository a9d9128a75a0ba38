import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type { Emulator } from '@latchkey/emulator'
import { expect, onTestFinished } from 'vitest'
import { type OpenApp, test } from '../fixtures/open-app-test.ts'

async function activate(app: OpenApp, { licenseKey }: Emulator): Promise<void> {
  const status = await app.electronApp.evaluate(async (_electron, key) => {
    const result = await globalThis.licensing.activate(key)
    return result.ok ? result.state.status : result.problem.code
  }, licenseKey)
  expect(status).toBe('active')
}

test('a page that unsubscribed gets no more changes, while others do', async ({ openApp, emulator }) => {
  const app = await openApp()
  await app.createLicensing()
  const page = await app.openWindow(pathToFileURL(path.join(app.appPath, 'page.html')).href)
  await page.evaluate(() => {
    const heard: string[] = []
    Object.assign(window, { heard })
    const stop = window.latchkey.onState(({ status }) => heard.push(status))
    // It gets the current state at once, and nothing after it unsubscribed.
    return window.latchkey.getState().then(() => stop())
  })
  const before = await page.evaluate(() => Reflect.get(window, 'heard').length)
  await activate(app, emulator)
  await expect.poll(() => page.evaluate(() => window.states.at(-1)?.status)).toBe('active')
  expect(await page.evaluate(() => Reflect.get(window, 'heard').length)).toBe(before)
})

test('a verb can be used as an event listener, and the event is ignored', async ({ openApp }) => {
  const app = await openApp()
  await app.createLicensing()
  const page = await app.openWindow(pathToFileURL(path.join(app.appPath, 'page.html')).href)
  const status = await page.evaluate(async () => {
    const state = await Reflect.apply(window.latchkey.getState, null, [{ type: 'click' }])
    return state.status
  })
  expect(status).toBe('unlicensed')
})

test('the network is polled while something waits for it, and never after dispose', async ({
  openApp,
  emulator,
  service,
}) => {
  const app = await openApp()
  await app.electronApp.evaluate(({ net }) => {
    Object.assign(globalThis, { isOnline: false, looks: 0 })
    // Timers of the watch run at once, so that looks can be counted without waiting for them.
    const real = globalThis.setTimeout
    Object.assign(globalThis, {
      setTimeout: (callback: () => void, delayMs = 0) => real(callback, delayMs === 10_000 ? 20 : delayMs),
    })
    net.isOnline = () => {
      Reflect.set(globalThis, 'looks', Reflect.get(globalThis, 'looks') + 1)
      return Reflect.get(globalThis, 'isOnline')
    }
  })
  await app.createLicensing()
  await activate(app, emulator)
  await emulator.control.pause()
  // The check after the launch may still be under way; a request joins it instead of sending another.
  const problem = () => app.electronApp.evaluate(async () => (await globalThis.licensing.validate()).problem)
  await expect.poll(problem).not.toBeNull()
  const looks = () => app.electronApp.evaluate(() => Number(Reflect.get(globalThis, 'looks')))
  const first = await looks()
  await expect.poll(looks).toBeGreaterThan(first)

  await emulator.control.resume()
  service.forget()
  await app.electronApp.evaluate(() => {
    // By itself an app asks at most every five minutes.
    globalThis.passTime(360_000)
    Reflect.set(globalThis, 'isOnline', true)
  })
  await expect.poll(() => service.operations()).toContain('validate')

  await emulator.control.pause()
  await expect.poll(problem).not.toBeNull()
  await expect.poll(looks).toBeGreaterThan(await looks())
  await app.electronApp.evaluate(() => globalThis.licensing.dispose())
  const last = await looks()
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(await looks()).toBe(last)
})

test('answers never come from a cache, even if the service allows it', async ({
  openApp,
  emulator,
  needs,
}) => {
  needs('the service’s own address as `service`')
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '', headers } = request
    asked.push(method)
    const sent = { authorization: headers.authorization ?? '', 'content-type': 'application/json' }
    const body = method === 'GET' ? null : await buffer(request)
    const answer = await fetch(new URL(url, emulator.origin), { method, headers: sent, body })
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      'cache-control': 'public, max-age=3600',
      etag: '"the-same"',
    })
    response.end(await answer.text())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const app = await openApp()
  const { accessToken } = emulator
  const baseUrl = `http://127.0.0.1:${port}${new URL(emulator.baseUrl).pathname}`
  await app.createLicensing({ service: { baseUrl, accessToken: accessToken ?? '' } })
  await activate(app, emulator)
  const devices = () =>
    app.electronApp.evaluate(async () => {
      const result = await globalThis.licensing.devices()
      return result.ok ? result.devices.length : result.problem.code
    })
  expect(await devices()).toBe(1)
  emulator.control.addKey(emulator.demoLicense.id, 'Another device')
  const before = asked.filter((method) => method === 'GET').length
  expect(await devices()).toBe(2)
  expect(asked.filter((method) => method === 'GET').length).toBe(before + 1)
})

test('the system dialog is in the user’s language, and whenDismissed keeps the app running', async ({
  openApp,
  userDataPath,
}) => {
  const inTheWay = path.join(userDataPath, 'latchkey')
  await writeFile(inTheWay, 'a file where a folder should be')
  const app = await openApp({ switches: ['--lang=de'], env: { LANGUAGE: 'de', LANG: 'de_DE.UTF-8' } })
  await app.createLicensing()
  await app.electronApp.evaluate(({ app: electronApp, dialog }, temporary) => {
    // No preload can be written anywhere: no activation window can be opened.
    electronApp.setPath('temp', temporary)
    dialog.showErrorBox = (_title, content) => void globalThis.logged.push(`box: ${content}`)
    globalThis.licensing.gate({
      whenEntitled: () => void globalThis.logged.push('opened'),
      whenDismissed: () => void globalThis.logged.push('dismissed'),
    })
  }, inTheWay)
  const told = async () => (await app.logged()).filter((line) => /^box: |^opened$|^dismissed$/u.test(line))
  await expect.poll(told).toEqual([expect.stringMatching(/^box: Etwas Unerwartetes/u), 'dismissed'])
  expect(app.process.exitCode).toBeNull()
})

test('an app in development that misses a call, such as the one that starts licensing, finds out in the log', async ({
  openApp,
}) => {
  const app = await openApp()
  const page = await app.openWindow(pathToFileURL(path.join(app.appPath, 'page.html')).href)
  await app.electronApp.evaluate(() => {
    const real = globalThis.setTimeout
    const look = (callback: () => void) => () => {
      callback()
      Reflect.set(globalThis, 'looks', Reflect.get(globalThis, 'looks') + 1)
    }
    Object.assign(globalThis, {
      looks: 0,
      setTimeout: (callback: () => void, delayMs = 0) =>
        delayMs === 15_000 ? real(look(callback), 500) : real(callback, delayMs),
    })
  })
  const looks = () => app.electronApp.evaluate(() => Reflect.get(globalThis, 'looks'))
  await app.createLicensing()
  // A page that shows the state keeps nobody out.
  expect(await page.evaluate(() => window.latchkey.getState())).toMatchObject({ entitled: false })
  const warnings = async () => (await app.logged()).filter((line) => line.startsWith('warn'))
  expect(await app.electronApp.evaluate(async () => typeof (await globalThis.licensing))).toBe('object')
  await expect
    .poll(warnings)
    .toEqual([
      expect.stringMatching(/^warn \[latchkey\] The main process has not called gate\(\) or start\(\)/u),
    ])

  await app.electronApp.evaluate(() => globalThis.licensing.dispose())
  await app.createLicensing({ deepLinkScheme: 'notes' })
  await app.electronApp.evaluate(() => globalThis.licensing.start().then(() => {}))
  await expect.poll(looks).toBe(2)
  // Without a lock, a link doesn't reach an app that runs, except on macOS.
  const lock =
    process.platform === 'darwin' ? [] : [expect.stringContaining('app.requestSingleInstanceLock()')]
  await expect.poll(warnings).toEqual(lock)
})

test('an app in development whose whenEntitled opens no window finds out in the log, at a launch that is entitled too', async ({
  openApp,
}) => {
  const app = await openApp()
  await app.electronApp.evaluate(() => {
    const real = globalThis.setTimeout
    Object.assign(globalThis, {
      setTimeout: (callback: () => void, delayMs = 0) => real(callback, delayMs === 5_000 ? 100 : delayMs),
    })
  })
  const warnings = async () => (await app.logged()).filter((line) => line.startsWith('warn'))
  await app.createLicensing({ trialDays: 14 })
  await app.electronApp.evaluate(() => {
    globalThis.licensing.gate({ whenEntitled: () => () => {} })
    globalThis.licensing.gate({ whenEntitled: () => {} })
  })
  await expect
    .poll(warnings)
    .toEqual([
      expect.stringMatching(/^warn \[latchkey\] whenEntitled opened no window\. If your app has a window/u),
    ])
})
