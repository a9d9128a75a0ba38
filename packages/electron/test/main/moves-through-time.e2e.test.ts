import type { Emulator } from '@latchkey/emulator'
import { serviceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import { describe, expect } from 'vitest'
import { type OpenApp, test } from '../fixtures/open-app-test.ts'

const minuteMs = 60_000
/** An app without windows is checked two seconds after its start. */
const launchCheckMs = 10_000
const dayMs = 24 * 60 * minuteMs

/** The code of a problem while nothing answers. */
const { unreachableCode } = serviceUnderTest

/** Sends the events of a computer that sleeps and wakes up. */
const wake = (app: OpenApp) =>
  app.electronApp.evaluate(({ powerMonitor }) => {
    powerMonitor.emit('resume')
    return globalThis.licensing.state.activity
  })

/** Leases have whole seconds. */
const toTheSecond = (time: string) => expect.stringContaining(time.slice(0, 19))

async function activate(app: OpenApp, { licenseKey }: Emulator): Promise<void> {
  await app.electronApp.evaluate((_electron, key) => globalThis.licensing.activate(key), licenseKey)
  await expect.poll(() => stateOf(app)).toMatchObject({ status: 'active', activity: 'idle' })
}

const stateOf = (app: OpenApp) => app.electronApp.evaluate(() => globalThis.licensing.state)

describe('an app whose license service is unreachable', () => {
  test('runs on grace, stops when grace is over, and runs again after one check with nothing typed', async ({
    openApp,
    emulator,
    service,
  }) => {
    const launchAfter = async (ms: number) => {
      const app = await openApp({ env: { OPEN_APP_CLOCK_AHEAD_MS: String(ms) } })
      await app.createLicensing()
      return app
    }
    const start = (app: OpenApp) => app.electronApp.evaluate(() => globalThis.licensing.start())

    const first = await launchAfter(0)
    await activate(first, emulator)
    const { checkedAt } = await stateOf(first)
    const graceEndsAt = new Date(Date.parse(String(checkedAt)) + 14 * dayMs).toISOString()
    await first.close()

    await emulator.control.pause()
    const within = await launchAfter(13 * dayMs)
    expect(await start(within)).toMatchObject({ entitled: true })
    await expect
      .poll(() => stateOf(within), { timeout: launchCheckMs })
      .toMatchObject({
        status: 'grace',
        entitled: true,
        graceEndsAt: toTheSecond(graceEndsAt),
        problem: { code: unreachableCode },
      })
    await within.close()

    const after = await launchAfter(15 * dayMs)
    expect(await start(after)).toMatchObject({ status: 'unverified', entitled: false })
    await expect
      .poll(() => stateOf(after))
      .toMatchObject({ activity: 'idle', problem: { code: unreachableCode } })
    expect(await stateOf(after)).toMatchObject({ status: 'unverified', entitled: false, checkedAt })

    await emulator.control.resume()
    // Time has passed for the service as well.
    emulator.control.faults.inject({ fault: 'date-shift', shiftMs: 15 * dayMs })
    service.forget()
    await after.electronApp.evaluate(() => globalThis.licensing.validate())
    expect(await stateOf(after)).toMatchObject({ status: 'active', entitled: true, problem: null })
    await expect.poll(() => service.operations()).toEqual(['validate'])
    expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(1)
  })
})

describe('a computer that wakes up', () => {
  test('has its license checked once, and not again within five minutes', async ({
    openApp,
    emulator,
    service,
  }) => {
    const app = await openApp()
    await app.createLicensing()
    await activate(app, emulator)
    service.forget()

    expect(await wake(app)).toBe('idle')
    await app.electronApp.evaluate((_electron, ms) => globalThis.passTime(ms), 6 * minuteMs)
    expect(await wake(app)).toBe('validating')
    await expect.poll(() => stateOf(app)).toMatchObject({ status: 'active', activity: 'idle' })
    await expect.poll(() => service.operations()).toEqual(['validate'])

    expect(await wake(app)).toBe('idle')
    // Requests sent after waking up are in the list before this one.
    await app.electronApp.evaluate(() => globalThis.licensing.validate())
    await expect.poll(() => service.operations()).toEqual(['validate', 'validate'])
  })

  test('learns at once that its license was given back elsewhere while it slept', async ({
    openApp,
    emulator,
    needs,
  }) => {
    needs('the list of devices')
    const app = await openApp()
    await app.createLicensing()
    await activate(app, emulator)
    const [key] = emulator.control.keys(emulator.demoLicense.id)
    emulator.control.removeKey(emulator.demoLicense.id, String(key?.id))

    await app.electronApp.evaluate((_electron, ms) => globalThis.passTime(ms), 8 * 60 * minuteMs)
    await wake(app)
    await expect
      .poll(() => stateOf(app))
      .toMatchObject({ status: 'revoked', entitled: false, problem: { code: 'moved-to-another-device' } })
  })
})
