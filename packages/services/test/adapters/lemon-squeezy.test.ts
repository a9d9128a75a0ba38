import type { FaultRule } from '@latchkey/emulator'
import {
  activateLicense,
  deactivateLicense,
  lemonSqueezySetup,
  listLicenseKeyInstances,
  validateLicense,
} from '@lemonsqueezy/lemonsqueezy.js'
import { describe, expect, it, vi } from 'vitest'
import {
  activateOn,
  answerOf,
  device,
  type EmulatedService,
  listOf,
  startActivated,
  startService,
} from '../emulated-services.ts'

it('decides nothing about a license whose store is unknown', async () => {
  const { emulator, service, licenseKey, licenseId } = await startService('lemon-squeezy')
  emulator.control.faults.inject({ fault: 'missing-fields', fields: ['meta'] })
  const outcome = await service.activate({ licenseKey, ...device })
  expect(outcome).toMatchObject({ kind: 'unavailable', cause: 'unexpected-answer', mayHaveActed: false })
  expect(emulator.control.keys(licenseId)).toEqual([])
})

it('ignores an answer about another license key', async () => {
  const { emulator, service, licenseKey } = await startService('lemon-squeezy')
  emulator.control.faults.inject({ fault: 'set-fields', fields: { 'license_key.key': 'another' } })
  expect(await service.activate({ licenseKey, ...device })).toMatchObject({ kind: 'unavailable' })
})

it('reads an end without a time as the end of that day', async () => {
  const { emulator, service, request } = await startActivated('lemon-squeezy')
  emulator.control.faults.inject({ fault: 'set-fields', fields: { 'license_key.expires_at': '2099-12-30' } })
  const { license } = answerOf(await service.validate(request))
  expect(license.endsAtMs).toBe(Date.parse('2099-12-31T00:00:00Z'))
})

it.each(['answer', 'refuse'] as const)('reads the body before the status (%s)', async (unusableLicense) => {
  const dialect = { validation: { unusableLicense } }
  const { emulator, service, licenseId, request } = await startActivated('lemon-squeezy', { dialect })
  emulator.control.expire(licenseId)
  const license = { seatsInUse: 1, seatLimit: 3 }
  expect(await service.validate(request)).toMatchObject({ kind: 'refusal', reason: 'expired', license })
})

it('reports how many seats are in use before and after a lost answer', async () => {
  const { emulator, service, licenseKey } = await startService('lemon-squeezy')
  const look = async (): Promise<unknown> => service.showLicense?.({ licenseKey })
  expect(await look()).toMatchObject({ kind: 'answer', value: { seatsInUse: 0, plan: 'Pro', isTest: false } })
  emulator.control.faults.inject({ fault: 'cut', operation: 'activate', when: 'after-acting' })
  expect(await service.activate({ licenseKey, ...device })).toMatchObject({ mayHaveActed: true })
  expect(await look()).toMatchObject({ kind: 'answer', value: { seatsInUse: 1 } })
})

it.each<[what: string, fields: object, outcome: object]>([
  [
    'trusts "valid" with an unknown status',
    { 'license_key.status': 'paused' },
    { kind: 'answer', value: { license: { status: null } } },
  ],
  [
    'decides nothing with an unknown status alone',
    { 'license_key.status': 'paused', valid: false },
    { kind: 'unavailable', cause: 'misconfigured' },
  ],
  ['takes no unreadable "valid" for a refusal', { valid: 1 }, { kind: 'unavailable' }],
])('%s', async (_what, fields, outcome) => {
  const { emulator, service, request } = await startActivated('lemon-squeezy')
  emulator.control.faults.inject({ fault: 'set-fields', fields: { ...fields } })
  expect(await service.validate(request)).toMatchObject(outcome)
})

it('takes a refusal without a reason for no seat', async () => {
  const { emulator, service, licenseKey } = await startService('lemon-squeezy')
  const fields = { activated: false }
  emulator.control.faults.inject({ fault: 'set-fields', operation: 'activate', fields })
  const outcome = await service.activate({ licenseKey, ...device })
  expect(outcome).toMatchObject({ kind: 'unavailable', mayHaveActed: false })
})

it('reads answers whose unneeded fields are missing or of another type', async () => {
  const { emulator, service, licenseKey } = await startService('lemon-squeezy')
  const limits = ['license_key.activation_limit', 'license_key.expires_at']
  const fields = [...limits, 'meta.variant_name', 'instance.name']
  emulator.control.faults.inject({ fault: 'wrong-types', fields })
  const { license } = await activateOn(service, licenseKey)
  expect(license).toMatchObject({ status: 'active', endsAtMs: null, seatLimit: null, plan: null })
})

describe('the list of devices', () => {
  it('of an ended license is read over several pages', async () => {
    const { emulator, vendor, licenseKey, licenseId } = await startService('lemon-squeezy')
    emulator.control.updateLicense(licenseId, { activation_limit: 200 })
    for (let number = 0; number < 130; number += 1) emulator.control.addKey(licenseId, `Device ${number}`)
    emulator.control.expire(licenseId)
    const list = await listOf(vendor, licenseKey)
    expect(list.isWhole).toBe(true)
    expect(list.activations).toHaveLength(130)
  })

  it.each<[why: string, fault: FaultRule, found: readonly string[]]>([
    [
      'an item can’t be read',
      { fault: 'missing-fields', operation: 'keys', fields: ['data.0.attributes.identifier'] },
      ['B'],
    ],
    [
      'the service ignores the filter, and other licenses’ devices are left out',
      { fault: 'set-fields', operation: 'keys', fields: { 'data.1.attributes.license_key_id': 999 } },
      ['A'],
    ],
    [
      'the license counts more',
      { fault: 'set-fields', operation: 'validate', fields: { 'license_key.activation_usage': 3 } },
      ['A', 'B'],
    ],
  ])('is incomplete if %s', async (_why, fault, found) => {
    const { emulator, vendor, licenseKey, licenseId } = await startService('lemon-squeezy')
    for (const name of ['A', 'B']) emulator.control.addKey(licenseId, name)
    emulator.control.faults.inject(fault)
    const { isWhole, activations } = await listOf(vendor, licenseKey)
    expect([isWhole, ...activations.map(({ deviceName }) => deviceName)]).toEqual([false, ...found])
  })

  it('says what to check if the API key is of another mode or account', async () => {
    const { emulator, vendor, licenseKey, licenseId } = await startService('lemon-squeezy')
    for (const name of ['A', 'B']) emulator.control.addKey(licenseId, name)
    emulator.control.faults.inject({ fault: 'set-fields', operation: 'keys', fields: { data: [] } })
    const detail = expect.stringMatching(/^apiKey lists none of the seats in use \(2\): check .* mode/u)
    const blind = { kind: 'unavailable', cause: 'unexpected-answer', detail }
    expect(await vendor.listActivations?.({ licenseKey })).toMatchObject(blind)
  })

  it('is complete without devices', async () => {
    const { emulator, vendor, licenseKey } = await startService('lemon-squeezy')
    expect(await listOf(vendor, licenseKey)).toEqual({ isWhole: true, activations: [] })
    emulator.control.faults.inject({ fault: 'missing-fields', fields: ['license_key.activation_usage'] })
    expect(await listOf(vendor, licenseKey)).toEqual({ isWhole: true, activations: [] })
  })
})

it('links to the page where customers see their devices', async () => {
  const { service } = await startService('lemon-squeezy')
  expect(service.links.customerPortal).toBe('https://app.lemonsqueezy.com/my-orders')
})

it('reports that a seat may be free if the answer was replaced and the service can’t be asked again', async () => {
  const { emulator, service, licenseId, request } = await startActivated('lemon-squeezy')
  const call = {
    fetch: async (sent: Request, init?: RequestInit) => {
      if (!sent.url.endsWith('/deactivate')) return new Response('', { status: 503 })
      await fetch(sent, init)
      return Response.json({})
    },
  }
  const outcome = await service.deactivate(request, call)
  expect(outcome).toMatchObject({ kind: 'unavailable', mayHaveActed: true })
  expect(emulator.control.keys(licenseId)).toEqual([])
})

it('reads that a license is unknown, whatever type the empty fields have', async () => {
  const { service, licenseKey } = await startService('lemon-squeezy')
  const body = { valid: false, error: 'license_key not found.', license_key: [], instance: [], meta: [] }
  const call = { fetch: async () => Response.json(body, { status: 404 }) }
  const refused = { kind: 'refusal', reason: 'unknown-license' }
  expect(await service.showLicense?.({ licenseKey }, call)).toMatchObject(refused)
  expect(await service.validate({ licenseKey, activationId: 'any', ...device }, call)).toMatchObject(refused)
})

describe('a refusal of an instance', () => {
  /** What *validate* and *deactivate* return if only requests about an instance are answered with this. */
  async function outcomesOf(status: number, body: unknown): Promise<readonly unknown[]> {
    const { service, request } = await startActivated('lemon-squeezy')
    const call = {
      fetch: async (sent: Request, init?: RequestInit) =>
        (await sent.clone().text()).includes('instance_id')
          ? Response.json(body, { status })
          : fetch(sent, init),
    }
    return [await service.validate(request, call), await service.deactivate(request, call)]
  }

  // The documentation describes `valid` and `error`, but not what they are for an unknown instance.
  it.each([
    { valid: false },
    { valid: false, error: null },
    { valid: false, error: 'Not found.', license_key: null, instance: null, meta: null },
    { error: 'license_key_instance not found.' },
    // PHP writes an empty object as an empty list.
    { valid: false, error: 'license_key_instance not found.', license_key: [], instance: [], meta: [] },
    { valid: false, error: null, license_key: null, instance: [], meta: null },
    { valid: false, activated: null, deactivated: 0 },
  ])('counts in the service’s form (%j)', async (body) => {
    for (const status of [400, 404]) {
      const expected = expect.objectContaining({ kind: 'refusal', reason: 'unknown-activation' })
      expect(await outcomesOf(status, body)).toEqual([expected, expected])
    }
  })

  const license = { id: 7, status: 'active', key: 'another' }
  it.each([
    [404, { message: 'no Route matched with those values' }],
    [404, { error: 'Not Found', status: 404, path: '/' }],
    [404, { error: 'Cannot POST /v1/licenses/validate' }],
    [404, { error: 'No static resource v1/licenses/deactivate.' }],
    [404, { error: 'Not Found', path: '/v1/licenses/validate', license_key: [] }],
    [400, { errors: [{ status: '400', title: 'Bad Request' }] }],
    [404, { valid: 'no' }],
    [404, {}],
    [404, []],
    [403, { valid: false, error: 'license_key_instance not found.' }],
    [404, { valid: false, error: 'license_key_instance not found.', license_key: license, meta: null }],
  ])('proves nothing from a proxy or about another license (%i %j)', async (status, body) => {
    const expected = expect.objectContaining({ kind: 'unavailable' })
    expect(await outcomesOf(status, body)).toEqual([expected, expected])
  })
})

// Lemon Squeezy's own SDK calls the emulated service. Its address is fixed, so its fetch is redirected. It checks no
// fields at run time: its types say which ones the tests look for.
describe('Lemon Squeezy’s SDK', () => {
  const address = 'https://api.lemonsqueezy.com'

  async function startJudge(): Promise<EmulatedService> {
    const emulated = await startService('lemon-squeezy')
    const { fetch } = globalThis
    vi.stubGlobal('fetch', (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const url = input instanceof Request ? input.url : String(input)
      return url.startsWith(address)
        ? fetch(emulated.emulator.baseUrl + url.slice(address.length), init)
        : fetch(input, init)
    })
    lemonSqueezySetup({ apiKey: 'demo' })
    return emulated
  }

  it('activates, validates, lists and deactivates', async () => {
    const { licenseKey } = await startJudge()
    const { statusCode, data: activated, error } = await activateLicense(licenseKey, 'Laptop')
    expect([statusCode, error]).toEqual([200, null])
    expect(activated).toMatchObject({ activated: true, error: null, instance: { name: 'Laptop' } })
    // These are the fields of the SDK's types.
    expect(activated?.license_key).toMatchObject({
      id: expect.any(Number),
      status: 'active',
      key: licenseKey,
      activation_limit: 3,
      activation_usage: 1,
      expires_at: expect.any(String),
      test_mode: false,
    })
    expect(activated?.meta).toMatchObject({ store_id: 12345, product_id: 67890, variant_name: 'Pro' })
    const instance = { id: activated?.instance?.id ?? '' }
    expect((await validateLicense(licenseKey)).data).toMatchObject({ valid: true, instance: null })
    const validated = await validateLicense(licenseKey, instance.id)
    expect(validated.data).toMatchObject({ valid: true, instance })
    const id = activated?.license_key.id ?? 0
    const listed = await listLicenseKeyInstances({ filter: { licenseKeyId: id }, page: { size: 5 } })
    expect(listed.data?.meta.page).toMatchObject({ currentPage: 1, lastPage: 1, total: 1 })
    const attributes = { identifier: instance.id, license_key_id: id }
    expect(listed.data?.data).toMatchObject([{ attributes }])
    const deactivated = await deactivateLicense(licenseKey, instance.id)
    expect(deactivated.data).toMatchObject({ deactivated: true, error: null })
  })

  it('sees activations made by the adapter, and the adapter sees those of the SDK', async () => {
    const { licenseKey, service } = await startJudge()
    const { activation, request } = await activateOn(service, licenseKey)
    const validated = await validateLicense(licenseKey, activation.id)
    expect(validated.data).toMatchObject({ valid: true, instance: { id: activation.id } })
    const activationId = (await activateLicense(licenseKey, 'Laptop')).data?.instance?.id ?? ''
    expect(await service.validate({ ...request, activationId })).toMatchObject({ kind: 'answer' })
  })

  it('recognizes every refusal', async () => {
    const { emulator, licenseKey, licenseId } = await startJudge()
    const { control } = emulator
    const unknown = await validateLicense('nothing')
    expect([unknown.statusCode, unknown.error?.cause]).toEqual([404, 'license_key not found.'])
    expect((await activateLicense('nothing', 'Laptop')).statusCode).toBe(404)
    expect((await deactivateLicense('nothing', 'nobody')).statusCode).toBe(404)
    const gone = await validateLicense(licenseKey, 'nobody')
    expect([gone.statusCode, gone.data?.valid]).toEqual([404, false])
    expect((await deactivateLicense(licenseKey, 'nobody')).statusCode).toBe(404)
    // The SDK itself refuses a missing field, so it never gets the 422.
    await expect(async () => activateLicense(licenseKey, '')).rejects.toThrow('required parameter')

    control.updateLicense(licenseId, { activation_limit: 0 })
    const full = await activateLicense(licenseKey, 'Laptop')
    const why = 'This license key has reached the activation limit.'
    expect([full.statusCode, full.error?.cause]).toEqual([400, why])
    expect(full.data).toMatchObject({ activated: false, license_key: { activation_limit: 0 } })
    control.updateLicense(licenseId, { activation_limit: 3 })

    for (const [end, status] of [
      ['suspend', 'disabled'],
      ['expire', 'expired'],
    ] as const) {
      control[end](licenseId)
      const license_key = { status }
      expect((await validateLicense(licenseKey)).data).toMatchObject({ valid: false, license_key })
      const refused = await activateLicense(licenseKey, 'Laptop')
      expect(refused.data).toMatchObject({ activated: false, license_key })
      control.reinstate(licenseId)
    }
    expect(control.keys(licenseId)).toEqual([])
  })
})
