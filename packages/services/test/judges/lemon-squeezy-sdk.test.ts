import {
  activateLicense,
  deactivateLicense,
  lemonSqueezySetup,
  listLicenseKeyInstances,
  validateLicense,
} from '@lemonsqueezy/lemonsqueezy.js'
import { afterEach, expect, it, vi } from 'vitest'
import { device, type ServiceOnFace, startService } from '../faces.ts'

// Lemon Squeezy's own SDK asks the face. Its address is fixed, so its fetch is redirected. It checks no fields at run
// time: its types say which ones the tests look for.

const address = 'https://api.lemonsqueezy.com'

afterEach(() => {
  vi.unstubAllGlobals()
})

async function startJudge(): Promise<ServiceOnFace> {
  const onFace = await startService('lemon-squeezy')
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = input instanceof Request ? input.url : String(input)
    return url.startsWith(address)
      ? fetch(onFace.emulator.baseUrl + url.slice(address.length), init)
      : fetch(input, init)
  })
  lemonSqueezySetup({ apiKey: 'demo' })
  return onFace
}

it('activates, validates, lists and deactivates', async () => {
  const { licenseKey } = await startJudge()
  const { statusCode, data: activated, error } = await activateLicense(licenseKey, 'Laptop')
  expect([statusCode, error]).toEqual([200, null])
  expect(activated).toMatchObject({ activated: true, error: null, instance: { name: 'Laptop' } })
  // These are the fields of the SDK's types.
  const { id, status, key, activation_limit, activation_usage, expires_at, test_mode } =
    activated?.license_key ?? {}
  expect([typeof id, status, key, activation_limit, activation_usage]).toEqual([
    'number',
    'active',
    licenseKey,
    3,
    1,
  ])
  expect([typeof expires_at, test_mode]).toEqual(['string', false])
  expect(activated?.meta).toMatchObject({ store_id: 12345, product_id: 67890, variant_name: 'Pro' })
  const instanceId = activated?.instance?.id ?? ''
  expect((await validateLicense(licenseKey)).data).toMatchObject({ valid: true, instance: null })
  expect((await validateLicense(licenseKey, instanceId)).data).toMatchObject({
    valid: true,
    instance: { id: instanceId },
  })
  const listed = await listLicenseKeyInstances({ filter: { licenseKeyId: id ?? 0 }, page: { size: 5 } })
  expect(listed.data?.meta.page).toMatchObject({ currentPage: 1, lastPage: 1, total: 1 })
  expect(listed.data?.data).toMatchObject([{ attributes: { identifier: instanceId, license_key_id: id } }])
  expect((await deactivateLicense(licenseKey, instanceId)).data).toMatchObject({
    deactivated: true,
    error: null,
  })
})

it('sees activations made by the adapter, and the adapter sees those of the SDK', async () => {
  const { licenseKey, service } = await startJudge()
  const outcome = await service.activate({ licenseKey, ...device })
  const ours = outcome.kind === 'answer' ? outcome.value.activation.id : ''
  expect((await validateLicense(licenseKey, ours)).data).toMatchObject({
    valid: true,
    instance: { id: ours },
  })
  const activationId = (await activateLicense(licenseKey, 'Laptop')).data?.instance?.id ?? ''
  expect(await service.validate({ licenseKey, activationId, ...device })).toMatchObject({ kind: 'answer' })
})

it('recognizes every refusal', async () => {
  const { emulator, licenseKey, licenseId } = await startJudge()
  const unknown = await validateLicense('nothing')
  expect([unknown.statusCode, unknown.error?.cause]).toEqual([404, 'license_key not found.'])
  emulator.control.updateLicense(licenseId, { activation_limit: 0 })
  const full = await activateLicense(licenseKey, 'Laptop')
  expect([full.statusCode, full.error?.cause]).toEqual([
    400,
    'This license key has reached the activation limit.',
  ])
  expect(full.data).toMatchObject({ activated: false, license_key: { activation_limit: 0 } })
  expect((await deactivateLicense(licenseKey, 'nobody')).statusCode).toBe(404)
  emulator.control.expire(licenseId)
  expect((await validateLicense(licenseKey)).data).toMatchObject({
    valid: false,
    license_key: { status: 'expired' },
  })
  emulator.control.suspend(licenseId)
  const disabled = await validateLicense(licenseKey)
  expect(disabled.data).toMatchObject({ valid: false, license_key: { status: 'disabled' } })
})

it('knows the refusals of every request: unknown key, unknown instance, ended, disabled, missing field', async () => {
  const { emulator, licenseKey, licenseId } = await startJudge()
  expect((await activateLicense('nothing', 'Laptop')).statusCode).toBe(404)
  expect((await deactivateLicense('nothing', 'nobody')).statusCode).toBe(404)
  const gone = await validateLicense(licenseKey, 'nobody')
  expect([gone.statusCode, gone.data?.valid]).toEqual([404, false])
  // The SDK itself refuses a missing field, so it never gets the 422.
  await expect(async () => activateLicense(licenseKey, '')).rejects.toThrow('required parameter')
  emulator.control.suspend(licenseId)
  const disabled = await activateLicense(licenseKey, 'Laptop')
  expect(disabled.data).toMatchObject({ activated: false, license_key: { status: 'disabled' } })
  emulator.control.reinstate(licenseId)
  emulator.control.expire(licenseId)
  const expired = await activateLicense(licenseKey, 'Laptop')
  expect(expired.data).toMatchObject({ activated: false, license_key: { status: 'expired' } })
  expect(emulator.control.keys(licenseId)).toEqual([])
})
