import { describe, expect, test } from 'vitest'
import { decide } from '../../src/core/record/decide.ts'
import { emptyVault, type Vault } from '../../src/core/record/vault.ts'
import { createServicePort } from '../../src/main/adapters/service/create-service-port.ts'
import { createTestDevice, dayMs, hourMs, type TestDevice } from '../core/fixture.ts'
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
  const commerce = createServicePort({ service: scripted.service, fetch })
  const device = createTestDevice(null, { commerce })
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
      expect((await device.vaultOnDisk()).pending).toMatchObject({ lateUntilMs: null })
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
    expect(await device.vaultOnDisk()).toMatchObject({ pending: null, outbox: [] })
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
    expect(await device.vaultOnDisk()).toMatchObject({ pending: null, outbox: [] })
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
  const { activation, pending } = await device.vaultOnDisk()
  expect((activation ?? pending)?.licenseId).toBe(longKey)
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
    expect((await device.vaultOnDisk()).outbox).toHaveLength(1)
    await device.elapse(2 * dayMs)
    expect((await device.vaultOnDisk()).outbox).toEqual([])
  })

  test.each([false, true])('waits while the service refuses for another reason (list: %s)', async (lists) => {
    const { scripted, device } = await activated(lists)
    scripted.says.deactivate.push(...times(100, refusal('expired')))
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    await device.elapse(3 * dayMs)
    expect((await device.vaultOnDisk()).outbox).toHaveLength(1)
    scripted.says.deactivate.length = 0
    await device.elapse(2 * dayMs)
    expect((await device.vaultOnDisk()).outbox).toEqual([])
  })

  test('waits while the service is unreachable', async () => {
    const { scripted, device } = await activated(false)
    scripted.says.deactivate.push(unavailable('timeout', { mayHaveActed: false }), unavailable('timeout'))
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    await device.elapse(dayMs)
    expect((await device.vaultOnDisk()).outbox).toEqual([])
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

  test('is gone when license and list are denied for a day', async () => {
    const { scripted, device } = await activated(true)
    await device.elapse(dayMs * 2)
    scripted.says.validate.push(...times(100, refusal('unknown-license')))
    scripted.says.list.push(...times(100, refusal('unknown-license')))
    await device.core.validate()
    expect(device.state).toMatchObject({ entitled: true, problem: { code: 'unconfirmed' } })
    await device.elapse(2 * dayMs)
    expect(device.state.status).toBe('revoked')
    expect((await device.vaultOnDisk()).activation?.unknown).toBeUndefined()
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
    commerce: createServicePort({ service: scripted.service, fetch }),
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

test('a wrong date of a service doesn’t make a refusal older', () => {
  const at = Date.parse('2026-11-01T00:00:00Z')
  const vault: Vault = {
    ...emptyVault,
    activation: {
      licenseId: licenseKey,
      keyId: 'act-1',
      fingerprint: '0123456789abcdef',
      activatedAtMs: at,
      verdict: 'valid',
      decidedAtMs: at,
      validAtMs: at,
      license: {
        activationLimit: null,
        activationUsage: null,
        expiresAt: null,
        suspendedAt: null,
        status: 'ACTIVE',
      },
      unknown: { reason: 'unknown-activation', sinceMs: at },
    },
    outbox: [{ licenseId: licenseKey, keyId: 'act-0', unknownSinceMs: at }],
    markMs: at,
  }
  const movedMs = 30 * dayMs
  const moved = decide(vault, { type: 'time-stated', movedMs }, at + movedMs)
  expect(moved.activation?.unknown?.sinceMs).toBe(at + movedMs)
  expect(moved.outbox).toEqual([{ licenseId: licenseKey, keyId: 'act-0', unknownSinceMs: at + movedMs }])
  // What the service says of one activation changes no other one in the queue.
  const other = { licenseId: licenseKey, keyId: 'act-other' }
  const release = { licenseId: licenseKey, keyId: 'act-0', unknownSinceMs: at }
  const two = { ...vault, outbox: [release, other] }
  const unknown = { type: 'release-unknown', release, reason: 'unknown-activation' } as const
  expect(decide(two, unknown, at + 2 * dayMs).outbox).toEqual([other])
  // Nothing of it concerns an empty record.
  expect(decide(emptyVault, { type: 'activation-not-sent', licenseId: licenseKey }, at)).toBe(emptyVault)
})

test('logs what is wrong with the settings at the service', async () => {
  const scripted = createScriptedService(false)
  const told: string[] = []
  const onMisconfigured = (detail: string): void => void told.push(detail)
  const port = createServicePort({ service: scripted.service, fetch, onMisconfigured })
  scripted.says.activate.push(unavailable('misconfigured', { detail: 'set an activation limit' }))
  const device = { fingerprint: '0123456789abcdef', label: 'Laptop' }
  await expect(port.activate(licenseKey, 'Laptop', device)).rejects.toThrow('misconfigured')
  expect(told).toEqual(['set an activation limit'])
})

test('a list masks the license key too, and logs what is wrong with the settings', async () => {
  const scripted = createScriptedService(true)
  const secrets: string[] = []
  const told: string[] = []
  const port = createServicePort({
    service: scripted.service,
    fetch,
    onSecret: (text) => void secrets.push(text),
    onMisconfigured: (detail) => void told.push(detail),
  })
  scripted.says.list.push(unavailable('misconfigured', { detail: 'allow this token to list' }))
  await expect(port.keys(licenseKey)).rejects.toThrow('misconfigured')
  expect(secrets).toEqual([licenseKey])
  expect(told).toEqual(['allow this token to list'])
})
