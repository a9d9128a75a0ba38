import { expect, it } from 'vitest'
import { type FaceUnderTest, startFace, type Told } from './face-under-test.ts'

// Sources: https://docs.lemonsqueezy.com/api/license-api and its pages for activate, validate and deactivate; types and
// `identifier` from `@lemonsqueezy/lemonsqueezy.js` 4.0.0. Texts of refusals are from public issues, such as
// https://github.com/updatest/feedback/issues/199 and https://github.com/leokhoa/laragon/issues/1510.

function post(face: FaceUnderTest, verb: string, fields: Record<string, string>): Promise<Told> {
  const form = new URLSearchParams({ license_key: face.emulator.licenseKey, ...fields })
  return face.ask(`/v1/licenses/${verb}`, form, { headers: { accept: 'application/json' } })
}

async function activated(face: FaceUnderTest): Promise<string> {
  await post(face, 'activate', { instance_name: 'Laptop' })
  return face.emulator.control.keys(face.licenseId)[0]?.id ?? ''
}

const meta = {
  store_id: 12345,
  product_id: 67890,
  order_id: expect.any(Number),
  order_item_id: expect.any(Number),
  product_name: 'Inkwell',
  variant_id: expect.any(Number),
  variant_name: 'Pro',
  customer_id: expect.any(Number),
  customer_name: expect.any(String),
  customer_email: expect.any(String),
}

it('activates with license key, instance and meta', async () => {
  const face = await startFace({ face: 'lemon-squeezy' })
  expect(await post(face, 'activate', { instance_name: 'Laptop' })).toMatchObject({
    status: 200,
    body: {
      activated: true,
      error: null,
      license_key: {
        id: expect.any(Number),
        status: 'active',
        key: face.emulator.licenseKey,
        activation_limit: 3,
        activation_usage: 1,
        test_mode: false,
      },
      instance: { id: expect.stringMatching(/^[\da-f-]{36}$/), name: 'Laptop' },
      meta,
    },
  })
})

it('validates a license key with and without an instance', async () => {
  const face = await startFace({ face: 'lemon-squeezy' })
  const before = await post(face, 'validate', {})
  // "Inactive: the license key is valid but has no activations."
  expect(before.body).toMatchObject({
    valid: true,
    instance: null,
    license_key: { status: 'inactive' },
    meta,
  })
  const id = await activated(face)
  const after = await post(face, 'validate', { instance_id: id })
  expect(after.body).toMatchObject({ valid: true, instance: { id }, license_key: { status: 'active' }, meta })
})

it('deactivates, and returns no instance', async () => {
  const face = await startFace({ face: 'lemon-squeezy' })
  const told = await post(face, 'deactivate', { instance_id: await activated(face) })
  expect(told.body).toMatchObject({
    deactivated: true,
    error: null,
    license_key: { activation_usage: 0 },
    meta,
  })
  expect(told.body).not.toHaveProperty('instance')
})

it.each(['activate', 'validate', 'deactivate'])('*%s* of an unknown key is 404', async (verb) => {
  const face = await startFace({ face: 'lemon-squeezy' })
  const fields = { license_key: 'nothing', instance_name: 'Laptop', instance_id: 'nobody' }
  const told = await post(face, verb, fields)
  expect(told).toMatchObject({ status: 404, body: { error: 'license_key not found.' } })
})

it('refuses an activation beyond the limit with 400 and the license’s fields', async () => {
  const face = await startFace({ face: 'lemon-squeezy' })
  face.emulator.control.updateLicense(face.licenseId, { activation_limit: 0 })
  expect(await post(face, 'activate', { instance_name: 'Laptop' })).toMatchObject({
    status: 400,
    body: {
      activated: false,
      error: 'This license key has reached the activation limit.',
      license_key: { activation_limit: 0, activation_usage: 0 },
      meta,
    },
  })
})

it.each([
  ['expire', 'expired', 'default', 200],
  ['expire', 'expired', 'strict', 400],
  ['suspend', 'disabled', 'default', 200],
  ['suspend', 'disabled', 'strict', 400],
] as const)('after %s a key is %s; dialect %s answers with %i', async (verb, status, dialect, httpStatus) => {
  const face = await startFace({ face: 'lemon-squeezy', dialect })
  const id = await activated(face)
  face.emulator.control[verb](face.licenseId)
  const told = await post(face, 'validate', { instance_id: id })
  expect(told).toMatchObject({ status: httpStatus, body: { valid: false, license_key: { status } } })
  expect(await post(face, 'activate', { instance_name: 'Other' })).toMatchObject({
    body: { activated: false },
  })
})

it('refuses a missing field with 422', async () => {
  const face = await startFace({ face: 'lemon-squeezy' })
  expect((await post(face, 'activate', {})).status).toBe(422)
})

it('lists instances in pages, only with an API key', async () => {
  const face = await startFace({ face: 'lemon-squeezy' })
  const id = await activated(face)
  face.emulator.control.addKey(face.licenseId, 'Other')
  const path = '/v1/license-key-instances?page%5Bsize%5D=1'
  expect((await face.ask(path)).status).toBe(401)
  const told = await face.ask(path, undefined, { headers: { authorization: 'Bearer demo' } })
  expect(told.body).toMatchObject({
    meta: { page: { currentPage: 1, lastPage: 2, total: 2 } },
    data: [{ type: 'license-key-instances', attributes: { identifier: id, name: 'Laptop' } }],
  })
})
