import { rm } from 'node:fs/promises'
import { serviceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import { describe, expect } from 'vitest'
import { activateInkwell, eventually, seatsInUse, test } from './inkwell.ts'

describe('after an activation', () => {
  test('the next start opens the notebook at once and validates, without a second activation', async ({
    openInkwell,
    emulator,
    service,
  }) => {
    const first = await openInkwell()
    await activateInkwell(first, emulator.licenseKey)
    await first.close()
    service.forget()
    // No answer arrives, so any window that opens now opened without one.
    emulator.control.faults.inject({ fault: 'timeout' })

    const second = await openInkwell()
    const main = await second.mainWindow()
    await eventually(() => emulator.control.requests().map(({ outcome }) => outcome)).toEqual(['pending'])
    expect(second.electronApp.windows()).toEqual([main])
    await second.close()

    service.forget()
    emulator.control.faults.clear()
    await openInkwell()
    await expect
      .poll(() => emulator.control.requests().every(({ status }) => status === 200) && service.operations())
      .toEqual(['validate'])
    expect(seatsInUse(emulator)).toBe(1)
  })

  test('starts and shows that the service is down', async ({ openInkwell, emulator }) => {
    const first = await openInkwell()
    await activateInkwell(first, emulator.licenseKey)
    await first.close()
    await emulator.control.pause()

    const second = await openInkwell()
    const main = await second.mainWindow()
    await main.getByText('Licensed, offline until').first().waitFor()
    const state = await main.evaluate(() => window.latchkey.getState())
    expect(state).toMatchObject({
      status: 'grace',
      entitled: true,
      problem: { code: serviceUnderTest.unreachableCode },
    })
  })

  test('a reinstall takes its own seat again instead of a second one', async ({
    openInkwell,
    emulator,
    service,
    userDataPath,
  }) => {
    const first = await openInkwell()
    await activateInkwell(first, emulator.licenseKey)
    await first.close()
    const [keyBefore] = emulator.control.keys(emulator.demoLicense.id)
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
    expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([keyBefore])
  })
})
