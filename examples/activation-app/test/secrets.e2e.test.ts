import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { serviceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import { stringsInPage } from '@latchkey/scripts/e2e/strings-in-page'
import { expect, onTestFinished } from 'vitest'
import { activateInkwell, appPath, openLicensePanel, test } from './inkwell.ts'

test('no window has a way into Node, and neither they nor the log know the token or the license key', async ({
  openInkwell,
  emulator,
  userDataPath,
}) => {
  const token = emulator.accessToken ?? ''
  const { licenseKey } = emulator
  const inkwell = await openInkwell()

  // An activation that fails, and is given up.
  const fault = emulator.control.faults.inject({ fault: 'html' })
  const answer = await (await inkwell.activationWindow()).evaluate(async (text) => {
    const result = await window.latchkey.activate(text)
    return JSON.stringify([result, await window.latchkey.cancelActivation()])
  }, licenseKey)
  expect(answer).toContain(serviceUnderTest.isBehindGateway ? 'service-error' : 'unexpected-answer')
  emulator.control.faults.remove(fault.id)

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
  await inkwell.close()
  for (const text of [answer, inkwell.output()]) {
    expect(text).not.toContain(licenseKey)
    expect(text).not.toContain(token)
  }
  for (const file of await readdir(userDataPath, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue
    const bytes = await readFile(path.join(file.parentPath, file.name), 'latin1')
    expect(bytes.includes(token), `${file.name} holds the access token`).toBe(false)
  }
})

test('a page from elsewhere in one of its windows reads neither notes nor the license', async ({
  openInkwell,
  emulator,
}) => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<title>Elsewhere</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const inkwell = await openInkwell()
  await inkwell.activationWindow()
  const opened = inkwell.electronApp.waitForEvent('window')
  await inkwell.electronApp.evaluate(
    async ({ BrowserWindow }, { preload, url }) => {
      await new BrowserWindow({ webPreferences: { preload } }).loadURL(url)
    },
    { preload: path.join(appPath, 'out/preload/index.cjs'), url: `http://127.0.0.1:${port}/` },
  )
  const outcomes = await (await opened).evaluate(() =>
    Promise.all(
      [window.notebook.list(''), window.latchkey.getState()].map((call) =>
        call.then(
          () => 'answered',
          () => 'refused',
        ),
      ),
    ),
  )
  expect(outcomes).toEqual(['refused', 'refused'])
  expect(emulator.control.requests()).toEqual([])
})

test('the built app holds no access token', async ({ emulator }) => {
  const built = await readdir(path.join(appPath, 'out'), { recursive: true, withFileTypes: true })
  const texts = await Promise.all(
    built
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(path.join(entry.parentPath, entry.name), 'latin1')),
  )
  expect(texts.length).toBeGreaterThan(2)
  for (const text of texts) {
    expect(text).not.toContain(emulator.accessToken)
    // Neither the emulator's well-known token nor any other token in an option.
    expect(text).not.toMatch(/accessToken\s*:\s*["'`]\w/u)
  }
})
