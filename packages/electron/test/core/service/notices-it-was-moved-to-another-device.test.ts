import { describe, expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs, says, scene, signal } from '../fixture.ts'

test('a device whose seat was released elsewhere notices it, and gets a seat again without its key', async () => {
  const { license, device } = await scene({ seats: 1, isActivated: true })
  license.keys = []
  expect(await device.launch()).toMatchObject({
    status: 'revoked',
    entitled: false,
    problem: { code: 'moved-to-another-device', isRetryable: false },
  })
  expect(await device.decide()).toMatchObject({ status: 'revoked', entitled: false })
  expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
  expect(license.keys).toHaveLength(1)
  // For ten minutes the earlier activation may still turn up.
  await device.elapse(30 * minuteMs)
  expect((await device.recordOnDisk()).owed).toEqual([])
})

test('it also notices if it was activated again while its list was refused', async () => {
  const { license, device } = await scene({ seats: 1, isActivated: true, fates: { keys: [says(410)] } })
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  license.keys = []
  expect(await device.core.validate()).toMatchObject({ status: 'revoked' })
})

test('an unknown license runs until grace ends, because a proxy error looks the same', async () => {
  const { device } = await scene({
    isActivated: true,
    fates: { validate: [says(404)], key: [says(404)], keys: [says(404)] },
  })
  expect(await device.launch()).toMatchObject({
    status: 'grace',
    entitled: true,
    problem: { code: 'unconfirmed' },
  })
})

test('a response about the previous key does not revoke the current one', async () => {
  const answer = signal()
  let isSlow = false
  const { license, device, asked } = await scene({
    seats: 1,
    isActivated: true,
    wrap: (service) => ({
      ...service,
      async showActivation(request, call) {
        const shown = await service.showActivation?.(request, call)
        if (isSlow) await answer.promise
        return shown ?? expect.unreachable()
      },
    }),
  })
  await device.settled()
  // During a slow check the key is removed and the user activates again.
  license.keys = []
  isSlow = true
  const checked = device.core.validate()
  await expect.poll(() => asked).toContain('key')
  isSlow = false
  const activated = device.core.activate(license.id)
  await expect.poll(() => license.keys.length).toBe(1)
  answer.resolve()
  expect(await activated).toMatchObject({ ok: true })
  await checked
  expect(device.state).toMatchObject({ status: 'active', entitled: true, problem: null })
})

describe('an activation that a stale replica of the service does not know', () => {
  async function lagging() {
    const it = await scene({ isActivated: true })
    const { keys } = it.license
    it.license.keys = []
    expect(await it.device.core.validate()).toMatchObject({ status: 'revoked', entitled: false })
    it.asked.length = 0
    return { ...it, keys }
  }

  test('is checked again within the hour and recovers automatically', async () => {
    const { license, device, asked, keys } = await lagging()
    await device.elapse(hourMs)
    expect(asked).toContain('validate')
    license.keys = keys
    await device.elapse(hourMs)
    expect(device.state).toMatchObject({ status: 'active', entitled: true, problem: null })
    expect(license.keys).toEqual(keys)
  })

  test('is checked at each launch', async () => {
    const { license, device, keys } = await lagging()
    await device.elapse(10 * minuteMs)
    license.keys = keys
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
    expect(license.keys).toEqual(keys)
  })

  test('is checked once a day after a day', async () => {
    const { device, asked } = await lagging()
    await device.elapse(26 * hourMs)
    asked.length = 0
    await device.elapse(dayMs)
    expect(asked.filter((operation) => operation === 'validate').length).toBeLessThanOrEqual(2)
    expect(asked).toContain('validate')
    expect(device.state).toMatchObject({ status: 'revoked', entitled: false })
  })
})
