import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Frame, Page } from 'playwright'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { type OpenApp, test } from '../../fixtures/open-app-test.ts'
import { openFrame } from '../../fixtures/open-frame.ts'
import { page as pageOf, startServer } from '../../fixtures/start-server.ts'

let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'latchkey-outside-'))
  await writeFile(path.join(folder, 'page.html'), '<title>Outside</title>')
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

const startElsewhere = (): Promise<string> => startServer(pageOf('<title>Elsewhere</title>'))
const ownPage = (app: OpenApp): string => pathToFileURL(path.join(app.appPath, 'page.html')).href

/** The results of calling every verb from a frame. */
async function callEverything(frame: Page | Frame): Promise<readonly string[]> {
  return frame.evaluate(async () => {
    const { latchkey } = window
    const calls = [
      latchkey.getState(),
      latchkey.activate('1f0a0000-0000-4000-8000-000000009c1d'),
      latchkey.reactivate(),
      latchkey.validate(),
      latchkey.cancelActivation(),
      latchkey.deactivate(),
      latchkey.devices(),
      latchkey.releaseDevice('any'),
      latchkey.openActivationWindow(),
      latchkey.closeActivationWindow(),
      latchkey.screen(),
      latchkey.openLink('buy'),
      latchkey.clipboardKey(),
      latchkey.activateFromClipboard('1f0a••••9c1d'),
      latchkey.copyDiagnosis(),
    ]
    const settled = await Promise.all(calls.map((call) => call.then(() => 'answered', String)))
    return [...new Set(settled.map((outcome) => outcome.replace(/'latchkey:[a-zA-Z]+'/, '…')))]
  })
}

const refused = ['Error: Error invoking remote method …: Error: Latchkey refused this window']

describe('over IPC', () => {
  test('a window with a second preload script for it still works, and gets an error', async ({ openApp }) => {
    const problems: string[] = []
    const app = await openApp({
      expectProblem: ({ kind, text }) => {
        problems.push(`${kind} ${text}`)
        return kind === 'preload-error' || text.includes('preload') || text.includes('exposeLicensing')
      },
    })
    await app.createLicensing()
    await app.electronApp.evaluate(({ app: electron, session }) =>
      session.defaultSession.setPreloads([`${electron.getAppPath()}/preload.cjs`]),
    )
    const own = await app.openWindow(ownPage(app))
    expect(await own.evaluate(() => window.latchkey.getState())).toMatchObject({ status: 'unlicensed' })
    expect(app.problems()).toEqual([])
    const error = /^preload-error .*exposeLicensing\(\) was called twice/u
    expect(problems).toContainEqual(expect.stringMatching(error))
    const warned = async (): Promise<string> => JSON.stringify(await app.logged())
    expect(await warned()).toMatch(/Unable to load preload script .*preload\.cjs: .*was called twice/u)
    // As the client in a page without the bridge fails.
    await own.evaluate(() =>
      setTimeout(() => Promise.reject(new Error('window.latchkey is missing: no preload'))),
    )
    await expect.poll(warned).toMatch(/A page can't use licensing: .*is missing: no preload/u)
  })

  test('the app’s own page is answered, and foreign pages are refused without reaching the service', async ({
    app,
    emulator,
  }) => {
    await app.createLicensing()
    const own = await app.openWindow(ownPage(app))
    expect(await own.evaluate(() => window.latchkey.getState())).toMatchObject({ status: 'unlicensed' })

    const elsewhere = await startElsewhere()
    for (const address of [
      `${elsewhere}/`,
      pathToFileURL(path.join(folder, 'page.html')).href,
      `${ownPage(app)}/../../${path.basename(folder)}/page.html`,
      'data:text/html,<title>data</title>',
      'about:blank',
    ]) {
      const foreign = await app.openWindow(address)
      expect(await callEverything(foreign), address).toEqual(refused)
    }
    expect(emulator.control.requests()).toEqual([])
    const logged = (await app.logged()).join('\n')
    expect(logged).toMatch(/warn \[latchkey\] Refused latchkey:getState from http:\/\/127\.0\.0\.1/)
    expect(logged).not.toContain('1f0a0000-0000')
    // One line for each page. Two of the addresses are the same file's.
    expect(logged.split('\n')).toHaveLength(4)
  })

  test('without createLicensing, every call fails with the error that the renderer recognizes', async ({
    app,
  }) => {
    const page = await app.openWindow(ownPage(app))
    const outcomes = await callEverything(page)
    expect(outcomes.length).toBeGreaterThan(0)
    for (const outcome of outcomes) expect(outcome).toContain('No handler registered for')
  })

  test('a frame inside the app’s own page is refused, whatever it shows', async ({ app }) => {
    await app.createLicensing()
    const own = await app.openWindow(ownPage(app), { nodeIntegrationInSubFrames: true })
    const elsewhere = await startElsewhere()
    for (const address of [ownPage(app), `${elsewhere}/`, 'data:text/html,<title>data</title>']) {
      const frame = await openFrame(own, address)
      expect(await callEverything(frame), address).toEqual(refused)
    }
    expect(await own.evaluate(() => window.latchkey.getState())).toMatchObject({ status: 'unlicensed' })
  })

  test('a page in a <webview> is refused', async ({ app }) => {
    await app.createLicensing()
    const outcome = await app.electronApp.evaluate(async ({ app: electronApp, BrowserWindow }, url) => {
      await electronApp.whenReady()
      const window = new BrowserWindow({ show: false, webPreferences: { webviewTag: true } })
      await window.loadURL(url)
      const guest = new Promise<Electron.WebContents>((resolve) => {
        window.webContents.once('did-attach-webview', (_event, contents) => {
          contents.once('did-finish-load', () => resolve(contents))
        })
      })
      const preload = `file://${electronApp.getAppPath()}/preload.cjs`
      await window.webContents.executeJavaScript(
        `void document.body.insertAdjacentHTML('beforeend', '<webview src="${url}" preload="${preload}"></webview>')`,
      )
      return (await guest).executeJavaScript('latchkey.getState().then(() => "answered", String)')
    }, ownPage(app))
    expect(outcome).toMatch(/Latchkey refused this window/)
  })

  test('a page that was trusted is no longer, once its window shows something else', async ({ app }) => {
    await app.createLicensing()
    const page = await app.openWindow(ownPage(app))
    expect(await page.evaluate(() => window.latchkey.getState())).toMatchObject({ status: 'unlicensed' })
    const elsewhere = await startElsewhere()
    await page.goto(`${elsewhere}/`)
    expect(await callEverything(page)).toEqual(refused)
  })

  test('a verb can be used as an event listener, and the event is ignored', async ({ app }) => {
    await app.createLicensing()
    const page = await app.openWindow(ownPage(app))
    const status = await page.evaluate(async () => {
      const state = await Reflect.apply(window.latchkey.getState, null, [{ type: 'click' }])
      return state.status
    })
    expect(status).toBe('unlicensed')
  })

  test('malformed messages are refused before any handler runs', async ({ app, emulator }) => {
    await app.createLicensing()
    // A window without isolation imitates a page that has access to ipcRenderer.
    const outcomes = await app.electronApp.evaluate(async ({ app: electronApp, BrowserWindow }, url) => {
      await electronApp.whenReady()
      const window = new BrowserWindow({
        show: false,
        webPreferences: { nodeIntegration: true, contextIsolation: false, sandbox: false },
      })
      await window.loadURL(url)
      return window.webContents.executeJavaScript(`(async () => {
          const { ipcRenderer } = require('electron')
          const messages = [
            ['latchkey:activate'], ['latchkey:activate', 1], ['latchkey:activate', ['x']], ['latchkey:activate', 'a', 'b'],
            ['latchkey:getState', {}], ['latchkey:releaseDevice', 'x'.repeat(100000)], ['latchkey:openLink', '__proto__'],
            ['latchkey:openLink', 'https://evil.example'], ['latchkey:devices', null],
            ['latchkey:activateFromClipboard'], ['latchkey:activateFromClipboard', 'x'.repeat(100000)],
          ]
          return Promise.all(messages.map(([channel, ...args]) => ipcRenderer.invoke(channel, ...args).then(() => 'answered', String)))
        })()`)
    }, ownPage(app))
    for (const outcome of outcomes) expect(outcome).toMatch(/Latchkey refused this message/)
    expect(emulator.control.requests()).toEqual([])
  })
})

describe('news of the state', () => {
  test('reach every trusted page at once, also one opened later, and no other', async ({ app, emulator }) => {
    await app.createLicensing()
    const first = await app.openWindow(ownPage(app))
    const elsewhere = await startElsewhere()
    const foreign = await app.openWindow(`${elsewhere}/`)
    await foreign.evaluate(() => {
      window.latchkey.onState(() => document.body.append('told'))
    })
    const activation = await app.openActivationWindow()
    await activation.getByLabel('License key').fill(emulator.licenseKey)
    await activation.getByRole('button', { name: 'Activate', exact: true }).click()
    await first.locator('#state', { hasText: 'active' }).waitFor()

    const later = await app.openWindow(ownPage(app))
    expect(await later.evaluate(() => window.latchkey.getState())).toMatchObject({ status: 'active' })
    await app.electronApp.evaluate(() => globalThis.licensing.deactivate())
    for (const page of [first, later]) await page.locator('#state', { hasText: 'unlicensed' }).waitFor()
    expect(await foreign.locator('body').textContent()).toBe('')

    const [one, other] = await Promise.all(
      [first, later].map((page) => page.evaluate(() => window.states.at(-1))),
    )
    expect(one).toEqual(other)
    expect(JSON.stringify(await first.evaluate(() => window.states))).not.toContain(emulator.licenseKey)
  })

  test('a page that unsubscribed gets no more changes, while others do', async ({ app, emulator }) => {
    await app.createLicensing()
    const page = await app.openWindow(ownPage(app))
    await page.evaluate(() => {
      const heard: string[] = []
      Object.assign(window, { heard })
      const stop = window.latchkey.onState(({ status }) => heard.push(status))
      // It gets the current state at once, and nothing after it unsubscribed.
      return window.latchkey.getState().then(() => stop())
    })
    const before = await page.evaluate(() => Reflect.get(window, 'heard').length)
    await app.electronApp.evaluate(
      (_electron, key) => globalThis.licensing.activate(key),
      emulator.licenseKey,
    )
    await expect.poll(() => page.evaluate(() => window.states.at(-1)?.status)).toBe('active')
    expect(await page.evaluate(() => Reflect.get(window, 'heard').length)).toBe(before)
  })
})
