import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { clickToClose } from '@latchkey/scripts/e2e/click-to-close'
import { serviceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import { expect } from 'vitest'
import {
  activateInkwell,
  eventually,
  openLicensePanel,
  pasteKey,
  seatsInUse,
  test,
  typeKey,
} from './inkwell.ts'

test('the first start asks for a license key and opens the notebook once it has one; the next opens it at once, with or without the service', async ({
  openInkwell,
  emulator,
  service,
}) => {
  const { licenseKey, demoLicense } = emulator
  const first = await openInkwell()
  const activation = await first.activationWindow()
  expect(first.electronApp.windows()).toEqual([activation])
  await pasteKey(activation, licenseKey.replaceAll(/\d/gu, '0'))
  await activation.getByText('We couldn’t find this license key.').first().waitFor()
  expect(seatsInUse(emulator)).toBe(0)

  await typeKey(
    activation,
    `Thank you for buying Inkwell! Your license key is “${licenseKey}”. Keep it safe.`,
  )
  await clickToClose(activation.getByRole('button', { name: 'Continue' }))
  const notebook = await first.mainWindow()
  await eventually(() => first.electronApp.windows()).toEqual([notebook])
  expect(seatsInUse(emulator)).toBe(1)
  await openLicensePanel(notebook)
  const panel = notebook.getByRole('dialog')
  const field = (name: string) => panel.locator(`[data-field=${name}]`).textContent()
  expect(await field('status')).toBe('Licensed')
  expect(await field('key')).toBe(`${licenseKey.slice(0, 4)}••••${licenseKey.slice(-4)}`)
  const tellsSeats = serviceUnderTest.has('the number of seats in use')
  if (tellsSeats) expect(await field('seats')).toBe('1 of 3 in use')
  expect(emulator.control.keys(demoLicense.id)[0]?.name).toContain(await field('device'))
  await first.electronApp.evaluate(({ Menu }) => {
    const help = Menu.getApplicationMenu()?.items.find(({ role }) => role === 'help')
    help?.submenu?.items.find(({ label }) => label === 'License…')?.click()
  })
  await (await first.activationWindow()).getByText('Deactivate this device').waitFor()
  await first.close()

  service.forget()
  await emulator.control.pause()
  const second = await openInkwell()
  const main = await second.mainWindow()
  expect(second.electronApp.windows()).toEqual([main])
  await main.getByText('Licensed, offline until').first().waitFor()
  const state = () => main.evaluate(() => window.latchkey.getState())
  const code = serviceUnderTest.unreachableCode
  expect(await state()).toMatchObject({ status: 'grace', entitled: true, problem: { code } })

  await emulator.control.resume()
  await main.evaluate(() => window.latchkey.validate())
  expect(await state()).toMatchObject({ status: 'active', problem: null })
  await eventually(() => new Set(service.operations())).toEqual(new Set(['validate']))
  expect(seatsInUse(emulator)).toBe(1)
})

test('deactivating frees the seat, loses no work, and asks for a key again; a reinstall takes its own seat again', async ({
  openInkwell,
  emulator,
  service,
  userDataPath,
}) => {
  const inkwell = await openInkwell()
  const main = await activateInkwell(inkwell, emulator.licenseKey)
  await main.getByLabel('Text').fill('written just before')
  await openLicensePanel(main)
  await main.getByRole('button', { name: 'Deactivate this device' }).click()
  await main.getByRole('button', { name: 'Deactivate', exact: true }).click()
  const activation = await inkwell.activationWindow()
  await activation.getByLabel('License key').waitFor()
  await eventually(() => seatsInUse(emulator)).toBe(0)

  // The notes stay readable, and the typed text is on disk.
  await main.getByText('Your notes can be read, but not changed').waitFor()
  const isReadOnly = async () => (await main.getByLabel('Text').getAttribute('readonly')) !== null
  await eventually(isReadOnly).toBe(true)
  const note = path.join(userDataPath, 'notes', 'Welcome to Inkwell.md')
  await eventually(() => readFile(note, 'utf8')).toBe('written just before')

  await activateInkwell(inkwell, emulator.licenseKey)
  await eventually(isReadOnly).toBe(false)
  const [seat] = emulator.control.keys(emulator.demoLicense.id)
  await inkwell.close()

  await rm(userDataPath, { recursive: true })
  service.forget()
  await activateInkwell(await openInkwell(), emulator.licenseKey)
  if (!serviceUnderTest.has('the list of devices')) {
    // The exception that the page on licensing services names: this service can't show the app its own seat.
    expect(seatsInUse(emulator)).toBe(2)
    return
  }
  await eventually(() => service.operations()).not.toHaveLength(0)
  expect(service.operations()).not.toContain('activate')
  expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([seat])
})
