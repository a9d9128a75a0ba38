import { CompactSign, exportJWK, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import {
  GatewayConfigError,
  generateSigningKey,
  type LeaseExpectation,
  leaseKeysOf,
  parseSigningKeys,
  verifyLease,
} from '../src/index.ts'
import { createLeaseSigners, validatedClaims } from '../src/leases/lease-signers.ts'
import { licenseHash } from '../src/leases/verify-lease.ts'
import { nonce } from './gateway-fixture.ts'
import { keyId, licenseId, sampleKey, sampleLicense } from './wire-samples.ts'

const now = Date.UTC(2026, 5, 1, 12)
const fingerprint = '0123456789abcdef'

const signingKey = await generateSigningKey()
const leaseKeys = await leaseKeysOf([signingKey])
const kid = leaseKeys.keys[0]?.kid ?? ''
const span = { leaseDays: 14, renewalGraceDays: 3 }
const terms = { licenseHash: await licenseHash(licenseId), keyId, nonce, nowMs: now, ...span }
const claims = validatedClaims(terms, sampleLicense, sampleKey)
const header = { alg: 'EdDSA', typ: 'latchkey-lease+jwt', kid }
const privateKey = await importJWK({ ...signingKey }, 'EdDSA')
const lease = await (await createLeaseSigners([signingKey]).forClient([])).sign(claims)
const expectation: LeaseExpectation = { leaseKeys, nowMs: now, nonce, licenseId, keyId, fingerprint }

async function refusalOf(candidate: string, changed: Partial<LeaseExpectation> = {}) {
  const verdict = await verifyLease(candidate, { ...expectation, ...changed })
  return verdict.trusted ? null : verdict.refusal
}

function signed(payload: object, protectedHeader: object = {}) {
  return new SignJWT({ ...payload }).setProtectedHeader({ ...header, ...protectedHeader }).sign(privateKey)
}

function base64url(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
}

describe('an untrusted lease', () => {
  test('the original lease is trusted', async () => {
    expect(await verifyLease(lease, expectation)).toEqual({ trusted: true, claims })
  })

  test('alg none', async () => {
    const bare = new UnsecuredJWT({ ...claims }).encode()
    const [, payload, signature] = lease.split('.')
    expect(await refusalOf(bare)).toBe('bad-signature')
    expect(await refusalOf(`${base64url({ ...header, alg: 'none' })}.${payload}.`)).toBe('bad-signature')
    expect(await refusalOf(`${base64url({ ...header, alg: 'none' })}.${payload}.${signature}`)).toBe(
      'bad-signature',
    )
  })

  test.each(['HS256', 'HS512'])('%s with the public key as secret', async (alg) => {
    const [publicKey] = leaseKeys.keys
    for (const secret of [publicKey?.x ?? '', JSON.stringify(publicKey)]) {
      const hmac = await new SignJWT({ ...claims })
        .setProtectedHeader({ ...header, alg })
        .sign(new TextEncoder().encode(secret.padEnd(64, '=')))
      expect(await refusalOf(hmac)).toBe('bad-signature')
    }
  })

  test('another asymmetric algorithm', async () => {
    const { privateKey: other } = await generateKeyPair('ES256')
    const es256 = await new SignJWT({ ...claims }).setProtectedHeader({ ...header, alg: 'ES256' }).sign(other)
    expect(await refusalOf(es256)).toBe('bad-signature')
  })

  test('an unknown kid or no kid', async () => {
    const stranger = await (await createLeaseSigners([await generateSigningKey()]).forClient([])).sign(claims)
    expect(await refusalOf(stranger)).toBe('unknown-key')
    expect(await refusalOf(await signed(claims, { kid: undefined }))).toBe('unknown-key')
  })

  test('another key under the known kid', async () => {
    const { privateKey: other } = await generateKeyPair('EdDSA')
    const forged = await new SignJWT({ ...claims }).setProtectedHeader(header).sign(other)
    expect(await refusalOf(forged)).toBe('bad-signature')
  })

  test('a key in its own header', async () => {
    const { privateKey: other, publicKey } = await generateKeyPair('EdDSA')
    const forged = await new SignJWT({ ...claims })
      .setProtectedHeader({ ...header, jwk: await exportJWK(publicKey) })
      .sign(other)
    expect(await refusalOf(forged)).toBe('bad-signature')
  })

  test('a changed claim', async () => {
    const [head, payload, signature] = lease.split('.')
    const text = Buffer.from(payload ?? '', 'base64url').toString()
    for (const edited of [
      text.replace('"ent":true', '"ent":false'),
      text.replace(/"exp":\d+/, '"exp":9999999999'),
      text.replace(fingerprint, 'fedcba9876543210'),
    ]) {
      expect(edited).not.toBe(text)
      expect(await refusalOf(`${head}.${base64url(edited)}.${signature}`)).toBe('bad-signature')
    }
  })

  test('expired', async () => {
    expect(await refusalOf(lease, { nowMs: claims.exp * 1000 })).toBe('expired')
    expect(await refusalOf(lease, { nowMs: claims.exp * 1000 - 1000 })).toBe(null)
  })

  test('not yet valid', async () => {
    expect(await refusalOf(lease, { nowMs: now - 61_000 })).toBe('not-yet-valid')
    expect(await refusalOf(lease, { nowMs: now - 59_000 })).toBe(null)
  })

  test('for another request, license, key or device', async () => {
    expect(await refusalOf(lease, { nonce: 'another-nonce-another-nonce' })).toBe('other-nonce')
    expect(await refusalOf(lease, { licenseId: keyId })).toBe('other-license')
    expect(await refusalOf(lease, { keyId: licenseId })).toBe('other-key')
    expect(await refusalOf(lease, { fingerprint: 'fedcba9876543210' })).toBe('other-device')
    expect(await refusalOf(await signed({ ...claims, fp: null }))).toBe('other-device')
  })

  test('of another type, from another issuer, or without a required claim', async () => {
    expect(await refusalOf(await signed(claims, { typ: 'JWT' }))).toBe('malformed')
    expect(await refusalOf(await signed({ ...claims, iss: 'somebody' }))).toBe('malformed')
    for (const name of Object.keys(claims)) {
      const { [name as keyof typeof claims]: _left, ...others } = claims
      expect(await refusalOf(await signed(others)), name).toBe('malformed')
    }
  })

  test.each(['', '.', '..', 'a.b.c', 'not a lease', `${'a'.repeat(100_000)}.b.c`])(
    'not a JWS: «%.20s»',
    async (text) => {
      expect(await refusalOf(text)).toBe('malformed')
    },
  )

  test('a JWS whose payload is not JSON', async () => {
    const text = await new CompactSign(new TextEncoder().encode('hello'))
      .setProtectedHeader(header)
      .sign(privateKey)
    expect(await refusalOf(text)).toBe('malformed')
  })
})

describe('a signing key', () => {
  test('is read from one private key or from a set', async () => {
    const [one, two] = [await generateSigningKey(), await generateSigningKey()]
    expect(parseSigningKeys(JSON.stringify({ ...one, kid: 'mine', alg: 'EdDSA' }))).toEqual([one])
    expect(parseSigningKeys(JSON.stringify({ keys: [one, two] }))).toEqual([one, two])
  })

  test.each<[string, (key: string) => string]>([
    ['nothing', () => ''],
    ['a text', () => 'secret-half'],
    ['no key', () => '{"keys":[]}'],
    ['a key of another kind', () => '{"kty":"EC","crv":"P-256","x":"a","y":"b","d":"secret-half"}'],
    ['a key that is cut off', (key) => key.slice(0, -5)],
    ['a key in quotes that became part of the value', (key) => `'${key}'`],
    ['a key in quotes and with backslashes', (key) => JSON.stringify(key)],
    ['the whole output of keys generate', (key) => `{"signingKey":${key},"leaseKeys":{"keys":[]}}`],
    ['only the public part', (key) => key.replace(/,"d":"[^"]*"/u, '')],
  ])('that is %s is refused without being shown', async (_what, textOf) => {
    const key = await generateSigningKey()
    const parse = () => parseSigningKeys(textOf(JSON.stringify(key)))
    expect(parse).toThrow(GatewayConfigError)
    expect(parse).toThrow('must be the private key that keys generate printed for LATCHKEY_SIGNING_KEY')
    expect(parse).not.toThrow(/secret-half/u)
    expect(parse).not.toThrow(key.d)
  })

  test('whose public and private parts do not belong together is refused', async () => {
    const [one, two] = [await generateSigningKey(), await generateSigningKey()]
    await expect(createLeaseSigners([{ ...one, x: two.x }]).all()).rejects.toThrow(/public and private parts/)
    await expect(createLeaseSigners([one, two]).all()).resolves.toHaveLength(2)
  })
})
