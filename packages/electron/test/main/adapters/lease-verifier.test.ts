import { createHash, createHmac } from 'node:crypto'
import { generateSigningKey, leaseKeysOf } from '@latchkey/gateway'
import { importJWK, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { createLeaseVerifier } from '../../../src/main/adapters/leases.ts'

const signingKey = await generateSigningKey()
const { keys } = await leaseKeysOf([signingKey])
const kid = keys[0]?.kid ?? ''
const verifier = createLeaseVerifier(keys)

const claims = {
  iss: 'latchkey-gateway',
  lid: 'Zm9v',
  key: '7c2d9e40-1a3b-4f5c-8d6e-9f0a1b2c3d4e',
  fp: '0123456789abcdef',
  ent: true,
  sta: 'ACTIVE',
  sus: null,
  lex: null,
  nonce: 'n'.repeat(24),
  iat: 1_790_000_000,
  exp: 1_790_100_000,
}
const header = { alg: 'EdDSA', typ: 'latchkey-lease+jwt', kid }

async function sign(payload: Record<string, unknown>, protectedHeader = header): Promise<string> {
  const key = await importJWK({ ...signingKey }, 'EdDSA')
  return new SignJWT(payload).setProtectedHeader(protectedHeader).sign(key)
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

test('believes what a trusted key signed, and names keys as the gateway does', async () => {
  expect(verifier.keyIds).toEqual([kid])
  expect(verifier.claims(await sign(claims))).toMatchObject({ ent: true, key: claims.key })
})

test('counts for the license and the key it is about, however they are spelled, and for no other', async () => {
  const licenseId = '4b11e191-a34e-424c-b391-d18776ed66b8'
  const lid = createHash('sha256').update(licenseId).digest('base64url')
  const lease = await sign({ ...claims, lid })
  const verify = (licenseKey: string, activationId: string) =>
    verifier.verify(lease, { licenseKey, activationId, fingerprint: '' })
  expect(verify(licenseId.toUpperCase(), claims.key.toUpperCase())).toMatchObject({
    isEntitled: true,
    expiresAtMs: claims.exp * 1000,
  })
  expect(verify('4b11e191-a34e-424c-b391-d18776ed66b9', claims.key)).toBeNull()
  expect(verify(licenseId, '7c2d9e40-1a3b-4f5c-8d6e-9f0a1b2c3d4f')).toBeNull()
})

test.each([
  ['neither plan nor features', {}, null, []],
  ['a plan and features', { plan: 'Team', feat: ['export'] }, 'Team', ['export']],
  ['numbers among the features', { feat: ['export', 1, null, {}] }, null, ['export']],
  ['features that are no list', { feat: 'export' }, null, []],
  ['a plan that is no text', { plan: { name: 'Pro' } }, null, []],
])('reads a lease with %s', async (_what, terms, plan, features) => {
  const licenseId = '4b11e191-a34e-424c-b391-d18776ed66b8'
  const lid = createHash('sha256').update(licenseId).digest('base64url')
  const lease = await sign({ ...claims, lid, ...terms })
  expect(
    verifier.verify(lease, { licenseKey: licenseId, activationId: claims.key, fingerprint: '' }),
  ).toMatchObject({
    isEntitled: true,
    license: { plan, features },
  })
})

const forgeries: Record<string, () => string | Promise<string>> = {
  'alg none': () => `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`,
  'an HMAC made with the public key': () => {
    const signed = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`
    return `${signed}.${createHmac('sha256', Buffer.from(keys[0]?.x ?? '', 'base64url'))
      .update(signed)
      .digest('base64url')}`
  },
  'an unknown kid': () => sign(claims, { ...header, kid: 'A'.repeat(43) }),
  'another type': () => sign(claims, { ...header, typ: 'JWT' }),
  'another issuer': () => sign({ ...claims, iss: 'somebody' }),
  'a missing claim': () => sign({ ...claims, exp: undefined }),
  'changed claims': async () => {
    const [head, , signature] = (await sign({ ...claims, ent: false })).split('.')
    return `${head}.${encode(claims)}.${signature}`
  },
  'a cut signature': async () => (await sign(claims)).slice(0, -8),
  'no dots': () => 'lease',
  'more than a header may hold': async () => `${await sign(claims)}${'A'.repeat(10_000)}`,
  'bytes that are no JSON': () => '////.////.////',
}

test.each(Object.entries(forgeries))('refuses %s', async (_, forge) => {
  expect(verifier.claims(await forge())).toBeNull()
})
