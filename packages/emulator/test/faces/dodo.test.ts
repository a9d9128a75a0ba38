import { expect, it } from 'vitest'
import { type FaceUnderTest, startFace, type Told } from './face-under-test.ts'

// Sources: https://docs.dodopayments.com/api-reference/licenses/activate-license (and validate-, deactivate-license),
// https://docs.dodopayments.com/api-reference/error-codes, and the types of `dodopayments` 2.52.0.

function post(face: FaceUnderTest, verb: string, fields: Record<string, unknown>): Promise<Told> {
  return face.ask(`/licenses/${verb}`, { license_key: face.emulator.licenseKey, ...fields })
}

async function activated(face: FaceUnderTest): Promise<string> {
  const { body } = await post(face, 'activate', { name: 'Laptop' })
  if (typeof body !== 'object' || body === null || !('id' in body)) throw new Error('There is no activation.')
  return String(body.id)
}

const refusal = (status: number, code: string): unknown =>
  expect.objectContaining({ status, body: { code, message: expect.any(String) } })
const vendor = { headers: { authorization: 'Bearer demo' } }

it('activates with 201 and the product', async () => {
  const face = await startFace({ face: 'dodo' })
  expect(await post(face, 'activate', { name: 'Laptop' })).toMatchObject({
    status: 201,
    body: {
      id: expect.stringMatching(/^lki_/),
      license_key_id: expect.stringMatching(/^lic_/),
      business_id: expect.stringMatching(/^bus_/),
      name: 'Laptop',
      customer: { customer_id: expect.any(String), email: expect.any(String), name: expect.any(String) },
      product: { product_id: face.emulator.settings['productId'], name: 'Inkwell' },
    },
  })
})

it('activates a license that was created at the control, with its license key', async () => {
  const face = await startFace({ face: 'dodo' })
  const { id, license_key } = face.emulator.control.createLicense()
  expect((await post(face, 'activate', { license_key, name: 'Laptop' })).status).toBe(201)
  expect(face.emulator.control.keys(id)).toHaveLength(1)
})

it('validates only with true or false', async () => {
  const face = await startFace({ face: 'dodo' })
  const license_key_instance_id = await activated(face)
  const good = await post(face, 'validate', { license_key_instance_id })
  expect([good.status, good.text]).toEqual([200, '{"valid":true}'])
  expect((await post(face, 'validate', {})).text).toBe('{"valid":true}')
  const gone = await post(face, 'validate', { license_key_instance_id: 'lki_nobody' })
  expect([gone.status, gone.text]).toEqual([200, '{"valid":false}'])
})

it('gives the same answer for an unknown and an expired key', async () => {
  const face = await startFace({ face: 'dodo' })
  expect((await post(face, 'validate', { license_key: 'nothing' })).text).toBe('{"valid":false}')
  face.emulator.control.expire(face.licenseId)
  expect((await post(face, 'validate', {})).text).toBe('{"valid":false}')
})

it('refuses to activate an unknown key', async () => {
  const face = await startFace({ face: 'dodo' })
  const told = await post(face, 'activate', { license_key: 'nothing', name: 'Laptop' })
  expect(told).toEqual(refusal(404, 'LICENSE_KEY_NOT_FOUND'))
})

it.each(['expire', 'suspend'] as const)('refuses to activate a key after %s', async (verb) => {
  const face = await startFace({ face: 'dodo' })
  face.emulator.control[verb](face.licenseId)
  expect(await post(face, 'activate', { name: 'Laptop' })).toEqual(refusal(403, 'INACTIVE_LICENSE_KEY'))
})

it('refuses an activation beyond the limit', async () => {
  const face = await startFace({ face: 'dodo' })
  face.emulator.control.updateLicense(face.licenseId, { activation_limit: 0 })
  expect(await post(face, 'activate', { name: 'Laptop' })).toEqual(refusal(422, 'LICENSE_KEY_LIMIT_REACHED'))
})

it('refuses a malformed request', async () => {
  const face = await startFace({ face: 'dodo' })
  expect((await post(face, 'activate', {})).status).toBe(422)
  expect((await face.ask('/licenses/validate', {})).status).toBe(422)
})

it('deactivates with 200 and without a body', async () => {
  const face = await startFace({ face: 'dodo' })
  const told = await post(face, 'deactivate', { license_key_instance_id: await activated(face) })
  expect([told.status, told.text]).toEqual([200, ''])
  expect(face.emulator.control.keys(face.licenseId)).toEqual([])
})

it('refuses to deactivate another key’s instance with 403, and an unknown key with 404', async () => {
  const face = await startFace({ face: 'dodo' })
  const license_key_instance_id = 'lki_nobody'
  expect((await post(face, 'deactivate', { license_key_instance_id })).status).toBe(403)
  const told = await post(face, 'deactivate', { license_key: 'nothing', license_key_instance_id })
  expect(told).toEqual(refusal(404, 'LICENSE_KEY_NOT_FOUND'))
})

it('lists license keys and instances only with an API key', async () => {
  const face = await startFace({ face: 'dodo' })
  const id = await activated(face)
  expect((await face.ask('/license_keys')).status).toBe(401)
  const keys = await face.ask('/license_keys?page_size=100&page_number=0', undefined, vendor)
  expect(keys.body).toMatchObject({
    items: [
      {
        id: expect.stringMatching(/^lic_/),
        key: face.emulator.licenseKey,
        status: 'active',
        activations_limit: 3,
        instances_count: 1,
      },
    ],
  })
  expect((await face.ask('/license_keys?page_number=1', undefined, vendor)).body).toEqual({ items: [] })
  const instances = await face.ask('/license_key_instances', undefined, vendor)
  expect(instances.body).toMatchObject({ items: [{ id, name: 'Laptop' }] })
})
