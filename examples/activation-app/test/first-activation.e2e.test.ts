import { serviceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import { describe, expect } from 'vitest'
import { activateInkwell, eventually, openLicensePanel, pasteKey, seatsInUse, test } from './inkwell.ts'

describe('the first start', () => {
  test('asks for a license key, and opens the notebook once it has one', async ({
    openInkwell,
    emulator,
    service,
  }) => {
    const inkwell = await openInkwell()
    const activation = await inkwell.activationWindow()
    expect(inkwell.electronApp.windows()).toEqual([activation])

    const main = await activateInkwell(inkwell, emulator.licenseKey)

    await eventually(() => inkwell.electronApp.windows()).toEqual([main])
    expect(seatsInUse(emulator)).toBe(1)
    await eventually(() => service.operations().filter((it) => it === 'activate')).toHaveLength(1)
    await openLicensePanel(main)
    const { licenseKey, demoLicense } = emulator
    const panel = main.getByRole('dialog')
    expect(await panel.locator('[data-field=status]').textContent()).toBe('Licensed')
    expect(await panel.locator('[data-field=key]').textContent()).toBe(
      `${licenseKey.slice(0, 4)}••••${licenseKey.slice(-4)}`,
    )
    const tellsSeats = serviceUnderTest.has('the number of seats in use')
    if (tellsSeats) expect(await panel.locator('[data-field=seats]').textContent()).toBe('1 of 3 in use')
    const [key] = emulator.control.keys(demoLicense.id)
    expect(key?.name).toContain(await panel.locator('[data-field=device]').textContent())
  })

  test('refuses a key the service does not know, takes no seat, and lets the user try again', async ({
    openInkwell,
    emulator,
  }) => {
    const inkwell = await openInkwell()
    const activation = await inkwell.activationWindow()
    await pasteKey(activation, emulator.licenseKey.replaceAll(/\d/gu, '0'))
    await activation.getByText('We couldn’t find this license key.').first().waitFor()
    expect(seatsInUse(emulator)).toBe(0)
    await activateInkwell(inkwell, emulator.licenseKey)
    expect(seatsInUse(emulator)).toBe(1)
  })

  test('reports that no seats are left, and takes none', async ({ openInkwell, emulator }) => {
    const { id } = emulator.demoLicense
    for (const name of ['Studio', 'Laptop', 'Attic'])
      emulator.control.addKey(id, `${name} [0123456789abcdef]`)
    const inkwell = await openInkwell()
    const activation = await inkwell.activationWindow()
    await pasteKey(activation, emulator.licenseKey)
    await activation.getByText('No seats left').first().waitFor()
    expect(seatsInUse(emulator)).toBe(3)
    expect(inkwell.electronApp.windows()).toEqual([activation])
  })

  test('finds the key in any pasted text', async ({ openInkwell, emulator }) => {
    const { licenseKey } = emulator
    const inkwell = await openInkwell()
    const { face } = serviceUnderTest
    // Only the commerce service's keys are UUIDs, which have no case.
    const written = face === 'commerce' ? licenseKey.toUpperCase() : licenseKey
    const pastes = [
      `   ${licenseKey}\t `,
      ...(face === 'commerce' ? [`${licenseKey.slice(0, 23)}\n${licenseKey.slice(23)}\n`] : []),
      `Thank you for buying Inkwell! Your license key is “${written}”. Keep it safe.`,
    ]
    for (const text of pastes) {
      const main = await activateInkwell(inkwell, text)
      expect(seatsInUse(emulator)).toBe(1)
      await main.evaluate(() => window.latchkey.deactivate())
      await eventually(() => seatsInUse(emulator)).toBe(0)
    }
  })
})
