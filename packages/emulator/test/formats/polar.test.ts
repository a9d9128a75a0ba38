import { expect, it } from 'vitest'
import { asVendor, idOf, type Told, useService } from './format-under-test.ts'

// Sources: https://polar.sh/docs/features/benefits/license-keys and, for refusals and their texts,
// https://github.com/polarsource/polar/blob/c6c3645e639ee8eeaa05aa0835cf8e39e330382f/server/polar/license_key/service.py
// https://github.com/polarsource/polar/blob/c6c3645e639ee8eeaa05aa0835cf8e39e330382f/server/polar/customer_portal/endpoints/license_keys.py

const service = useService({ face: 'polar' })

const nobody = 'b6724bc8-0000-4000-8000-000000000000'
const conditions = { device: '0123456789abcdef' }

function post(
  verb: string,
  fields: Record<string, unknown> = {},
  { path = '/v1/customer-portal/license-keys', headers = {} } = {},
): Promise<Told> {
  const { licenseKey, settings } = service.emulator
  const body = { key: licenseKey, organization_id: settings['organizationId'], ...fields }
  return service.ask(`${path}/${verb}`, body, { headers })
}

const activate = (fields = {}): Promise<Told> => post('activate', { label: 'Laptop', conditions, ...fields })

const refusal = (status: number, error: string, detail: unknown): unknown =>
  expect.objectContaining({ status, body: { error, detail } })
const notFound = (detail = 'Not found'): unknown => refusal(404, 'ResourceNotFound', detail)
const notPermitted = (detail: string): unknown => refusal(403, 'NotPermitted', detail)

it('activates with label, conditions and meta, and doesn’t return the conditions', async () => {
  const told = await activate({ meta: { version: '2.1.0' } })
  expect(told.status).toBe(200)
  expect(told.body).toMatchObject({
    id: expect.stringMatching(/^[\da-f-]{36}$/),
    label: 'Laptop',
    meta: { version: '2.1.0' },
    modified_at: null,
    license_key: {
      organization_id: service.emulator.settings['organizationId'],
      benefit_id: service.emulator.settings['benefitId'],
      key: service.emulator.licenseKey,
      display_key: expect.stringMatching(/^\*{4}-[\dA-F]{6}$/),
      status: 'granted',
      limit_activations: 3,
      usage: 0,
      limit_usage: null,
    },
  })
  expect(told.body).not.toHaveProperty('conditions')
})

it('creates keys in upper case and looks them up exactly as written', async () => {
  const { licenseKey } = service.emulator
  expect(licenseKey).toBe(licenseKey.toUpperCase())
  expect(await post('validate', { key: licenseKey.toLowerCase() })).toEqual(notFound())
})

it('validates with and without an activation', async () => {
  const id = idOf(await activate())
  const validated = { status: 200, body: { status: 'granted', activation: { id } } }
  expect(await post('validate', { activation_id: id, conditions })).toMatchObject(validated)
  expect(await post('validate')).toMatchObject({ status: 200, body: { activation: null } })
})

it.each([
  ['activate', { key: 'INKWELL-NOTHING' }],
  ['activate', { organization_id: nobody }],
  ['validate', { key: 'INKWELL-NOTHING' }],
  ['validate', { organization_id: nobody }],
  ['validate', {}],
  ['deactivate', { key: 'INKWELL-NOTHING' }],
  ['deactivate', { organization_id: nobody }],
  ['deactivate', {}],
])('*%s* of an unknown key, organization or activation is not found: %j', async (verb, fields) => {
  expect(await post(verb, { label: 'Laptop', activation_id: nobody, ...fields })).toEqual(notFound())
})

it('refuses an activation beyond the limit', async () => {
  service.emulator.control.updateLicense(service.licenseId, { activation_limit: 1 })
  await activate()
  expect(await activate()).toEqual(notPermitted('License key activation limit already reached'))
})

it('refuses to activate a key without activations, and validates it', async () => {
  service.emulator.control.updateLicense(service.licenseId, { activation_limit: 0 })
  const text =
    'This license key does not support activations. Use the /validate endpoint instead to check license validity.'
  expect(await activate()).toEqual(notPermitted(text))
  expect(await post('validate')).toMatchObject({ status: 200, body: { limit_activations: null } })
})

const inactive = 'License key is no longer active.'
it.each([
  ['revoked', `${inactive} This license key can not be activated.`, inactive, { suspended_at: '2026-01-01' }],
  ['disabled', `${inactive} This license key can not be activated.`, inactive, { status: 'OFF' }],
  ['expired', 'License key has expired.', 'License key has expired.', { expires_at: '2026-01-01' }],
])('refuses a key that is %s, and frees its devices', async (_what, activating, validating, patch) => {
  const activation_id = idOf(await activate())
  service.emulator.control.updateLicense(service.licenseId, patch)
  expect(await activate()).toEqual(notPermitted(activating))
  expect(await post('validate', { activation_id, conditions })).toEqual(notFound(validating))
  expect(await post('deactivate', { activation_id })).toMatchObject({ status: 204, body: null })
})

it('binds an activation to its conditions', async () => {
  const activation_id = idOf(await activate())
  for (const other of [{}, { conditions: { device: 'fedcba9876543210' } }]) {
    const told = await post('validate', { activation_id, ...other })
    expect(told).toEqual(notFound('License key does not match required conditions'))
  }
})

it('refuses another benefit on *validate*', async () => {
  const told = await post('validate', { benefit_id: nobody })
  expect(told).toEqual(notFound('License key does not match given benefit.'))
})

it('refuses an invalid body', async () => {
  const refused = { status: 422, body: { error: 'RequestValidationError' } }
  expect(await activate({ organization_id: 'inkwell' })).toMatchObject(refused)
})

it('lists activations only with a token of the organization', async () => {
  const id = idOf(await activate())
  const path = `/v1/license-keys/${service.licenseId}`
  expect(await service.ask(path)).toMatchObject({ status: 401 })
  const listed = { status: 200, body: { activations: [{ id, label: 'Laptop' }] } }
  expect(await service.ask(path, undefined, asVendor)).toMatchObject(listed)
})

// https://polar.sh/docs/api-reference/license-keys/validate, which names these routes for servers.
it('has routes for servers with a token', async () => {
  const path = '/v1/license-keys'
  expect(await post('validate', {}, { path })).toMatchObject({ status: 401 })
  const asServer = { ...asVendor, path }
  const activation_id = idOf(await post('activate', { label: 'Laptop', conditions }, asServer))
  expect(await post('validate', { activation_id, conditions }, asServer)).toMatchObject({ status: 200 })
  expect(await post('deactivate', { activation_id }, asServer)).toMatchObject({ status: 204 })
})
