import { Polar } from '@polar-sh/sdk'
import { HTTPValidationError } from '@polar-sh/sdk/models/errors/httpvalidationerror.js'
import { NotPermitted } from '@polar-sh/sdk/models/errors/notpermitted.js'
import { ResourceNotFound } from '@polar-sh/sdk/models/errors/resourcenotfound.js'
import { expect, it } from 'vitest'
import { device, type ServiceOnFace, startService } from '../faces.ts'

// Polar's own SDK checks every answer of the emulated service with its own schemas and throws when a field differs.

interface Judge extends ServiceOnFace {
  readonly sdk: Polar
  readonly organizationId: string
}

async function startJudge(): Promise<Judge> {
  const onFace = await startService('polar')
  const sdk = new Polar({
    serverURL: onFace.emulator.baseUrl,
    accessToken: 'demo',
    retryConfig: { strategy: 'none' },
  })
  return { ...onFace, sdk, organizationId: onFace.emulator.settings['organizationId'] ?? '' }
}

function activate({ sdk, licenseKey: key, organizationId }: Judge) {
  const conditions = { device: device.fingerprint }
  return sdk.customerPortal.licenseKeys.activate({
    key,
    organizationId,
    label: 'Laptop',
    conditions,
    meta: { v: 1 },
  })
}

it('activates, validates, lists and deactivates', async () => {
  const judge = await startJudge()
  const { sdk, licenseKey: key, organizationId, licenseId } = judge
  const activated = await activate(judge)
  expect(activated).toMatchObject({ label: 'Laptop', meta: { v: 1 }, licenseKey: { key, status: 'granted' } })
  const activationId = activated.id
  const validated = await sdk.customerPortal.licenseKeys.validate({
    key,
    organizationId,
    activationId,
    conditions: { device: device.fingerprint },
  })
  expect(validated).toMatchObject({ activation: { id: activationId }, limitActivations: 3 })
  const shown = await sdk.licenseKeys.get({ id: licenseId })
  expect(shown.activations).toMatchObject([{ id: activationId }])
  await sdk.customerPortal.licenseKeys.deactivate({ key, organizationId, activationId })
  expect((await sdk.licenseKeys.get({ id: licenseId })).activations).toEqual([])
})

it('activates, validates and deactivates with the vendor’s token', async () => {
  const { sdk, licenseKey: key, organizationId, licenseId } = await startJudge()
  const conditions = { device: device.fingerprint }
  const { id: activationId } = await sdk.licenseKeys.activate({
    key,
    organizationId,
    label: 'Laptop',
    conditions,
    meta: { v: 1 },
  })
  const request = { key, organizationId, activationId, conditions }
  expect(await sdk.licenseKeys.validate(request)).toMatchObject({ activation: { id: activationId } })
  await sdk.licenseKeys.deactivate({ key, organizationId, activationId })
  expect((await sdk.licenseKeys.get({ id: licenseId })).activations).toEqual([])
})

it('reads activations made by the adapter, and the adapter reads those of the SDK', async () => {
  const judge = await startJudge()
  const { service, sdk, licenseKey, organizationId } = judge
  const outcome = await service.activate({ licenseKey, ...device })
  const activationId = outcome.kind === 'answer' ? outcome.value.activation.id : ''
  const conditions = { device: device.fingerprint }
  const request = { key: licenseKey, organizationId, activationId, conditions }
  expect(await sdk.customerPortal.licenseKeys.validate(request)).toMatchObject({
    activation: { id: activationId },
  })
  const { id } = await activate(judge)
  expect(await service.validate({ licenseKey, activationId: id, ...device })).toMatchObject({
    kind: 'answer',
  })
})

it.each<
  [what: string, spoil: (judge: Judge) => unknown, error: new (...args: never[]) => Error, detail: string]
>([
  ['an unknown key', () => null, ResourceNotFound, 'Not found'],
  [
    'no seat left',
    ({ emulator, licenseId }) => {
      for (const name of ['A', 'B', 'C']) emulator.control.addKey(licenseId, name)
    },
    NotPermitted,
    'License key activation limit already reached',
  ],
  [
    'an expired key',
    ({ emulator, licenseId }) => emulator.control.expire(licenseId),
    NotPermitted,
    'License key has expired.',
  ],
  [
    'a revoked key',
    ({ emulator, licenseId }) => emulator.control.suspend(licenseId),
    NotPermitted,
    'License key is no longer active. This license key can not be activated.',
  ],
])('recognizes a refused activation: %s', async (what, spoil, error, detail) => {
  const judge = await startJudge()
  spoil(judge)
  const asked = what === 'an unknown key' ? { ...judge, licenseKey: 'INKWELL-NOTHING' } : judge
  const thrown = await activate(asked).catch((reason: unknown) => reason)
  expect(thrown).toBeInstanceOf(error)
  expect(thrown).toMatchObject({ detail })
})

it.each<[what: string, spoil: (judge: Judge) => unknown, fields: Record<string, unknown>, detail: string]>([
  [
    'expired',
    ({ emulator, licenseId }) => emulator.control.expire(licenseId),
    {},
    'License key has expired.',
  ],
  [
    'revoked',
    ({ emulator, licenseId }) => emulator.control.suspend(licenseId),
    {},
    'License key is no longer active.',
  ],
  ['conditions', () => null, { conditions: {} }, 'License key does not match required conditions'],
  ['activation', () => null, { activationId: 'b6724bc8-0000-4000-8000-000000000000' }, 'Not found'],
  [
    'benefit',
    () => null,
    { benefitId: 'b6724bc8-0000-4000-8000-000000000000' },
    'License key does not match given benefit.',
  ],
])('recognizes a refused validation: %s', async (_what, spoil, fields, detail) => {
  const judge = await startJudge()
  const { sdk, licenseKey: key, organizationId } = judge
  const { id: activationId } = await activate(judge)
  spoil(judge)
  const conditions = { device: device.fingerprint }
  const request = { key, organizationId, activationId, conditions, ...fields }
  const thrown = await sdk.customerPortal.licenseKeys.validate(request).catch((reason: unknown) => reason)
  expect(thrown).toBeInstanceOf(ResourceNotFound)
  expect(thrown).toMatchObject({ detail })
})

it('recognizes a refused deactivation and a refused body', async () => {
  const { sdk, licenseKey: key, organizationId } = await startJudge()
  const activationId = 'b6724bc8-0000-4000-8000-000000000000'
  await expect(
    sdk.customerPortal.licenseKeys.deactivate({ key, organizationId, activationId }),
  ).rejects.toBeInstanceOf(ResourceNotFound)
  const bad = { key, organizationId: 'inkwell', label: 'Laptop' }
  await expect(sdk.customerPortal.licenseKeys.activate(bad)).rejects.toBeInstanceOf(HTTPValidationError)
})

const nobody = 'b6724bc8-0000-4000-8000-000000000000'

it.each<[what: string, fields: Readonly<Record<string, string>>]>([
  ['an unknown key', { key: 'INKWELL-NOTHING' }],
  ['another organization', { organizationId: nobody }],
])('knows that nothing is found, whatever is asked: %s', async (_what, fields) => {
  const judge = await startJudge()
  const { sdk, licenseKey: key, organizationId } = judge
  const { id: activationId } = await activate(judge)
  const request = { key, organizationId, activationId, conditions: { device: device.fingerprint }, ...fields }
  const { activate: add, validate, deactivate } = sdk.customerPortal.licenseKeys
  const { licenseKeys } = sdk.customerPortal
  for (const call of [
    add.call(licenseKeys, { ...request, label: 'Laptop' }),
    validate.call(licenseKeys, request),
    deactivate.call(licenseKeys, request),
  ]) {
    const thrown = await call.catch((reason: unknown) => reason)
    expect(thrown).toBeInstanceOf(ResourceNotFound)
    expect(thrown).toMatchObject({ detail: 'Not found' })
  }
})

it('knows a key without activations: it can be validated, and not activated', async () => {
  const judge = await startJudge()
  const { sdk, emulator, licenseId, licenseKey: key, organizationId } = judge
  emulator.control.updateLicense(licenseId, { activation_limit: 0 })
  const thrown = await activate(judge).catch((reason: unknown) => reason)
  expect(thrown).toBeInstanceOf(NotPermitted)
  expect(thrown).toMatchObject({
    detail: expect.stringContaining('This license key does not support activations.'),
  })
  const { validate } = sdk.customerPortal.licenseKeys
  const validated = await validate.call(sdk.customerPortal.licenseKeys, { key, organizationId })
  expect(validated.activation ?? null).toBeNull()
})

it.each(['expire', 'suspend'] as const)('can deactivate after %s', async (end) => {
  const judge = await startJudge()
  const { sdk, emulator, licenseId, licenseKey: key, organizationId } = judge
  const { id: activationId } = await activate(judge)
  emulator.control[end](licenseId)
  await sdk.customerPortal.licenseKeys.deactivate({ key, organizationId, activationId })
  expect(emulator.control.keys(licenseId)).toEqual([])
})

it('knows a bad body of every request', async () => {
  const { sdk, licenseKey: key } = await startJudge()
  const { licenseKeys } = sdk.customerPortal
  const bad = { key, organizationId: 'inkwell' }
  await expect(licenseKeys.validate(bad)).rejects.toBeInstanceOf(HTTPValidationError)
  const badRelease = { ...bad, activationId: nobody }
  await expect(licenseKeys.deactivate(badRelease)).rejects.toBeInstanceOf(HTTPValidationError)
})
