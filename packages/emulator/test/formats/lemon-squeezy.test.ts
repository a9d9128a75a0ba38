import { expect, it } from 'vitest'
import { asVendor, type Told, useService } from './format-under-test.ts'

// Sources: https://docs.lemonsqueezy.com/api/license-api and its pages for activate, validate and deactivate; types and
// `identifier` from `@lemonsqueezy/lemonsqueezy.js` 4.0.0. Texts of refusals are from public issues, such as
// https://github.com/updatest/feedback/issues/199 and https://github.com/leokhoa/laragon/issues/1510.

const service = useService({ face: 'lemon-squeezy' })

function post(verb: string, fields: Record<string, string> = {}): Promise<Told> {
  const form = new URLSearchParams({ license_key: service.emulator.licenseKey, ...fields })
  return service.ask(`/v1/licenses/${verb}`, form, { headers: { accept: 'application/json' } })
}

const activate = (): Promise<Told> => post('activate', { instance_name: 'Laptop' })
async function activated(): Promise<string> {
  await activate()
  return service.emulator.control.keys(service.licenseId)[0]?.id ?? ''
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
  expect(await activate()).toMatchObject({
    status: 200,
    body: {
      activated: true,
      error: null,
      license_key: {
        id: expect.any(Number),
        status: 'active',
        key: service.emulator.licenseKey,
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
  // "Inactive: the license key is valid but has no activations."
  const inactive = { valid: true, instance: null, license_key: { status: 'inactive' }, meta }
  expect((await post('validate')).body).toMatchObject(inactive)
  const id = await activated()
  const active = { valid: true, instance: { id }, license_key: { status: 'active' }, meta }
  expect((await post('validate', { instance_id: id })).body).toMatchObject(active)
})

it('deactivates, and returns no instance', async () => {
  const { body } = await post('deactivate', { instance_id: await activated() })
  expect(body).toMatchObject({ deactivated: true, error: null, license_key: { activation_usage: 0 }, meta })
  expect(body).not.toHaveProperty('instance')
})

it.each(['activate', 'validate', 'deactivate'])('*%s* of an unknown key is 404', async (verb) => {
  const fields = { license_key: 'nothing', instance_name: 'Laptop', instance_id: 'nobody' }
  const unknown = { status: 404, body: { error: 'license_key not found.' } }
  expect(await post(verb, fields)).toMatchObject(unknown)
})

it('refuses an activation beyond the limit with 400 and the license’s fields', async () => {
  service.emulator.control.updateLicense(service.licenseId, { activation_limit: 0 })
  expect(await activate()).toMatchObject({
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
  ['expire', 'expired', 'answer', 200],
  ['expire', 'expired', 'refuse', 400],
  ['suspend', 'disabled', 'answer', 200],
  ['suspend', 'disabled', 'refuse', 400],
] as const)(
  'after %s a key is %s; to "%s" it means %i',
  async (verb, status, unusableLicense, httpStatus) => {
    const { control } = service.emulator
    control.useDialect({ validation: { unusableLicense } })
    const id = await activated()
    control[verb](service.licenseId)
    const refusal = { status: httpStatus, body: { valid: false, license_key: { status } } }
    expect(await post('validate', { instance_id: id })).toMatchObject(refusal)
    expect(await activate()).toMatchObject({ body: { activated: false } })
  },
)

it('refuses a missing field with 422', async () => {
  expect((await post('activate')).status).toBe(422)
})

it('lists instances in pages, only with an API key', async () => {
  const id = await activated()
  service.emulator.control.addKey(service.licenseId, 'Other')
  const path = '/v1/license-key-instances?page%5Bsize%5D=1'
  expect((await service.ask(path)).status).toBe(401)
  expect((await service.ask(path, undefined, asVendor)).body).toMatchObject({
    meta: { page: { currentPage: 1, lastPage: 2, total: 2 } },
    data: [{ type: 'license-key-instances', attributes: { identifier: id, name: 'Laptop' } }],
  })
})
