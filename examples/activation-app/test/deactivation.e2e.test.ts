import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect } from 'vitest'
import { activateInkwell, eventually, openLicensePanel, seatsInUse, test } from './inkwell.ts'

describe('deactivating this device', () => {
  test('frees the seat, loses no work, and asks for a key again', async ({
    openInkwell,
    emulator,
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
    expect(emulator.control.license(emulator.demoLicense.id).activation_usage).toBe(0)

    // The notes stay readable, and the typed text is on disk.
    await main.getByText('Your notes can be read, but not changed').waitFor()
    await eventually(() => main.getByLabel('Text').getAttribute('readonly')).not.toBeNull()
    const note = path.join(userDataPath, 'notes', 'Welcome to Inkwell.md')
    await eventually(() => readFile(note, 'utf8')).toBe('written just before')

    await activateInkwell(inkwell, emulator.licenseKey)
    await eventually(() => main.getByLabel('Text').getAttribute('readonly')).toBeNull()
    expect(seatsInUse(emulator)).toBe(1)
  })

  test('stays deactivated at the next start', async ({ openInkwell, emulator }) => {
    const first = await openInkwell()
    const main = await activateInkwell(first, emulator.licenseKey)
    await main.evaluate(() => window.latchkey.deactivate())
    await first.close()

    const second = await openInkwell()
    const activation = await second.activationWindow()
    await activation.getByLabel('License key').waitFor()
    expect(second.electronApp.windows()).toEqual([activation])
  })
})
