import { commerce } from '@latchkey/services/commerce'
import { describe, expect, test } from 'vitest'
import { createAppService, createConnectionFacts } from '../../src/main/adapters/app-service.ts'
import { createTestDevice, dayMs, hourMs, type TestDevice } from '../core/fixture.ts'
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

async function scene(listsActivations: boolean): Promise<{ scripted: ScriptedService; device: TestDevice }> {
  const scripted = createScriptedService(listsActivations)
  const commerce = reach({ service: scripted.service, fetch })
  const device = createTestDevice(null, { service: commerce })
  await device.launch()
  return { scripted, device }
}

async function activated(listsActivations: boolean): ReturnType<typeof scene> {
  const made = await scene(listsActivations)
  expect(await made.device.core.activate(licenseKey)).toMatchObject({ ok: true })
  return made
}

describe('an activation', () => {
  test.each([true, false])(
    'that was provably not sent is sent automatically later (list: %s)',
    async (lists) => {
      const { scripted, device } = await scene(lists)
      scripted.says.activate.push(unavailable('network', { mayHaveActed: false }))
      const result = await device.core.activate(licenseKey)
      expect(result).toMatchObject({ ok: false, problem: { code: 'offline' } })
      expect((await device.recordOnDisk()).wanted).toMatchObject({ askedAtMs: null })
      await device.elapse(hourMs)
      expect(device.state.status).toBe('active')
      expect(scripted.activations).toHaveLength(1)
    },
  )

  test('that the service couldn’t undo is deactivated', async () => {
    const { scripted, device } = await scene(false)
    scripted.says.activate.push(refusal('wrong-product', 'act-foreign'))
    const result = await device.core.activate(licenseKey)
    expect(result).toMatchObject({ ok: false, problem: { code: 'wrong-product' } })
    await device.elapse(dayMs)
    expect(scripted.asked).toContain('deactivate act-foreign')
    expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
  })

  test.each([
    ['misconfigured', 'misconfigured'],
    ['rate-limited', 'rate-limited'],
    ['server-error', 'service-error'],
    ['unsigned-answer', 'untrusted-answer'],
  ] as const)('that fails as %s says so', async (cause, code) => {
    const { scripted, device } = await scene(false)
    const known = { mayHaveActed: false, httpStatus: 429, retryAfterMs: 60_000 }
    scripted.says.activate.push(unavailable(cause, known))
    const result = await device.core.activate(licenseKey)
    expect(result).toMatchObject({ ok: false, problem: { code, httpStatus: 429 } })
  })

  test('that was canceled is not searched for if nothing can be listed', async () => {
    const { scripted, device } = await scene(false)
    scripted.says.activate.push(unavailable('timeout'))
    await device.core.activate(licenseKey)
    await device.core.deactivate()
    await device.elapse(dayMs)
    expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
  })
})

test.each([
  ['active', 2_000, 0],
  ['pending', 1_500, 1],
])('a license key of many characters is %s after the next launch, too', async (_what, length, losses) => {
  const longKey = `key/${'A'.repeat(length)}`
  const { scripted, device } = await scene(false)
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
  scripted.says.activate.push(unavailable('network', { mayHaveActed: false }))
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

  test.each([false, true])('waits while the service refuses for another reason (list: %s)', async (lists) => {
    const { scripted, device } = await activated(lists)
    scripted.says.deactivate.push(...times(100, refusal('expired')))
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    await device.elapse(3 * dayMs)
    expect((await device.recordOnDisk()).owed).toHaveLength(1)
    scripted.says.deactivate.length = 0
    await device.elapse(2 * dayMs)
    expect((await device.recordOnDisk()).owed).toEqual([])
  })

  test('waits while the service is unreachable', async () => {
    const { scripted, device } = await activated(false)
    scripted.says.deactivate.push(unavailable('timeout', { mayHaveActed: false }), unavailable('timeout'))
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    await device.elapse(dayMs)
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

  test('as one of another product, stays entitled until grace ends', async () => {
    const { scripted, device } = await activated(false)
    scripted.says.validate.push(...times(100, refusal('wrong-product')))
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'grace', problem: { code: 'wrong-product' } })
    await device.elapse(15 * dayMs)
    expect(device.state).toMatchObject({ status: 'unverified' })
  })

  test.each(['not-found', 'rejected', 'access-denied', 'redirected'] as const)(
    'by something that is not the service (%s) stays entitled',
    async (cause) => {
      const { scripted, device } = await activated(false)
      scripted.says.validate.push(...times(100, unavailable(cause, { httpStatus: 404, bodyIsJson: true })))
      await device.core.validate()
      await device.elapse(13 * dayMs)
      expect(device.state.entitled).toBe(true)
    },
  )
})

test('a refused license without recorded facts is refused too', async () => {
  const { scripted, device } = await activated(true)
  const [own] = scripted.activations
  const reinstalled = createTestDevice(null, {
    service: reach({ service: scripted.service, fetch }),
  })
  await reinstalled.launch()
  scripted.says.validate.push({
    ...refusal('expired'),
    license: {
      id: null,
      status: 'expired',
      endsAtMs: Date.parse('2026-01-01T00:00:00Z'),
      worksAfterEnd: false,
      seatLimit: null,
      seatsInUse: null,
      product: null,
      plan: null,
      isTest: null,
    },
  })
  const result = await reinstalled.core.activate(licenseKey)
  expect(result).toMatchObject({ ok: false, problem: { code: 'license-expired' } })
  expect(own).toBeDefined()
  expect(device.state.status).toBe('active')
})

test.each(['activate', 'listActivations'] as const)(
  '%s logs what is wrong with the settings at the service, and masks the license key',
  async (operation) => {
    const { service, says } = createScriptedService(true)
    const logger = createRecordingLogger()
    const sentKeys = new Set<string>()
    const app = createAppService(service, {
      fetch,
      logger,
      isPackaged: true,
      isAdapter: true,
      connection: createConnectionFacts(),
      sentKeys,
    })
    const said = unavailable('misconfigured', { detail: 'allow this token to list' })
    says[operation === 'activate' ? 'activate' : 'list'].push(said)
    const request = { licenseKey, deviceName: 'Laptop', fingerprint: '0123456789abcdef' }
    expect(await app[operation]?.(request)).toMatchObject({ cause: 'misconfigured' })
    expect([...sentKeys]).toEqual([licenseKey])
    expect(logger.lines.join('\n')).toContain('allow this token to list')
  },
)

test.each([false, true])(
  'its page for devices is believed only without an adapter: %s',
  async (isAdapter) => {
    const connection = createConnectionFacts()
    const app = createAppService(commerce({ baseUrl: 'https://licensing.example.com/v1' }), {
      fetch: async () => Response.json({}, { headers: { 'latchkey-devices-page': '1' } }),
      logger: createRecordingLogger(),
      isPackaged: true,
      isAdapter,
      connection,
      sentKeys: new Set(),
    })
    const id = '1f0a0000-0000-4000-8000-000000009c1d'
    await app.validate({ licenseKey: id, activationId: id, fingerprint: '0123456789abcdef' })
    expect(connection.hasDevicesPage).toBe(!isAdapter)
  },
)

test('an adapter that throws costs nobody anything, and the log says so', async () => {
  const { scripted, device } = await activated(false)
  scripted.service.validate = () => Promise.reject(new TypeError('a secret'))
  const broken = createTestDevice(null, {
    ...device,
    service: reach({ service: scripted.service, fetch }),
  })
  expect(await broken.launch()).toMatchObject({ status: 'grace', problem: { code: 'misconfigured' } })
})
