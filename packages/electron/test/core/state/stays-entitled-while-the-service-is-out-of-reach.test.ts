import { describe, expect, test } from 'vitest'
import { dayMs, hourMs, lost, scene, served } from '../fixture.ts'

/** An activated device that doesn't reach the service anymore. */
const offline = (rules = {}) => scene({ rules, isActivated: true, fates: { every: lost } })

test('offline, the app is entitled until grace ends, 14 days after the last valid response', async () => {
  const { device } = await offline()
  const checkedAtMs = Date.parse(device.state.checkedAt ?? '')
  for (let day = 1; day <= 13; day += 1) {
    device.sleep(dayMs)
    const state = await device.launch()
    expect(state).toMatchObject({ status: 'grace', entitled: true, problem: { code: 'offline' } })
    const lastsMs = Date.parse(state.status === 'grace' ? state.graceEndsAt : '') - checkedAtMs
    expect(Math.abs(lastsMs - 14 * dayMs)).toBeLessThan(2000)
  }
  device.sleep(dayMs + hourMs)
  expect(await device.decide()).toMatchObject({ status: 'unverified', entitled: false })
})

test('a launch decides immediately if the service does not respond', async () => {
  const { device } = await scene({
    isActivated: true,
    wrap: (service) => ({ ...service, validate: () => new Promise(() => {}) }),
  })
  expect(await device.decide()).toMatchObject({ status: 'active', entitled: true, activity: 'validating' })
  device.kill()
})

test('unlimited grace ends on the last possible day', async () => {
  const { device } = await offline({ graceMs: Number.POSITIVE_INFINITY })
  expect(await device.launch()).toMatchObject({ status: 'grace', graceEndsAt: '+275760-09-13T00:00:00.000Z' })
})

test('without grace, the app is only entitled while the service responds', async () => {
  const { device, fates } = await scene({ rules: { graceMs: 0 }, isActivated: true })
  expect(device.state).toMatchObject({ status: 'active' })
  await device.elapse(5 * dayMs)
  expect(device.state).toMatchObject({ status: 'active', entitled: true })
  expect(await device.decide()).toMatchObject({ status: 'active', entitled: true })
  await device.settled()
  fates.every = lost
  await device.elapse(2 * dayMs)
  expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
  fates.every = served
  await device.elapse(2 * dayMs)
  expect(device.state).toMatchObject({ status: 'active', entitled: true })
})

test('a computer that sleeps through the end of grace notices it on wake-up, even if no check is due', async () => {
  const { device } = await offline()
  await device.launch()
  device.sleep(20 * dayMs)
  device.core.check('resume')
  expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
})

test('one successful check makes an unverified device active again automatically', async () => {
  const { device, fates } = await offline()
  device.sleep(30 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
  fates.every = served
  await device.elapse(hourMs)
  expect(device.state).toMatchObject({ status: 'active', entitled: true, problem: null })
})

describe('grace never overrides a response of the service', () => {
  test.each([
    ['expired', { expiresAtMs: Date.parse('2020-01-01') }, { expiresAtMs: null }, 'license-expired'],
    ['suspended', { isSuspended: true }, { isSuspended: false }, 'license-suspended'],
    ['inactive', { status: 'CHARGEBACK' }, { status: 'ACTIVE' }, 'license-inactive'],
  ] as const)('%s stays so offline too, through every restart', async (status, change, undo, code) => {
    const { license, device, fates } = await scene({ isActivated: true })
    Object.assign(license, change)
    const rawStatus = status === 'inactive' ? { rawStatus: 'CHARGEBACK' } : {}
    const locked = { status, entitled: false, ...rawStatus }
    expect(await device.launch()).toMatchObject({ ...locked, problem: { code } })
    fates.every = lost
    expect(await device.decide()).toMatchObject(locked)
    expect(await device.settled()).toMatchObject(locked)
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject(locked)

    Object.assign(license, undo)
    fates.every = served
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true, problem: null })
  })

  test('a perpetual license never expires', async () => {
    const { device } = await scene({ isActivated: true })
    device.sleep(3000 * dayMs)
    expect(await device.launch()).toMatchObject({ status: 'active', license: { expiresAt: null } })
  })
})
