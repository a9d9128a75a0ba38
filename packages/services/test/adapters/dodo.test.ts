import type { FaultRule } from '@latchkey/emulator'
import DodoPayments, {
  AuthenticationError,
  NotFoundError,
  PermissionDeniedError,
  UnprocessableEntityError,
} from 'dodopayments'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { dodo } from '../../src/dodo.ts'
import type { LicenseService, ServiceCall } from '../../src/index.ts'
import {
  activateOn,
  answerOf,
  device,
  listOf,
  otherDevice,
  startActivated,
  startService,
} from '../emulated-services.ts'

describe('a license key of another product', () => {
  it('is refused, and its seat is free at once', async () => {
    const { emulator, licenseKey, licenseId } = await startService('dodo')
    const service = dodo({ baseUrl: emulator.baseUrl, productId: 'pdt_other' })
    const refused = { kind: 'refusal', reason: 'wrong-product', leftoverActivationId: null }
    expect(await service.activate({ licenseKey, ...device })).toMatchObject(refused)
    expect(emulator.control.keys(licenseId)).toEqual([])
  })

  it.each<[string, FaultRule]>([
    ['', { fault: 'status', status: 503, operation: 'deactivate' }],
    [', though a proxy sent a success', { fault: 'no-content', operation: 'deactivate' }],
  ])('is refused with the activation that couldn’t be freed%s', async (_how, fault) => {
    const { emulator, licenseKey, licenseId } = await startService('dodo')
    const service = dodo({ baseUrl: emulator.baseUrl, productId: 'pdt_other' })
    emulator.control.faults.inject(fault)
    const leftoverActivationId = expect.stringMatching(/^lki_/)
    const refused = { reason: 'wrong-product', leftoverActivationId }
    expect(await service.activate({ licenseKey, ...device })).toMatchObject(refused)
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })
})

it.each([
  ['offline', () => Promise.reject(new Error('net::ERR_INTERNET_DISCONNECTED')), 'network'],
  ['behind a sign-in page', async () => new Response('<!doctype html><title>Sign in'), 'unexpected-answer'],
  ['told to ask later', async () => new Response('{}', { status: 503 }), 'server-error'],
])('takes no seat and says so when it is %s', async (_, fetch, cause) => {
  const { service, licenseKey } = await startService('dodo')
  const untaken = { kind: 'unavailable', cause, mayHaveActed: false }
  expect(await service.activate({ licenseKey, ...device }, { fetch })).toMatchObject(untaken)
})

it('gives the reason of *activate*, whatever *validate* answered', async () => {
  const { emulator, service, licenseKey, licenseId } = await startService('dodo')
  const activate = (key: string) => service.activate({ licenseKey: key, ...device })
  const unknown = licenseKey.replace(/.$/u, (last) => (last === '0' ? '1' : '0'))
  expect(await activate(unknown)).toMatchObject({ reason: 'unknown-license' })
  emulator.control.suspend(licenseId)
  expect(await activate(licenseKey)).toMatchObject({ reason: 'inactive' })
  emulator.control.reinstate(licenseId)
  emulator.control.faults.inject({ fault: 'status', status: 422, operation: 'validate' })
  expect(await activate(licenseKey)).toMatchObject({ kind: 'answer' })
})

it('distinguishes an activation that is gone from a license that isn’t valid', async () => {
  const { emulator, service, licenseId, request } = await startActivated('dodo')
  emulator.control.suspend(licenseId)
  expect(await service.validate(request)).toMatchObject({ reason: 'inactive' })
  emulator.control.reinstate(licenseId)
  const [key] = emulator.control.keys(licenseId)
  emulator.control.removeKey(licenseId, key?.id ?? '')
  expect(await service.validate(request)).toMatchObject({ reason: 'unknown-activation' })
})

it('reads a 403 to *deactivate* as "gone" only if *validate* confirms it', async () => {
  const { emulator, service, request } = await startActivated('dodo')
  emulator.control.faults.inject({ fault: 'status', status: 403, operation: 'deactivate', times: 1 })
  expect(await service.deactivate(request)).toMatchObject({ kind: 'unavailable', cause: 'access-denied' })
  expect(await service.deactivate(request)).toMatchObject({ kind: 'answer' })
  expect(await service.deactivate(request)).toMatchObject({ reason: 'unknown-activation' })
})

describe.each(['expire', 'suspend'] as const)('the seat of a license that isn’t valid: %s', (end) => {
  async function startEnded() {
    const emulated = await startActivated('dodo')
    emulated.emulator.control[end](emulated.licenseId)
    return emulated
  }

  it.each([
    [403, '{"code":"INACTIVE_LICENSE_KEY","message":"License key is not active"}'],
    [403, '{"message":"Forbidden"}'],
    [200, ''],
  ])('isn’t reported as free after a %i: %s', async (status, body) => {
    const { emulator, service, vendor, request, licenseId } = await startEnded()
    /** Answers *deactivate* in place of the service, which then doesn't free the seat. */
    const answering: ServiceCall = {
      fetch: async (sent, init) =>
        new URL(sent.url).pathname === '/licenses/deactivate'
          ? new Response(body, { status })
          : fetch(sent, init),
    }
    for (const adapter of [service, vendor]) {
      const outcome = await adapter.deactivate(request, answering)
      expect(outcome.kind).not.toBe('answer')
      expect(outcome).not.toMatchObject({ reason: 'unknown-activation' })
      if (status === 200) expect(outcome).toMatchObject({ kind: 'unavailable', mayHaveActed: true })
    }
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })

  it('is freed with the vendor’s key', async () => {
    const { vendor, request } = await startEnded()
    expect(await vendor.deactivate(request)).toMatchObject({ kind: 'answer' })
    expect(await vendor.deactivate(request)).toMatchObject({ reason: 'unknown-activation' })
  })
})

it('reports the product as the plan at an activation, which a check doesn’t repeat', async () => {
  const { emulator, service, license, request } = await startActivated('dodo')
  expect(license.plan).toBe(emulator.settings['productId'])
  expect(answerOf(await service.validate(request)).license.plan).toBeNull()
})

describe('with the vendor’s key', () => {
  it('knows the end and the seats, from the activation on', async () => {
    const { emulator, service, vendor, licenseKey, licenseId } = await startService('dodo')
    const endsAtMs = Date.parse(emulator.control.license(licenseId).expires_at ?? '')
    const { license } = await activateOn(vendor, licenseKey)
    const product = emulator.settings['productId']
    const told = { status: 'active', endsAtMs, seatLimit: 3, seatsInUse: 1 }
    expect(license).toMatchObject({ ...told, product, plan: product })
    const nothing = { status: null, endsAtMs: null, seatLimit: null, seatsInUse: null }
    expect(await service.showLicense?.({ licenseKey })).toMatchObject({ kind: 'answer', value: nothing })
    expect(await vendor.showLicense?.({ licenseKey })).toMatchObject({ kind: 'answer', value: told })
    emulator.control.suspend(licenseId)
    expect(await vendor.showLicense?.({ licenseKey })).toMatchObject({ value: { status: 'suspended' } })
  })

  it.each<[string, FaultRule]>([
    ['can’t be read', { fault: 'status', status: 503, operation: 'key' }],
    ['is another one', { fault: 'set-fields', fields: { id: 'lic_other' }, operation: 'key' }],
  ])('stays activated if the license %s afterwards', async (_what, fault) => {
    const { emulator, vendor, licenseKey, licenseId } = await startService('dodo')
    emulator.control.faults.inject(fault)
    const { license } = await activateOn(vendor, licenseKey)
    expect(license).toMatchObject({ status: null, endsAtMs: null, seatLimit: null })
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })

  it.each([
    ['gives the seat back', undefined, 0],
    ['reports that a seat may be taken', 503, 1],
  ])('%s if the license has a status that is new', async (_what, status, seats) => {
    const { emulator, vendor, licenseKey, licenseId } = await startService('dodo')
    if (status !== undefined)
      emulator.control.faults.inject({ fault: 'status', status, operation: 'deactivate' })
    emulator.control.faults.inject({ fault: 'set-fields', fields: { status: 'paused' } })
    const outcome = await vendor.activate({ licenseKey, ...device })
    expect(outcome).toMatchObject({ kind: 'unavailable', cause: 'misconfigured', mayHaveActed: seats > 0 })
    expect(emulator.control.keys(licenseId)).toHaveLength(seats)
  })

  it.each<[string, FaultRule, boolean]>([
    ['no status', { fault: 'missing-fields', fields: ['status'] }, true],
    ['an empty status', { fault: 'set-fields', fields: { status: null } }, true],
    ['a status that is new', { fault: 'set-fields', fields: { status: 'paused' } }, false],
  ])('goes on with a license of %s while the service calls it valid', async (_what, fault, takesDevices) => {
    const { emulator, vendor, licenseKey, licenseId, request } = await startActivated('dodo', {}, 'vendor')
    emulator.control.faults.inject(fault)
    expect(answerOf(await vendor.validate(request)).license.status).toBeNull()
    const another = await vendor.activate({ licenseKey, ...otherDevice })
    expect(another.kind).toBe(takesDevices ? 'answer' : 'unavailable')
    emulator.control.suspend(licenseId)
    expect(await vendor.validate(request)).toMatchObject({ kind: 'refusal', reason: 'inactive' })
  })

  it('reports the activation’s device and why its license isn’t valid', async () => {
    const { emulator, vendor, licenseId, activation, request } = await startActivated('dodo', {}, 'vendor')
    // The device that asks isn't necessarily the activated one.
    const asked = { ...request, fingerprint: otherDevice.fingerprint }
    const { license, activation: shown } = answerOf(await vendor.validate(asked))
    expect(shown).toMatchObject({ ...device, id: activation.id })
    expect(license).toMatchObject({ status: 'active', seatLimit: 3, product: 'pdt_0NVz1J3QmL2' })
    emulator.control.suspend(licenseId)
    expect(await vendor.validate(asked)).toMatchObject({ kind: 'refusal', reason: 'suspended' })
    emulator.control.reinstate(licenseId)
    emulator.control.expire(licenseId)
    expect(await vendor.validate(asked)).toMatchObject({ kind: 'refusal', reason: 'expired' })
  })

  it('accepts no device of another license', async () => {
    const { emulator, vendor, request } = await startActivated('dodo', {}, 'vendor')
    const other = emulator.control.createLicense()
    const licenseKey = `Inkwell-${other.id.replaceAll('-', '').slice(0, 20).toUpperCase()}`
    const refused = { kind: 'refusal', reason: 'unknown-activation' }
    expect(await vendor.validate({ ...request, licenseKey })).toMatchObject(refused)
  })

  it('finds a license on a later page', async () => {
    const { emulator, vendor, licenseKey, licenseId } = await startService('dodo')
    for (let number = 0; number < 120; number += 1) emulator.control.createLicense()
    expect(emulator.control.licenses().at(-1)?.id).not.toBe(licenseId)
    const unknown = { reason: 'unknown-license' }
    expect(await vendor.listActivations?.({ licenseKey: 'unknown' })).toMatchObject(unknown)
    expect(await vendor.listActivations?.({ licenseKey })).toMatchObject({ kind: 'answer' })
  })

  it.each<[what: string, operation: 'keys' | 'key', fields: object, devices: readonly object[]]>([
    ['the service ignores the filter', 'keys', { 'items.0.license_key_id': 'lic_other' }, []],
    ['it is shorter than the license says', 'key', { 'items.0.instances_count': 2 }, [{ deviceName: 'A' }]],
  ])('reports a list as incomplete if %s', async (_what, operation, fields, activations) => {
    const { emulator, vendor, licenseKey, licenseId } = await startService('dodo')
    emulator.control.addKey(licenseId, 'A')
    emulator.control.faults.inject({ fault: 'set-fields', operation, fields: { ...fields } })
    const list = await listOf(vendor, licenseKey)
    expect(list).toMatchObject({ isWhole: false })
    expect(list.activations).toMatchObject(activations)
  })
})

describe('the list of licenses', () => {
  const productId = 'pdt_0123456789'
  const pageSize = 100

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  interface Wire {
    readonly service: LicenseService
    readonly call: ServiceCall
    /** The license keys at the service, in its order. */
    readonly keys: string[]
    /** The requests so far, as paths. */
    readonly requests: string[]
    /** Answers in place of the service, for as long as it is set. */
    proxy: ((path: string) => Response | undefined) | undefined
    reason(licenseKey: string): Promise<string>
  }

  /** A service in the format of the vendor's API. */
  function startWire(count: number, answerMs = 20): Wire {
    const keys = Array.from({ length: count }, (_, index) => `KEY-${index}-AAAA-BBBB`)
    const requests: string[] = []
    const licenseOf = (key: string) => ({ id: `lic_${key}`, key, status: 'active' })
    const isNew = (key: string): boolean => key.startsWith('NEW-')
    const answerTo = (path: string, query: URLSearchParams): object => {
      if (path === '/license_key_instances') return { items: [] }
      const id = /^\/license_keys\/lic_(.+)$/u.exec(path)?.[1]
      if (id !== undefined) return { ...licenseOf(id), product_id: productId }
      const newer = query.get('created_at_gte')
      if (newer !== null) expect(Date.parse(newer)).toBeLessThan(Date.now())
      const listed = newer === null ? keys : keys.filter(isNew)
      const from = Number(query.get('page_number')) * pageSize
      return { items: listed.slice(from, from + pageSize).map(licenseOf) }
    }
    const wire: Wire = {
      service: dodo({ productId, apiKey: 'the-vendors-secret' }),
      call: {
        async fetch({ url }) {
          const { pathname, searchParams } = new URL(url)
          requests.push(pathname)
          await new Promise((resolve) => setTimeout(resolve, answerMs))
          return wire.proxy?.(pathname) ?? Response.json(answerTo(pathname, searchParams))
        },
      },
      keys,
      requests,
      proxy: undefined,
      async reason(licenseKey) {
        const outcome = await finish(wire.service.listActivations?.({ licenseKey }, wire.call))
        if (outcome?.kind === 'refusal') return outcome.reason
        return outcome?.kind === 'unavailable' ? outcome.cause : 'listed'
      },
    }
    return wire
  }

  /** Lets time pass until a call has ended. How long its code takes to load isn't known. */
  async function finish<Outcome>(call: Promise<Outcome> | undefined): Promise<Outcome | undefined> {
    let isDone = false
    void call?.finally(() => {
      isDone = true
    })
    while (!isDone) {
      await vi.advanceTimersByTimeAsync(10)
      // What isn't a timer may take its time, too.
      await new Promise((resolve) => setImmediate(resolve))
    }
    return await call
  }

  const pages = (requests: readonly string[]): number =>
    requests.filter((path) => path === '/license_keys').length

  it('reads its list once for many made-up license keys, and then only what is newer', async () => {
    const { requests, reason } = startWire(350)
    const together = Array.from({ length: 40 }, (_, index) => reason(`MADE-UP-${index}-AAAA`))
    expect(new Set(await Promise.all(together))).toEqual(new Set(['unknown-license']))
    for (let index = 0; index < 40; index += 1) await reason(`LATER-${index}-AAAA-BBBB`)
    expect(pages(requests)).toBe(5 + 79)
  })

  it('reads all of a long list at most every ten minutes', async () => {
    const { requests, reason } = startWire(5_000)
    for (let minute = 0; minute < 11; minute += 1) {
      expect(await reason(`MADE-UP-${minute}-AAAA`)).toBe('unknown-license')
      await vi.advanceTimersByTimeAsync(60_000)
    }
    // All 50 pages and the empty one behind them, twice.
    expect(pages(requests)).toBe(51 + 9 + 51)
  })

  it('reads a list that is too long for it once, and calls no license of it unknown', async () => {
    const { requests, reason } = startWire(20_100)
    for (const key of ['KEY-20050-AAAA-BBBB', 'MADE-UP-1-AAAA'])
      expect(await reason(key)).toBe('unexpected-answer')
    expect(pages(requests)).toBe(200 + 1)
  })

  it('finds a new license at once, without reading all of a long list', async () => {
    const { requests, reason, keys } = startWire(5_000)
    await reason('MADE-UP-0-AAAA-BBBB')
    keys.splice(2_000, 0, 'NEW-CUSTOMER-AAAA')
    const before = pages(requests)
    expect(await reason('NEW-CUSTOMER-AAAA')).toBe('listed')
    expect(pages(requests) - before).toBe(1)
  })

  it('asks for a license that it has seen by its ID', async () => {
    const { requests, reason, keys } = startWire(350)
    expect(await reason(keys[340] ?? '')).toBe('listed')
    expect(await reason(keys[10] ?? '')).toBe('listed')
    expect(pages(requests)).toBe(4)
    expect(requests).toContain(`/license_keys/lic_${keys[10]}`)
  })

  it('finds a new license key for a call that waits for the walk of another one', async () => {
    const { reason, keys } = startWire(350)
    const first = reason('MADE-UP-0-AAAA-BBBB')
    expect(await reason(keys[120] ?? '')).toBe('listed')
    expect(await first).toBe('unknown-license')
  })

  it('doesn’t call a license unknown that it has seen, if a proxy hides it for a moment', async () => {
    const wire = startWire(150)
    await wire.reason('MADE-UP-0-AAAA-BBBB')
    wire.proxy = (path) =>
      path.startsWith('/license_keys/') ? Response.json({ code: 'NOT_FOUND' }, { status: 404 }) : undefined
    expect(await wire.reason(wire.keys[3] ?? '')).toBe('not-found')
    wire.proxy = undefined
    expect(await wire.reason(wire.keys[3] ?? '')).toBe('listed')
  })

  it('tells a failure to those who waited for it, and asks again for the next one', async () => {
    const wire = startWire(150)
    wire.proxy = () => new Response('busy', { status: 503 })
    const both = [wire.reason('MADE-UP-0-AAAA-BBBB'), wire.reason(wire.keys[140] ?? '')]
    expect(await Promise.all(both)).toEqual(['server-error', 'server-error'])
    // One walk, whose request is repeated once.
    expect(pages(wire.requests)).toBe(2)
    wire.proxy = undefined
    expect(await wire.reason(wire.keys[140] ?? '')).toBe('listed')
  })

  it('doesn’t wait for the walk of a call that was canceled', async () => {
    const wire = startWire(150)
    const controller = new AbortController()
    const { signal } = controller
    const canceled = wire.service.listActivations?.({ licenseKey: 'MADE-UP' }, { ...wire.call, signal })
    const waiting = wire.reason(wire.keys[140] ?? '')
    controller.abort()
    expect(await canceled).toMatchObject({ kind: 'unavailable', cause: 'cancelled' })
    expect(await waiting).toBe('listed')
  })

  it('takes over from a walk that doesn’t go on', async () => {
    const wire = startWire(150)
    const hanging: ServiceCall = { fetch: () => new Promise(() => {}), timeoutMs: 3_600_000 }
    void wire.service.listActivations?.({ licenseKey: 'MADE-UP-0-AAAA' }, hanging)
    expect(await wire.reason(wire.keys[140] ?? '')).toBe('listed')
  })
})

// Dodo Payments' own SDK calls the emulated service. It checks nothing at run time, so the tests check its types' fields.
describe('Dodo Payments’ SDK', () => {
  async function startJudge() {
    const emulated = await startService('dodo')
    const clientOf = (bearerToken: string) =>
      new DodoPayments({ baseURL: emulated.emulator.baseUrl, bearerToken, maxRetries: 0 })
    return {
      ...emulated,
      license_key: emulated.licenseKey,
      sdk: clientOf('demo'),
      stranger: clientOf('wrong'),
    }
  }

  it('activates, validates, lists and deactivates', async () => {
    const { sdk, license_key, emulator } = await startJudge()
    const activated = await sdk.licenses.activate({ license_key, name: 'Laptop' })
    const { id, business_id, created_at, customer, license_key_id, name, product } = activated
    for (const text of [id, business_id, created_at, customer.customer_id, customer.email, license_key_id]) {
      expect(text).toEqual(expect.any(String))
    }
    expect([name, product.product_id]).toEqual(['Laptop', emulator.settings['productId']])
    const request = { license_key, license_key_instance_id: id }
    expect(await sdk.licenses.validate(request)).toEqual({ valid: true })
    const keys: DodoPayments.LicenseKey[] = []
    for await (const key of sdk.licenseKeys.list()) keys.push(key)
    for await (const key of sdk.licenseKeys.list({ created_at_gte: '2999-01-01T00:00:00Z' })) keys.push(key)
    const listed = { id: license_key_id, key: license_key, status: 'active', instances_count: 1 }
    expect(keys).toMatchObject([listed])
    const shown = await sdk.licenseKeys.retrieve(license_key_id)
    expect(shown).toMatchObject({ activations_limit: 3, source: 'auto' })
    const instances: DodoPayments.LicenseKeyInstance[] = []
    for await (const instance of sdk.licenseKeyInstances.list({ license_key_id })) instances.push(instance)
    expect(instances).toEqual([{ id, business_id, created_at, license_key_id, name }])
    expect(await sdk.licenseKeyInstances.retrieve(id)).toEqual(instances[0])
    await sdk.licenses.deactivate(request)
    expect(await sdk.licenses.validate(request)).toEqual({ valid: false })
  })

  it('sees activations made by the adapter, and the adapter sees those of the SDK', async () => {
    const { sdk, service, license_key } = await startJudge()
    const { activation, request } = await activateOn(service, license_key)
    const ours = { license_key, license_key_instance_id: activation.id }
    expect(await sdk.licenses.validate(ours)).toEqual({ valid: true })
    const { id: activationId } = await sdk.licenses.activate({ license_key, name: 'Laptop' })
    expect(await service.validate({ ...request, activationId })).toMatchObject({ kind: 'answer' })
  })

  it('recognizes every refusal', async () => {
    const { sdk, stranger, emulator, license_key, licenseId } = await startJudge()
    const { control } = emulator
    async function expectRefused(
      call: Promise<unknown>,
      kind: new (...args: never[]) => Error,
      code?: string,
    ): Promise<void> {
      const thrown = await call.catch((reason: unknown) => reason)
      expect(thrown).toBeInstanceOf(kind)
      if (code !== undefined) expect(thrown).toMatchObject({ error: { code } })
    }
    const activate = (key = license_key, name = 'Laptop') => sdk.licenses.activate({ license_key: key, name })
    const validate = (key = license_key) => sdk.licenses.validate({ license_key: key })
    const deactivate = (key = license_key) =>
      sdk.licenses.deactivate({ license_key: key, license_key_instance_id: 'lki_nobody' })
    await expectRefused(activate('nothing'), NotFoundError, 'LICENSE_KEY_NOT_FOUND')
    await expectRefused(activate(license_key, ''), UnprocessableEntityError)
    expect(await validate('nothing')).toEqual({ valid: false })
    await expectRefused(validate(''), UnprocessableEntityError)
    await expectRefused(deactivate(), PermissionDeniedError)
    await expectRefused(deactivate('nothing'), NotFoundError)
    await expectRefused(stranger.licenseKeys.retrieve('lic_any'), AuthenticationError)
    for (const end of ['expire', 'suspend'] as const) {
      control[end](licenseId)
      await expectRefused(activate(), PermissionDeniedError, 'INACTIVE_LICENSE_KEY')
      expect(await validate()).toEqual({ valid: false })
      control.updateLicense(licenseId, { expires_at: null })
    }
    control.reinstate(licenseId)
    control.updateLicense(licenseId, { activation_limit: 0 })
    await expectRefused(activate(), UnprocessableEntityError, 'LICENSE_KEY_LIMIT_REACHED')
  })
})
