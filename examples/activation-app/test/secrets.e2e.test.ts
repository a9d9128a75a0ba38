import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { serviceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import { describe, expect } from 'vitest'
import { activateInkwell, openLicensePanel, test } from './inkwell.ts'
import { stringsInPage } from './page-strings.ts'

describe('a window', () => {
  test('has no way into Node, and knows neither token nor license key', async ({ openInkwell, emulator }) => {
    const token = emulator.accessToken ?? ''
    const { licenseKey } = emulator
    const inkwell = await openInkwell()
    const main = await activateInkwell(inkwell, licenseKey)
    await openLicensePanel(main)
    await main.evaluate(() => window.latchkey.openActivationWindow())
    const activation = await inkwell.activationWindow()
    const [key] = emulator.control.keys(emulator.demoLicense.id)

    for (const page of [main, activation]) {
      const reachable = await page.evaluate(() =>
        ['require', 'process', 'module', 'Buffer', 'global', 'ipcRenderer', 'electron'].filter(
          (name) => Reflect.get(globalThis, name) !== undefined,
        ),
      )
      expect(reachable).toEqual([])

      const answers = await page.evaluate(async () => {
        const { latchkey } = window
        const state = latchkey.validate()
        return JSON.stringify(
          await Promise.all([
            state,
            latchkey.getState(),
            latchkey.devices(),
            latchkey.screen(),
            latchkey.clipboardKey(),
          ]),
        )
      })
      const strings = `${await stringsInPage(page)}\n${answers}`
      // Proof that the search works: it finds what may be public.
      expect(strings).toContain(`${licenseKey.slice(0, 4)}••••${licenseKey.slice(-4)}`)
      expect(strings.includes(token), 'the access token is in the page').toBe(false)
      expect(strings.includes(licenseKey), 'the license key is in the page').toBe(false)
      expect(strings.includes(key?.id ?? ''), 'the id of the device’s key is in the page').toBe(false)
    }
  })

  test('receives no secret when an activation fails, and neither does the log', async ({
    openInkwell,
    emulator,
    userDataPath,
  }) => {
    const { licenseKey } = emulator
    emulator.control.faults.inject({ fault: 'html' })
    const inkwell = await openInkwell()
    const activation = await inkwell.activationWindow()
    const answer = await activation.evaluate(
      async (text) => JSON.stringify(await window.latchkey.activate(text)),
      licenseKey,
    )
    const code = serviceUnderTest.isBehindGateway ? 'service-error' : 'unexpected-answer'
    expect(answer).toContain(code)
    await inkwell.close()

    for (const text of [answer, inkwell.output()]) {
      expect(text).not.toContain(licenseKey)
      expect(text).not.toContain(emulator.accessToken)
    }
    for (const file of await readdir(userDataPath, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue
      const bytes = await readFile(path.join(file.parentPath, file.name), 'latin1')
      expect(bytes.includes(emulator.accessToken ?? ''), `${file.name} holds the access token`).toBe(false)
    }
  })
})
