import type { FaultRule } from '@latchkey/emulator'
import { expect, it } from 'vitest'
import { dodo } from '../../src/dodo.ts'
import type { ServiceCall } from '../../src/index.ts'
import { answerOf, device, listOf, otherDevice, startActivated, startService } from '../faces.ts'

it('frees the seat at once when the license key belongs to another product', async () => {
  const { emulator, licenseKey, licenseId } = await startService('dodo')
  const service = dodo({ baseUrl: emulator.baseUrl, productId: 'pdt_other' })
  expect(await service.activate({ licenseKey, ...device })).toMatchObject({
    kind: 'refusal',
    reason: 'wrong-product',
    leftoverActivationId: null,
  })
  expect(emulator.control.keys(licenseId)).toEqual([])
})

it.each<[string, FaultRule]>([
  ['', { fault: 'status', status: 503, operation: 'deactivate' }],
  [', though a proxy sent a success', { fault: 'no-content', operation: 'deactivate' }],
])('reports the activation that it couldn’t free%s', async (_how, fault) => {
  const { emulator, licenseKey, licenseId } = await startService('dodo')
  const service = dodo({ baseUrl: emulator.baseUrl, productId: 'pdt_other' })
  emulator.control.faults.inject(fault)
  expect(await service.activate({ licenseKey, ...device })).toMatchObject({
    reason: 'wrong-product',
    leftoverActivationId: expect.stringMatching(/^lki_/),
  })
  expect(emulator.control.keys(licenseId)).toHaveLength(1)
})

it.each([
  ['offline', () => Promise.reject(new Error('net::ERR_INTERNET_DISCONNECTED')), 'network'],
  ['behind a sign-in page', async () => new Response('<!doctype html><title>Sign in'), 'unexpected-answer'],
  ['told to ask later', async () => new Response('{}', { status: 503 }), 'server-error'],
])('takes no seat and says so when it is %s', async (_, fetch, cause) => {
  const { service, licenseKey } = await startService('dodo')
  expect(await service.activate({ licenseKey, ...device }, { fetch })).toMatchObject({
    kind: 'unavailable',
    cause,
    mayHaveActed: false,
  })
})

it('gives the reason of *activate*, whatever *validate* answered', async () => {
  const { emulator, service, licenseKey, licenseId } = await startService('dodo')
  const unknown = licenseKey.replace(/.$/u, (last) => (last === '0' ? '1' : '0'))
  expect(await service.activate({ licenseKey: unknown, ...device })).toMatchObject({
    reason: 'unknown-license',
  })
  emulator.control.suspend(licenseId)
  expect(await service.activate({ licenseKey, ...device })).toMatchObject({ reason: 'inactive' })
  emulator.control.reinstate(licenseId)
  emulator.control.faults.inject({ fault: 'status', status: 422, operation: 'validate' })
  expect(await service.activate({ licenseKey, ...device })).toMatchObject({ kind: 'answer' })
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

/** Answers *deactivate* in place of the service, which then doesn't free the seat. */
const answeringDeactivate = (status: number, body: string): ServiceCall => ({
  fetch: async (request, init) =>
    new URL(request.url).pathname === '/licenses/deactivate'
      ? new Response(body, { status })
      : fetch(request, init),
})

/** Activates a device of a license that is then expired or disabled. */
async function activateThenEnd(state: 'expired' | 'disabled') {
  const onFace = await startActivated('dodo')
  onFace.emulator.control[state === 'expired' ? 'expire' : 'suspend'](onFace.licenseId)
  return onFace
}

it.each([
  ['expired', '{"code":"INACTIVE_LICENSE_KEY","message":"License key is not active"}'],
  ['disabled', '{"message":"Forbidden"}'],
] as const)(
  'doesn’t report the seat of a license that is %s as free after a 403: %s',
  async (state, body) => {
    const { service, vendor, request } = await activateThenEnd(state)
    for (const adapter of [service, vendor]) {
      const outcome = await adapter.deactivate(request, answeringDeactivate(403, body))
      expect(outcome.kind).not.toBe('answer')
      expect(outcome).not.toMatchObject({ reason: 'unknown-activation' })
    }
  },
)

it.each(['expired', 'disabled'] as const)(
  'doesn’t report the seat of a license that is %s as free after an empty success',
  async (state) => {
    const { emulator, service, vendor, request, licenseId } = await activateThenEnd(state)
    for (const adapter of [service, vendor]) {
      const outcome = await adapter.deactivate(request, answeringDeactivate(200, ''))
      expect(outcome).toMatchObject({ kind: 'unavailable', mayHaveActed: true })
    }
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  },
)

it('with the vendor’s key, frees the seat of a license that isn’t valid', async () => {
  const { vendor, request } = await activateThenEnd('expired')
  expect(await vendor.deactivate(request)).toMatchObject({ kind: 'answer' })
  expect(await vendor.deactivate(request)).toMatchObject({ reason: 'unknown-activation' })
})

it('knows the end and the seats only with the vendor’s key', async () => {
  const { emulator, service, vendor, licenseKey, licenseId } = await startService('dodo')
  await service.activate({ licenseKey, ...device })
  const nothing = { status: null, endsAtMs: null, seatLimit: null, seatsInUse: null }
  expect(await service.showLicense?.({ licenseKey })).toMatchObject({ kind: 'answer', value: nothing })
  const end = Date.parse(emulator.control.license(licenseId).expires_at ?? '')
  const told = { status: 'active', endsAtMs: end, seatLimit: 3, seatsInUse: 1 }
  expect(await vendor.showLicense?.({ licenseKey })).toMatchObject({ kind: 'answer', value: told })
  emulator.control.suspend(licenseId)
  expect(await vendor.showLicense?.({ licenseKey })).toMatchObject({ value: { status: 'suspended' } })
})

it('with the vendor’s key, knows the end and the seats from the activation on', async () => {
  const { emulator, vendor, licenseKey, licenseId } = await startService('dodo')
  const endsAtMs = Date.parse(emulator.control.license(licenseId).expires_at ?? '')
  const { license } = answerOf(await vendor.activate({ licenseKey, ...device }))
  const product = emulator.settings['productId']
  const expected = { status: 'active', endsAtMs, seatLimit: 3, seatsInUse: 1, product, plan: product }
  expect(license).toMatchObject(expected)
})

it.each<[string, FaultRule]>([
  ['can’t be read', { fault: 'status', status: 503, operation: 'key' }],
  ['is another one', { fault: 'set-fields', fields: { id: 'lic_other' }, operation: 'key' }],
])('with the vendor’s key, stays activated if the license %s afterwards', async (_what, fault) => {
  const { emulator, vendor, licenseKey, licenseId } = await startService('dodo')
  emulator.control.faults.inject(fault)
  const { license } = answerOf(await vendor.activate({ licenseKey, ...device }))
  expect(license).toMatchObject({ status: null, endsAtMs: null, seatLimit: null })
  expect(emulator.control.keys(licenseId)).toHaveLength(1)
})

it.each([
  ['gives the seat back', undefined, 0],
  ['reports that a seat may be taken', 503, 1],
])('with the vendor’s key, %s if the license has a status that is new', async (_what, status, seats) => {
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
])(
  'with the vendor’s key, goes on with a license of %s while the service calls it valid',
  async (_what, fault, takesDevices) => {
    const { emulator, vendor, licenseKey, licenseId } = await startService('dodo')
    const { activation } = answerOf(await vendor.activate({ licenseKey, ...device }))
    emulator.control.faults.inject(fault)
    const request = { licenseKey, activationId: activation.id, ...device }
    expect(answerOf(await vendor.validate(request)).license.status).toBeNull()
    const another = await vendor.activate({ licenseKey, ...otherDevice })
    expect(another.kind).toBe(takesDevices ? 'answer' : 'unavailable')
    emulator.control.suspend(licenseId)
    expect(await vendor.validate(request)).toMatchObject({ kind: 'refusal', reason: 'inactive' })
  },
)

it('finds a license on a later page', async () => {
  const { emulator, vendor, licenseKey, licenseId } = await startService('dodo')
  for (let number = 0; number < 120; number += 1) emulator.control.createLicense()
  const last = emulator.control.licenses().at(-1)
  expect(last?.id).not.toBe(licenseId)
  expect(await vendor.listActivations?.({ licenseKey: 'unknown' })).toMatchObject({
    reason: 'unknown-license',
  })
  expect(await vendor.listActivations?.({ licenseKey })).toMatchObject({ kind: 'answer' })
})

it('doesn’t list other licenses’ devices when the service ignores the filter', async () => {
  const { emulator, vendor, licenseKey, licenseId } = await startService('dodo')
  emulator.control.addKey(licenseId, 'Ours')
  emulator.control.faults.inject({
    fault: 'set-fields',
    operation: 'keys',
    fields: { 'items.0.license_key_id': 'lic_other' },
  })
  const list = await listOf(vendor, licenseKey)
  expect(list).toEqual({ activations: [], isWhole: false })
})

it('reports a list with fewer devices than the license counts as incomplete', async () => {
  const { emulator, vendor, licenseKey, licenseId } = await startService('dodo')
  emulator.control.addKey(licenseId, 'A')
  emulator.control.faults.inject({
    fault: 'set-fields',
    operation: 'key',
    fields: { 'items.0.instances_count': 2 },
  })
  const list = await listOf(vendor, licenseKey)
  expect(list).toMatchObject({ isWhole: false, activations: [{ deviceName: 'A' }] })
})

it('with the vendor’s key, reports the activation’s device and why its license isn’t valid', async () => {
  const { emulator, vendor, licenseKey, licenseId } = await startService('dodo')
  const { activation } = answerOf(await vendor.activate({ licenseKey, ...device }))
  // The device that asks isn't necessarily the activated one.
  const asked = { licenseKey, activationId: activation.id, fingerprint: 'fedcba9876543210' }
  const { license, activation: shown } = answerOf(await vendor.validate(asked))
  expect(shown).toMatchObject({ ...device, id: activation.id })
  expect(license).toMatchObject({ status: 'active', seatLimit: 3, product: 'pdt_0NVz1J3QmL2' })
  emulator.control.suspend(licenseId)
  expect(await vendor.validate(asked)).toMatchObject({ kind: 'refusal', reason: 'suspended' })
  emulator.control.reinstate(licenseId)
  emulator.control.expire(licenseId)
  expect(await vendor.validate(asked)).toMatchObject({ kind: 'refusal', reason: 'expired' })
})

it('with the vendor’s key, accepts no device of another license', async () => {
  const { emulator, vendor, licenseKey } = await startService('dodo')
  const { activation } = answerOf(await vendor.activate({ licenseKey, ...device }))
  const other = emulator.control.createLicense()
  const id = other.id.replaceAll('-', '').slice(0, 20).toUpperCase()
  const request = { licenseKey: `Inkwell-${id}`, activationId: activation.id, ...device }
  expect(await vendor.validate(request)).toMatchObject({ kind: 'refusal', reason: 'unknown-activation' })
})

it('reports the product as the plan at an activation, which a check doesn’t repeat', async () => {
  const { emulator, service, license, request } = await startActivated('dodo')
  expect(license.plan).toBe(emulator.settings['productId'])
  const validated = await service.validate(request)
  expect(answerOf(validated).license.plan).toBeNull()
})
