import { expect, it } from 'vitest'
import { type Told, useService } from './format-under-test.ts'

// Sources: https://keygen.sh/docs/api/licenses/, https://keygen.sh/docs/api/machines/,
// https://keygen.sh/docs/api/signatures/; order and codes from
// https://github.com/keygen-sh/keygen-api/blob/f70c4f4e00bc6b3357a05d46bef52df5ccdb9da9/app/services/license_validation_service.rb

const service = useService({ face: 'keygen' })

const fingerprint = '0123456789abcdef'
const base = (): string => `/v1/accounts/${service.emulator.settings['account']}`

function validate(meta: Record<string, unknown> = {}): Promise<Told> {
  const body = { meta: { key: service.emulator.licenseKey, ...meta } }
  return service.ask(`${base()}/licenses/actions/validate-key`, body)
}

function machines(
  rest = '',
  method = 'GET',
  {
    body,
    credential = `License ${service.emulator.licenseKey}`,
  }: { body?: unknown; credential?: string } = {},
): Promise<Told> {
  return service.ask(`${base()}/machines${rest}`, body, { method, headers: { authorization: credential } })
}

function activate(): Promise<Told> {
  const relationships = { license: { data: { type: 'licenses', id: service.licenseId } } }
  const attributes = { fingerprint, name: 'Laptop', platform: 'linux' }
  return machines('', 'POST', { body: { data: { type: 'machines', attributes, relationships } } })
}

/** An answer with one error. */
const refusal = (status: number, code: string, pointer?: string): unknown =>
  expect.objectContaining({
    status,
    body: { errors: [expect.objectContaining({ code, ...(pointer && { source: { pointer } }) })] },
  })

it('activates a machine with 201, each fingerprint only once', async () => {
  expect(await activate()).toMatchObject({
    status: 201,
    body: { data: { type: 'machines', attributes: { fingerprint, name: 'Laptop' } } },
  })
  expect(await activate()).toEqual(refusal(422, 'FINGERPRINT_TAKEN', '/data/attributes/fingerprint'))
})

it('refuses a machine beyond the limit', async () => {
  service.emulator.control.updateLicense(service.licenseId, { activation_limit: 0 })
  expect(await activate()).toEqual(refusal(422, 'MACHINE_LIMIT_EXCEEDED', '/data'))
})

it('always answers a validation with 200, with nonce and scope', async () => {
  const scope = { fingerprint, product: service.emulator.settings['product'] }
  expect(await validate({ nonce: 1234, scope })).toMatchObject({
    status: 200,
    body: { meta: { valid: false, code: 'NO_MACHINES', nonce: 1234, scope }, data: { type: 'licenses' } },
  })
  await activate()
  expect(await validate({ scope })).toMatchObject({
    status: 200,
    body: {
      meta: { valid: true, code: 'VALID', ts: expect.any(String) },
      data: {
        attributes: { key: service.emulator.licenseKey, maxMachines: 3, status: 'ACTIVE', suspended: false },
      },
    },
  })
})

it.each([
  ['FINGERPRINT_SCOPE_MISMATCH', false, { scope: { fingerprint: 'other' } }, {}],
  ['PRODUCT_SCOPE_MISMATCH', false, { scope: { product: 'other' } }, {}],
  ['SUSPENDED', false, {}, { suspended_at: '2026-01-01' }],
  ['BANNED', false, {}, { status: 'BANNED' }],
  ['OVERDUE', false, {}, { status: 'OVERDUE' }],
  ['EXPIRED', false, {}, { expires_at: '2026-01-01' }],
  ['EXPIRED', true, {}, { expires_at: '2026-01-01', status: 'MAINTAIN_ACCESS' }],
  ['TOO_MANY_MACHINES', false, {}, { activation_limit: 1 }],
])('answers %s (valid: %s)', async (code, valid, meta, patch) => {
  await activate()
  service.emulator.control.addKey(service.licenseId, 'Other')
  service.emulator.control.updateLicense(service.licenseId, patch)
  expect(await validate(meta)).toMatchObject({ status: 200, body: { meta: { valid, code } } })
})

it('answers NOT_FOUND for an unknown key, with null for its data', async () => {
  const unknown = { status: 200, body: { meta: { valid: false, code: 'NOT_FOUND' }, data: null } }
  expect(await validate({ key: 'nothing' })).toMatchObject(unknown)
})

it('lists and shows only the license’s own machines, by ID or fingerprint', async () => {
  await activate()
  const other = service.emulator.control.createLicense({ keys: ['Elsewhere'] })
  expect((await machines()).body).toMatchObject({ data: [{ attributes: { fingerprint } }] })
  expect((await machines(`/${fingerprint}`)).body).toMatchObject({ data: { attributes: { fingerprint } } })
  const foreign = service.emulator.control.keys(other.id)[0]?.id
  expect((await machines(`/${foreign}`)).status).toBe(404)
})

it('deactivates with 204, and then with 404', async () => {
  await activate()
  const { status, text } = await machines(`/${fingerprint}`, 'DELETE')
  expect([status, text]).toEqual([204, ''])
  expect((await machines(`/${fingerprint}`, 'DELETE')).status).toBe(404)
})

it.each([
  ['LICENSE_BANNED', { status: 'BANNED' }],
  ['LICENSE_NOT_ALLOWED', { status: 'NOT_ALLOWED' }],
  ['LICENSE_SUSPENDED', { suspended_at: '2026-01-01' }],
  ['LICENSE_EXPIRED', { expires_at: '2026-01-01', status: 'REVOKE_ACCESS' }],
])('refuses a license as a credential with %s', async (code, patch) => {
  expect((await machines()).status).toBe(200)
  service.emulator.control.updateLicense(service.licenseId, patch)
  expect(await machines()).toEqual(refusal(403, code))
})

it('accepts an ended license as a credential unless the policy revokes its access', async () => {
  service.emulator.control.expire(service.licenseId)
  expect((await machines()).status).toBe(200)
  const unknown = await machines('', 'GET', { credential: 'License nothing' })
  expect(unknown).toEqual(refusal(401, 'LICENSE_INVALID'))
})

it('signs every answer, including refusals and empty ones', async () => {
  const answers = [
    await validate(),
    await activate(),
    await machines('/nobody'),
    await machines(`/${fingerprint}`, 'DELETE'),
  ]
  for (const { headers } of answers) {
    expect(headers.get('keygen-signature')).toMatch(
      /^keyid="[\da-f-]{36}", algorithm="ed25519", signature="[\w+/=]{88}", headers="\(request-target\) host date digest"$/,
    )
    expect(headers.get('digest')).toMatch(/^sha-256=[\w+/]{43}=$/)
    expect(headers.get('date')).toBe(headers.get('keygen-date'))
  }
})
