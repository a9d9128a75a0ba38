import { describe, expect, test } from 'vitest'
import { createTestDevice, dayMs, hourMs, minuteMs } from './fixture.ts'
import { createServiceModel, type Fate, type ModelOperation } from './service-model.ts'

/** A device with ten hours left on its license. */
async function subscribed() {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(1)
  const asked: ModelOperation[] = []
  const fate: { now: Fate } = { now: { kind: 'served' } }
  const commerce = model.reachedBy((operation) => {
    asked.push(operation)
    return fate.now
  })
  const device = createTestDevice(null, { commerce })
  // On a whole second: the `Date` beside an answer knows no less, and one may be asked again within that second.
  license.expiresAtMs = Math.ceil(device.clock.now() / 1000) * 1000 + 10 * hourMs
  await device.core.activate(license.id)
  await device.settled()
  asked.length = 0
  return { device, license, asked, fate }
}

describe('a license that ends while the app runs', () => {
  test('and was renewed is asked for shortly before, and never lapses', async () => {
    const { device, license, asked } = await subscribed()
    await device.elapse(2 * hourMs)
    license.expiresAtMs = device.clock.now() + 30 * dayMs
    await device.elapse(8 * hourMs + 10 * minuteMs)
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
    expect(device.states.map(({ status }) => status)).not.toContain('expired')
    expect(asked).toEqual(['validate'])
  })

  test('and is renewed at the last moment is asked for once more when it ends', async () => {
    const { device, license, asked } = await subscribed()
    await device.elapse(10 * hourMs - 5 * minuteMs)
    expect(asked).toEqual(['validate'])
    license.expiresAtMs = device.clock.now() + 30 * dayMs
    await device.elapse(6 * minuteMs)
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
    expect(asked).toEqual(['validate', 'validate'])
  })

  test('and is not renewed has expired, and is not asked for again and again', async () => {
    const { device, asked } = await subscribed()
    await device.elapse(11 * hourMs)
    expect(device.state).toMatchObject({ status: 'expired', entitled: false })
    expect(asked).toEqual(['validate', 'validate'])
  })

  test('while the service is out of reach has expired all the same', async () => {
    const { device, fate } = await subscribed()
    fate.now = { kind: 'request-lost' }
    await device.elapse(10 * hourMs + minuteMs)
    expect(device.state).toMatchObject({ status: 'expired', entitled: false })
  })
})
