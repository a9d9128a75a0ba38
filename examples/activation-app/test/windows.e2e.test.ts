import { createServer } from 'node:http'
import path from 'node:path'
import { serviceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import type { Page } from 'playwright'
import { describe, expect } from 'vitest'
import { activateInkwell, appPath, eventually, type Inkwell, seatsInUse, test } from './inkwell.ts'

/** Opens one more window with Inkwell's preload. */
async function openWindow(inkwell: Inkwell, url: string): Promise<Page> {
  const opened = inkwell.electronApp.waitForEvent('window')
  const preload = path.join(appPath, 'out/preload/index.cjs')
  await inkwell.electronApp.evaluate(
    async ({ BrowserWindow }, page) => {
      await new BrowserWindow({ webPreferences: { preload: page.preload } }).loadURL(page.url)
    },
    { preload, url },
  )
  return await opened
}

describe('several windows', () => {
  test('receive a change at once, from whichever window it came', async ({ openInkwell, emulator }) => {
    const inkwell = await openInkwell()
    const first = await activateInkwell(inkwell, emulator.licenseKey)
    const second = await openWindow(inkwell, first.url())
    await second.getByText('Licensed', { exact: true }).first().waitFor()

    emulator.control.suspend(emulator.demoLicense.id)
    await first.evaluate(() => window.latchkey.validate())

    const isDefinite = serviceUnderTest.has('the reason of a refusal')
    for (const page of [first, second]) {
      const status = () => page.evaluate(async () => (await window.latchkey.getState()).status)
      await eventually(status).toBe(isDefinite ? 'suspended' : 'grace')
      if (!isDefinite) continue
      await page.getByText('License suspended').first().waitFor()
      await eventually(() => page.getByLabel('Text').getAttribute('readonly')).not.toBeNull()
    }
    const [one, other] = await Promise.all(
      [first, second].map((page) => page.evaluate(() => window.latchkey.getState())),
    )
    expect(one).toEqual(other)
  })

  test('of a foreign origin are refused, receive no state, and reach no service', async ({
    openInkwell,
    emulator,
    service,
  }) => {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<title>Elsewhere</title>')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    try {
      const inkwell = await openInkwell()
      const main = await activateInkwell(inkwell, emulator.licenseKey)
      const foreign = await openWindow(inkwell, `http://127.0.0.1:${port}/`)
      service.forget()

      const outcomes = await foreign.evaluate(async (licenseKey) => {
        const { latchkey, notebook } = window
        const verbs = {
          getState: () => latchkey.getState(),
          activate: () => latchkey.activate(licenseKey),
          validate: () => latchkey.validate(),
          deactivate: () => latchkey.deactivate(),
          devices: () => latchkey.devices(),
          releaseDevice: () => latchkey.releaseDevice('any'),
          openActivationWindow: () => latchkey.openActivationWindow(),
          copyDiagnosis: () => latchkey.copyDiagnosis(),
          notes: () => notebook.list(''),
        }
        const settled = Object.entries(verbs).map(async ([verb, call]) => {
          const outcome = await call().then(
            () => 'answered',
            () => 'refused',
          )
          return [verb, outcome] as const
        })
        return Object.fromEntries(await Promise.all(settled))
      }, emulator.licenseKey)
      expect(new Set(Object.values(outcomes)), JSON.stringify(outcomes)).toEqual(new Set(['refused']))

      await foreign.evaluate(() => window.latchkey.onState(() => document.body.append('told')))
      await main.evaluate(() => window.latchkey.validate())
      await main.evaluate(() => window.latchkey.validate())
      expect(await foreign.locator('body').textContent()).toBe('')
      await eventually(() => [...new Set(service.operations())]).toEqual(['validate'])
      expect(seatsInUse(emulator)).toBe(1)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})
