import type { LicenseService } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import { describe, expect, test } from 'vitest'
import { createAppService, createConnectionFacts } from '../../src/main/adapters/app-service.ts'
import type { ProblemCode } from '../../src/shared/problem.ts'
import { createTestDevice, dayMs, hourMs, minuteMs } from '../core/fixture.ts'
import { reach } from '../doubles/app-service.ts'
import { createRecordingLogger } from '../doubles/recording-logger.ts'
import {
  createScriptedService,
  refusal,
  type ScriptedService,
  unavailable,
} from '../doubles/scripted-service.ts'

const licenseKey = 'ANY-LICENSE-KEY-1'
const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value)
const settled = { wanted: null, owed: [] }
const notSent = { mayHaveActed: false } as const

type Said = ScriptedService['says']['activate'][number]

/** A launched device. @param replace an answer to *activate* instead of the service's own, which has acted */
async function start(lists: boolean, replace: () => Said | null = () => null) {
  const scripted = createScriptedService(lists)
  const { activate } = scripted.service
  const service: LicenseService = {
    ...scripted.service,
    activate: async (...given) => {
      const outcome = await activate(...given)
      return replace() ?? outcome
    },
    // A test may replace it later.
    validate: (...given) => scripted.service.validate(...given),
  }
  const device = createTestDevice(null, { service: reach({ service, fetch }) })
  await device.launch()
  return { scripted, device }
}

async function activated(lists: boolean): ReturnType<typeof start> {
  const started = await start(lists)
  expect(await started.device.core.activate(licenseKey)).toMatchObject({ ok: true })
  return started
}

describe('an activation', () => {
  test('that the service couldn’t undo is deactivated', async () => {
    const { scripted, device } = await start(false)
    scripted.says.activate.push(refusal('wrong-product', 'act-foreign'))
    const result = await device.core.activate(licenseKey)
    expect(result).toMatchObject({ ok: false, problem: { code: 'wrong-product' } })
    await device.elapse(dayMs)
    expect(scripted.asked).toContain('deactivate act-foreign')
    expect(await device.recordOnDisk()).toMatchObject(settled)
  })

  test.each([
    ['misconfigured', 'misconfigured'],
    ['rate-limited', 'rate-limited'],
    ['server-error', 'service-error'],
    ['unsigned-answer', 'untrusted-answer'],
  ] as const)('that fails as %s says so', async (cause, code) => {
    const { scripted, device } = await start(false)
    scripted.says.activate.push(unavailable(cause, { ...notSent, httpStatus: 429, retryAfterMs: 60_000 }))
    const result = await device.core.activate(licenseKey)
    expect(result).toMatchObject({ ok: false, problem: { code, httpStatus: 429 } })
  })

  test('that works is not given up for an older one that doesn’t', async () => {
    const { scripted, device } = await start(true)
    const { validate } = scripted.service
    scripted.service.validate = async (request, call) =>
      request.activationId === 'act-0' ? refusal('expired') : validate(request, call)
    scripted.says.list = times(2, unavailable('misconfigured', { httpStatus: 403, ...notSent }))
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
})

describe('with a list, a refusal because no seats are left', () => {
  test('may be of a copy that a proxy sent: the first one’s seat is found in the list, and adopted', async () => {
    const { scripted, device } = await start(true, () => refusal('no-seat-left'))
    expect(await device.core.activate(licenseKey)).toMatchObject({ ok: true })
    await device.elapse(dayMs)
    expect(scripted.activations).toHaveLength(1)
    expect(device.state.status).toBe('active')
  })

  test.each([true, false])(
    'holds if the list doesn’t contain this device (readable: %s)',
    async (isReadable) => {
      const { scripted, device } = await start(true)
      scripted.says.activate.push(refusal('no-seat-left'))
      const list = { activations: [], isWhole: true }
      const listed = { kind: 'answer', value: list, serverDateMs: null, proof: null } as const
      scripted.says.list.push(listed, isReadable ? listed : unavailable('network', notSent))
      expect(await device.core.activate(licenseKey)).toMatchObject({ problem: { code: 'no-seat-left' } })
      expect((await device.recordOnDisk()).wanted).toBeNull()
    },
  )
})

describe('without a list', () => {
  test.each([true, false])(
    'a refusal by the service itself ends the activation (a seat may be taken: %s)',
    async (mayHaveActed) => {
      const { scripted, device } = await start(false)
      scripted.says.activate.push(
        unavailable('rejected', { httpStatus: 422, bodyIsJson: true, mayHaveActed }),
      )
      expect(await device.core.activate(licenseKey)).toMatchObject({
        problem: { code: 'activation-refused' },
      })
      expect(await device.recordOnDisk()).toMatchObject(settled)
    },
  )

  test('an undocumented refusal of every validation costs no seat', async () => {
    const { scripted, device } = await activated(false)
    const said = unavailable('not-found', { httpStatus: 404, bodyIsJson: true, ...notSent })
    scripted.says.validate.push(...times(500, said))
    await device.elapse(16 * dayMs)
    expect(device.state).toMatchObject({ status: 'unverified' })
    expect(await device.core.activate(licenseKey)).toMatchObject({ ok: false })
    expect(scripted.activations).toHaveLength(1)
    scripted.says.validate.length = 0
    expect(await device.launch()).toMatchObject({ status: 'active' })
  })

  test('a refusal of the license in use, such as for another product, takes no second seat', async () => {
    const { scripted, device } = await activated(false)
    scripted.says.validate.push(refusal('wrong-product'))
    expect(await device.core.activate(licenseKey)).toMatchObject({ problem: { code: 'wrong-product' } })
    expect(scripted.activations).toHaveLength(1)
  })
})

describe('without a list, a second attempt that is refused', () => {
  const warned = { code: 'seat-may-be-taken', isRetryable: true }

  async function triedTwice(refused: Said, code: ProblemCode) {
    const said = [unavailable('timeout'), refused]
    const { scripted, device } = await start(false, () => said.shift() ?? null)
    expect(await device.core.activate(licenseKey)).toMatchObject({ ok: false })
    const first = (await device.recordOnDisk()).wanted
    await device.elapse(minuteMs)
    expect(await device.core.activate(licenseKey)).toMatchObject({ problem: { code } })
    scripted.asked.length = 0
    return { scripted, device, first }
  }

  test('because no seats are left keeps the license key, because the first attempt may have taken that seat', async () => {
    const { scripted, device } = await triedTwice(refusal('no-seat-left'), 'no-seat-left')
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
    test('the app goes on saying that a seat may be taken, asks for none by itself, and a click finishes it', async () => {
      const { scripted, device, first } = await triedTwice(refused, code)
      const wanted = { licenseKey, askedAtMs: first?.askedAtMs }
      expect(await device.recordOnDisk()).toMatchObject({ wanted, owed: [] })
      await device.elapse(3 * dayMs)
      expect(device.state.problem).toMatchObject(warned)
      await device.launch()
      expect(device.state.problem).toMatchObject(warned)
      expect(scripted.asked).toEqual([])
      const isActive = { ok: true, state: { status: 'active', problem: null } }
      expect(await device.core.reactivate()).toMatchObject(isActive)
      expect(await device.recordOnDisk()).toMatchObject(settled)
    })

    test('the user can give it up, and learns that a seat may be taken', async () => {
      const { device } = await triedTwice(refused, code)
      expect(await device.core.cancelActivation()).toMatchObject({ problem: { code: warned.code } })
      await device.elapse(hourMs)
      expect(device.state.problem).toMatchObject({ code: warned.code })
      expect(await device.recordOnDisk()).toMatchObject(settled)
    })

    test('activating another license says it once', async () => {
      const { device } = await triedTwice(refused, code)
      const state = { status: 'active', problem: { code: warned.code } }
      expect(await device.core.activate('ANOTHER-LICENSE-KEY')).toMatchObject({ ok: true, state })
    })
  })

  test('because the license is for another product ends it, since the first attempt was refused as well', async () => {
    const { device } = await triedTwice(refusal('wrong-product'), 'wrong-product')
    expect((await device.recordOnDisk()).wanted).toBeNull()
  })
})

test.each([
  ['unexpected-answer', 200],
  ['access-denied', 403],
  ['misconfigured', 403],
  ['not-found', 404],
] as const)(
  'a list that can never be read costs adoption, not the activation: %s, HTTP %s',
  async (cause, httpStatus) => {
    const { scripted, device } = await start(true)
    scripted.says.list.push(...times(50, unavailable(cause, { httpStatus, bodyIsJson: true, ...notSent })))
    await device.core.activate(licenseKey)
    await device.elapse(hourMs)
    expect(device.state.status).toBe('active')
  },
)

test.each([
  ['active', 2_000, 0],
  ['pending', 1_500, 1],
])('a license key of many characters is %s after the next launch, too', async (_what, length, losses) => {
  const longKey = `key/${'A'.repeat(length)}`
  const { scripted, device } = await start(false)
  scripted.says.activate.push(...times(losses, unavailable('timeout')))
  await device.core.activate(longKey)
  await device.launch()
  const { activation, wanted } = await device.recordOnDisk()
  expect((activation ?? wanted)?.licenseKey).toBe(longKey)
  expect(device.state.status).toBe(losses === 0 ? 'active' : 'unlicensed')
  expect(device.state.problem?.code).not.toBe('store-unreadable')
})

test('a long text that is tried as a license key while offline costs no license', async () => {
  const { scripted, device } = await activated(false)
  scripted.says.activate.push(unavailable('network', notSent))
  scripted.says.validate.push(refusal('unknown-license'))
  await device.core.activate('A'.repeat(9_000))
  expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
})

describe('an activation that is to be freed', () => {
  test('and that the service doesn’t know counts as gone if the answer is the same a day later', async () => {
    const { scripted, device } = await activated(false)
    scripted.says.deactivate.push(...times(100, refusal('unknown-activation')))
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    await device.elapse(20 * hourMs)
    expect((await device.recordOnDisk()).owed).toHaveLength(1)
    await device.elapse(2 * dayMs)
    expect((await device.recordOnDisk()).owed).toEqual([])
  })

  test('isn’t given up at its first refusal after the service knows its license again', async () => {
    const { scripted, device } = await activated(false)
    scripted.says.deactivate = times(99, refusal('unknown-license'))
    expect(await device.core.deactivate()).toMatchObject({ seat: 'freed-later' })
    await device.elapse(20 * hourMs)
    scripted.says.deactivate = times(99, refusal('unknown-activation'))
    device.sleep(5 * hourMs)
    await device.launch()
    expect((await device.recordOnDisk()).owed).toHaveLength(1)
    scripted.says.deactivate = []
    await device.elapse(2 * dayMs)
    expect(scripted.activations).toEqual([])
    expect((await device.recordOnDisk()).owed).toEqual([])
  })

  test.each([
    ['refuses for another reason', true, refusal('expired')],
    ['refuses for another reason', false, refusal('expired')],
    ['is unreachable', false, unavailable('timeout')],
  ] as const)('waits while the service %s (list: %s)', async (_what, lists, said) => {
    const { scripted, device } = await activated(lists)
    scripted.says.deactivate.push(...times(100, said))
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    await device.elapse(3 * dayMs)
    expect((await device.recordOnDisk()).owed).toHaveLength(1)
    scripted.says.deactivate.length = 0
    await device.elapse(2 * dayMs)
    expect((await device.recordOnDisk()).owed).toEqual([])
  })
})

describe('a device that the service denies', () => {
  test('is gone if a complete list doesn’t contain it', async () => {
    const { scripted, device } = await activated(true)
    scripted.activations = []
    scripted.says.validate.push(refusal('unknown-activation'))
    await device.core.validate()
    expect(device.state.status).toBe('revoked')
  })

  test.each([
    ['shows it', null, 'unconfirmed'],
    ['cannot be read', unavailable('timeout'), 'timeout'],
  ] as const)('stays entitled where the list %s', async (_what, said, code) => {
    const { scripted, device } = await activated(true)
    await device.elapse(dayMs * 2)
    scripted.says.validate.push(refusal('unknown-activation'))
    if (said !== null) scripted.says.list.push(said)
    await device.core.validate()
    expect(device.state).toMatchObject({ entitled: true, problem: { code } })
  })

  test('stays entitled until grace ends if the list is denied as well', async () => {
    const { scripted, device } = await activated(true)
    await device.elapse(dayMs * 2)
    scripted.says.validate.push(...times(200, refusal('unknown-license')))
    scripted.says.list.push(...times(200, refusal('unknown-license')))
    await device.core.validate()
    expect(device.state).toMatchObject({ entitled: true, problem: { code: 'unconfirmed' } })
    await device.elapse(2 * dayMs)
    expect(device.state.status).toBe('grace')
    await device.elapse(13 * dayMs)
    expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
    // The vendor restores the license.
    scripted.says.validate.length = 0
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  const ofProxy = { httpStatus: 404, bodyIsJson: true }
  test.each([
    ['as one of another product', refusal('wrong-product'), 'wrong-product'],
    ['by a missing page', unavailable('not-found', ofProxy), expect.any(String)],
    ['by a refusal of something else', unavailable('rejected', ofProxy), expect.any(String)],
    ['by a denied access', unavailable('access-denied', ofProxy), expect.any(String)],
    ['by a redirect', unavailable('redirected', ofProxy), expect.any(String)],
  ] as const)('%s stays entitled until grace ends', async (_what, said, code) => {
    const { scripted, device } = await activated(false)
    scripted.says.validate.push(...times(100, said))
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'grace', problem: { code } })
    await device.elapse(13 * dayMs)
    expect(device.state.entitled).toBe(true)
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'unverified' })
  })
})

test('a refused license without recorded facts is refused too', async () => {
  const { scripted, device } = await activated(true)
  const service = reach({ service: scripted.service, fetch })
  const reinstalled = createTestDevice(null, { service })
  await reinstalled.launch()
  const license = {
    id: null,
    status: 'expired',
    endsAtMs: Date.parse('2026-01-01T00:00:00Z'),
    worksAfterEnd: false,
    seatLimit: null,
    seatsInUse: null,
    product: null,
    plan: null,
    isTest: null,
  } as const
  scripted.says.validate.push({ ...refusal('expired'), license })
  const result = await reinstalled.core.activate(licenseKey)
  expect(result).toMatchObject({ ok: false, problem: { code: 'license-expired' } })
  expect(device.state.status).toBe('active')
})

test('an adapter that throws costs nobody anything, and the log says so', async () => {
  const { scripted, device } = await activated(false)
  scripted.service.validate = () => Promise.reject(new TypeError('a secret'))
  expect(await device.launch()).toMatchObject({ status: 'grace', problem: { code: 'misconfigured' } })
})

describe('an app’s connection to its service', () => {
  const connect = (service: LicenseService, isAdapter: boolean, fetched: typeof fetch = fetch) => {
    const facts = {
      logger: createRecordingLogger(),
      connection: createConnectionFacts(),
      sentKeys: new Set<string>(),
    }
    return {
      ...facts,
      app: createAppService(service, { ...facts, fetch: fetched, isPackaged: true, isAdapter }),
    }
  }
  const device = { deviceName: 'Laptop', fingerprint: '0123456789abcdef' }

  test.each(['activate', 'listActivations'] as const)(
    'logs what %s found wrong with the settings at the service, and masks the license key',
    async (operation) => {
      const { service, says } = createScriptedService(true)
      const { app, sentKeys, logger } = connect(service, true)
      const said = unavailable('misconfigured', { detail: 'allow this token to list' })
      says[operation === 'activate' ? 'activate' : 'list'].push(said)
      expect(await app[operation]?.({ licenseKey, ...device })).toMatchObject({ cause: 'misconfigured' })
      expect([...sentKeys]).toEqual([licenseKey])
      expect(logger.lines.join('\n')).toContain('allow this token to list')
    },
  )

  test.each([false, true])('believes a page for devices only without an adapter: %s', async (isAdapter) => {
    const service = commerce({ baseUrl: 'https://licensing.example.com/v1' })
    const { app, connection } = connect(service, isAdapter, async () =>
      Response.json({}, { headers: { 'latchkey-devices-page': '1' } }),
    )
    const id = '1f0a0000-0000-4000-8000-000000009c1d'
    await app.validate({ licenseKey: id, activationId: id, ...device })
    expect(connection.hasDevicesPage).toBe(!isAdapter)
  })
})
