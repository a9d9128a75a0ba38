import type { Emulator } from '@latchkey/emulator'
import { type RunningService, serviceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import { describe, expect } from 'vitest'
import { type OpenApp, test } from '../fixtures/open-app-test.ts'
import { page, startServer } from '../fixtures/start-server.ts'

const minuteMs = 60_000
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

const passTime = (app: OpenApp, ms: number) =>
  app.electronApp.evaluate((_electron, passed) => globalThis.passTime(passed), ms)

const stateOf = (app: OpenApp) => app.electronApp.evaluate(() => globalThis.licensing.state)

test('an app whose license service is unreachable runs on grace, stops when grace is over, and runs again after one check with nothing typed', async ({
  app,
  emulator,
  service,
}) => {
  /** Starts it again on the same device, days after it was activated. */
  const launchAfter = async (days: number) => {
    await app.electronApp.evaluate(() => globalThis.startOver())
    await passTime(app, days * dayMs)
    await app.createLicensing()
    return app.electronApp.evaluate(() => globalThis.licensing.start())
  }
  await app.createLicensing()
  await activate(app, emulator)
  const { checkedAt } = await stateOf(app)
  const graceEndsAt = new Date(Date.parse(String(checkedAt)) + 14 * dayMs).toISOString()

  await emulator.control.pause()
  expect(await launchAfter(13)).toMatchObject({ entitled: true })
  await expect
    .poll(() => stateOf(app))
    .toMatchObject({
      status: 'grace',
      entitled: true,
      graceEndsAt: toTheSecond(graceEndsAt),
      problem: { code: unreachableCode },
    })

  expect(await launchAfter(15)).toMatchObject({ status: 'unverified', entitled: false })
  await expect
    .poll(() => stateOf(app))
    .toMatchObject({ activity: 'idle', problem: { code: unreachableCode } })
  expect(await stateOf(app)).toMatchObject({ status: 'unverified', entitled: false, checkedAt })

  await emulator.control.resume()
  // Time has passed for the service as well.
  emulator.control.faults.inject({ fault: 'date-shift', shiftMs: 15 * dayMs })
  service.forget()
  await app.electronApp.evaluate(() => globalThis.licensing.validate())
  expect(await stateOf(app)).toMatchObject({ status: 'active', entitled: true, problem: null })
  await expect.poll(() => service.operations()).toEqual(['validate'])
  expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(1)
})

test('a computer that wakes up has its license checked once, and not again within five minutes; it learns that its seat was freed while it slept', async ({
  app,
  emulator,
  service,
}) => {
  await app.createLicensing()
  await activate(app, emulator)
  service.forget()

  expect(await wake(app)).toBe('idle')
  await passTime(app, 6 * minuteMs)
  expect(await wake(app)).toBe('validating')
  await expect.poll(() => stateOf(app)).toMatchObject({ status: 'active', activity: 'idle' })
  await expect.poll(() => service.operations()).toEqual(['validate'])

  expect(await wake(app)).toBe('idle')
  // Requests sent after waking up are in the list before this one.
  await app.electronApp.evaluate(() => globalThis.licensing.validate())
  await expect.poll(() => service.operations()).toEqual(['validate', 'validate'])

  if (!serviceUnderTest.has('the list of devices')) return
  const [key] = emulator.control.keys(emulator.demoLicense.id)
  emulator.control.removeKey(emulator.demoLicense.id, String(key?.id))
  await passTime(app, 8 * 60 * minuteMs)
  await wake(app)
  await expect
    .poll(() => stateOf(app))
    .toMatchObject({ status: 'revoked', entitled: false, problem: { code: 'moved-to-another-device' } })
})

/** Lets licensing's timers wait for {@link fire}, so that none depends on how busy the machine is. */
const keepTimers = (app: OpenApp) => app.electronApp.evaluate(() => globalThis.keepTimers())

/** Fires the timers that were set for that long. @returns how many there were */
const fire = (app: OpenApp, delayMs: number): Promise<number> =>
  app.electronApp.evaluate((_electron, ms) => globalThis.fireTimers(ms), delayMs)

test('a network that comes back is noticed while something waits for it, and not looked for after dispose', async ({
  app,
  emulator,
  service,
}) => {
  const pollMs = 10_000
  const setOnline = (isOnline: boolean) =>
    app.electronApp.evaluate(({ net }, value) => {
      net.isOnline = () => value
    }, isOnline)
  const fail = async () => {
    await emulator.control.pause()
    await app.electronApp.evaluate(() => globalThis.licensing.validate())
  }
  await keepTimers(app)
  await app.createLicensing()
  await activate(app, emulator)
  // Waiting for the first paint takes as long.
  await fire(app, pollMs)
  expect(await fire(app, pollMs)).toBe(0)
  await fail()
  // A network that is there although the service is not raises no hope.
  await passTime(app, 6 * minuteMs)
  await expect.poll(() => fire(app, pollMs)).toBe(1)
  expect(await stateOf(app)).toMatchObject({ activity: 'idle' })
  await setOnline(false)
  await expect.poll(() => fire(app, pollMs)).toBe(1)

  await emulator.control.resume()
  service.forget()
  // By itself an app asks at most every five minutes.
  await passTime(app, 6 * minuteMs)
  await setOnline(true)
  await expect.poll(() => fire(app, pollMs)).toBe(1)
  await expect.poll(() => service.operations()).toContain('validate')
  // Nothing waits for the network anymore.
  await expect.poll(() => stateOf(app)).toMatchObject({ status: 'active', activity: 'idle', problem: null })
  await fire(app, pollMs)
  expect(await fire(app, pollMs)).toBe(0)

  await fail()
  await app.electronApp.evaluate(() => globalThis.licensing.dispose())
  expect(await fire(app, pollMs)).toBe(0)
})

describe('the check at launch, on a device that is activated,', () => {
  const withoutWindowMs = 2_000
  const neverPaintedMs = 10_000
  // Longer than the app rests between its first paint and the check.
  const rest = () => new Promise((resolve) => setTimeout(resolve, 500))

  /** A page that doesn't come before it is let go. */
  async function startSlowPage(): Promise<{ url: string; letGo: () => void }> {
    let letGo = (): void => {}
    const isLetGo = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const url = await startServer(async (request, response) => {
      await isLetGo
      page('<!doctype html><title>Slow</title><h1>Here at last</h1>')(request, response)
    })
    return { url, letGo }
  }

  /** The app at its next launch: nothing was asked yet. */
  async function launch(app: OpenApp, { emulator, forget }: RunningService): Promise<void> {
    await app.createLicensing()
    await activate(app, emulator)
    await app.electronApp.evaluate(() => globalThis.licensing.validate())
    await app.electronApp.evaluate(() => globalThis.startOver())
    forget()
    await keepTimers(app)
    await app.createLicensing()
  }

  /** It comes, and it comes once. */
  async function expectOneCheck(app: OpenApp, service: RunningService): Promise<void> {
    await expect.poll(() => service.operations()).toEqual(['validate'])
    for (const delayMs of [withoutWindowMs, neverPaintedMs]) await fire(app, delayMs)
    await rest()
    expect(service.operations()).toEqual(['validate'])
  }

  // Most apps make their window hidden and show it when it is ready.
  test.for([false, true])(
    'waits until the first window is painted (visible from the start: %s)',
    async (show, { app, service }) => {
      const slow = await startSlowPage()
      await launch(app, service)
      const entitled = await app.electronApp.evaluate(
        async ({ BrowserWindow }, given) => {
          const { entitled } = await globalThis.licensing.start()
          const window = new BrowserWindow({ show: given.show })
          window.once('ready-to-show', () => window.show())
          void window.loadURL(given.url)
          return entitled
        },
        { url: slow.url, show },
      )
      expect(entitled).toBe(true)
      await expect.poll(() => fire(app, withoutWindowMs)).toBe(1)
      await rest()
      expect(service.emulator.control.requests()).toEqual([])
      slow.letGo()
      await expectOneCheck(app, service)
    },
  )

  test('comes without a window, and with one that is never painted', async ({ app, service }) => {
    const slow = await startSlowPage()
    for (const url of [null, slow.url]) {
      await launch(app, service)
      await app.electronApp.evaluate(async ({ BrowserWindow }, address) => {
        await globalThis.licensing.start()
        if (address !== null) void new BrowserWindow({ show: false }).loadURL(address).catch(() => {})
      }, url)
      await rest()
      expect(service.emulator.control.requests()).toEqual([])
      await expect.poll(() => fire(app, url === null ? withoutWindowMs : neverPaintedMs)).toBe(1)
      await expectOneCheck(app, service)
      await app.electronApp.evaluate(() => globalThis.startOver())
    }
  })

  test('comes once to an app that shows its window before its gate, or long before licensing', async ({
    app,
    service,
  }) => {
    for (const isMadeLate of [false, true]) {
      await launch(app, service)
      await app.electronApp.evaluate(async ({ app: electronApp, BrowserWindow }, isLate) => {
        if (isLate) await globalThis.licensing.dispose()
        const window = new BrowserWindow({ show: true })
        await window.loadFile(`${electronApp.getAppPath()}/page.html`)
      }, isMadeLate)
      if (isMadeLate) await app.createLicensing()
      await app.electronApp.evaluate(() => globalThis.licensing.gate({ whenEntitled: () => {} }))
      await expectOneCheck(app, service)
      await app.electronApp.evaluate(() => globalThis.startOver())
    }
  })

  test('is replaced by one that the user asks for', async ({ app, service }) => {
    const slow = await startSlowPage()
    await launch(app, service)
    await app.electronApp.evaluate(async ({ BrowserWindow }, url) => {
      void new BrowserWindow({ show: false }).loadURL(url)
      await globalThis.licensing.validate()
    }, slow.url)
    await expect.poll(() => service.operations()).toEqual(['validate'])
    slow.letGo()
    await expectOneCheck(app, service)
  })
})
