import { describe, expect } from 'vitest'
import {
  activateInkwell,
  eventually,
  openLicensePanel,
  operationsOf,
  pasteKey,
  seatsInUse,
  test,
} from './inkwell.ts'

describe('the first start', () => {
  test('asks for a license key, and opens the notebook once it has one', async ({
    openInkwell,
    emulator,
  }) => {
    const inkwell = await openInkwell()
    const activation = await inkwell.activationWindow()
    expect(inkwell.electronApp.windows()).toEqual([activation])

    const main = await activateInkwell(inkwell, emulator.demoLicense.id)

    await eventually(() => inkwell.electronApp.windows()).toEqual([main])
    expect(seatsInUse(emulator)).toBe(1)
    expect(operationsOf(emulator).filter((operation) => operation === 'activate')).toHaveLength(1)
    await openLicensePanel(main)
    const { id } = emulator.demoLicense
    const panel = main.getByRole('dialog')
    expect(await panel.locator('[data-field=status]').textContent()).toBe('Licensed')
    expect(await panel.locator('[data-field=key]').textContent()).toBe(`${id.slice(0, 4)}••••${id.slice(-4)}`)
    expect(await panel.locator('[data-field=seats]').textContent()).toBe('1 of 3 in use')
    const [key] = emulator.control.keys(id)
    expect(key?.name).toContain(await panel.locator('[data-field=device]').textContent())
  })

  test('refuses a key the service does not know, takes no seat, and lets the user try again', async ({
    openInkwell,
    emulator,
  }) => {
    const inkwell = await openInkwell()
    const activation = await inkwell.activationWindow()
    await pasteKey(activation, '00000000-0000-4000-8000-000000000000')
    await activation.getByText('We couldn’t find this license key.').first().waitFor()
    const statuses = emulator.control.requests().map(({ status }) => status)
    expect(statuses.filter((status) => status !== 404)).toEqual([])
    await activateInkwell(inkwell, emulator.demoLicense.id)
    expect(seatsInUse(emulator)).toBe(1)
  })

  test('reports that no seats are left, and takes none', async ({ openInkwell, emulator }) => {
    const { id } = emulator.demoLicense
    for (const name of ['Studio', 'Laptop', 'Attic'])
      emulator.control.addKey(id, `${name} [0123456789abcdef]`)
    const inkwell = await openInkwell()
    const activation = await inkwell.activationWindow()
    await pasteKey(activation, id)
    await activation.getByText('No seats left').first().waitFor()
    expect(seatsInUse(emulator)).toBe(3)
    expect(inkwell.electronApp.windows()).toEqual([activation])
  })

  test('finds the key in any pasted text', async ({ openInkwell, emulator }) => {
    const { id } = emulator.demoLicense
    const inkwell = await openInkwell()
    const pastes = [
      `   ${id}\t `,
      `${id.slice(0, 23)}\n${id.slice(23)}\n`,
      `Thank you for buying Inkwell! Your license key is “${id.toUpperCase()}”. Keep it safe.`,
    ]
    for (const text of pastes) {
      const main = await activateInkwell(inkwell, text)
      expect(seatsInUse(emulator)).toBe(1)
      await main.evaluate(() => window.latchkey.deactivate())
      await eventually(() => seatsInUse(emulator)).toBe(0)
    }
  })
})
