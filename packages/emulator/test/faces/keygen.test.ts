import { expect, it } from 'vitest'
import { type FaceUnderTest, startFace, type Told } from './face-under-test.ts'

// Sources: https://keygen.sh/docs/api/licenses/, https://keygen.sh/docs/api/machines/,
// https://keygen.sh/docs/api/signatures/; order and codes from
// https://github.com/keygen-sh/keygen-api/blob/f70c4f4e00bc6b3357a05d46bef52df5ccdb9da9/app/services/license_validation_service.rb

const fingerprint = '0123456789abcdef'

const base = (face: FaceUnderTest): string => `/v1/accounts/${face.emulator.settings['account']}`

function validate(face: FaceUnderTest, meta: Record<string, unknown> = {}): Promise<Told> {
  const body = { meta: { key: face.emulator.licenseKey, ...meta } }
  return face.ask(`${base(face)}/licenses/actions/validate-key`, body)
}

function machines(
  face: FaceUnderTest,
  rest = '',
  {
    method = 'GET',
    body,
    credential = `License ${face.emulator.licenseKey}`,
  }: {
    method?: string
    body?: unknown
    credential?: string
  } = {},
): Promise<Told> {
  return face.ask(`${base(face)}/machines${rest}`, body, { method, headers: { authorization: credential } })
}

function activate(face: FaceUnderTest, own = fingerprint): Promise<Told> {
  const relationships = { license: { data: { type: 'licenses', id: face.licenseId } } }
  const attributes = { fingerprint: own, name: 'Laptop', platform: 'linux' }
  return machines(face, '', {
    method: 'POST',
    body: { data: { type: 'machines', attributes, relationships } },
  })
}

const firstError = (code: string, pointer?: string): unknown => ({
  errors: [expect.objectContaining({ code, ...(pointer !== undefined && { source: { pointer } }) })],
})

it('activates a machine with 201', async () => {
  const face = await startFace({ face: 'keygen' })
  expect(await activate(face)).toMatchObject({
    status: 201,
    body: { data: { type: 'machines', attributes: { fingerprint, name: 'Laptop' } } },
  })
})

it('always answers a validation with 200, with nonce and scope', async () => {
  const face = await startFace({ face: 'keygen' })
  const scope = { fingerprint, product: face.emulator.settings['product'] }
  expect(await validate(face, { nonce: 1234, scope })).toMatchObject({
    status: 200,
    body: { meta: { valid: false, code: 'NO_MACHINES', nonce: 1234, scope }, data: { type: 'licenses' } },
  })
  await activate(face)
  expect(await validate(face, { scope })).toMatchObject({
    status: 200,
    body: {
      meta: { valid: true, code: 'VALID', ts: expect.any(String) },
      data: {
        attributes: { key: face.emulator.licenseKey, maxMachines: 3, status: 'ACTIVE', suspended: false },
      },
    },
  })
})

it.each<
  [code: string, valid: boolean, meta: Record<string, unknown>, spoil: (face: FaceUnderTest) => unknown]
>([
  ['FINGERPRINT_SCOPE_MISMATCH', false, { scope: { fingerprint: 'other' } }, () => null],
  ['PRODUCT_SCOPE_MISMATCH', false, { scope: { product: 'other' } }, () => null],
  ['SUSPENDED', false, {}, ({ emulator, licenseId }) => emulator.control.suspend(licenseId)],
  [
    'BANNED',
    false,
    {},
    ({ emulator, licenseId }) => emulator.control.updateLicense(licenseId, { status: 'BANNED' }),
  ],
  [
    'OVERDUE',
    false,
    {},
    ({ emulator, licenseId }) => emulator.control.updateLicense(licenseId, { status: 'OVERDUE' }),
  ],
  ['EXPIRED', false, {}, ({ emulator, licenseId }) => emulator.control.expire(licenseId)],
  [
    'EXPIRED',
    true,
    {},
    ({ emulator, licenseId }) => {
      emulator.control.expire(licenseId)
      emulator.control.updateLicense(licenseId, { status: 'MAINTAIN_ACCESS' })
    },
  ],
  [
    'TOO_MANY_MACHINES',
    false,
    {},
    ({ emulator, licenseId }) => {
      emulator.control.addKey(licenseId, 'Other')
      emulator.control.updateLicense(licenseId, { activation_limit: 1 })
    },
  ],
])('answers %s (valid: %s)', async (code, valid, meta, spoil) => {
  const face = await startFace({ face: 'keygen' })
  await activate(face)
  spoil(face)
  expect(await validate(face, meta)).toMatchObject({ status: 200, body: { meta: { valid, code } } })
})

it('answers NOT_FOUND for an unknown key, with null for its data', async () => {
  const face = await startFace({ face: 'keygen' })
  const told = await validate(face, { key: 'nothing' })
  expect(told).toMatchObject({ status: 200, body: { meta: { valid: false, code: 'NOT_FOUND' }, data: null } })
})

it('accepts a fingerprint only once', async () => {
  const face = await startFace({ face: 'keygen' })
  await activate(face)
  const told = await activate(face)
  expect(told.status).toBe(422)
  expect(told.body).toEqual(firstError('FINGERPRINT_TAKEN', '/data/attributes/fingerprint'))
})

it('refuses a machine beyond the limit', async () => {
  const face = await startFace({ face: 'keygen' })
  face.emulator.control.updateLicense(face.licenseId, { activation_limit: 0 })
  const told = await activate(face)
  expect(told.status).toBe(422)
  expect(told.body).toEqual(firstError('MACHINE_LIMIT_EXCEEDED', '/data'))
})

it('lists and shows only the license’s own machines, by ID or fingerprint', async () => {
  const face = await startFace({ face: 'keygen' })
  await activate(face)
  const other = face.emulator.control.createLicense({ keys: ['Elsewhere'] })
  expect((await machines(face)).body).toMatchObject({ data: [{ attributes: { fingerprint } }] })
  expect((await machines(face, `/${fingerprint}`)).body).toMatchObject({
    data: { attributes: { fingerprint } },
  })
  const foreign = face.emulator.control.keys(other.id)[0]?.id
  expect((await machines(face, `/${foreign}`)).status).toBe(404)
})

it('deactivates with 204, and then with 404', async () => {
  const face = await startFace({ face: 'keygen' })
  await activate(face)
  const told = await machines(face, `/${fingerprint}`, { method: 'DELETE' })
  expect([told.status, told.text]).toEqual([204, ''])
  expect((await machines(face, `/${fingerprint}`, { method: 'DELETE' })).status).toBe(404)
})

it.each([
  ['BANNED', 403, 'LICENSE_BANNED'],
  ['NOT_ALLOWED', 403, 'LICENSE_NOT_ALLOWED'],
])('a license that is %s isn’t accepted as a credential: %i %s', async (status, httpStatus, code) => {
  const face = await startFace({ face: 'keygen' })
  face.emulator.control.updateLicense(face.licenseId, { status })
  const told = await machines(face)
  expect(told.status).toBe(httpStatus)
  expect(told.body).toEqual(firstError(code))
})

it('with the policy REVOKE_ACCESS, a license isn’t accepted as a credential after its end', async () => {
  const face = await startFace({ face: 'keygen' })
  face.emulator.control.updateLicense(face.licenseId, { status: 'REVOKE_ACCESS' })
  expect((await machines(face)).status).toBe(200)
  face.emulator.control.expire(face.licenseId)
  const told = await machines(face)
  expect([told.status, told.body]).toEqual([403, firstError('LICENSE_EXPIRED')])
})

it('an unknown license key and a suspended license aren’t accepted as credentials either', async () => {
  const face = await startFace({ face: 'keygen' })
  const unknown = await machines(face, '', { credential: 'License nothing' })
  expect([unknown.status, unknown.body]).toEqual([401, firstError('LICENSE_INVALID')])
  face.emulator.control.suspend(face.licenseId)
  const suspended = await machines(face)
  expect([suspended.status, suspended.body]).toEqual([403, firstError('LICENSE_SUSPENDED')])
})

it('signs every answer, including refusals and empty ones', async () => {
  const face = await startFace({ face: 'keygen' })
  const answers = [
    await validate(face),
    await activate(face),
    await machines(face, '/nobody'),
    await machines(face, `/${fingerprint}`, { method: 'DELETE' }),
  ]
  for (const { headers } of answers) {
    expect(headers.get('keygen-signature')).toMatch(
      /^keyid="[\da-f-]{36}", algorithm="ed25519", signature="[\w+/=]{88}", headers="\(request-target\) host date digest"$/,
    )
    expect(headers.get('digest')).toMatch(/^sha-256=[\w+/]{43}=$/)
    expect(headers.get('date')).toBe(headers.get('keygen-date'))
  }
})
