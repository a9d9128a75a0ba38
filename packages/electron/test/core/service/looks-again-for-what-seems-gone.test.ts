import type { LicenseKey } from '@latchkey/commerce'
import { describe, expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../fixture.ts'
import { scene } from '../scene.ts'

/** A device whose activation is missing in an outdated copy of the service. */
async function lagging() {
  const world = await scene()
  const { license, device } = world
  await device.core.activate(license.id)
  const kept: readonly LicenseKey[] = license.keys
  license.keys = []
  return { ...world, kept }
}

describe('an activation that a stale replica of the service does not know', () => {
  test('is checked again within the hour and recovers automatically', async () => {
    const { license, device, asked, kept } = await lagging()
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'revoked', entitled: false })
    asked.length = 0
    await device.elapse(hourMs)
    expect(asked).toContain('validate')
    license.keys = kept
    await device.elapse(hourMs)
    expect(device.state).toMatchObject({ status: 'active', entitled: true, problem: null })
    expect(license.keys).toEqual(kept)
  })

  test('is checked at each launch', async () => {
    const { license, device, kept } = await lagging()
    await device.core.validate()
    await device.elapse(10 * minuteMs)
    license.keys = kept
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
    expect(license.keys).toEqual(kept)
  })
})

test('after a day, a device that was moved away checks once a day', async () => {
  const { device, asked } = await lagging()
  await device.core.validate()
  await device.elapse(26 * hourMs)
  asked.length = 0
  await device.elapse(dayMs)
  expect(asked.filter((operation) => operation === 'validate').length).toBeLessThanOrEqual(2)
  expect(asked).toContain('validate')
  expect(device.state).toMatchObject({ status: 'revoked', entitled: false })
})
