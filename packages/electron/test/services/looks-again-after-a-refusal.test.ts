import type { ServiceCall } from '@latchkey/services'
import { describe, expect, test } from 'vitest'
import type { ProblemCode } from '../../src/shared/problem.ts'
import { createTestDevice, dayMs, hourMs, minuteMs } from '../core/fixture.ts'
import { reach } from '../doubles/app-service.ts'
import {
  createScriptedService,
  refusal,
  type ScriptedService,
  unavailable,
} from '../doubles/scripted-service.ts'

const licenseKey = 'ANY-LICENSE-KEY-1'

/** A device of a service whose answer to *activate* is replaced after the service acted. */
function activatedBehind(
  scripted: ScriptedService,
  replace: () => Awaited<ReturnType<ScriptedService['service']['activate']>> | null,
) {
  const { activate } = scripted.service
  const service = {
    ...scripted.service,
    activate: async (request: Parameters<typeof activate>[0], call: ServiceCall) => {
      const outcome = await activate(request, call)
      return replace() ?? outcome
    },
  }
  return createTestDevice(null, { service: reach({ service, fetch }) })
}

describe('an activation that a proxy sent twice, where the copy is refused because of the first one’s seat', () => {
  test('is found in the list, and adopted', async () => {
    const scripted = createScriptedService(true)
    const device = activatedBehind(scripted, () => refusal('no-seat-left'))
    await device.launch()
    expect((await device.core.activate(licenseKey)).ok).toBe(true)
    await device.elapse(dayMs)
    expect(scripted.activations).toHaveLength(1)
    expect(device.state.status).toBe('active')
  })

  test('is refused if the list doesn’t contain this device, or can’t be read', async () => {
    for (const readable of [true, false]) {
      const scripted = createScriptedService(true)
      scripted.says.activate.push(refusal('no-seat-left'))
      const list = { activations: [], isWhole: true }
      const listed = { kind: 'answer', value: list, serverDateMs: null, proof: null } as const
      scripted.says.list.push(listed, readable ? listed : unavailable('network', { mayHaveActed: false }))
      const device = activatedBehind(scripted, () => null)
      await device.launch()
      expect(await device.core.activate(licenseKey)).toMatchObject({ problem: { code: 'no-seat-left' } })
      expect((await device.recordOnDisk()).wanted).toBeNull()
    }
  })
})

describe('without a list, a web page instead of the answer may mean that a seat was taken:', () => {
  test.each([
    ['access-denied', 403],
    ['access-denied', 407],
    ['rejected', 400],
    ['rejected', 413],
    ['not-found', 404],
    ['server-error', 503],
  ] as const)('%s, HTTP %d', async (cause, httpStatus) => {
    const scripted = createScriptedService(false)
    const device = activatedBehind(scripted, () => unavailable(cause, { httpStatus, bodyIsJson: false }))
    await device.launch()
    expect(await device.core.activate(licenseKey)).toMatchObject({
      problem: { code: 'seat-may-be-taken' },
    })
    expect((await device.recordOnDisk()).wanted).not.toBeNull()
  })
})

test.each([true, false])(
  'without a list, a refusal by the service itself ends the activation (a seat may be taken: %s)',
  async (mayHaveActed) => {
    const scripted = createScriptedService(false)
    const refused = unavailable('rejected', { httpStatus: 422, bodyIsJson: true, mayHaveActed })
    scripted.says.activate.push(refused)
    const device = activatedBehind(scripted, () => null)
    await device.launch()
    expect(await device.core.activate(licenseKey)).toMatchObject({ problem: { code: 'activation-refused' } })
    expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
  },
)

test('without a list, an undocumented refusal of every validation costs no seat', async () => {
  const scripted = createScriptedService(false)
  const device = activatedBehind(scripted, () => null)
  await device.launch()
  await device.core.activate(licenseKey)
  const said = unavailable('not-found', { httpStatus: 404, bodyIsJson: true, mayHaveActed: false })
  scripted.says.validate.push(...Array.from({ length: 500 }, () => said))
  await device.elapse(16 * dayMs)
  expect(device.state).toMatchObject({ status: 'unverified' })
  expect(await device.core.activate(licenseKey)).toMatchObject({ ok: false })
  expect(scripted.activations).toHaveLength(1)
  scripted.says.validate.length = 0
  expect(await device.launch()).toMatchObject({ status: 'active' })
})

describe('without a list, a second attempt that is refused', () => {
  async function triedTwice(refused: ReturnType<typeof refusal | typeof unavailable>, code: ProblemCode) {
    const scripted = createScriptedService(false)
    const said = [unavailable('timeout'), refused]
    const device = activatedBehind(scripted, () => said.shift() ?? null)
    await device.launch()
    expect((await device.core.activate(licenseKey)).ok).toBe(false)
    const first = (await device.recordOnDisk()).wanted
    await device.elapse(minuteMs)
    expect(await device.core.activate(licenseKey)).toMatchObject({ problem: { code } })
    return { scripted, device, first }
  }

  test('because no seats are left keeps the license key, because the first attempt may have taken that seat', async () => {
    const { scripted, device } = await triedTwice(refusal('no-seat-left'), 'no-seat-left')
    scripted.asked.length = 0
    await device.launch()
    await device.elapse(3 * dayMs)
    // No further seat is taken unless the user asks.
    expect(scripted.asked).toEqual([])
    expect(await device.core.reactivate()).toMatchObject({ ok: true })
  })

  const rejected = { bodyIsJson: true, mayHaveActed: true } as const
  describe.each([
    ['an end', refusal('expired'), 'license-expired'],
    ['a suspension', refusal('suspended'), 'license-suspended'],
    ['its status', refusal('inactive'), 'license-inactive'],
    ['being unknown', refusal('unknown-license'), 'license-not-found'],
    ['an error that isn’t documented', unavailable('not-found', rejected), 'license-not-found'],
    ['no stated reason', unavailable('rejected', rejected), 'seat-may-be-taken'],
    ['denied access', unavailable('access-denied', rejected), 'unauthorized'],
  ] as const)('because of %s keeps the first attempt on record:', (_, refused, code) => {
    test('the app goes on saying that a seat may be taken, and asks for none by itself', async () => {
      const { scripted, device, first } = await triedTwice(refused, code)
      expect(await device.recordOnDisk()).toMatchObject({
        wanted: { licenseKey: licenseKey, askedAtMs: first?.askedAtMs },
        owed: [],
      })
      scripted.asked.length = 0
      await device.elapse(3 * dayMs)
      expect(device.state.problem).toMatchObject({ code: 'seat-may-be-taken', isRetryable: true })
      await device.launch()
      expect(device.state.problem).toMatchObject({ code: 'seat-may-be-taken', isRetryable: true })
      expect(scripted.asked).toEqual([])
    })

    test('once the license works again, a click finishes it', async () => {
      const { device } = await triedTwice(refused, code)
      expect(await device.core.reactivate()).toMatchObject({
        ok: true,
        state: { status: 'active', problem: null },
      })
      expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
    })

    test('the user can give it up, and learns that a seat may be taken', async () => {
      const { device } = await triedTwice(refused, code)
      expect(await device.core.cancelActivation()).toMatchObject({ problem: { code: 'seat-may-be-taken' } })
      await device.elapse(hourMs)
      expect(device.state.problem).toMatchObject({ code: 'seat-may-be-taken' })
      expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
    })

    test('activating another license says it once', async () => {
      const { device } = await triedTwice(refused, code)
      expect(await device.core.activate('ANOTHER-LICENSE-KEY')).toMatchObject({
        ok: true,
        state: { status: 'active', problem: { code: 'seat-may-be-taken' } },
      })
    })
  })

  test('because the license is for another product ends it, since the first attempt was refused as well', async () => {
    const { device } = await triedTwice(refusal('wrong-product'), 'wrong-product')
    expect((await device.recordOnDisk()).wanted).toBeNull()
  })
})

test('a first attempt that is refused leaves nothing on record', async () => {
  for (const reason of ['expired', 'unknown-license'] as const) {
    const scripted = createScriptedService(false)
    const device = activatedBehind(scripted, () => refusal(reason))
    await device.launch()
    expect(await device.core.activate(licenseKey)).toMatchObject({ ok: false })
    expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
  }
})

test('a seat isn’t given up at its first refusal after the service knows its license again', async () => {
  const scripted = createScriptedService(false)
  const device = activatedBehind(scripted, () => null)
  await device.launch()
  await device.core.activate(licenseKey)
  const always = (reason: 'unknown-license' | 'unknown-activation') =>
    Array.from({ length: 99 }, () => refusal(reason))
  scripted.says.deactivate = always('unknown-license')
  expect(await device.core.deactivate()).toMatchObject({ seat: 'freed-later' })
  await device.elapse(20 * hourMs)
  scripted.says.deactivate = always('unknown-activation')
  device.sleep(5 * hourMs)
  await device.launch()
  expect((await device.recordOnDisk()).owed).toHaveLength(1)
  scripted.says.deactivate = []
  await device.elapse(2 * dayMs)
  expect(scripted.activations).toEqual([])
  expect((await device.recordOnDisk()).owed).toEqual([])
})

test('an activation that works is not given up for an older one that doesn’t', async () => {
  const scripted = createScriptedService(true)
  const { validate } = scripted.service
  const service = {
    ...scripted.service,
    validate: (...[request, call]: Parameters<typeof validate>) =>
      request.activationId === 'act-0' ? Promise.resolve(refusal('expired')) : validate(request, call),
  }
  const device = createTestDevice(null, { service: reach({ service, fetch }) })
  const unreadable = unavailable('misconfigured', { httpStatus: 403, mayHaveActed: false })
  scripted.says.list = [unreadable, unreadable]
  await device.launch()
  await device.core.activate(licenseKey)
  await device.settled()
  const older = scripted.activations.map((one) => ({ ...one, id: 'act-0', createdAtMs: 0 }))
  scripted.activations = [...older, ...scripted.activations]
  scripted.says.list = []
  await device.launch()
  await device.elapse(2 * dayMs)
  expect(device.state.status).toBe('active')
  expect(scripted.asked.filter((asked) => asked.startsWith('deactivate'))).toEqual([])
})

describe('a list that can never be read costs adoption, not the activation:', () => {
  test.each([
    ['unexpected-answer', 200, true],
    ['access-denied', 403, true],
    ['misconfigured', 403, true],
    ['not-found', 404, true],
  ] as const)('%s, HTTP %s', async (cause, httpStatus, bodyIsJson) => {
    const scripted = createScriptedService(true)
    const said = unavailable(cause, { httpStatus, bodyIsJson, mayHaveActed: false })
    scripted.says.list.push(...Array.from({ length: 50 }, () => said))
    const device = activatedBehind(scripted, () => null)
    await device.launch()
    await device.core.activate(licenseKey)
    await device.elapse(hourMs)
    expect(device.state.status).toBe('active')
  })
})
