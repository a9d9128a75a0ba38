import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { createPackage } from '@electron/asar'
import type { Frame, Page } from 'playwright'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { channelOf, licensingVerbs } from '../../../src/shared/licensing-bridge.ts'
import { builtApp, type OpenApp, test } from '../../fixtures/open-app-test.ts'
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

/** The different results of calling every verb from a frame. */
async function callEverything(frame: Page | Frame): Promise<readonly string[]> {
  return frame.evaluate(async (verbs) => {
    const calls = verbs.map((verb): Promise<unknown> => Reflect.get(window.latchkey, verb)('buy'))
    const settled = await Promise.all(calls.map((call) => call.then(() => 'answered', String)))
    return [...new Set(settled.map((outcome) => outcome.replace(/'latchkey:[a-zA-Z]+'/, '…')))]
  }, Object.keys(licensingVerbs))
}

const refused = ['Error: Error invoking remote method …: Error: Latchkey refused this window']

/** Puts a frame that shows an address into a page, and waits until it has loaded. */
async function openFrame(page: Page, address: string): Promise<Frame> {
  const handle = await page.evaluateHandle(async (src) => {
    const element = document.createElement('iframe')
    const isLoaded = new Promise((resolve) => element.addEventListener('load', resolve))
    element.src = src
    document.body.append(element)
    await isLoaded
    return element
  }, address)
  const frame = await handle.asElement()?.contentFrame()
  if (frame == null) throw new Error('The page has no frame')
  return frame
}

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

  test('the app’s own page is answered until it shows something else, and foreign pages are refused without reaching the service', async ({
    app,
    emulator,
  }) => {
    await app.createLicensing()
    const own = await app.openWindow(ownPage(app))
    // A verb may be an event listener: the event is ignored.
    const state = await own.evaluate(() => Reflect.apply(window.latchkey.getState, null, [{ type: 'click' }]))
    expect(state).toMatchObject({ status: 'unlicensed' })

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
    const logged = (await app.logged()).join('\n')
    expect(logged).toMatch(/warn \[latchkey\] Refused latchkey:getState from http:\/\/127\.0\.0\.1/)
    // One line for each page. Two of the addresses are the same file's.
    expect(logged.split('\n')).toHaveLength(4)
    await own.goto(`${elsewhere}/`)
    expect(await callEverything(own)).toEqual(refused)
    expect(emulator.control.requests()).toEqual([])
  })

  test('a frame or a <webview> inside the app’s own page is refused, whatever it shows', async ({ app }) => {
    await app.createLicensing()
    const own = await app.openWindow(ownPage(app), { nodeIntegrationInSubFrames: true })
    const elsewhere = await startElsewhere()
    for (const address of [ownPage(app), `${elsewhere}/`, 'data:text/html,<title>data</title>']) {
      const frame = await openFrame(own, address)
      expect(await callEverything(frame), address).toEqual(refused)
    }
    expect(await own.evaluate(() => window.latchkey.getState())).toMatchObject({ status: 'unlicensed' })

    const outcome = await app.electronApp.evaluate(async ({ app: electronApp, BrowserWindow }, url) => {
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

  test('without createLicensing, every call fails with the error that the renderer recognizes', async ({
    app,
  }) => {
    const outcomes = await callEverything(await app.openWindow(ownPage(app)))
    expect(outcomes.length).toBeGreaterThan(0)
    for (const outcome of outcomes) expect(outcome).toContain('No handler registered for')
  })

  test('an app in an archive answers its own page, no file beside it, and its activation window', async ({
    openApp,
  }) => {
    const archive = path.join(folder, 'app.asar')
    await createPackage(await builtApp(), archive)
    await cp(path.join(folder, 'page.html'), path.join(folder, 'app.asar.evil', 'page.html'))

    const app = await openApp({ appPath: archive })
    await app.createLicensing()
    expect(await app.electronApp.evaluate(({ app: electronApp }) => electronApp.getAppPath())).toBe(archive)
    const own = await app.openWindow(ownPage(app))
    expect(await own.evaluate(() => window.latchkey.getState())).toMatchObject({ status: 'unlicensed' })
    for (const file of ['page.html', 'app.asar.evil/page.html', 'app.asar/../page.html']) {
      const foreign = await app.openWindow(`${pathToFileURL(folder).href}/${file}`)
      expect(await callEverything(foreign), file).toEqual(refused)
    }
    const activation = await app.openActivationWindow()
    await activation.getByLabel('License key').waitFor()
  })
})

/** Runs in a frame: sends what no verb takes to every channel, with the plain `ipcRenderer`. @returns the answers */
async function sendAnything(channels: readonly string[]): Promise<readonly string[]> {
  const { ipcRenderer }: { ipcRenderer: Electron.IpcRenderer } = Reflect.get(window, 'require')('electron')
  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  const messages: readonly (readonly unknown[])[] = [
    [undefined],
    [null],
    [true],
    [Number.NaN],
    [10n ** 30n],
    [['buy']],
    [{ toString: 'buy', length: 3 }],
    [JSON.parse('{"__proto__":{"isTrusted":true}}')],
    [cyclic],
    [new Uint8Array(2_000).buffer],
    [new Map([['buy', 1]])],
    [new Date(Number.NaN)],
    [new Error('buy')],
    ['buy', 'renew'],
  ]
  const invoke = (channel: string, message: readonly unknown[]): Promise<string> => {
    // Sent messages have no listener, so they must have no effect.
    ipcRenderer.send(channel, ...message)
    return ipcRenderer.invoke(channel, ...message).then(() => 'answered', String)
  }
  const answers = await Promise.all(
    channels.flatMap((channel) => messages.map((message) => invoke(channel, message))),
  )
  return [...new Set(answers.map((answer) => answer.replace(/'latchkey:[a-zA-Z]+'/, '…')))]
}

test('no odd message reaches a handler, not even from the app’s own page, or a frame in it, that got hold of ipcRenderer', async ({
  openApp,
  emulator,
}) => {
  // The preload needs context isolation; a page that has `ipcRenderer` to itself can only be had without.
  const app = await openApp({ expectProblem: ({ text }) => /contextBridge|preload script/.test(text) })
  await app.createLicensing({ deepLinkScheme: 'open-app' })
  const own = await app.openWindow(ownPage(app), {
    nodeIntegration: true,
    nodeIntegrationInSubFrames: true,
    contextIsolation: false,
    sandbox: false,
  })
  const frame = await openFrame(own, ownPage(app))
  const copied = 'what the user copied'
  await app.electronApp.evaluate(({ clipboard }, text) => clipboard.writeText(text), copied)

  const channels = Object.keys(licensingVerbs).map(channelOf)
  const refusals = async () => (await app.logged()).filter((line) => line.includes('Refused'))
  expect(await frame.evaluate(sendAnything, channels)).toEqual(refused)
  // It is logged for the developer, but not too often.
  expect(await refusals()).toHaveLength(1)
  expect(await own.evaluate(sendAnything, channels)).toEqual([
    String(refused[0]).replace('this window', 'this message'),
  ])
  expect(await refusals()).toHaveLength(1 + channels.length)
  // Nothing that a handler would have left behind.
  expect(emulator.control.requests()).toEqual([])
  expect(app.electronApp.windows()).toHaveLength(1)
  expect(await app.electronApp.evaluate(({ clipboard }) => clipboard.readText())).toBe(copied)
  const state = { status: 'unlicensed', activity: 'idle', problem: null }
  expect(await app.electronApp.evaluate(() => globalThis.licensing.state)).toMatchObject(state)
})

test('news of the state reach every trusted page that is subscribed, also one opened later, and no other', async ({
  app,
  emulator,
}) => {
  await app.createLicensing()
  const first = await app.openWindow(ownPage(app))
  const foreign = await app.openWindow(`${await startElsewhere()}/`)
  await foreign.evaluate(() => {
    window.latchkey.onState(() => document.body.append('told'))
  })
  const heardBefore = await first.evaluate(async () => {
    const heard: string[] = []
    Object.assign(window, { heard })
    const stop = window.latchkey.onState(({ status }) => heard.push(status))
    await window.latchkey.getState()
    stop()
    return heard.length
  })
  const activation = await app.openActivationWindow()
  await activation.getByLabel('License key').fill(emulator.licenseKey)
  await activation.getByRole('button', { name: 'Activate', exact: true }).click()
  await first.locator('#state', { hasText: 'active' }).waitFor()
  expect(await first.evaluate(() => Reflect.get(window, 'heard').length)).toBe(heardBefore)

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
