import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { BrowserWindow, Event } from 'electron'
import { describe, expect } from 'vitest'
import { type OpenApp, test } from '../fixtures/open-app-test.ts'
import { licenseKey, startRawService } from '../fixtures/raw-service.ts'

/** What a window of the app does when it is asked to close. */
type Answer = 'closes' | 'refuses' | 'has unsaved work'

/** An app that shows the activation window and a window of its own. */
async function openGate(app: OpenApp, answer: Answer): Promise<void> {
  await app.createLicensing()
  await app.electronApp.evaluate(async ({ app: electronApp, BrowserWindow: Window }, asked) => {
    await electronApp.whenReady()
    const own = new Window({ show: true })
    globalThis.ownWindow = own
    if (asked === 'has unsaved work') {
      await own.loadURL('data:text/html,<script>onbeforeunload=(event)=>event.preventDefault()</script>')
      // A page without user interaction can't keep its window open.
      await own.webContents.executeJavaScript('0', true)
    } else if (asked === 'refuses') {
      own.on('close', (event: Event) => event.preventDefault())
    }
    globalThis.licensing.gate({
      whenEntitled: () => {},
      whenDismissed: () => process.stdout.write('gave up'),
    })
    // Seen before anything else happens: Chromium may forget to close a window whose page is loading.
    await globalThis.licensing.openActivationWindow()
  }, answer)
}

declare global {
  var ownWindow: BrowserWindow
  var leftToQuit: number[][]
  var activation: ReturnType<typeof licensing.activate>
}

/** The user closes the activation window. It is opened again if it is gone. */
async function closeActivationWindow(app: OpenApp): Promise<void> {
  await app.electronApp.evaluate(async ({ BrowserWindow: Window }) => {
    await globalThis.licensing.openActivationWindow()
    for (const window of Window.getAllWindows()) if (window !== globalThis.ownWindow) window.close()
  })
}

const timesGivenUp = (app: OpenApp): number => app.output().split('gave up').length - 1

type ElectronModule = typeof Electron.CrossProcessExports

const ends = {
  quits: ({ app }) => app.quit(),
  'ends at once': ({ app }) => app.exit(),
  // As an updater does: `before-quit` comes when all windows are closed.
  'makes way for its update': ({ app, autoUpdater, BrowserWindow: Window }) => {
    app.once('window-all-closed', () => app.quit())
    autoUpdater.emit('before-quit-for-update')
    for (const window of Window.getAllWindows()) window.close()
  },
} satisfies Readonly<Record<string, (electron: ElectronModule) => void>>

describe('a user who closes the activation window gave up, unless the app', () => {
  for (const [how, end] of Object.entries(ends)) {
    test(how, async ({ openApp }) => {
      const app = await openApp()
      await openGate(app, 'closes')
      const ended = new Promise<void>((resolve) => app.process.once('close', () => resolve()))
      // Playwright may lose the app before it gets the answer.
      await app.electronApp.evaluate(end).catch(() => {})
      await ended
      expect(timesGivenUp(app)).toBe(0)
    })
  }
})

describe('a user who closes the activation window gave up, also when the app', () => {
  test('called its quitting off', async ({ openApp }) => {
    const app = await openApp()
    await openGate(app, 'closes')
    await app.electronApp.evaluate(({ app: electronApp }) => {
      electronApp.once('before-quit', (event) => event.preventDefault())
      electronApp.quit()
    })
    await closeActivationWindow(app)
    await expect.poll(() => timesGivenUp(app)).toBe(1)
  })

  test('was kept from ending at the last moment', async ({ openApp }) => {
    const app = await openApp()
    await openGate(app, 'closes')
    await app.electronApp.evaluate(
      ({ app: electronApp }) =>
        new Promise<void>((resolve) => {
          electronApp.once('will-quit', (event) => {
            event.preventDefault()
            setImmediate(resolve)
          })
          electronApp.quit()
        }),
    )
    await closeActivationWindow(app)
    await expect.poll(() => timesGivenUp(app)).toBe(1)
  })

  test('started to install an update, and the update was canceled', async ({ openApp }) => {
    const app = await openApp()
    await openGate(app, 'closes')
    await app.electronApp.evaluate(({ autoUpdater, BrowserWindow: Window }) => {
      autoUpdater.emit('before-quit-for-update')
      for (const window of Window.getAllWindows()) window.destroy()
    })
    await closeActivationWindow(app)
    await expect.poll(() => timesGivenUp(app)).toBe(1)
  })

  for (const answer of ['refuses', 'has unsaved work'] as const) {
    test(`stays because a window of its own ${answer}`, async ({ openApp }) => {
      const app = await openApp()
      await openGate(app, answer)
      await app.electronApp.evaluate(({ app: electronApp }) => electronApp.quit())
      await expect
        .poll(() => app.electronApp.evaluate(({ BrowserWindow: Window }) => Window.getAllWindows().length))
        .toBe(1)
      expect(timesGivenUp(app)).toBe(0)
      await closeActivationWindow(app)
      await expect.poll(() => timesGivenUp(app)).toBe(1)
      // Destroyed in the middle of its question about unsaved work, a window can take Electron 25 down.
      await app.electronApp.evaluate(async () => {
        const { ownWindow } = globalThis
        // A window without a page never runs a script.
        if (ownWindow.webContents.getURL() !== '') {
          await ownWindow.webContents.executeJavaScript('onbeforeunload = null')
        }
        ownWindow.removeAllListeners('close')
        ownWindow.close()
      })
    })
  }
})

test('an app that has asked the service ends when it quits, even if garbage is looked for just then', async ({
  openApp,
  emulator,
}) => {
  const app = await openApp()
  await app.createLicensing()
  await app.electronApp.evaluate(async ({ app: electronApp }, licenseKey) => {
    await electronApp.whenReady()
    await globalThis.licensing.activate(licenseKey)
    await globalThis.licensing.deactivate()
    // Enough for V8 to begin looking, too late for it to be done before the end.
    electronApp.once('will-quit', () => {
      globalThis.leftToQuit = Array.from({ length: 12_000 }, (_, index) => Array<number>(124).fill(index))
    })
  }, emulator.licenseKey)
  await app.close()
  expect(app.process.signalCode).toBeNull()
})

test('an app that quits, or disposes of licensing, doesn’t wait for a service that doesn’t answer', async ({
  openApp,
}) => {
  const service = await startRawService(() => 'say nothing')
  const app = await openApp()
  await app.createLicensing({ service: { baseUrl: service.baseUrl, accessToken: 'token', timeout: 600_000 } })
  await app.electronApp.evaluate(async ({ app: electronApp }, key) => {
    await electronApp.whenReady()
    globalThis.activation = globalThis.licensing.activate(key)
  }, licenseKey)
  await expect.poll(() => service.requests).toHaveLength(1)
  const outcome = await app.electronApp.evaluate(async () => {
    await globalThis.licensing.dispose()
    return (await globalThis.activation).ok
  })
  expect(outcome).toBe(false)
  expect(service.requests).toHaveLength(1)
  await app.close()
})

for (const how of ['quits', 'ends at once'] as const) {
  const end = ends[how]
  test(`an app that ${how} while it activates leaves no lock that the next start waits for`, async ({
    userDataPath,
    openApp,
  }) => {
    const service = await startRawService(() => 'say nothing')
    const app = await openApp()
    const baseUrl = service.baseUrl
    await app.createLicensing({ service: { baseUrl, accessToken: 'token', timeout: 600_000 } })
    await app.electronApp.evaluate(async ({ app: electronApp }, key) => {
      await electronApp.whenReady()
      globalThis.activation = globalThis.licensing.activate(key)
    }, licenseKey)
    await expect.poll(() => service.requests).toHaveLength(1)
    const folder = path.join(userDataPath, 'latchkey')
    expect(await readdir(folder)).toContain('license.lock')
    const ended = new Promise<void>((resolve) => app.process.once('close', () => resolve()))
    // Playwright may lose the app before it gets the answer.
    await app.electronApp.evaluate(end).catch(() => {})
    await ended
    expect(await readdir(folder)).toEqual(expect.not.arrayContaining([expect.stringMatching(/\.lock$/u)]))
  })
}
