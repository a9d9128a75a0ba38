import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { Emulator } from '@latchkey/emulator'
import { clickToClose } from '@latchkey/scripts/e2e/click-to-close'
import { electronFromEnvironment } from '@latchkey/scripts/e2e/electron-environment'
import type { Page } from 'playwright'
import { expect } from 'vitest'
import { activateInkwell, appPath, eventually, type Inkwell, seatsInUse, test } from './inkwell.ts'

const fromLink = 'This key is from the link you opened.'

const tellsOfWindows = path.join(import.meta.dirname, 'tells-of-windows.cjs')

/**
 * Starts Inkwell a second time, like the system does, perhaps with a link, and waits until both processes have handled it.
 * The second process passes the link to the first one, shows no window and ends.
 */
async function startAgain(inkwell: Inkwell, ...links: readonly string[]): Promise<void> {
  const heard = inkwell.electronApp.evaluate(
    ({ app }) => new Promise<void>((resolve) => app.once('second-instance', () => setTimeout(resolve))),
  )
  const { executablePath, args } = electronFromEnvironment()
  const switches = [...args, `--user-data-dir=${inkwell.userDataPath}`, '--password-store=basic']
  const second = spawn(executablePath, [...switches, '-r', tellsOfWindows, appPath, ...links], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [output, end] = await Promise.all([text(second.stdout), once(second, 'exit'), heard])
  expect(end).toEqual([0, null])
  expect(output).not.toContain('a window of its own')
}

/** A license key in the form of the service's keys. */
function otherKeyOf({ licenseKey }: Emulator): string {
  return licenseKey.replace(/\d/u, (digit) => String((Number(digit) + 1) % 10))
}

const linkWith = (licenseKey: string): string =>
  `inkwell://activate?license=${encodeURIComponent(licenseKey)}`

/** Waits until the window shows a key from a link. */
async function expectKey(activation: Page, licenseKey: string): Promise<void> {
  // The same text is announced to screen readers.
  await activation.locator('#hint').getByText(fromLink).waitFor()
  await expect.poll(() => activation.getByLabel('License key').inputValue()).toBe(licenseKey)
}

const windowsOf = ({ electronApp }: Inkwell) =>
  electronApp.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().map((window) => window.isMinimized()),
  )

test('a link starts the app with its key, which is activated by a click; another one offers its key and leaves the license alone', async ({
  openInkwell,
  emulator,
  service,
}) => {
  const { licenseKey } = emulator
  const inkwell = await openInkwell({ args: [linkWith(licenseKey)] })
  const activation = await inkwell.activationWindow()
  await expectKey(activation, licenseKey)
  expect(inkwell.electronApp.windows()).toEqual([activation])
  expect(emulator.control.requests()).toEqual([])
  await activation.getByRole('button', { name: 'Activate', exact: true }).click()
  await clickToClose(activation.getByRole('button', { name: 'Continue' }))
  const main = await inkwell.mainWindow()
  expect(seatsInUse(emulator)).toBe(1)

  service.forget()
  const other = otherKeyOf(emulator)
  await startAgain(inkwell, linkWith(other))
  const offered = await inkwell.activationWindow()
  await expectKey(offered, other)
  await offered.keyboard.press('Escape')
  await eventually(() => offered.locator('latchkey-activation').getAttribute('situation')).toBe('activated')
  expect(emulator.control.requests()).toEqual([])
  expect(await main.evaluate(() => window.latchkey.getState())).toMatchObject({ status: 'active' })
})

test('a link fills in its key while the window is there, and nothing else: parameters of others, links without a key', async ({
  openInkwell,
  emulator,
}) => {
  const { licenseKey } = emulator
  const inkwell = await openInkwell()
  const activation = await inkwell.activationWindow()
  const field = activation.getByLabel('License key')
  await field.fill('half a key')
  await startAgain(inkwell, `inkwell://activate@evil.example?license=${encodeURIComponent(licenseKey)}`)
  expect(await field.inputValue()).toBe('half a key')

  await inkwell.electronApp.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.minimize())
  await startAgain(inkwell, `${linkWith(licenseKey)}&activate=now`)
  await expectKey(activation, licenseKey)
  expect(await windowsOf(inkwell)).toEqual([false])

  // By macOS's own event as well, which is claimed for it and for no other link.
  const other = otherKeyOf(emulator)
  const claimed = await inkwell.electronApp.evaluate(
    ({ app }, links) =>
      links.map((link) => {
        let isClaimed = false
        app.emit('open-url', { preventDefault: () => (isClaimed = true) }, link)
        return isClaimed
      }),
    ['inkwell://note/welcome', linkWith(other)],
  )
  expect(claimed).toEqual([false, true])
  await expectKey(activation, other)
  expect(inkwell.electronApp.windows()).toEqual([activation])
  expect(emulator.control.requests()).toEqual([])
})

test('a second start without a link ends by itself and brings the notebook that is open to the front', async ({
  openInkwell,
  emulator,
}) => {
  const inkwell = await openInkwell()
  await activateInkwell(inkwell, emulator.licenseKey)
  await inkwell.electronApp.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    if (window === undefined) throw new Error('There is no window.')
    const focus = window.focus.bind(window)
    // A display without a window manager never focuses a window.
    window.focus = () => {
      Reflect.set(globalThis, 'isBroughtForward', true)
      focus()
    }
    window.minimize()
  })
  await startAgain(inkwell)
  await eventually(() => windowsOf(inkwell)).toEqual([false])
  expect(await inkwell.electronApp.evaluate(() => Reflect.get(globalThis, 'isBroughtForward'))).toBe(true)
})
