import { describe, expect, test } from 'vitest'
import {
  answerLost,
  dayMs,
  hourMs,
  lost,
  minuteMs,
  type Scene,
  says,
  scene,
  served,
  unanswered,
} from '../fixture.ts'

/** A device whose app is killed between its request for a seat and the answer. */
async function killedWhileActivating() {
  const it = await scene({
    wrap: (reached) => ({
      ...reached,
      async activate(request, call) {
        const outcome = await reached.activate(request, call)
        it.device.kill()
        return outcome
      },
    }),
  })
  void it.device.core.activate(it.license.id)
  await expect.poll(() => it.license.keys.length).toBe(1)
  return it
}

test('a process killed during the request adopts its key', async () => {
  const { license, device, asked } = await killedWhileActivating()
  expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
  expect(asked.filter((operation) => operation === 'activate')).toHaveLength(1)
  expect(license.keys).toHaveLength(1)
})

test('a process killed during the request, then deactivated offline, releases its seat', async () => {
  const { license, device, fates } = await killedWhileActivating()
  fates.every = lost
  await device.decide()
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
  fates.every = served
  await device.launch()
  expect(license.keys).toEqual([])
})

test('a request is recorded on disk before it is sent', async () => {
  const { license, device, asked } = await scene()
  const { write } = device.store
  const waiting: (() => void)[] = []
  device.store.write = async function (document) {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return write.call(this, document)
  }
  const activation = device.core.activate(license.id)
  await expect.poll(() => waiting.length).toBe(1)
  expect(asked).toEqual([])
  waiting[0]?.()
  await expect.poll(() => waiting.length).toBe(2)
  expect(asked).toEqual(['keys'])
  device.store.write = write
  waiting[1]?.()
  expect(await activation).toMatchObject({ ok: true })
})

test('a launch after an unconfirmed activation sends no second one if keys cannot be listed', async () => {
  const { license, device, fates, asked } = await scene({
    fates: { keys: Array(9).fill(says(403)), activate: [answerLost] },
  })
  const unconfirmed = { code: 'activation-unconfirmed' }
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false, problem: unconfirmed })
  for (let launch = 0; launch < 3; launch += 1) {
    expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: unconfirmed })
  }
  expect(asked.filter((operation) => operation === 'activate')).toHaveLength(1)
  fates.keys = []
  expect(await device.launch()).toMatchObject({ status: 'active' })
  expect(license.keys).toHaveLength(1)
})

test('a refusal at launch is reported and not retried', async () => {
  const { model, license, device, asked } = await scene({ seats: 1, fates: { keys: [lost] } })
  await device.core.activate(license.id)
  model.addKey(license, 'Tower')
  expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: { code: 'no-seat-left' } })
  asked.length = 0
  await device.launch()
  expect(asked).toEqual([])
})

test('a refusal of a second license at launch is reported while the first one keeps working', async () => {
  const { model, device, asked } = await scene({ isActivated: true, fates: { keys: [lost] } })
  const full = model.addLicense(1)
  model.addKey(full, 'Tower')
  await device.core.activate(full.id)
  expect(await device.launch()).toMatchObject({ status: 'active', problem: { code: 'no-seat-left' } })
  expect(asked.at(-1)).toBe('validate')
})

test('an incomplete activation does not prevent checking the recorded license', async () => {
  const { license, device, asked } = await scene({
    isActivated: true,
    fates: { keys: [says(503), says(503)] },
  })
  await device.core.activate(license.id)
  expect(await device.launch()).toMatchObject({ status: 'active', problem: { code: 'service-error' } })
  expect(asked.slice(-2)).toEqual(['keys', 'validate'])
})

test('activating another license releases the possible seat of the unconfirmed one', async () => {
  const { model, license, device } = await scene({ fates: unanswered() })
  const second = model.addLicense(1)
  await device.core.activate(license.id)
  expect(license.keys).toHaveLength(1)
  expect(await device.core.activate(second.id)).toMatchObject({ ok: true })
  expect([license.keys.length, second.keys.length]).toEqual([0, 1])
})

const outcomes = (lines: readonly string[]) =>
  lines.slice(lines.indexOf('last outcomes:') + 1).map((line) => line.trim().split(' ').slice(1).join(' '))

test('a launch that completes an activation also validates its key', async () => {
  const { license, device, asked } = await scene({ fates: { keys: [lost] } })
  await device.core.activate(license.id)
  asked.length = 0
  expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
  expect(asked).toEqual(['keys', 'activate', 'keys'])
  expect(outcomes(device.core.diagnose())).toEqual(['finish activation: ok'])
})

test('a launch that only releases a seat reports no error', async () => {
  const { device, asked } = await scene({ isActivated: true, fates: { deactivate: [lost] } })
  await device.core.deactivate()
  asked.length = 0
  expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: null })
  expect(asked).toEqual(['deactivate', 'key'])
  expect(outcomes(device.core.diagnose())).toEqual(['free a seat: ok'])
  expect(device.logger.lines.filter((line) => !line.startsWith('info '))).toEqual([])
})

test('an activation that cannot be completed yet is retried soon', async () => {
  const { license, device } = await scene({ fates: { keys: [lost, lost] } })
  await device.core.activate(license.id)
  await device.elapse(8 * minuteMs)
  expect(device.state).toMatchObject({ status: 'unlicensed', problem: { code: 'offline' } })
  await device.elapse(15 * minuteMs)
  expect(device.state).toMatchObject({ status: 'active' })
})

test('an activation whose list is refused at launch is sent if it was not sent before', async () => {
  const { license, device } = await scene({ fates: { keys: [lost, says(403)] } })
  await device.core.activate(license.id)
  expect(await device.launch()).toMatchObject({ status: 'active' })
  expect(license.keys).toHaveLength(1)
})

test('a queued release for another license is no problem of the current one', async () => {
  const { model, license, device } = await scene({ isActivated: true, fates: { deactivate: [lost, lost] } })
  await device.core.activate(model.addLicense(1).id)
  expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
  expect(license.keys).toHaveLength(1)
  await device.launch()
  expect(license.keys).toHaveLength(0)
})

test('a key that is known to be gone is not checked when the user activates again', async () => {
  const { license, device, fates, asked } = await scene({ isActivated: true })
  license.keys = []
  expect(await device.launch()).toMatchObject({ status: 'revoked' })
  asked.length = 0
  fates.keys = [says(403)]
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  // The list is read again, because it may have been outdated.
  expect(asked).toEqual(['keys', 'activate', 'keys'])
})

test('a license suspended in the meantime is reported as such when it is activated again, and keeps its seat', async () => {
  const { license, device } = await scene({ isActivated: true })
  license.isSuspended = true
  expect(await device.core.activate(license.id)).toMatchObject({
    ok: false,
    problem: { code: 'license-suspended' },
    state: { status: 'suspended', entitled: false },
  })
  await device.launch()
  expect(license.keys).toHaveLength(1)
})

test('an unconfirmed seat is searched for again if the list is refused now', async () => {
  const { license, device } = await scene({
    fates: { activate: [answerLost], keys: [served, lost, says(403), says(403)] },
  })
  await device.core.activate(license.id)
  await device.core.deactivate()
  // Long after any request could still arrive.
  device.sleep(20 * minuteMs)
  expect(await device.launch()).toMatchObject({ status: 'unlicensed' })
  expect(license.keys).toHaveLength(1)
  await device.launch()
  expect(license.keys).toHaveLength(0)
})

test('deactivating drops an activation that was never sent, without a request', async () => {
  const { license, device, asked } = await scene({ fates: { keys: [lost] } })
  await device.core.activate(license.id)
  const { length } = asked
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
  expect(asked).toHaveLength(length)
})

describe('an activation that has been pending', () => {
  async function pendingFor(ms: number, fates: Scene['fates'] = { keys: [lost] }) {
    const it = await scene({ fates })
    await it.device.core.activate(it.license.id)
    await it.device.quit()
    it.device.sleep(ms)
    return it
  }

  test('since yesterday completes automatically', async () => {
    const { license, device } = await pendingFor(23 * hourMs)
    expect(await device.launch()).toMatchObject({ status: 'active' })
    expect(license.keys).toHaveLength(1)
  })

  test.each([
    ['the keys are listed', [lost]],
    ['the keys may not be listed', [lost, says(403), says(403)]],
  ])('for more than a day uses no seat automatically: %s', async (_what, keys) => {
    const { license, device } = await pendingFor(2 * dayMs, { keys })
    expect(await device.launch()).toMatchObject({
      status: 'unlicensed',
      problem: { code: 'activation-paused' },
    })
    expect(license.keys).toEqual([])
    expect((await device.recordOnDisk()).wanted).not.toBeNull()
    // The user continues without typing the key again.
    expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
    expect(license.keys).toHaveLength(1)
  })

  test('for more than a day adopts the existing key of this device', async () => {
    const { license, device } = await pendingFor(2 * dayMs, unanswered())
    expect(await device.launch()).toMatchObject({ status: 'active' })
    expect(license.keys).toHaveLength(1)
  })

  test('for more than a day, and is tried again, has another day', async () => {
    const { license, device, fates } = await pendingFor(2 * dayMs)
    await device.decide()
    fates.keys = [lost, lost, lost]
    await device.core.activate(license.id)
    await device.quit()
    fates.keys = []
    expect(await device.launch()).toMatchObject({ status: 'active' })
  })
})
