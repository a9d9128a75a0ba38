import { spawn } from 'node:child_process'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { Emulator } from '@latchkey/emulator'
import { clickToClose } from '@latchkey/scripts/e2e/click-to-close'
import { electronFromEnvironment } from '@latchkey/scripts/e2e/electron-environment'
import type { Page } from 'playwright'
import { describe, expect } from 'vitest'
import { activateInkwell, appPath, eventually, type Inkwell, seatsInUse, test } from './inkwell.ts'

const fromLink = 'This key is from the link you opened.'

const tellsOfWindows = path.join(import.meta.dirname, 'tells-of-windows.cjs')

/**
 * Starts Inkwell a second time with a link, like the system does, and waits until both processes have handled it. The
 * second process passes the link to the first one and shows no window.
 */
async function openLink(inkwell: Inkwell, link: string): Promise<void> {
  const heard = inkwell.electronApp.evaluate(
    ({ app }) => new Promise<void>((resolve) => app.once('second-instance', () => setTimeout(resolve))),
  )
  const { executablePath, args } = electronFromEnvironment()
  const switches = [...args, `--user-data-dir=${inkwell.userDataPath}`, '--password-store=basic']
  const second = spawn(executablePath, [...switches, '-r', tellsOfWindows, appPath, link], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [output] = await Promise.all([text(second.stdout), heard])
  expect(output).not.toContain('a window of its own')
}

/** A license key in the form of the service's keys. */
function otherKeyOf({ licenseKey }: Emulator): string {
  return licenseKey.replace(/\d/u, (digit) => String((Number(digit) + 1) % 10))
}

/** The line below the field; the same text is announced to screen readers. */
function hintOf(window: Page) {
  return window.locator('#hint')
}

function fieldOf(window: Page) {
  return window.getByLabel('License key')
}

describe('a link with a license key', () => {
  test('starts the app with the key filled in, and activates nothing until it is clicked', async ({
    openInkwell,
    emulator,
  }) => {
    const { licenseKey } = emulator
    const inkwell = await openInkwell({
      args: [`inkwell://activate?license=${encodeURIComponent(licenseKey)}`],
    })
    const activation = await inkwell.activationWindow()
    await hintOf(activation).getByText(fromLink).waitFor()
    expect(await fieldOf(activation).inputValue()).toBe(licenseKey)
    expect(inkwell.electronApp.windows()).toEqual([activation])
    expect(emulator.control.requests()).toEqual([])

    await activation.getByRole('button', { name: 'Activate', exact: true }).click()
    await clickToClose(activation.getByRole('button', { name: 'Continue' }))
    await inkwell.mainWindow()
    expect(seatsInUse(emulator)).toBe(1)
  })

  test('opened while the screen is there fills in its key and brings the window forward', async ({
    openInkwell,
    emulator,
  }) => {
    const { licenseKey } = emulator
    const inkwell = await openInkwell()
    const activation = await inkwell.activationWindow()
    await fieldOf(activation).fill('half a key')
    await inkwell.electronApp.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.minimize())

    await openLink(inkwell, `inkwell://activate?license=${encodeURIComponent(licenseKey)}`)

    await hintOf(activation).getByText(fromLink).waitFor()
    expect(await fieldOf(activation).inputValue()).toBe(licenseKey)
    const windows = await inkwell.electronApp.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => window.isMinimized()),
    )
    expect(windows).toEqual([false])
    expect(emulator.control.requests()).toEqual([])
  })

  test('comes by macOS’s own event as well, which is claimed for it and for no other link', async ({
    openInkwell,
    emulator,
  }) => {
    const { licenseKey } = emulator
    const inkwell = await openInkwell()
    const activation = await inkwell.activationWindow()
    const claimed = await inkwell.electronApp.evaluate(
      ({ app }, links) =>
        links.map((link) => {
          let isClaimed = false
          app.emit('open-url', { preventDefault: () => (isClaimed = true) }, link)
          return isClaimed
        }),
      ['inkwell://note/welcome', `inkwell://activate?license=${encodeURIComponent(licenseKey)}`],
    )
    expect(claimed).toEqual([false, true])
    await hintOf(activation).getByText(fromLink).waitFor()
    expect(emulator.control.requests()).toEqual([])
  })

  test('opened in an app that is activated offers its key, and leaves the license alone', async ({
    openInkwell,
    emulator,
    service,
  }) => {
    const other = otherKeyOf(emulator)
    const inkwell = await openInkwell()
    const main = await activateInkwell(inkwell, emulator.licenseKey)
    service.forget()
    await openLink(inkwell, `inkwell://activate?license=${encodeURIComponent(other)}`)
    const activation = await inkwell.activationWindow()
    await hintOf(activation).getByText(fromLink).waitFor()
    expect(await fieldOf(activation).inputValue()).toBe(other)
    await activation.keyboard.press('Escape')
    await eventually(() => activation.locator('latchkey-activation').getAttribute('situation')).toBe(
      'activated',
    )
    expect(emulator.control.requests()).toEqual([])
    const { status } = await main.evaluate(() => window.latchkey.getState())
    expect(status).toBe('active')
  })

  test('with parameters of others fills in its key, and activates nothing', async ({
    openInkwell,
    emulator,
  }) => {
    const { licenseKey } = emulator
    const inkwell = await openInkwell()
    const activation = await inkwell.activationWindow()
    await openLink(inkwell, `inkwell://activate?license=${encodeURIComponent(licenseKey)}&activate=now`)
    await hintOf(activation).getByText(fromLink).waitFor()
    expect(await fieldOf(activation).inputValue()).toBe(licenseKey)
    expect(emulator.control.requests()).toEqual([])
  })

  test('without a usable key fills in nothing', async ({ openInkwell, emulator }) => {
    const { licenseKey } = emulator
    const inkwell = await openInkwell()
    const activation = await inkwell.activationWindow()
    await fieldOf(activation).fill('half a key')
    for (const link of [
      `inkwell://activate?key=${encodeURIComponent(licenseKey)}`,
      `inkwell://activate@evil.example?license=${encodeURIComponent(licenseKey)}`,
      `inkwell://activate?license=${encodeURIComponent(licenseKey)}"><script>alert(1)</script>`,
      `inkwell://activate/../../?license=${'../'.repeat(40)}${licenseKey}`,
    ]) {
      await openLink(inkwell, link)
    }
    expect(await fieldOf(activation).inputValue()).toBe('half a key')
    expect(inkwell.electronApp.windows()).toEqual([activation])
    expect(emulator.control.requests()).toEqual([])
  })
})
