import { expect, it } from 'vitest'
import { type FaceUnderTest, startFace, type Told } from './face-under-test.ts'

// Sources: https://polar.sh/docs/features/benefits/license-keys and, for refusals and their texts,
// https://github.com/polarsource/polar/blob/c6c3645e639ee8eeaa05aa0835cf8e39e330382f/server/polar/license_key/service.py
// https://github.com/polarsource/polar/blob/c6c3645e639ee8eeaa05aa0835cf8e39e330382f/server/polar/customer_portal/endpoints/license_keys.py

const portal = '/v1/customer-portal/license-keys'
const nobody = 'b6724bc8-0000-4000-8000-000000000000'
const conditions = { device: '0123456789abcdef' }

function post(face: FaceUnderTest, verb: string, fields: Record<string, unknown>): Promise<Told> {
  const { licenseKey, settings } = face.emulator
  const organization_id = settings['organizationId']
  return face.ask(`${portal}/${verb}`, { key: licenseKey, organization_id, ...fields })
}

async function activated(face: FaceUnderTest): Promise<string> {
  const { body } = await post(face, 'activate', { label: 'Laptop', conditions })
  if (typeof body !== 'object' || body === null || !('id' in body)) throw new Error('There is no activation.')
  return String(body.id)
}

const refusal = (status: number, error: string, detail: unknown): unknown =>
  expect.objectContaining({ status, body: { error, detail } })
const notFound = (detail: string): unknown => refusal(404, 'ResourceNotFound', detail)
const notPermitted = (detail: string): unknown => refusal(403, 'NotPermitted', detail)

it('activates with label, conditions and meta, and doesn’t return the conditions', async () => {
  const face = await startFace({ face: 'polar' })
  const told = await post(face, 'activate', { label: 'Laptop', conditions, meta: { version: '2.1.0' } })
  expect(told.status).toBe(200)
  expect(told.body).toMatchObject({
    id: expect.stringMatching(/^[\da-f-]{36}$/),
    label: 'Laptop',
    meta: { version: '2.1.0' },
    modified_at: null,
    license_key: {
      organization_id: face.emulator.settings['organizationId'],
      benefit_id: face.emulator.settings['benefitId'],
      key: face.emulator.licenseKey,
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
  const face = await startFace({ face: 'polar' })
  const { licenseKey } = face.emulator
  expect(licenseKey).toBe(licenseKey.toUpperCase())
  expect(await post(face, 'validate', { key: licenseKey.toLowerCase() })).toEqual(notFound('Not found'))
})

it('validates with and without an activation', async () => {
  const face = await startFace({ face: 'polar' })
  const id = await activated(face)
  const validated = await post(face, 'validate', { activation_id: id, conditions })
  expect(validated).toMatchObject({ status: 200, body: { status: 'granted', activation: { id } } })
  expect(await post(face, 'validate', {})).toMatchObject({ status: 200, body: { activation: null } })
})

it.each(['activate', 'validate', 'deactivate'])(
  '*%s* of an unknown key or organization is not found',
  async (verb) => {
    const face = await startFace({ face: 'polar' })
    const fields = { label: 'Laptop', activation_id: nobody }
    expect(await post(face, verb, { ...fields, key: 'INKWELL-NOTHING' })).toEqual(notFound('Not found'))
    expect(await post(face, verb, { ...fields, organization_id: nobody })).toEqual(notFound('Not found'))
  },
)

it.each(['validate', 'deactivate'])('*%s* of an unknown activation is not found', async (verb) => {
  const face = await startFace({ face: 'polar' })
  expect(await post(face, verb, { activation_id: nobody })).toEqual(notFound('Not found'))
})

it('refuses an activation beyond the limit', async () => {
  const face = await startFace({ face: 'polar' })
  face.emulator.control.updateLicense(face.licenseId, { activation_limit: 1 })
  await activated(face)
  const told = await post(face, 'activate', { label: 'Other' })
  expect(told).toEqual(notPermitted('License key activation limit already reached'))
})

it('refuses to activate a key without activations, and validates it', async () => {
  const face = await startFace({ face: 'polar' })
  face.emulator.control.updateLicense(face.licenseId, { activation_limit: 0 })
  const text =
    'This license key does not support activations. Use the /validate endpoint instead to check license validity.'
  expect(await post(face, 'activate', { label: 'Laptop' })).toEqual(notPermitted(text))
  expect(await post(face, 'validate', {})).toMatchObject({ status: 200, body: { limit_activations: null } })
})

it.each([
  ['revoked', (face: FaceUnderTest) => face.emulator.control.suspend(face.licenseId)],
  [
    'disabled',
    (face: FaceUnderTest) => face.emulator.control.updateLicense(face.licenseId, { status: 'OFF' }),
  ],
])('a %s key is no longer active, and its devices can still be freed', async (_status, spoil) => {
  const face = await startFace({ face: 'polar' })
  const id = await activated(face)
  spoil(face)
  expect(await post(face, 'activate', { label: 'Other' })).toEqual(
    notPermitted('License key is no longer active. This license key can not be activated.'),
  )
  const validated = await post(face, 'validate', { activation_id: id, conditions })
  expect(validated).toEqual(notFound('License key is no longer active.'))
  expect(await post(face, 'deactivate', { activation_id: id })).toMatchObject({ status: 204, body: null })
})

it('an expired key is reported as expired, and its devices can still be freed', async () => {
  const face = await startFace({ face: 'polar' })
  const id = await activated(face)
  face.emulator.control.expire(face.licenseId)
  expect(await post(face, 'activate', { label: 'Other' })).toEqual(notPermitted('License key has expired.'))
  expect(await post(face, 'validate', { activation_id: id })).toEqual(notFound('License key has expired.'))
  expect(await post(face, 'deactivate', { activation_id: id })).toMatchObject({ status: 204 })
})

it('binds an activation to its conditions', async () => {
  const face = await startFace({ face: 'polar' })
  const id = await activated(face)
  const text = 'License key does not match required conditions'
  expect(await post(face, 'validate', { activation_id: id })).toEqual(notFound(text))
  const other = { activation_id: id, conditions: { device: 'fedcba9876543210' } }
  expect(await post(face, 'validate', other)).toEqual(notFound(text))
})

it('refuses another benefit on *validate*', async () => {
  const face = await startFace({ face: 'polar' })
  const told = await post(face, 'validate', { benefit_id: nobody })
  expect(told).toEqual(notFound('License key does not match given benefit.'))
})

it('refuses an invalid body', async () => {
  const face = await startFace({ face: 'polar' })
  const told = await post(face, 'activate', { organization_id: 'inkwell' })
  expect(told).toMatchObject({ status: 422, body: { error: 'RequestValidationError' } })
})

it('lists activations only with a token of the organization', async () => {
  const face = await startFace({ face: 'polar' })
  const id = await activated(face)
  const path = `/v1/license-keys/${face.licenseId}`
  expect(await face.ask(path)).toMatchObject({ status: 401 })
  const told = await face.ask(path, undefined, { headers: { authorization: 'Bearer demo' } })
  expect(told).toMatchObject({ status: 200, body: { activations: [{ id, label: 'Laptop' }] } })
})

// https://polar.sh/docs/api-reference/license-keys/validate, which names these routes for servers.
it('has routes for servers with a token, without the limit of the customer portal', async () => {
  const face = await startFace({ face: 'polar', rateLimits: true })
  const { licenseKey: key, settings } = face.emulator
  const headers = { authorization: 'Bearer demo' }
  const ask = (verb: string, fields: Record<string, unknown>, options = { headers }) =>
    face.ask(
      `/v1/license-keys/${verb}`,
      { key, organization_id: settings['organizationId'], ...fields },
      options,
    )
  expect(await ask('validate', {}, { headers: { authorization: 'Bearer other' } })).toMatchObject({
    status: 401,
  })
  const { body } = await ask('activate', { label: 'Laptop', conditions })
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null
  for (let round = 0; round < 5; round += 1) {
    expect(await ask('validate', { activation_id: id, conditions })).toMatchObject({ status: 200 })
  }
  expect(await ask('deactivate', { activation_id: id })).toMatchObject({ status: 204 })
})

it('blocks an address for a minute after its fourth request within a second', async () => {
  // https://github.com/polarsource/polar/blob/c6c3645e639ee8eeaa05aa0835cf8e39e330382f/server/polar/rate_limit.py
  const face = await startFace({ face: 'polar', rateLimits: true })
  const statuses = await Promise.all([1, 2, 3, 4].map(async () => (await post(face, 'validate', {})).status))
  expect(statuses.sort()).toEqual([200, 200, 200, 429])
  const blocked = await post(face, 'validate', {})
  expect(blocked.status).toBe(429)
  expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(50)
})
