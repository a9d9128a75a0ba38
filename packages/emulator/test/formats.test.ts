import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Emulator, FaceName, LicensePatch } from '../src/index.ts'
import { at, type RawAnswer, rawRequests } from './raw-requests.ts'

// The wire formats of other services, each by its documents and its public source.

let emulator: Emulator
/** Starts this service for each test of the group. */
function useService(face: FaceName): void {
  beforeEach(async () => {
    emulator = await emulatorForTest({ face })
  })
}

type Send = () => Promise<RawAnswer>

/** The header of a request with the vendor's token. */
const asVendor = { authorization: 'Bearer demo' }

/** Sends JSON or a form; without a body, a GET. */
function ask(path: string, body?: object, headers: Record<string, string> = {}, method = 'POST') {
  const isJson = body !== undefined && !(body instanceof URLSearchParams)
  const sent = { ...(isJson && { 'content-type': 'application/json' }), ...headers }
  return rawRequests(emulator).send(body === undefined && method === 'POST' ? 'GET' : method, path, {
    headers: sent,
    body,
  })
}

const idOf = (answer: RawAnswer): string => String(at(answer, 'id'))
const licenseId = (): string => emulator.demoLicense.id
const keys = () => emulator.control.keys(licenseId())

/** Changes the license before the request is sent. */
const after =
  (patch: LicensePatch, send: Send): Send =>
  () => {
    emulator.control.updateLicense(licenseId(), patch)
    return send()
  }

const past = '2026-01-01'

// https://docs.dodopayments.com/api-reference/licenses/activate-license (and validate-, deactivate-license),
// https://docs.dodopayments.com/api-reference/error-codes, and the types of `dodopayments` 2.52.0.
describe('Dodo', () => {
  useService('dodo')
  const post = (verb: string, fields: object = {}) =>
    ask(`/licenses/${verb}`, { license_key: emulator.licenseKey, ...fields })
  const activate: Send = () => post('activate', { name: 'Laptop' })
  const nobody = { license_key_instance_id: 'lki_nobody' }
  const unknown = { license_key: 'nothing', name: 'Laptop', ...nobody }
  const validated = (valid: boolean) => ({ status: 200, text: `{"valid":${valid}}` })
  const refused = (status: number, code: string) => ({ status, body: { code, message: expect.any(String) } })

  it('activates with 201 and the product', async () => {
    expect(await activate()).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^lki_/),
        license_key_id: expect.stringMatching(/^lic_/),
        business_id: expect.stringMatching(/^bus_/),
        name: 'Laptop',
        customer: { customer_id: expect.any(String), email: expect.any(String), name: expect.any(String) },
        product: { product_id: emulator.settings['productId'], name: 'Inkwell' },
      },
    })
    const other = emulator.control.createLicense()
    expect(await post('activate', { ...unknown, license_key: other.license_key })).toMatchObject({
      status: 201,
    })
    expect(emulator.control.keys(other.id)).toHaveLength(1)
  })

  it.each<[what: string, send: Send, answer: object]>([
    ['validates an instance', async () => post('validate', await instance()), validated(true)],
    ['validates a key alone', () => post('validate'), validated(true)],
    ['denies an instance that is gone', () => post('validate', nobody), validated(false)],
    ['denies an unknown key', () => post('validate', unknown), validated(false)],
    ['denies an expired key', after({ expires_at: past }, () => post('validate')), validated(false)],
    ['activates no unknown key', () => post('activate', unknown), refused(404, 'LICENSE_KEY_NOT_FOUND')],
    ['activates no expired key', after({ expires_at: past }, activate), refused(403, 'INACTIVE_LICENSE_KEY')],
    [
      'activates no disabled key',
      after({ suspended_at: past }, activate),
      refused(403, 'INACTIVE_LICENSE_KEY'),
    ],
    ['has a limit', after({ activation_limit: 0 }, activate), refused(422, 'LICENSE_KEY_LIMIT_REACHED')],
    ['requires a name', () => post('activate'), { status: 422 }],
    ['requires a key', () => ask('/licenses/validate', {}), { status: 422 }],
    ['deactivates no other key’s instance', () => post('deactivate', nobody), { status: 403 }],
    ['deactivates no unknown key', () => post('deactivate', unknown), refused(404, 'LICENSE_KEY_NOT_FOUND')],
    ['lists nothing without an API key', () => ask('/license_keys'), { status: 401 }],
  ])('%s', async (_what, send, answer) => {
    expect(await send()).toMatchObject(answer)
  })
  const instance = async () => ({ license_key_instance_id: idOf(await activate()) })

  it('lists license keys and instances in pages, and deactivates without a body', async () => {
    const id = idOf(await activate())
    const key = { key: emulator.licenseKey, status: 'active', activations_limit: 3, instances_count: 1 }
    const list = async (path: string) => (await ask(path, undefined, asVendor)).body
    expect(await list('/license_keys?page_size=100&page_number=0')).toMatchObject({
      items: [{ id: expect.stringMatching(/^lic_/), ...key }],
    })
    expect(await list('/license_keys?page_number=1')).toEqual({ items: [] })
    expect(await list('/license_key_instances')).toMatchObject({ items: [{ id, name: 'Laptop' }] })
    const gone = await post('deactivate', { license_key_instance_id: id })
    expect([gone.status, gone.text, keys()]).toEqual([200, '', []])
  })
})

// https://keygen.sh/docs/api/licenses/, https://keygen.sh/docs/api/machines/, https://keygen.sh/docs/api/signatures/;
// order and codes from
// https://github.com/keygen-sh/keygen-api/blob/f70c4f4e00bc6b3357a05d46bef52df5ccdb9da9/app/services/license_validation_service.rb
describe('Keygen', () => {
  useService('keygen')
  const fingerprint = '0123456789abcdef'
  const base = (): string => `/v1/accounts/${emulator.settings['account']}`
  const validate = (meta: object = {}) =>
    ask(`${base()}/licenses/actions/validate-key`, { meta: { key: emulator.licenseKey, ...meta } })
  const machines = (rest = '', method = 'GET', licenseKey = emulator.licenseKey, body?: object) =>
    ask(`${base()}/machines${rest}`, body, { authorization: `License ${licenseKey}` }, method)
  const activate: Send = () => {
    const relationships = { license: { data: { type: 'licenses', id: licenseId() } } }
    const attributes = { fingerprint, name: 'Laptop', platform: 'linux' }
    const body = { data: { type: 'machines', attributes, relationships } }
    return ask(`${base()}/machines`, body, { authorization: `License ${emulator.licenseKey}` })
  }
  const refused = (status: number, code: string) => ({ status, body: { errors: [{ code }] } })

  it('activates a machine with 201, each fingerprint only once', async () => {
    const attributes = { fingerprint, name: 'Laptop' }
    expect(await activate()).toMatchObject({ status: 201, body: { data: { type: 'machines', attributes } } })
    const pointer = '/data/attributes/fingerprint'
    expect(await activate()).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'FINGERPRINT_TAKEN', source: { pointer } }] },
    })
  })

  it('always answers a validation with 200, with nonce and scope', async () => {
    const scope = { fingerprint, product: emulator.settings['product'] }
    const meta = { valid: false, code: 'NO_MACHINES', nonce: 1234, scope }
    expect(await validate({ nonce: 1234, scope })).toMatchObject({
      status: 200,
      body: { meta, data: { type: 'licenses' } },
    })
    await activate()
    const attributes = { key: emulator.licenseKey, maxMachines: 3, status: 'ACTIVE', suspended: false }
    expect(await validate({ scope })).toMatchObject({
      status: 200,
      body: { meta: { valid: true, code: 'VALID', ts: expect.any(String) }, data: { attributes } },
    })
    const unknown = { meta: { valid: false, code: 'NOT_FOUND' }, data: null }
    expect(await validate({ key: 'nothing' })).toMatchObject({ status: 200, body: unknown })
  })

  it.each([
    ['FINGERPRINT_SCOPE_MISMATCH', false, { scope: { fingerprint: 'other' } }, {}],
    ['PRODUCT_SCOPE_MISMATCH', false, { scope: { product: 'other' } }, {}],
    ['SUSPENDED', false, {}, { suspended_at: past }],
    ['BANNED', false, {}, { status: 'BANNED' }],
    ['OVERDUE', false, {}, { status: 'OVERDUE' }],
    ['EXPIRED', false, {}, { expires_at: past }],
    ['EXPIRED', true, {}, { expires_at: past, status: 'MAINTAIN_ACCESS' }],
    ['TOO_MANY_MACHINES', false, {}, { activation_limit: 1 }],
  ])('answers %s (valid: %s)', async (code, valid, meta, patch) => {
    await activate()
    emulator.control.addKey(licenseId(), 'Other')
    emulator.control.updateLicense(licenseId(), patch)
    expect(await validate(meta)).toMatchObject({ status: 200, body: { meta: { valid, code } } })
  })

  it('lists and shows only the license’s own machines, by ID or fingerprint, and deletes one', async () => {
    await activate()
    const other = emulator.control.createLicense({ keys: ['Elsewhere'] })
    expect((await machines()).body).toMatchObject({ data: [{ attributes: { fingerprint } }] })
    expect((await machines(`/${fingerprint}`)).body).toMatchObject({ data: { attributes: { fingerprint } } })
    expect((await machines(`/${emulator.control.keys(other.id)[0]?.id}`)).status).toBe(404)
    expect(await machines(`/${fingerprint}`, 'DELETE')).toMatchObject({ status: 204, text: '' })
    expect((await machines(`/${fingerprint}`, 'DELETE')).status).toBe(404)
  })

  it.each<[what: string, send: Send, answer: object]>([
    ['has a limit', after({ activation_limit: 0 }, activate), refused(422, 'MACHINE_LIMIT_EXCEEDED')],
    ['lists with a good license', () => machines(), { status: 200 }],
    ['lists with an ended license', after({ expires_at: past }, () => machines()), { status: 200 }],
    ['knows its keys', () => machines('', 'GET', 'nothing'), refused(401, 'LICENSE_INVALID')],
    ['bans', after({ status: 'BANNED' }, () => machines()), refused(403, 'LICENSE_BANNED')],
    [
      'can allow no keys',
      after({ status: 'NOT_ALLOWED' }, () => machines()),
      refused(403, 'LICENSE_NOT_ALLOWED'),
    ],
    ['suspends', after({ suspended_at: past }, () => machines()), refused(403, 'LICENSE_SUSPENDED')],
    [
      'can revoke access at the end',
      after({ expires_at: past, status: 'REVOKE_ACCESS' }, () => machines()),
      refused(403, 'LICENSE_EXPIRED'),
    ],
  ])('%s', async (_what, send, answer) => {
    expect(await send()).toMatchObject(answer)
  })

  it('signs every answer, including refusals and empty ones', async () => {
    const sending = [validate(), activate(), machines('/nobody')]
    for (const { headers } of [
      ...(await Promise.all(sending)),
      await machines(`/${fingerprint}`, 'DELETE'),
    ]) {
      expect(headers.get('keygen-signature')).toMatch(
        /^keyid="[\da-f-]{36}", algorithm="ed25519", signature="[\w+/=]{88}", headers="\(request-target\) host date digest"$/,
      )
      expect(headers.get('digest')).toMatch(/^sha-256=[\w+/]{43}=$/)
      expect(headers.get('date')).toBe(headers.get('keygen-date'))
    }
  })
})

// https://docs.lemonsqueezy.com/api/license-api and its pages for activate, validate and deactivate; types and
// `identifier` from `@lemonsqueezy/lemonsqueezy.js` 4.0.0. Texts of refusals are from public issues, such as
// https://github.com/updatest/feedback/issues/199 and https://github.com/leokhoa/laragon/issues/1510.
describe('Lemon Squeezy', () => {
  useService('lemon-squeezy')
  const post = (verb: string, fields: Record<string, string> = {}) =>
    ask(`/v1/licenses/${verb}`, new URLSearchParams({ license_key: emulator.licenseKey, ...fields }))
  const activate: Send = () => post('activate', { instance_name: 'Laptop' })
  const activated = async (): Promise<string> => {
    await activate()
    return keys()[0]?.id ?? ''
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

  it('activates, validates with and without an instance, and deactivates', async () => {
    // "Inactive: the license key is valid but has no activations."
    const inactive = { valid: true, instance: null, license_key: { status: 'inactive' }, meta }
    expect((await post('validate')).body).toMatchObject(inactive)
    const license_key = {
      id: expect.any(Number),
      status: 'active',
      key: emulator.licenseKey,
      activation_limit: 3,
      activation_usage: 1,
      test_mode: false,
    }
    const instance = { id: expect.stringMatching(/^[\da-f-]{36}$/), name: 'Laptop' }
    expect(await activate()).toMatchObject({
      status: 200,
      body: { activated: true, error: null, license_key, instance, meta },
    })
    const [key] = keys()
    const instance_id = key?.id ?? ''
    const active = { valid: true, instance: { id: instance_id }, license_key: { status: 'active' }, meta }
    expect((await post('validate', { instance_id })).body).toMatchObject(active)
    const { body } = await post('deactivate', { instance_id })
    expect(body).toMatchObject({ deactivated: true, error: null, license_key: { activation_usage: 0 }, meta })
    expect(body).not.toHaveProperty('instance')
  })

  it.each(['activate', 'validate', 'deactivate'])('*%s* of an unknown key is 404', async (verb) => {
    const fields = { license_key: 'nothing', instance_name: 'Laptop', instance_id: 'nobody' }
    const unknown = { status: 404, body: { error: 'license_key not found.' } }
    expect(await post(verb, fields)).toMatchObject(unknown)
  })

  it('refuses an activation without a name, or beyond the limit, with the license’s fields', async () => {
    expect((await post('activate')).status).toBe(422)
    const error = 'This license key has reached the activation limit.'
    const license_key = { activation_limit: 0, activation_usage: 0 }
    expect(await after({ activation_limit: 0 }, activate)()).toMatchObject({
      status: 400,
      body: { activated: false, error, license_key, meta },
    })
  })

  it.each([
    [{ expires_at: past }, 'expired', 'answer', 200],
    [{ expires_at: past }, 'expired', 'refuse', 400],
    [{ suspended_at: past }, 'disabled', 'answer', 200],
    [{ suspended_at: past }, 'disabled', 'refuse', 400],
  ] as const)(
    'with %j a key is %s; to "%s" it means %i',
    async (patch, status, unusableLicense, httpStatus) => {
      emulator.control.useDialect({ validation: { unusableLicense } })
      const instance_id = await activated()
      const refusal = { status: httpStatus, body: { valid: false, license_key: { status } } }
      expect(await after(patch, () => post('validate', { instance_id }))()).toMatchObject(refusal)
      expect(await activate()).toMatchObject({ body: { activated: false } })
    },
  )

  it('lists instances in pages, only with an API key', async () => {
    const identifier = await activated()
    emulator.control.addKey(licenseId(), 'Other')
    const path = '/v1/license-key-instances?page%5Bsize%5D=1'
    expect((await ask(path)).status).toBe(401)
    expect((await ask(path, undefined, asVendor)).body).toMatchObject({
      meta: { page: { currentPage: 1, lastPage: 2, total: 2 } },
      data: [{ type: 'license-key-instances', attributes: { identifier, name: 'Laptop' } }],
    })
  })
})

// https://polar.sh/docs/features/benefits/license-keys and, for refusals and their texts,
// https://github.com/polarsource/polar/blob/c6c3645e639ee8eeaa05aa0835cf8e39e330382f/server/polar/license_key/service.py
// https://github.com/polarsource/polar/blob/c6c3645e639ee8eeaa05aa0835cf8e39e330382f/server/polar/customer_portal/endpoints/license_keys.py
describe('Polar', () => {
  useService('polar')
  const nobody = 'b6724bc8-0000-4000-8000-000000000000'
  const conditions = { device: '0123456789abcdef' }
  const portal = '/v1/customer-portal/license-keys'
  const post = (verb: string, fields: object = {}, path = portal, headers = {}) => {
    const { licenseKey, settings } = emulator
    const body = { key: licenseKey, organization_id: settings['organizationId'], ...fields }
    return ask(`${path}/${verb}`, body, headers)
  }
  const activate = (fields = {}) => post('activate', { label: 'Laptop', conditions, ...fields })
  const notFound = (detail = 'Not found') => ({ status: 404, body: { error: 'ResourceNotFound', detail } })
  const notPermitted = (detail: string) => ({ status: 403, body: { error: 'NotPermitted', detail } })

  it('activates with label, conditions and meta, and doesn’t return the conditions', async () => {
    const { status, body } = await activate({ meta: { version: '2.1.0' } })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      label: 'Laptop',
      meta: { version: '2.1.0' },
      modified_at: null,
      license_key: {
        organization_id: emulator.settings['organizationId'],
        benefit_id: emulator.settings['benefitId'],
        key: emulator.licenseKey,
        display_key: expect.stringMatching(/^\*{4}-[\dA-F]{6}$/),
        status: 'granted',
        limit_activations: 3,
        usage: 0,
        limit_usage: null,
      },
    })
    expect(body).not.toHaveProperty('conditions')
  })

  it('validates with and without an activation, which is bound to its conditions', async () => {
    const id = idOf(await activate())
    const validate = (fields = {}) => post('validate', { activation_id: id, ...fields })
    const validated = { status: 200, body: { status: 'granted', activation: { id } } }
    expect(await validate({ conditions })).toMatchObject(validated)
    expect(await post('validate')).toMatchObject({ status: 200, body: { activation: null } })
    for (const other of [{}, { conditions: { device: 'fedcba9876543210' } }]) {
      const unbound = notFound('License key does not match required conditions')
      expect(await validate(other)).toMatchObject(unbound)
    }
  })

  it.each(['activate', 'validate', 'deactivate'])(
    '*%s* of an unknown key, organization or activation is not found, nor a key in lower case',
    async (verb) => {
      const { licenseKey } = emulator
      expect(licenseKey).toBe(licenseKey.toUpperCase())
      for (const fields of [
        { key: 'INKWELL-NOTHING' },
        { key: licenseKey.toLowerCase() },
        { organization_id: nobody },
        ...(verb === 'activate' ? [] : [{}]),
      ]) {
        const told = await post(verb, { label: 'Laptop', activation_id: nobody, ...fields })
        expect(told).toMatchObject(notFound())
      }
    },
  )

  const noActivations =
    'This license key does not support activations. Use the /validate endpoint instead to check license validity.'
  it.each<[what: string, send: Send, answer: object]>([
    [
      'has a limit',
      async () => {
        await after({ activation_limit: 1 }, activate)()
        return activate()
      },
      notPermitted('License key activation limit already reached'),
    ],
    [
      'activates no key without activations',
      after({ activation_limit: 0 }, activate),
      notPermitted(noActivations),
    ],
    [
      'validates a key without activations',
      after({ activation_limit: 0 }, () => post('validate')),
      { status: 200, body: { limit_activations: null } },
    ],
    [
      'validates no other benefit',
      () => post('validate', { benefit_id: nobody }),
      notFound('License key does not match given benefit.'),
    ],
    [
      'refuses an invalid body',
      () => activate({ organization_id: 'inkwell' }),
      { status: 422, body: { error: 'RequestValidationError' } },
    ],
  ])('%s', async (_what, send, answer) => {
    expect(await send()).toMatchObject(answer)
  })

  const inactive = 'License key is no longer active.'
  it.each([
    ['revoked', `${inactive} This license key can not be activated.`, inactive, { suspended_at: past }],
    ['disabled', `${inactive} This license key can not be activated.`, inactive, { status: 'OFF' }],
    ['expired', 'License key has expired.', 'License key has expired.', { expires_at: past }],
  ])('refuses a key that is %s, and frees its devices', async (_what, activating, validating, patch) => {
    const activation_id = idOf(await activate())
    expect(await after(patch, activate)()).toMatchObject(notPermitted(activating))
    expect(await post('validate', { activation_id, conditions })).toMatchObject(notFound(validating))
    expect(await post('deactivate', { activation_id })).toMatchObject({ status: 204, text: '' })
  })

  // https://polar.sh/docs/api-reference/license-keys/validate, which names these routes for servers.
  it('lists activations, and has routes for servers, only with a token of the organization', async () => {
    const path = '/v1/license-keys'
    const show = (headers = {}) => ask(`${path}/${licenseId()}`, undefined, headers)
    expect([(await show()).status, (await post('validate', {}, path)).status]).toEqual([401, 401])
    const activation_id = idOf(await post('activate', { label: 'Laptop', conditions }, path, asVendor))
    const listed = { status: 200, body: { activations: [{ id: activation_id, label: 'Laptop' }] } }
    expect(await show(asVendor)).toMatchObject(listed)
    const asServer = (verb: string) => post(verb, { activation_id, conditions }, path, asVendor)
    expect([(await asServer('validate')).status, (await asServer('deactivate')).status]).toEqual([200, 204])
  })
})

// https://github.com/polarsource/polar/blob/c6c3645e639ee8eeaa05aa0835cf8e39e330382f/server/polar/rate_limit.py
// https://docs.lemonsqueezy.com/api/license-api
it.each<
  [
    face: FaceName,
    path: string,
    count: number,
    answered: [atMs: number, count: number, after: string | null][],
  ]
>([
  [
    'polar',
    '/v1/customer-portal/license-keys/validate',
    4,
    [
      [0, 3, '60'],
      [1_500, 0, '59'],
      [59_999, 0, '1'],
      [60_000, 3, '60'],
    ],
  ],
  ['polar', '/v1/license-keys/validate', 20, [[0, 20, null]]],
  [
    'lemon-squeezy',
    '/v1/licenses/validate',
    61,
    [
      [0, 60, '60'],
      [59_000, 0, '1'],
      [60_000, 60, '60'],
    ],
  ],
])('limits the rate of requests to %s at %s', async (face, path, count, rows) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const startedAtMs = Date.now()
  emulator = await emulatorForTest({ face, rateLimits: true })
  for (const [atMs, expected, retryAfter] of rows) {
    vi.setSystemTime(startedAtMs + atMs)
    const answers: RawAnswer[] = []
    for (let sent = 0; sent < count; sent += 1) answers.push(await ask(path, {}))
    expect(answers.filter(({ status }) => status !== 429)).toHaveLength(expected)
    expect(answers.at(-1)?.headers.get('retry-after')).toBe(retryAfter)
  }
})

import { emulatorForTest } from '@latchkey/scripts/test/side-by-side'
