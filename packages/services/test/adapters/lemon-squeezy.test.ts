import { describe, expect, it } from 'vitest'
import { answerOf, device, listOf, startActivated, startService } from '../faces.ts'

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
  const outcome = await service.validate(request)
  expect(outcome).toMatchObject({
    kind: 'refusal',
    reason: 'expired',
    license: { seatsInUse: 1, seatLimit: 3 },
  })
})

it('reports how many seats are in use before and after a lost answer', async () => {
  const { emulator, service, licenseKey } = await startService('lemon-squeezy')
  const look = async (): Promise<unknown> => service.showLicense?.({ licenseKey })
  expect(await look()).toMatchObject({ kind: 'answer', value: { seatsInUse: 0, plan: 'Pro', isTest: false } })
  emulator.control.faults.inject({ fault: 'cut', operation: 'activate', when: 'after-acting' })
  expect(await service.activate({ licenseKey, ...device })).toMatchObject({ mayHaveActed: true })
  expect(await look()).toMatchObject({ kind: 'answer', value: { seatsInUse: 1 } })
})

it('trusts "valid" with an unknown status, and decides nothing without it', async () => {
  const { emulator, service, request } = await startActivated('lemon-squeezy')
  const fields = { 'license_key.status': 'paused' }
  emulator.control.faults.inject({ fault: 'set-fields', fields, times: 1 })
  expect(await service.validate(request)).toMatchObject({
    kind: 'answer',
    value: { license: { status: null } },
  })
  emulator.control.faults.inject({ fault: 'set-fields', fields: { ...fields, valid: false } })
  expect(await service.validate(request)).toMatchObject({ kind: 'unavailable', cause: 'misconfigured' })
})

it('reads answers whose unneeded fields are missing or of another type', async () => {
  const { emulator, service, licenseKey } = await startService('lemon-squeezy')
  const fields = [
    'license_key.activation_limit',
    'license_key.expires_at',
    'meta.variant_name',
    'instance.name',
  ]
  emulator.control.faults.inject({ fault: 'wrong-types', fields })
  const { license } = answerOf(await service.activate({ licenseKey, ...device }))
  expect(license).toMatchObject({ status: 'active', endsAtMs: null, seatLimit: null, plan: null })
})

it('lists the devices of an ended license, over several pages', async () => {
  const { emulator, vendor, licenseKey, licenseId } = await startService('lemon-squeezy')
  emulator.control.updateLicense(licenseId, { activation_limit: 200 })
  for (let number = 0; number < 130; number += 1) emulator.control.addKey(licenseId, `Device ${number}`)
  emulator.control.expire(licenseId)
  const list = await listOf(vendor, licenseKey)
  expect(list.isWhole).toBe(true)
  expect(list.activations).toHaveLength(130)
})

it('reports a list with an unreadable item as incomplete', async () => {
  const { emulator, vendor, licenseKey, licenseId } = await startService('lemon-squeezy')
  emulator.control.addKey(licenseId, 'A')
  emulator.control.addKey(licenseId, 'B')
  emulator.control.faults.inject({
    fault: 'missing-fields',
    operation: 'keys',
    fields: ['data.0.attributes.identifier'],
  })
  const list = await listOf(vendor, licenseKey)
  expect(list).toMatchObject({ isWhole: false, activations: [{ deviceName: 'B' }] })
})

it('doesn’t list other licenses’ devices when the service ignores the filter', async () => {
  const { emulator, vendor, licenseKey, licenseId } = await startService('lemon-squeezy')
  emulator.control.addKey(licenseId, 'Ours')
  emulator.control.addKey(licenseId, 'Theirs')
  emulator.control.faults.inject({
    fault: 'set-fields',
    operation: 'keys',
    fields: { 'data.1.attributes.license_key_id': 999 },
  })
  const list = await listOf(vendor, licenseKey)
  expect(list).toMatchObject({ isWhole: false, activations: [{ deviceName: 'Ours' }] })
})

it('says what to check if the API key is of another mode or account', async () => {
  const { emulator, vendor, licenseKey, licenseId } = await startService('lemon-squeezy')
  emulator.control.addKey(licenseId, 'A')
  emulator.control.addKey(licenseId, 'B')
  emulator.control.faults.inject({ fault: 'set-fields', operation: 'keys', fields: { data: [] } })
  expect(await vendor.listActivations?.({ licenseKey })).toMatchObject({
    kind: 'unavailable',
    cause: 'unexpected-answer',
    detail: expect.stringMatching(/^apiKey lists none of the seats in use \(2\): check .* mode/u),
  })
})

it('reports a list with fewer devices than the license counts as incomplete', async () => {
  const { emulator, vendor, licenseKey, licenseId } = await startService('lemon-squeezy')
  emulator.control.addKey(licenseId, 'A')
  emulator.control.faults.inject({
    fault: 'set-fields',
    operation: 'validate',
    fields: { 'license_key.activation_usage': 2 },
  })
  const list = await listOf(vendor, licenseKey)
  expect(list).toMatchObject({ isWhole: false, activations: [{ deviceName: 'A' }] })
})

it('knows a list without devices as complete', async () => {
  const { emulator, vendor, licenseKey } = await startService('lemon-squeezy')
  const list = async () => await listOf(vendor, licenseKey)
  expect(await list()).toEqual({ isWhole: true, activations: [] })
  emulator.control.faults.inject({ fault: 'missing-fields', fields: ['license_key.activation_usage'] })
  expect(await list()).toEqual({ isWhole: true, activations: [] })
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

it('takes no answer whose "valid" is unreadable for a refusal', async () => {
  const { emulator, service, request } = await startActivated('lemon-squeezy')
  emulator.control.faults.inject({ fault: 'set-fields', fields: { valid: 1 } })
  const outcome = await service.validate(request)
  expect(outcome).toMatchObject({ kind: 'unavailable' })
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
