import { expect, test } from 'vitest'
import {
  createTestDevice,
  dayMs,
  hourMs,
  lost,
  type SceneOptions,
  scene,
  served,
  serviceForTests,
} from '../fixture.ts'

const service = await serviceForTests()

/** A device whose app is painted only when the test decides. */
async function startingSlowly(options: SceneOptions = { isActivated: true }) {
  let paint = (): void => {}
  const it = await scene({
    whenPainted: () =>
      new Promise<void>((resolve) => {
        paint = resolve
      }),
    ...options,
  })
  return { ...it, paint: () => paint() }
}

test('a launch without an activation sends no request', async () => {
  const { asked } = await scene()
  expect(asked).toEqual([])
})

test('an entitled device sends its check, and nothing else, after the app is painted', async () => {
  const { device, asked, paint } = await startingSlowly()
  await device.quit()
  asked.length = 0
  expect(await device.launch()).toMatchObject({ status: 'active', activity: 'idle' })
  expect(asked).toEqual([])
  paint()
  await device.settled()
  expect(asked).toEqual(['validate'])
})

test('a device that is not entitled checks immediately', async () => {
  const { license, device } = await startingSlowly()
  license.isSuspended = true
  expect(await device.core.validate()).toMatchObject({ entitled: false })
  await device.quit()
  license.isSuspended = false
  expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
})

test('an interrupted activation continues immediately', async () => {
  const { license, device } = await startingSlowly({ fates: { keys: [lost] } })
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
  device.kill()
  expect(await device.launch()).toMatchObject({ status: 'active' })
})

test('a check by the user replaces the one after the app is painted', async () => {
  const { device, asked, paint } = await startingSlowly()
  await device.quit()
  await device.launch()
  asked.length = 0
  await device.core.validate()
  paint()
  await device.settled()
  await device.elapse(hourMs)
  expect(asked).toEqual(['validate'])
  await device.elapse(1.2 * dayMs)
  expect(asked.length).toBeGreaterThan(1)
})

test('an app that quits before it is painted sends nothing', async () => {
  const { device, asked, paint } = await startingSlowly()
  await device.quit()
  await device.launch()
  asked.length = 0
  await device.core.dispose()
  paint()
  await device.settled()
  expect(asked).toEqual([])
})

test('dispose leaves no timer, and the elapsed time is on disk', async () => {
  const { device } = await scene({ isActivated: true })
  await device.elapse(hourMs / 2)
  await device.core.dispose()
  expect(device.clock.waiting).toEqual([])
  expect((await device.recordOnDisk()).clock.markMs).toBeGreaterThanOrEqual(device.clock.now() - 2000)
})

test('dispose right after start leaves no timer', async () => {
  const device = createTestDevice(service, { rules: { trialMs: dayMs } })
  const started = device.core.start()
  await device.core.dispose()
  await started
  await device.settled()
  expect(device.clock.waiting).toEqual([])
})

test('dispose without start touches nothing', async () => {
  const device = createTestDevice(service)
  await device.core.dispose()
  expect(device.store.writes).toBe(0)
})

/** The service never answers. */
const noAnswer = { fault: 'timeout' } as const

test('dispose does not wait for a silent service, and the next launch completes the activation', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service, { timeoutMs: 3_600_000 })
  await device.launch()
  service.control.faults.inject(noAnswer)
  const activation = device.core.activate(license.id)
  await expect.poll(() => service.control.requests().length).toBeGreaterThan(0)
  await device.core.dispose()
  expect(await activation).toMatchObject({ ok: false })
  expect((await device.recordOnDisk()).wanted).toMatchObject({ licenseKey: license.id })
  service.control.faults.clear()
  expect(await device.launch()).toMatchObject({ status: 'active' })
  expect(service.seats(license.id)).toHaveLength(1)
})

test('a check that is aborted because the app quits is not a failure of the service', async () => {
  const { device } = await service.activated({}, { timeoutMs: 3_600_000 })
  service.control.faults.inject(noAnswer)
  const checked = device.core.validate()
  await expect.poll(() => device.state.activity).toBe('validating')
  await device.core.dispose()
  expect(await checked).toMatchObject({ status: 'active', problem: null })
  expect(device.states.map(({ status }) => status)).not.toContain('grace')
})

test('a write in progress is completed when the app quits', async () => {
  const { device } = await scene({ isActivated: true })
  await device.settled()
  const { write } = device.store
  device.store.write = async function (...args) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    return write.apply(this, args)
  }
  const left = device.core.deactivate()
  await device.core.dispose()
  await left
  expect((await device.recordOnDisk()).activation).toBeNull()
})

test('a queued release does not start after the app quits, and runs at the next launch', async () => {
  const { license, device, fates, asked } = await scene({ isActivated: true, fates: { deactivate: [lost] } })
  await device.core.deactivate()
  const { identify } = device.device
  const waiting: (() => void)[] = []
  device.device.identify = async function (known) {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return identify.call(this, known)
  }
  await device.decide()
  await expect.poll(() => waiting.length).toBe(1)
  asked.length = 0
  const ended = device.core.dispose()
  waiting[0]?.()
  await ended
  expect(asked).toEqual([])

  device.device.identify = identify
  fates.every = served
  await device.launch()
  expect(license.keys).toEqual([])
})

test('calls after dispose return the last state without a request', async () => {
  const { device, asked } = await scene({ isActivated: true })
  const { core } = device
  await core.dispose()
  const { state } = device
  asked.length = 0
  expect(await core.validate()).toBe(state)
  expect(await core.start()).toBe(state)
  expect(await core.cancelActivation()).toEqual(state)
  core.check('online')
  const ended = { ok: false, problem: { code: 'unexpected' } }
  expect(await core.activate('bbbbbbbb-0000-0000-0000-000000000001')).toMatchObject(ended)
  expect(await core.deactivate()).toMatchObject(ended)
  expect(await core.devices()).toMatchObject(ended)
  expect(await core.releaseDevice('any')).toMatchObject(ended)
  expect(asked).toEqual([])
  expect(device.clock.waiting).toEqual([])
  expect(device.state).toMatchObject({ status: 'active', activity: 'idle' })
})
