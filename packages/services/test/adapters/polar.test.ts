import type { FaultRule } from '@latchkey/emulator'
import { Polar } from '@polar-sh/sdk'
import { HTTPValidationError } from '@polar-sh/sdk/models/errors/httpvalidationerror.js'
import { NotPermitted } from '@polar-sh/sdk/models/errors/notpermitted.js'
import { ResourceNotFound } from '@polar-sh/sdk/models/errors/resourcenotfound.js'
import { describe, expect, it } from 'vitest'
import { polar } from '../../src/polar.ts'
import {
  activateOn,
  answerOf,
  device,
  type EmulatedService,
  listOf,
  otherDevice,
  startActivated,
  startService,
} from '../emulated-services.ts'

const nobody = 'b6724bc8-0000-4000-8000-000000000000'

it('accepts an activation only from the device that made it', async () => {
  const { service, request } = await startActivated('polar')
  const refused = { kind: 'refusal', reason: 'unknown-activation', isOtherDevices: true }
  expect(await service.validate({ ...request, ...otherDevice })).toMatchObject(refused)
})

it('shows the device’s name and fingerprint in the customer portal', async () => {
  const { emulator } = await startActivated('polar')
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
    expect(await service.validate(request)).toMatchObject({ kind: 'answer' })
  })

  it.each(['with', 'without'])(
    'activates again, %s `benefitId`, after the seat was freed in the portal',
    async (which) => {
      const { emulator, licenseKey, licenseId } = await startService('polar', { rateLimits: true })
      const { organizationId = '', benefitId } = emulator.settings
      const options = { baseUrl: emulator.baseUrl, organizationId }
      const service = polar(which === 'with' ? { ...options, benefitId } : options)
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
    const blocked = { kind: 'unavailable', cause: 'rate-limited', retryAfterMs: 60_000 }
    expect(asked).toContainEqual(expect.objectContaining(blocked))
  })

  it('with the organization’s token, uses the server routes, which have a higher limit', async () => {
    const { emulator, vendor, request } = await startActivated('polar', { rateLimits: true }, 'vendor')
    for (let round = 0; round < 5; round += 1)
      expect(await vendor.validate(request)).toMatchObject({ kind: 'answer' })
    expect(await vendor.deactivate(request)).toMatchObject({ kind: 'answer' })
    const paths = emulator.control.requests().map(({ path }) => path)
    expect(paths.filter((path) => path.includes('customer-portal'))).toEqual([])
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

describe('a 204 of a proxy', () => {
  const unfreed = { kind: 'unavailable', cause: 'unexpected-answer', mayHaveActed: true }

  it('frees no seat of a device that asks with a new fingerprint', async () => {
    const { emulator, service, licenseId, request } = await startActivated('polar')
    const asked = { ...request, ...otherDevice }
    emulator.control.faults.inject({ fault: 'no-content', operation: 'deactivate', times: 1 })
    expect(await service.deactivate(asked)).toMatchObject(unfreed)
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
    expect(await service.deactivate(asked)).toMatchObject({ kind: 'answer' })
  })

  it.each(['expire', 'suspend'] as const)('frees no seat of a license after %s', async (end) => {
    const { emulator, service, vendor, licenseId, request } = await startActivated('polar')
    emulator.control[end](licenseId)
    for (const adapter of [service, vendor]) {
      emulator.control.faults.inject({ fault: 'no-content', operation: 'deactivate', times: 2 })
      expect(await adapter.deactivate(request)).toMatchObject(unfreed)
    }
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
    expect(await service.deactivate(request)).toMatchObject({ kind: 'answer' })
    expect(emulator.control.keys(licenseId)).toEqual([])
  })
})

it('reads the license without taking a seat', async () => {
  const { service, licenseKey } = await startService('polar')
  const license = answerOf((await service.showLicense?.({ licenseKey })) ?? { kind: '' })
  expect(license).toMatchObject({ status: 'active', seatLimit: 3, seatsInUse: null })
})

it('ignores a refusal that isn’t in Polar’s format', async () => {
  const { emulator, service, licenseKey, licenseId } = await startService('polar')
  emulator.control.expire(licenseId)
  const fields = { error: 'not_found', detail: 'License key has expired.' }
  emulator.control.faults.inject({ fault: 'set-fields', fields })
  const unread = { kind: 'unavailable', cause: 'not-found' }
  expect(await service.activate({ licenseKey, ...device })).toMatchObject(unread)
})

it.each<[string, FaultRule]>([
  ['of another license', { fault: 'set-fields', fields: { id: nobody } }],
  ['without its license', { fault: 'missing-fields', fields: ['id'] }],
])('reads no list %s', async (_which, rule) => {
  const { emulator, vendor, licenseKey } = await startActivated('polar', {}, 'vendor')
  emulator.control.faults.inject({ ...rule, operation: 'keys' })
  const unread = { kind: 'unavailable', cause: 'unexpected-answer' }
  expect(await vendor.listActivations?.({ licenseKey })).toMatchObject(unread)
  emulator.control.faults.clear()
  expect((await listOf(vendor, licenseKey)).activations).toHaveLength(1)
})

it('reports the benefit as the plan, and no features', async () => {
  const { emulator, service, license, request } = await startActivated('polar')
  expect(license.plan).toBe(emulator.settings['benefitId'])
  expect(license.features ?? null).toBeNull()
  expect(answerOf(await service.validate(request)).license.plan).toBe(license.plan)
})

describe('an activation ID that Polar can’t read', () => {
  const invalid = { error: 'RequestValidationError', detail: [{ loc: ['body', 'activation_id'] }] }
  const refuse = (): Response => Response.json(invalid, { status: 422 })
  /** Refuses requests about an activation as invalid, and sends the others to the service. */
  const refuseActivations = async (request: Request, init?: RequestInit): Promise<Response> =>
    (await request.clone().text()).includes('activation_id') ? refuse() : fetch(request, init)

  describe.each(['validate', 'deactivate'] as const)('*%s*', (verb) => {
    it.each([
      ['of Dodo', 'lki_123'],
      ['with other digits', 'lki_123456789-4000'],
      ['of another version', 'b6724bc8-0000-7000-8000-000000000000'],
    ])('is unknown (%s)', async (_which, activationId) => {
      const { service, licenseKey } = await startService('polar')
      const ask = (key: string) =>
        service[verb]({ licenseKey: key, activationId, ...device }, { fetch: refuseActivations })
      const refused = { kind: 'refusal', reason: 'unknown-activation' }
      expect(await ask(licenseKey)).toMatchObject(refused)
      expect(await ask(licenseKey.replace(/\d/gu, '7'))).toMatchObject({ reason: 'unknown-license' })
    })

    it.each([
      ['it may be Polar’s', nobody, refuseActivations, { mayHaveActed: false }],
      ['it may be Polar’s, in upper case', nobody.toUpperCase(), refuseActivations, { mayHaveActed: false }],
      ['the license can’t be read either', 'lki_123', async () => refuse(), { mayHaveActed: false }],
      ['it isn’t Polar’s', 'lki_123', async () => Response.json({ message: 'Invalid' }, { status: 422 }), {}],
    ])('refused as invalid proves nothing if %s', async (_why, activationId, fetch, told) => {
      const { service, licenseKey } = await startService('polar')
      const outcome = await service[verb]({ licenseKey, activationId, ...device }, { fetch })
      expect(outcome).toMatchObject({ kind: 'unavailable', cause: 'rejected', ...told })
    })
  })
})

// Polar's own SDK checks every answer of the emulated service with its own schemas and throws when a field differs.
describe('Polar’s SDK', () => {
  const conditions = { device: device.fingerprint }

  async function startJudge() {
    const emulated = await startService('polar')
    const { baseUrl, settings } = emulated.emulator
    const sdk = new Polar({ serverURL: baseUrl, accessToken: 'demo', retryConfig: { strategy: 'none' } })
    const known = { key: emulated.licenseKey, organizationId: settings['organizationId'] ?? '' }
    return { ...emulated, sdk, portal: sdk.customerPortal.licenseKeys, known }
  }

  it.each(['portal', 'server'] as const)(
    'activates, validates, lists and deactivates: %s',
    async (routes) => {
      const { sdk, portal, known, licenseId } = await startJudge()
      const licenseKeys = routes === 'portal' ? portal : sdk.licenseKeys
      const activated = await licenseKeys.activate({ ...known, label: 'Laptop', conditions, meta: { v: 1 } })
      const licenseKey = { key: known.key, status: 'granted' }
      expect(activated).toMatchObject({ label: 'Laptop', meta: { v: 1 }, licenseKey })
      const activationId = activated.id
      const validated = await licenseKeys.validate({ ...known, activationId, conditions })
      expect(validated).toMatchObject({ activation: { id: activationId }, limitActivations: 3 })
      expect((await sdk.licenseKeys.get({ id: licenseId })).activations).toMatchObject([{ id: activationId }])
      await licenseKeys.deactivate({ ...known, activationId })
      expect((await sdk.licenseKeys.get({ id: licenseId })).activations).toEqual([])
    },
  )

  it('reads activations made by the adapter, and the adapter reads those of the SDK', async () => {
    const { service, portal, known } = await startJudge()
    const { activation, request } = await activateOn(service, known.key)
    const read = await portal.validate({ ...known, activationId: activation.id, conditions })
    expect(read).toMatchObject({ activation: { id: activation.id } })
    const { id: activationId } = await portal.activate({ ...known, label: 'Laptop', conditions })
    expect(await service.validate({ ...request, activationId })).toMatchObject({ kind: 'answer' })
  })

  type ErrorClass = new (...args: never[]) => Error
  type Spoil = (emulated: EmulatedService) => unknown
  const asIs: Spoil = () => null
  const expire: Spoil = ({ emulator, licenseId }) => emulator.control.expire(licenseId)
  const revoke: Spoil = ({ emulator, licenseId }) => emulator.control.suspend(licenseId)
  const fill: Spoil = ({ emulator, licenseId }) =>
    ['A', 'B', 'C'].map((name) => emulator.control.addKey(licenseId, name))
  const unlimit: Spoil = ({ emulator, licenseId }) =>
    emulator.control.updateLicense(licenseId, { activation_limit: 0 })
  const unknownKey = { key: 'INKWELL-NOTHING' }
  const otherVendor = { organizationId: nobody }
  const badVendor = { organizationId: 'inkwell' }
  const inactive = 'License key is no longer active.'

  it.each<
    [
      verb: 'activate' | 'validate' | 'deactivate',
      spoil: Spoil,
      fields: object,
      kind: ErrorClass,
      detail?: unknown,
    ]
  >([
    ['activate', asIs, unknownKey, ResourceNotFound, 'Not found'],
    ['activate', asIs, otherVendor, ResourceNotFound, 'Not found'],
    ['activate', asIs, badVendor, HTTPValidationError],
    ['activate', fill, {}, NotPermitted, 'License key activation limit already reached'],
    ['activate', unlimit, {}, NotPermitted, expect.stringContaining('does not support activations.')],
    ['activate', expire, {}, NotPermitted, 'License key has expired.'],
    ['activate', revoke, {}, NotPermitted, `${inactive} This license key can not be activated.`],
    ['validate', asIs, unknownKey, ResourceNotFound, 'Not found'],
    ['validate', asIs, otherVendor, ResourceNotFound, 'Not found'],
    ['validate', asIs, badVendor, HTTPValidationError],
    ['validate', asIs, { activationId: nobody }, ResourceNotFound, 'Not found'],
    [
      'validate',
      asIs,
      { conditions: {} },
      ResourceNotFound,
      'License key does not match required conditions',
    ],
    ['validate', asIs, { benefitId: nobody }, ResourceNotFound, 'License key does not match given benefit.'],
    ['validate', expire, {}, ResourceNotFound, 'License key has expired.'],
    ['validate', revoke, {}, ResourceNotFound, inactive],
    ['deactivate', asIs, unknownKey, ResourceNotFound, 'Not found'],
    ['deactivate', asIs, otherVendor, ResourceNotFound, 'Not found'],
    ['deactivate', asIs, badVendor, HTTPValidationError],
    ['deactivate', asIs, { activationId: nobody }, ResourceNotFound, 'Not found'],
  ])('recognizes a refusal to %s (%o, %o)', async (verb, spoil, fields, kind, detail) => {
    const judge = await startJudge()
    const { portal, known } = judge
    const { id: activationId } = await portal.activate({ ...known, label: 'Laptop', conditions })
    spoil(judge)
    const request = { ...known, label: 'Laptop', activationId, conditions, ...fields }
    const thrown = await portal[verb](request).catch((reason: unknown) => reason)
    expect(thrown).toBeInstanceOf(kind)
    if (detail !== undefined) expect(thrown).toMatchObject({ detail })
  })

  it('validates a key without activations', async () => {
    const judge = await startJudge()
    unlimit(judge)
    expect((await judge.portal.validate(judge.known)).activation ?? null).toBeNull()
  })

  it.each(['expire', 'suspend'] as const)('can deactivate after %s', async (end) => {
    const { portal, emulator, licenseId, known } = await startJudge()
    const { id: activationId } = await portal.activate({ ...known, label: 'Laptop', conditions })
    emulator.control[end](licenseId)
    await portal.deactivate({ ...known, activationId })
    expect(emulator.control.keys(licenseId)).toEqual([])
  })
})
