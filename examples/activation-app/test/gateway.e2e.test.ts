import path from 'node:path'
import { startEmulator } from '@latchkey/emulator'
import { environmentFor, startGatewayInFront } from '@latchkey/scripts/e2e/service-under-test'
import { expect, onTestFinished } from 'vitest'
import { activateInkwell, eventually, pasteKey, seatsInUse, test } from './inkwell.ts'

test('behind a gateway, an app activates without a token, and then accepts no other server', async ({
  openInkwell,
  emulator,
}) => {
  const { access, operations, forget, stop } = await startGatewayInFront(emulator)
  onTestFinished(stop)
  const env = environmentFor(access)
  const first = await openInkwell({ env })
  await activateInkwell(first, emulator.licenseKey)
  await first.close()
  expect(seatsInUse(emulator)).toBe(1)

  forget()
  const second = await openInkwell({ env })
  const main = await second.mainWindow()
  await eventually(operations).toEqual(['validate'])
  await eventually(() => main.evaluate(() => window.latchkey.getState())).toMatchObject({
    status: 'active',
    problem: null,
  })
  await second.close()
  await stop()

  // An attacker's server in place of the gateway: it knows no key and can't sign.
  const impostor = await startEmulator({
    port: Number(new URL(access.service.baseUrl).port),
  })
  onTestFinished(() => impostor.close())
  const third = await openInkwell({ env })
  const warned = await third.mainWindow()
  await eventually(() => warned.evaluate(() => window.latchkey.getState())).toMatchObject({
    status: 'grace',
    entitled: true,
    problem: { code: 'untrusted-answer' },
  })
})

test('the seat of a dead laptop is freed in a browser, and the new computer is activated', async ({
  openInkwell,
  launch,
  emulator,
}) => {
  const { control, demoLicense, licenseKey } = emulator
  const { access, stop } = await startGatewayInFront(emulator, { LATCHKEY_DEVICES_PAGE: '1' })
  onTestFinished(stop)
  control.updateLicense(demoLicense.id, { activation_limit: 1 })
  control.addKey(demoLicense.id, 'Dead laptop [00000000000000aa]')
  const inkwell = await openInkwell({ env: environmentFor(access) })
  const activation = await inkwell.activationWindow()
  await pasteKey(activation, licenseKey)
  await activation.getByText('No seats left').waitFor()
  await inkwell.electronApp.evaluate(({ shell }) => {
    const opened: string[] = []
    Reflect.set(globalThis, 'opened', opened)
    shell.openExternal = async (url) => void opened.push(url)
  })
  // The gateway's answers said that it has the page.
  await activation.getByRole('button', { name: 'Help' }).click()
  await activation.getByRole('button', { name: 'Manage devices' }).click()
  const opened = () => inkwell.electronApp.evaluate(() => Reflect.get(globalThis, 'opened'))
  await eventually(opened).toEqual([`${access.service.baseUrl}/devices`])

  const appPath = path.join(import.meta.dirname, '../../../packages/emulator/test/page-viewer')
  const link = `${access.service.baseUrl}/devices#key=${licenseKey}`
  const browser = await launch({
    appPath,
    args: [link],
    userDataPath: `${inkwell.userDataPath}-browser`,
  })
  const page = await browser.firstWindow()
  await page.getByRole('radio', { name: 'Dead laptop' }).check()
  await page.getByRole('button', { name: 'Release' }).click()
  await page.getByRole('heading', { name: 'Release Dead laptop?' }).waitFor()
  await page.getByRole('button', { name: 'Release' }).click()
  await page.getByRole('heading', { name: 'The seat is free' }).waitFor()
  expect(seatsInUse(emulator)).toBe(0)

  await activation.getByRole('button', { name: 'Use another key' }).click()
  await activateInkwell(inkwell, licenseKey)
  expect(seatsInUse(emulator)).toBe(1)
})
