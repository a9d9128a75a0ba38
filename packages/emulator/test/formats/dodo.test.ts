import { expect, it } from 'vitest'
import { asVendor, idOf, type Told, useService } from './format-under-test.ts'

// Sources: https://docs.dodopayments.com/api-reference/licenses/activate-license (and validate-, deactivate-license),
// https://docs.dodopayments.com/api-reference/error-codes, and the types of `dodopayments` 2.52.0.

const service = useService({ face: 'dodo' })

function post(verb: string, fields: Record<string, unknown>): Promise<Told> {
  return service.ask(`/licenses/${verb}`, { license_key: service.emulator.licenseKey, ...fields })
}

const activate = (): Promise<Told> => post('activate', { name: 'Laptop' })
const instance = async () => ({ license_key_instance_id: idOf(await activate()) })
const unknownKey = { license_key: 'nothing', name: 'Laptop', license_key_instance_id: 'lki_nobody' }
const refusal = (status: number, code: string): unknown =>
  expect.objectContaining({ status, body: { code, message: expect.any(String) } })

it('activates with 201 and the product', async () => {
  expect(await activate()).toMatchObject({
    status: 201,
    body: {
      id: expect.stringMatching(/^lki_/),
      license_key_id: expect.stringMatching(/^lic_/),
      business_id: expect.stringMatching(/^bus_/),
      name: 'Laptop',
      customer: { customer_id: expect.any(String), email: expect.any(String), name: expect.any(String) },
      product: { product_id: service.emulator.settings['productId'], name: 'Inkwell' },
    },
  })
})

it('activates a license that was created at the control, with its license key', async () => {
  const { id, license_key } = service.emulator.control.createLicense()
  expect((await post('activate', { license_key, name: 'Laptop' })).status).toBe(201)
  expect(service.emulator.control.keys(id)).toHaveLength(1)
})

it.each([
  ['an instance', 'true', instance],
  ['a key alone', 'true', async () => ({})],
  ['an instance that is gone', 'false', async () => ({ license_key_instance_id: 'lki_nobody' })],
  ['an unknown key', 'false', async () => ({ license_key: 'nothing' })],
  [
    'an expired key',
    'false',
    async () => {
      service.emulator.control.expire(service.licenseId)
      return {}
    },
  ],
])('validates %s with 200 and only %s', async (_what, valid, fields) => {
  const { status, text } = await post('validate', await fields())
  expect([status, text]).toEqual([200, `{"valid":${valid}}`])
})

it.each([
  ['an unknown key', 404, 'LICENSE_KEY_NOT_FOUND', () => {}],
  ['an expired key', 403, 'INACTIVE_LICENSE_KEY', (id: string) => service.emulator.control.expire(id)],
  ['a disabled key', 403, 'INACTIVE_LICENSE_KEY', (id: string) => service.emulator.control.suspend(id)],
  [
    'a key beyond its limit',
    422,
    'LICENSE_KEY_LIMIT_REACHED',
    (id: string) => service.emulator.control.updateLicense(id, { activation_limit: 0 }),
  ],
])('refuses to activate %s with %i', async (what, status, code, spoil) => {
  spoil(service.licenseId)
  const told = what === 'an unknown key' ? await post('activate', unknownKey) : await activate()
  expect(told).toEqual(refusal(status, code))
})

it('refuses a malformed request', async () => {
  expect((await post('activate', {})).status).toBe(422)
  expect((await service.ask('/licenses/validate', {})).status).toBe(422)
})

it('deactivates with 200 and no body, another key’s instance with 403, an unknown key with 404', async () => {
  const { status, text } = await post('deactivate', await instance())
  expect([status, text]).toEqual([200, ''])
  expect(service.emulator.control.keys(service.licenseId)).toEqual([])
  expect((await post('deactivate', { license_key_instance_id: 'lki_nobody' })).status).toBe(403)
  expect(await post('deactivate', unknownKey)).toEqual(refusal(404, 'LICENSE_KEY_NOT_FOUND'))
})

it('lists license keys and instances only with an API key', async () => {
  const id = idOf(await activate())
  expect((await service.ask('/license_keys')).status).toBe(401)
  const keys = await service.ask('/license_keys?page_size=100&page_number=0', undefined, asVendor)
  const key = { key: service.emulator.licenseKey, status: 'active', activations_limit: 3, instances_count: 1 }
  expect(keys.body).toMatchObject({ items: [{ id: expect.stringMatching(/^lic_/), ...key }] })
  const next = await service.ask('/license_keys?page_number=1', undefined, asVendor)
  expect(next.body).toEqual({ items: [] })
  const instances = await service.ask('/license_key_instances', undefined, asVendor)
  expect(instances.body).toMatchObject({ items: [{ id, name: 'Laptop' }] })
})
