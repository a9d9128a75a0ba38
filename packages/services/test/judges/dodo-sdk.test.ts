import DodoPayments, {
  AuthenticationError,
  NotFoundError,
  PermissionDeniedError,
  UnprocessableEntityError,
} from 'dodopayments'
import { expect, it } from 'vitest'
import { device, type ServiceOnFace, startService } from '../faces.ts'

// Dodo Payments' own SDK calls the emulated service. It checks nothing at run time, so the tests check its types' fields.

interface Judge extends ServiceOnFace {
  readonly sdk: DodoPayments
}

async function startJudge(): Promise<Judge> {
  const onFace = await startService('dodo')
  const sdk = new DodoPayments({ baseURL: onFace.emulator.baseUrl, bearerToken: 'demo', maxRetries: 0 })
  return { ...onFace, sdk }
}

it('activates, validates, lists and deactivates', async () => {
  const { sdk, licenseKey: license_key, emulator } = await startJudge()
  const activated: DodoPayments.LicenseActivateResponse = await sdk.licenses.activate({
    license_key,
    name: 'Laptop',
  })
  const { id, business_id, created_at, customer, license_key_id, name, product } = activated
  for (const text of [id, business_id, created_at, customer.customer_id, customer.email, license_key_id]) {
    expect(text).toEqual(expect.any(String))
  }
  expect([name, product.product_id]).toEqual(['Laptop', emulator.settings['productId']])
  const request = { license_key, license_key_instance_id: id }
  expect(await sdk.licenses.validate(request)).toEqual({ valid: true })
  const keys: DodoPayments.LicenseKey[] = []
  for await (const key of sdk.licenseKeys.list()) keys.push(key)
  for await (const key of sdk.licenseKeys.list({ created_at_gte: '2999-01-01T00:00:00Z' })) keys.push(key)
  expect(keys).toMatchObject([{ id: license_key_id, key: license_key, status: 'active', instances_count: 1 }])
  expect(await sdk.licenseKeys.retrieve(license_key_id)).toMatchObject({
    activations_limit: 3,
    source: 'auto',
  })
  const instances: DodoPayments.LicenseKeyInstance[] = []
  for await (const instance of sdk.licenseKeyInstances.list({ license_key_id })) instances.push(instance)
  expect(instances).toEqual([{ id, business_id, created_at, license_key_id, name }])
  expect(await sdk.licenseKeyInstances.retrieve(id)).toEqual(instances[0])
  await sdk.licenses.deactivate(request)
  expect(await sdk.licenses.validate(request)).toEqual({ valid: false })
})

it('sees activations made by the adapter, and the adapter sees those of the SDK', async () => {
  const { sdk, service, licenseKey } = await startJudge()
  const outcome = await service.activate({ licenseKey, ...device })
  const ours = outcome.kind === 'answer' ? outcome.value.activation.id : ''
  const request = { license_key: licenseKey, license_key_instance_id: ours }
  expect(await sdk.licenses.validate(request)).toEqual({ valid: true })
  const { id } = await sdk.licenses.activate({ license_key: licenseKey, name: 'Laptop' })
  expect(await service.validate({ licenseKey, activationId: id, ...device })).toMatchObject({
    kind: 'answer',
  })
})

it('recognizes every refusal', async () => {
  const { sdk, emulator, licenseKey: license_key, licenseId } = await startJudge()
  const activate = (key: string): Promise<unknown> =>
    sdk.licenses.activate({ license_key: key, name: 'Laptop' })
  await expect(activate('nothing')).rejects.toBeInstanceOf(NotFoundError)
  await expect(activate('nothing')).rejects.toMatchObject({ error: { code: 'LICENSE_KEY_NOT_FOUND' } })
  emulator.control.updateLicense(licenseId, { activation_limit: 0 })
  await expect(activate(license_key)).rejects.toBeInstanceOf(UnprocessableEntityError)
  await expect(activate(license_key)).rejects.toMatchObject({ error: { code: 'LICENSE_KEY_LIMIT_REACHED' } })
  emulator.control.expire(licenseId)
  await expect(activate(license_key)).rejects.toBeInstanceOf(PermissionDeniedError)
  await expect(activate(license_key)).rejects.toMatchObject({ error: { code: 'INACTIVE_LICENSE_KEY' } })
  const other = { license_key, license_key_instance_id: 'lki_nobody' }
  await expect(sdk.licenses.deactivate(other)).rejects.toBeInstanceOf(PermissionDeniedError)
  await expect(sdk.licenses.deactivate({ ...other, license_key: 'nothing' })).rejects.toBeInstanceOf(
    NotFoundError,
  )
  const stranger = new DodoPayments({ baseURL: emulator.baseUrl, bearerToken: 'wrong', maxRetries: 0 })
  await expect(stranger.licenseKeys.retrieve('lic_any')).rejects.toBeInstanceOf(AuthenticationError)
})

it('knows that an unknown, an ended and a disabled key are invalid, and a malformed request', async () => {
  const { sdk, emulator, licenseKey: license_key, licenseId } = await startJudge()
  expect(await sdk.licenses.validate({ license_key: 'nothing' })).toEqual({ valid: false })
  await expect(sdk.licenses.validate({ license_key: '' })).rejects.toBeInstanceOf(UnprocessableEntityError)
  const nameless = { license_key, name: '' }
  await expect(sdk.licenses.activate(nameless)).rejects.toBeInstanceOf(UnprocessableEntityError)
  emulator.control.suspend(licenseId)
  expect(await sdk.licenses.validate({ license_key })).toEqual({ valid: false })
  const activated = sdk.licenses.activate({ license_key, name: 'Laptop' })
  await expect(activated).rejects.toBeInstanceOf(PermissionDeniedError)
  emulator.control.reinstate(licenseId)
  emulator.control.expire(licenseId)
  expect(await sdk.licenses.validate({ license_key })).toEqual({ valid: false })
})
