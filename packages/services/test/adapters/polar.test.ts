import type { Emulator, FaultRule } from '@latchkey/emulator'
import { describe, expect, it } from 'vitest'
import { polar } from '../../src/polar.ts'
import { answerOf, device, listOf, otherDevice, startActivated, startService } from '../faces.ts'

/** The adapter as an app creates it. */
function adapterOf({ baseUrl, settings }: Emulator, hasBenefit: boolean) {
  const { organizationId = '', benefitId } = settings
  return polar({ baseUrl, organizationId, ...(hasBenefit && { benefitId }) })
}

it('accepts an activation only from the device that made it', async () => {
  const { service, licenseKey, activation } = await startActivated('polar')
  const copied = { licenseKey, activationId: activation.id, ...otherDevice }
  expect(await service.validate(copied)).toMatchObject({
    kind: 'refusal',
    reason: 'unknown-activation',
    isOtherDevices: true,
  })
})

it('shows the device’s name and fingerprint in the customer portal', async () => {
  const { emulator, service, licenseKey } = await startService('polar')
  await service.activate({ licenseKey, ...device })
  const sent = emulator.control.requests().find(({ operation }) => operation === 'activate')
  expect(sent?.body).toMatchObject({
    label: `${device.deviceName} [${device.fingerprint}]`,
    conditions: { device: device.fingerprint },
    meta: { device: device.fingerprint },
  })
})

describe('under Polar’s limit of three requests a second', () => {
  it('activates, and then validates, without being blocked', async () => {
    const { service, request } = await startActivated('polar', { rateLimits: true })
    const outcome = await service.validate(request)
    expect(outcome.kind).toBe('answer')
  })

  it.each(['with', 'without'])(
    'activates again, %s `benefitId`, after the seat was freed in the portal',
    async (which) => {
      const { emulator, licenseKey, licenseId } = await startService('polar', { rateLimits: true })
      const service = adapterOf(emulator, which === 'with')
      const key = emulator.control.addKey(licenseId, 'Laptop')
      emulator.control.removeKey(licenseId, key.id)
      const validated = await service.validate({ licenseKey, activationId: key.id, ...device })
      expect(validated).toMatchObject({ reason: 'unknown-activation' })
      expect(await service.activate({ licenseKey, ...device })).toMatchObject({ kind: 'answer' })
    },
  )

  it.each(['activate', 'validate', 'deactivate'] as const)(
    '*%s* sends two requests at most',
    async (verb) => {
      const { emulator, service, licenseId, activation, request } = await startActivated('polar')
      for (const isGone of [false, true]) {
        const isThere = emulator.control.keys(licenseId).some(({ id }) => id === activation.id)
        if (isGone && isThere) emulator.control.removeKey(licenseId, activation.id)
        emulator.control.clearRequests()
        await service[verb](request)
        expect(emulator.control.requests().length).toBeLessThanOrEqual(2)
      }
    },
  )

  it('reports that it was blocked, and for how long', async () => {
    const { service, licenseKey } = await startService('polar', { rateLimits: true })
    const asked = await Promise.all([1, 2, 3, 4].map(() => service.showLicense?.({ licenseKey })))
    expect(asked).toContainEqual(
      expect.objectContaining({ kind: 'unavailable', cause: 'rate-limited', retryAfterMs: 60_000 }),
    )
  })
})

it('reports that the benefit has no activations', async () => {
  const { emulator, service, licenseKey, licenseId } = await startService('polar')
  emulator.control.updateLicense(licenseId, { activation_limit: 0 })
  expect(await service.activate({ licenseKey, ...device })).toMatchObject({
    kind: 'unavailable',
    cause: 'misconfigured',
    mayHaveActed: false,
    detail: expect.stringContaining('activation limit'),
  })
})

it('frees a seat of an ended license', async () => {
  const { emulator, service, licenseId, request } = await startActivated('polar')
  emulator.control.expire(licenseId)
  expect(await service.deactivate(request)).toMatchObject({ kind: 'answer' })
  expect(await service.deactivate(request)).toMatchObject({ reason: 'unknown-activation' })
})

it('doesn’t take a 204 for a freed seat if the service still has the activation', async () => {
  const { emulator, service, licenseKey, licenseId, activation } = await startActivated('polar')
  // The app asks with a new fingerprint, and a proxy sends the 204.
  const request = { licenseKey, activationId: activation.id, ...otherDevice }
  emulator.control.faults.inject({ fault: 'no-content', operation: 'deactivate', times: 1 })
  expect(await service.deactivate(request)).toMatchObject({
    kind: 'unavailable',
    cause: 'unexpected-answer',
    mayHaveActed: true,
  })
  expect(emulator.control.keys(licenseId)).toHaveLength(1)
  expect(await service.deactivate(request)).toMatchObject({ kind: 'answer' })
})

it.each(['expired', 'suspended'] as const)(
  'doesn’t take a 204 for a freed seat of a license that is %s',
  async (state) => {
    const { emulator, service, vendor, licenseId, request } = await startActivated('polar')
    emulator.control[state === 'expired' ? 'expire' : 'suspend'](licenseId)
    for (const adapter of [service, vendor]) {
      emulator.control.faults.inject({ fault: 'no-content', operation: 'deactivate', times: 2 })
      expect(await adapter.deactivate(request)).toMatchObject({
        kind: 'unavailable',
        cause: 'unexpected-answer',
        mayHaveActed: true,
      })
    }
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
    expect(await service.deactivate(request)).toMatchObject({ kind: 'answer' })
    expect(emulator.control.keys(licenseId)).toEqual([])
  },
)

it('reads the license without taking a seat', async () => {
  const { service, licenseKey } = await startService('polar')
  expect(answerOf((await service.showLicense?.({ licenseKey })) ?? { kind: '' })).toMatchObject({
    status: 'active',
    seatLimit: 3,
    seatsInUse: null,
  })
})

it('ignores a refusal that isn’t in Polar’s format', async () => {
  const { emulator, service, licenseKey } = await startService('polar')
  const fields = { error: 'not_found', detail: 'License key has expired.' }
  emulator.control.expire(emulator.demoLicense.id)
  emulator.control.faults.inject({ fault: 'set-fields', fields })
  expect(await service.activate({ licenseKey, ...device })).toMatchObject({
    kind: 'unavailable',
    cause: 'not-found',
  })
})

it('with the organization’s token, uses the server routes, which have a higher limit', async () => {
  const { emulator, vendor, licenseKey } = await startService('polar', { rateLimits: true })
  const { activation } = answerOf(await vendor.activate({ licenseKey, ...device }))
  const request = { licenseKey, activationId: activation.id, ...device }
  for (let round = 0; round < 5; round += 1)
    expect(await vendor.validate(request)).toMatchObject({ kind: 'answer' })
  expect(await vendor.deactivate(request)).toMatchObject({ kind: 'answer' })
  const paths = emulator.control.requests().map(({ path }) => path)
  expect(paths.filter((path) => path.includes('customer-portal'))).toEqual([])
})

it.each<[string, FaultRule]>([
  ['of another license', { fault: 'set-fields', fields: { id: 'b6724bc8-0000-4000-8000-000000000000' } }],
  ['without its license', { fault: 'missing-fields', fields: ['id'] }],
])('reads no list %s', async (_which, rule) => {
  const { emulator, vendor, licenseKey } = await startService('polar')
  answerOf(await vendor.activate({ licenseKey, ...device }))
  emulator.control.faults.inject({ ...rule, operation: 'keys' })
  expect(await vendor.listActivations?.({ licenseKey })).toMatchObject({
    kind: 'unavailable',
    cause: 'unexpected-answer',
  })
  emulator.control.faults.clear()
  expect((await listOf(vendor, licenseKey)).activations).toHaveLength(1)
})

it('reports the benefit as the plan, and no features', async () => {
  const { emulator, service, license, request } = await startActivated('polar')
  expect(license.plan).toBe(emulator.settings['benefitId'])
  expect(license.features ?? null).toBeNull()
  const validated = await service.validate(request)
  expect(answerOf(validated).license.plan).toBe(license.plan)
})

describe('an activation ID that Polar can’t read', () => {
  const invalid = { error: 'RequestValidationError', detail: [{ loc: ['body', 'activation_id'] }] }
  const refuse = (): Response => Response.json(invalid, { status: 422 })
  /** Refuses requests about an activation as invalid, and sends the others to the service. */
  const refuseActivations = async (request: Request, init?: RequestInit): Promise<Response> =>
    (await request.clone().text()).includes('activation_id') ? refuse() : fetch(request, init)
  const own = 'b6724bc8-0000-4000-8000-000000000000'

  it.each([
    ['of Dodo', 'lki_123'],
    ['with other digits', 'lki_123456789-4000'],
    ['of another version', 'b6724bc8-0000-7000-8000-000000000000'],
  ])('is unknown (%s)', async (_which, activationId) => {
    const { service, licenseKey } = await startService('polar')
    const call = { fetch: refuseActivations }
    for (const verb of ['validate', 'deactivate'] as const) {
      expect(await service[verb]({ licenseKey, activationId, ...device }, call)).toMatchObject({
        kind: 'refusal',
        reason: 'unknown-activation',
      })
      const other = { licenseKey: licenseKey.replace(/\d/gu, '7'), activationId, ...device }
      expect(await service[verb](other, call)).toMatchObject({ kind: 'refusal', reason: 'unknown-license' })
    }
  })

  it('proves nothing if it may be Polar’s', async () => {
    const { service, licenseKey } = await startService('polar')
    for (const activationId of [own, own.toUpperCase()]) {
      for (const verb of ['validate', 'deactivate'] as const) {
        const outcome = await service[verb](
          { licenseKey, activationId, ...device },
          { fetch: refuseActivations },
        )
        expect(outcome).toMatchObject({ kind: 'unavailable', cause: 'rejected', mayHaveActed: false })
      }
    }
  })

  it('proves nothing if the license can’t be read either', async () => {
    const { service, licenseKey } = await startService('polar')
    const request = { licenseKey, activationId: 'lki_123', ...device }
    const call = { fetch: () => Promise.resolve(refuse()) }
    for (const verb of ['validate', 'deactivate'] as const) {
      expect(await service[verb](request, call)).toMatchObject({ kind: 'unavailable', mayHaveActed: false })
    }
    const page = { fetch: () => Promise.resolve(Response.json({ message: 'Invalid' }, { status: 422 })) }
    expect(await service.validate(request, page)).toMatchObject({ kind: 'unavailable', cause: 'rejected' })
  })
})
