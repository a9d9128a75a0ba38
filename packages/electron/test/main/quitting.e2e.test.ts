import { readdir } from 'node:fs/promises'
import type { BrowserWindow, Event } from 'electron'
import { describe, expect } from 'vitest'
import { type OpenApp, test } from '../fixtures/open-app-test.ts'
import { startServer } from '../fixtures/start-server.ts'

/** What a window of the app does when it is asked to close. */
type Answer = 'closes' | 'refuses' | 'has unsaved work'

declare global {
  var ownWindow: BrowserWindow
  var activation: ReturnType<typeof licensing.activate>
}

/** Shows the activation window and a window of the app's own. A user who gives up is written to stdout. */
async function openGate(app: OpenApp, answer: Answer): Promise<void> {
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

const timesGivenUp = (app: OpenApp): number => app.output().split('gave up').length - 1

/** Begins an activation that the service never answers. */
async function beginActivation(app: OpenApp, directory: string, releaseOnQuit = false): Promise<void> {
  let asked = 0
  const baseUrl = await startServer(() => {
    asked += 1
  })
  const service = { baseUrl, accessToken: 'token', timeout: 600_000 }
  await app.createLicensing({ directory, service, releaseOnQuit })
  await app.electronApp.evaluate(async ({ app: electronApp }) => {
    await electronApp.whenReady()
    globalThis.activation = globalThis.licensing.activate('1f0a0000-0000-4000-8000-000000009c1d')
  })
  await expect.poll(() => asked).toBe(1)
}

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

for (const [how, end] of Object.entries(ends)) {
  test(`an app that ${how} while it activates doesn’t wait for the service, takes nobody for giving up, and leaves no lock`, async ({
    openApp,
    directory,
  }) => {
    const app = await openApp()
    await beginActivation(app, directory)
    await openGate(app, 'closes')
    expect(await readdir(directory)).toContain('license.lock')
    const ended = new Promise<void>((resolve) => app.process.once('close', () => resolve()))
    // Playwright may lose the app before it gets the answer.
    await app.electronApp.evaluate(end).catch(() => {})
    await ended
    expect(timesGivenUp(app)).toBe(0)
    expect(await readdir(directory)).toEqual(expect.not.arrayContaining([expect.stringMatching(/\.lock$/u)]))
  })
}

test('with releaseOnQuit, an app that quits frees its seat, and asks for no key; one that can’t reach the service keeps its license', async ({
  openApp,
  directory,
  emulator,
}) => {
  const seats = () => emulator.control.keys(emulator.demoLicense.id).length
  const openActivated = async () => {
    const app = await openApp()
    await app.createLicensing({ directory, releaseOnQuit: true })
    await openGate(app, 'closes')
    await app.electronApp.evaluate(
      (_electron, key) => globalThis.licensing.activate(key),
      emulator.licenseKey,
    )
    expect(seats()).toBe(1)
    return app
  }
  const freeing = await openActivated()
  await freeing.close()
  expect(seats()).toBe(0)
  expect(timesGivenUp(freeing)).toBe(0)

  const offline = await openActivated()
  emulator.control.faults.inject({ fault: 'status', status: 503 })
  // A check that is still running may have been answered before that.
  await expect
    .poll(() => offline.electronApp.evaluate(() => globalThis.licensing.validate()))
    .toMatchObject({ problem: { isRetryable: true } })
  await offline.close()
  const next = await openApp()
  await next.createLicensing({ directory })
  const { entitled } = await next.electronApp.evaluate(() => globalThis.licensing.start())
  expect(entitled).toBe(true)
})

test('with releaseOnQuit, an app ends although the service doesn’t answer', async ({
  openApp,
  directory,
}) => {
  const app = await openApp()
  await beginActivation(app, directory, true)
  await app.close()
  expect(app.process.exitCode).toBe(0)
})

test('disposing of licensing doesn’t wait for a service that doesn’t answer', async ({ app, directory }) => {
  await beginActivation(app, directory)
  const outcome = await app.electronApp.evaluate(async () => {
    await globalThis.licensing.dispose()
    return (await globalThis.activation).ok
  })
  expect(outcome).toBe(false)
})

describe('a user who closes the activation window gave up, also when the app', () => {
  /** How the app begins to end, and doesn't. */
  const stays: Readonly<
    Record<string, { answer: Answer; begin: (electron: ElectronModule) => Promise<void> | void }>
  > = {
    'called its quitting off': {
      answer: 'closes',
      begin: ({ app }) => {
        app.once('before-quit', (event) => event.preventDefault())
        app.quit()
      },
    },
    'was kept from ending at the last moment': {
      answer: 'closes',
      begin: ({ app }) =>
        new Promise<void>((resolve) => {
          app.once('will-quit', (event) => {
            event.preventDefault()
            setImmediate(resolve)
          })
          app.quit()
        }),
    },
    'started to install an update, and the update was canceled': {
      answer: 'closes',
      begin: ({ autoUpdater, BrowserWindow: Window }) => {
        autoUpdater.emit('before-quit-for-update')
        for (const window of Window.getAllWindows()) window.destroy()
      },
    },
    'stays because a window of its own refuses': { answer: 'refuses', begin: ({ app }) => app.quit() },
    'stays because a window of its own has unsaved work': {
      answer: 'has unsaved work',
      begin: ({ app }) => app.quit(),
    },
  }

  test.for(Object.entries(stays))('%s', async ([, { answer, begin }], { app }) => {
    const before = timesGivenUp(app)
    await app.createLicensing()
    await openGate(app, answer)
    await app.electronApp.evaluate(begin)
    if (answer !== 'closes') {
      await expect
        .poll(() => app.electronApp.evaluate(({ BrowserWindow: Window }) => Window.getAllWindows().length))
        .toBe(1)
    }
    expect(timesGivenUp(app)).toBe(before)
    // The user closes the activation window. It is opened again if it is gone.
    await app.electronApp.evaluate(async ({ BrowserWindow: Window }) => {
      await globalThis.licensing.openActivationWindow()
      for (const window of Window.getAllWindows()) if (window !== globalThis.ownWindow) window.close()
    })
    await expect.poll(() => timesGivenUp(app)).toBe(before + 1)
    if (answer === 'closes') return
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
})
