import path from 'node:path'
import type { Emulator } from '@latchkey/emulator'
import type { AppFixtures } from '@latchkey/scripts/e2e/app-test'
import { clickToClose } from '@latchkey/scripts/e2e/click-to-close'
import type { LaunchedApp, LaunchOptions } from '@latchkey/scripts/e2e/launch-app'
import { type ServiceFixtures, test as serviceTest } from '@latchkey/scripts/e2e/service-test'
import { environmentFor } from '@latchkey/scripts/e2e/service-under-test'
import { whenPainted } from '@latchkey/scripts/e2e/when-painted'
import type { Page } from 'playwright'
import { expect, type TestAPI } from 'vitest'

/** The example's folder. */
export const appPath: string = path.join(import.meta.dirname, '..')

/** A running Inkwell. */
export interface Inkwell extends LaunchedApp {
  /** Waits for the activation window. */
  activationWindow(): Promise<Page>
  /** Waits for the notebook's window. */
  mainWindow(): Promise<Page>
}

/** Fixtures for tests of the example. */
export interface InkwellFixtures {
  /** Starts Inkwell with the service of this run. All launches of a test share their data, like relaunches do. */
  readonly openInkwell: (options?: Partial<LaunchOptions>) => Promise<Inkwell>
}

/** Vitest's `test` for the example app on real Electron, with a service of its own. */
export const test: TestAPI<AppFixtures & ServiceFixtures & InkwellFixtures> =
  serviceTest.extend<InkwellFixtures>({
    openInkwell: async ({ launch, service }, use) => {
      await use(async (options = {}) => {
        const env = { ...environmentFor(service.access), ...options.env }
        const app = await launch({ appPath, ...options, env })
        return {
          ...app,
          activationWindow: () => windowWith(app, 'latchkey-activation'),
          mainWindow: () => windowWith(app, '.sidebar'),
        }
      })
    },
  })

/** Waits for an expectation. A busy machine needs longer than Vitest's default. */
export function eventually<Value>(read: () => Value) {
  return expect.poll(read)
}

/** Pastes a text into the activation window and clicks its button. */
export async function pasteKey(window: Page, text: string): Promise<void> {
  // The event is created here, because the clipboard may belong to the user who runs the tests.
  const isTaken = await window.getByLabel('License key').evaluate((field, pasted) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', pasted)
    return !field.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    )
  }, text)
  // If the screen doesn't handle the paste, the browser inserts the text unchanged.
  if (isTaken) await pressActivate(window)
  else await typeKey(window, text)
}

/** Types a text into the activation window and clicks its button. */
export async function typeKey(window: Page, text: string): Promise<void> {
  await window.getByLabel('License key').fill(text)
  await pressActivate(window)
}

async function pressActivate(window: Page): Promise<void> {
  await window.getByRole('button', { name: 'Activate', exact: true }).click()
}

/** Activates like a user would, until the activation window has closed and the notebook is open. */
export async function activateInkwell(inkwell: Inkwell, text: string): Promise<Page> {
  const activation = await inkwell.activationWindow()
  await pasteKey(activation, text)
  await clickToClose(activation.getByRole('button', { name: 'Continue' }))
  return await inkwell.mainWindow()
}

/** Opens the license panel. */
export async function openLicensePanel(window: Page): Promise<void> {
  await window.locator('.license-line').click()
}

/** Returns the number of seats in use on the demo license. */
export function seatsInUse(emulator: Emulator): number {
  return emulator.control.keys(emulator.demoLicense.id).length
}

async function windowWith(app: LaunchedApp, selector: string): Promise<Page> {
  const find = async () => {
    for (const page of app.electronApp.windows()) {
      // A window that is closing can't be inspected any more.
      const count = await page
        .locator(selector)
        .count()
        .catch(() => 0)
      if (count > 0) return page
    }
    return null
  }
  await expect.poll(find, { message: `no window shows ${selector}` }).not.toBeNull()
  const page = await find()
  if (page === null) throw new Error(`The window with ${selector} is gone again.`)
  return await whenPainted(page)
}
