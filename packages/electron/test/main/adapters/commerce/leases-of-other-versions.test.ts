import { createHash } from 'node:crypto'
import { startEmulator } from '@latchkey/emulator'
import { createGateway, generateSigningKey, leaseKeysOf } from '@latchkey/gateway'
import fc from 'fast-check'
import { importJWK, SignJWT } from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLeaseVerifier } from '../../../../src/main/adapters/commerce/lease-verifier.ts'
import { createReleasedLeaseVerifier } from '../../../fixtures/released-lease-verifier.ts'

const signingKey = await generateSigningKey()
const { keys } = await leaseKeysOf([signingKey])
const today = createLeaseVerifier(keys)
const released = createReleasedLeaseVerifier(keys)
const licenseId = '4b11e191-a34e-424c-b391-d18776ed66b8'
const keyId = '7c2d9e40-1a3b-4f5c-8d6e-9f0a1b2c3d4e'
const device = 'Work laptop [0123456789abcdef]'

/** What a gateway signed before leases had a plan and features. */
const firstClaims = {
  iss: 'latchkey-gateway',
  lid: createHash('sha256').update(licenseId).digest('base64url'),
  key: keyId,
  fp: '0123456789abcdef',
  ent: true,
  sta: 'ACTIVE',
  sus: null,
  lex: '2031-03-14T12:00:00.000000Z',
  nonce: 'n'.repeat(24),
  iat: 1_790_000_000,
  exp: 1_790_100_000,
}

const privateKey = await importJWK({ ...signingKey }, 'EdDSA')
const sign = (claims: Record<string, unknown>): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'EdDSA', typ: 'latchkey-lease+jwt', kid: keys[0]?.kid ?? '' })
    .sign(privateKey)

describe('an app that was released before leases had features', () => {
  /** Activates a license at today's gateway, with the largest plan and features that fit into a lease. */
  async function leaseOfToday(endsAtMs: number) {
    const emulator = await startEmulator()
    onTestFinished(() => emulator.close())
    const { id } = emulator.demoLicense
    const gateway = createGateway({
      upstream: { baseUrl: emulator.baseUrl, accessToken: 'demo' },
      signing: { keys: [signingKey] },
      plan: () => 'Team – größte Ausgabe',
      features: () => Array.from({ length: 1_000 }, (_, index) => `feature-${index}-${'x'.repeat(60)}`),
    })
    const send = (path: string, body: unknown): Promise<Response> =>
      gateway(
        new Request(`https://licenses.example/v1/licenses/${id}/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'latchkey-nonce': 'n'.repeat(24) },
          body: JSON.stringify(body),
        }),
      )
    expect((await send('activate', { name: device })).ok).toBe(true)
    const [key] = emulator.control.keys(id)
    emulator.control.updateLicense(id, { expires_at: new Date(endsAtMs).toISOString() })
    const response = await send('validate', { key: key?.id })
    const lease = response.headers.get('latchkey-lease') ?? ''
    return { lease, id, keyId: key?.id ?? '', body: await response.json() }
  }

  test.each([
    ['valid', 86_400_000, true],
    ['ended', -86_400_000, false],
  ])('reads the lease of a %s license as it always did', async (_what, aheadMs, isEntitled) => {
    const { lease, id, keyId: activated, body } = await leaseOfToday(Date.now() + aheadMs)
    const read = released(lease, id, activated)
    expect(read).toMatchObject({
      isEntitled,
      fingerprint: '0123456789abcdef',
      said: { sta: 'ACTIVE', sus: null },
    })
    // Such an app compares the lease with the body, and takes nothing for granted that they don't share.
    expect(body.license ?? body).toMatchObject({ expires_at: read?.said.lex })
    // Today's app reads the same, and the features besides.
    const { license, ...same } = today.verify(lease, id, activated) ?? {}
    expect(same).toMatchObject({ isEntitled, expiresAtMs: read?.expiresAtMs, issuedAtMs: read?.issuedAtMs })
    expect(license?.plan).toBe('Team – größte Ausgabe')
    expect(license?.features.length).toBeGreaterThan(5)
  })
})

describe('an app of today', () => {
  test('reads the first leases: they entitle, and grant no feature', async () => {
    expect(today.verify(await sign(firstClaims), licenseId, keyId)).toMatchObject({
      isEntitled: true,
      hasEnded: false,
      license: { expiresAt: firstClaims.lex, plan: null, features: [] },
    })
  })

  test.each([
    ['numbers among the features', { feat: ['export', 1, null, {}] }, ['export']],
    ['features that are no list', { feat: 'export' }, []],
    ['a plan of 10 kB', { plan: 'x'.repeat(10_000) }, null],
    ['a plan that is no text', { plan: { name: 'Pro' } }, []],
  ])('is not confused by %s', async (_what, terms, features) => {
    const read = today.verify(await sign({ ...firstClaims, ...terms }), licenseId, keyId)
    // A lease of more than 8 kB is none: it never came from a gateway.
    if (features === null) expect(read).toBeNull()
    else expect(read).toMatchObject({ isEntitled: true, license: { plan: null, features } })
  })
})

test('claims that neither version knows change nothing in either of them', async () => {
  const names = fc.string({ minLength: 1, maxLength: 12 }).filter((name) => !Object.hasOwn(firstClaims, name))
  const unknown = names.filter(
    (name) => !['plan', 'feat', '__proto__', 'nbf', 'aud', 'sub', 'jti'].includes(name),
  )
  await fc.assert(
    fc.asyncProperty(fc.dictionary(unknown, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }), async (more) => {
      const [plain, extended] = await Promise.all([sign(firstClaims), sign({ ...more, ...firstClaims })])
      if (extended.length > 8_192) return
      for (const read of [released, today.verify]) {
        const { jws: _, ...said } = { jws: '', ...read(extended, licenseId, keyId) }
        const { jws: __, ...wanted } = { jws: '', ...read(plain, licenseId, keyId) }
        expect(said).toEqual(wanted)
        expect(said).toMatchObject({ isEntitled: true })
      }
    }),
    { numRuns: 100 },
  )
})
