import { createHash } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { describe, expect, test } from 'vitest'
import { generateSigningKey, leaseKeysOf, type SigningKey, verifyLease } from '../src/index.ts'
import { gatewayOf, keyName, nonce, startGateway, startService } from './gateway-fixture.ts'

const signingKey = await generateSigningKey()
const leaseKeys = await leaseKeysOf([signingKey])
const signing = { keys: [signingKey] }
const now = Date.UTC(2026, 5, 1, 12)
const day = 86_400
const wanted = { 'latchkey-nonce': nonce }

async function claimsOf(answer: Response) {
  const verdict = await verifyLease(answer.headers.get('latchkey-lease') ?? '', {
    leaseKeys,
    nowMs: now,
    nonce,
  })
  return verdict.trusted ? verdict.claims : verdict.refusal
}

describe('a lease', () => {
  test('comes with an activation and names the license, the device and its end', async () => {
    const { emulator, call, licenseId } = await startGateway({ signing, clock: () => now })
    emulator.control.updateLicense(licenseId, { expires_at: '2027-01-01T00:00:00.000000Z' })
    const answer = await call('POST', `/licenses/${licenseId}/activate`, {
      json: { name: keyName },
      headers: wanted,
    })
    const key = emulator.control.keys(licenseId)[0]
    expect(await claimsOf(answer)).toEqual({
      iss: 'latchkey-gateway',
      lid: createHash('sha256').update(licenseId).digest('base64url'),
      key: key?.id,
      fp: '0123456789abcdef',
      ent: true,
      sta: 'ACTIVE',
      sus: null,
      lex: '2027-01-01T00:00:00.000000Z',
      nonce,
      iat: now / 1000,
      exp: now / 1000 + 14 * day,
    })
    expect(decodeProtectedHeader(answer.headers.get('latchkey-lease') ?? '')).toEqual({
      alg: 'EdDSA',
      typ: 'latchkey-lease+jwt',
      kid: leaseKeys.keys[0]?.kid,
    })
  })

  test.each([
    ['as long as the vendor says', { leaseDays: 3 }, null, 3],
    ['no longer than that when the license lasts longer', { leaseDays: 3 }, '2027-01-01T00:00:00.000000Z', 3],
    [
      'three days more than the license, which may be renewed meanwhile',
      {},
      '2026-06-02T12:00:00.500000Z',
      4,
    ],
    ['as many days more as the vendor says', { renewalGraceDays: 7 }, '2026-06-02T12:00:00.500000Z', 8],
    [
      'no longer than the license where the vendor wants it so',
      { renewalGraceDays: 0 },
      '2026-06-02T12:00:00.500000Z',
      1,
    ],
    [
      'no longer than the vendor says, also when the license ends before',
      { leaseDays: 2 },
      '2026-06-02T12:00:00.500000Z',
      2,
    ],
  ])('lasts %s', async (_what, span, expires_at, days) => {
    const { emulator, call, licenseId } = await startGateway({
      signing: { ...signing, ...span },
      clock: () => now,
    })
    const key = emulator.control.addKey(licenseId, keyName).id
    emulator.control.updateLicense(licenseId, { expires_at })
    const answer = await call('POST', `/licenses/${licenseId}/validate`, { json: { key }, headers: wanted })
    expect(await claimsOf(answer)).toMatchObject({ ent: true, lex: expires_at, exp: now / 1000 + days * day })
  })

  test.each([
    ['2026-06-01 12:30:00', now / 1000 + 1800],
    ['2026-06-01', now / 1000 + day / 2],
  ])('ends with the license in every time zone of the gateway: %s', async (expires_at, exp) => {
    const zone = process.env.TZ
    process.env.TZ = 'Asia/Tokyo'
    try {
      const { emulator, call, licenseId } = await startGateway({
        signing: { ...signing, renewalGraceDays: 0 },
        clock: () => now,
      })
      const key = emulator.control.addKey(licenseId, keyName).id
      emulator.control.faults.inject({ fault: 'set-fields', fields: { 'license.expires_at': expires_at } })
      const answer = await call('POST', `/licenses/${licenseId}/validate`, { json: { key }, headers: wanted })
      expect(await claimsOf(answer)).toMatchObject({ ent: true, lex: expires_at, exp })
    } finally {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    }
  })

  test.each([
    [
      'expired',
      { expires_at: '2026-06-01T12:00:00Z' },
      { sta: 'ACTIVE', lex: '2026-06-01T12:00:00.000000Z' },
    ],
    [
      'suspended',
      { suspended_at: '2026-05-01T00:00:00Z' },
      { sta: 'ACTIVE', sus: '2026-05-01T00:00:00.000000Z' },
    ],
    ['of another status', { status: 'DISABLED' }, { sta: 'DISABLED' }],
  ])('is also signed for a refusal: a license that is %s', async (_what, patch, claims) => {
    const { emulator, call, licenseId, lines } = await startGateway({ signing, clock: () => now })
    const key = emulator.control.addKey(licenseId, keyName).id
    emulator.control.updateLicense(licenseId, { expires_at: null, ...patch })
    const answer = await call('POST', `/licenses/${licenseId}/validate`, { json: { key }, headers: wanted })
    expect(answer.status).toBe(200)
    expect(await claimsOf(answer)).toMatchObject({ ent: false, key, exp: now / 1000 + 14 * day, ...claims })
    expect(lines).toMatchObject([{ lease: 'denying' }])
  })

  test.each([
    ['a month', 30 * 86_400_000],
    ['a time zone', 9 * 3_600_000],
    ['ten minutes', 600_000],
  ])(
    'isn’t signed about an end that only the gateway’s own clock, ahead by %s, has passed',
    async (_, ms) => {
      const clock = () => Date.now() + ms
      const { emulator, call, licenseId, lines } = await startGateway({ signing, clock })
      const key = emulator.control.addKey(licenseId, keyName).id
      const validate = () =>
        call('POST', `/licenses/${licenseId}/validate`, { json: { key }, headers: wanted })
      emulator.control.updateLicense(licenseId, { expires_at: new Date(clock() - ms / 2).toISOString() })
      const answer = await validate()
      expect([answer.status, answer.headers.has('latchkey-lease')]).toEqual([502, false])
      expect(lines).toMatchObject([{ level: 'error', remark: 'clock-differs' }])
      // An activation takes its seat, and the app finds it again in the list.
      const path = `/licenses/${licenseId}/activate`
      const other = 'Tower [fedcba9876543210]'
      expect((await call('POST', path, { json: { name: other }, headers: wanted })).status).toBe(502)
      expect(emulator.control.keys(licenseId).map(({ name }) => name)).toContain(other)
      // The clock doesn't matter for a license that ends later, or that the service itself refuses.
      emulator.control.updateLicense(licenseId, { expires_at: null })
      expect((await validate()).headers.has('latchkey-lease')).toBe(true)
      emulator.control.updateLicense(licenseId, { expires_at: '2026-06-01T12:00:00Z', status: 'DISABLED' })
      expect((await validate()).headers.has('latchkey-lease')).toBe(true)
    },
  )

  test('is signed about an end although the gateway’s own clock is a minute ahead', async () => {
    const clock = () => Date.now() + 60_000
    const { emulator, call, licenseId } = await startGateway({ signing, clock })
    const key = emulator.control.addKey(licenseId, keyName).id
    emulator.control.updateLicense(licenseId, { expires_at: new Date(clock() - 30_000).toISOString() })
    const answer = await call('POST', `/licenses/${licenseId}/validate`, { json: { key }, headers: wanted })
    expect([answer.status, answer.headers.has('latchkey-lease')]).toEqual([200, true])
  })

  test('names no device for a key without a fingerprint', async () => {
    const { emulator, call, licenseId } = await startGateway({ signing, clock: () => now })
    const key = emulator.control.addKey(licenseId, 'Somebody [0123456789abcde]').id
    const answer = await call('POST', `/licenses/${licenseId}/validate`, { json: { key }, headers: wanted })
    expect(await claimsOf(answer)).toMatchObject({ ent: true, fp: null })
  })

  test.each([
    'SOMEBODY [0123456789ABCDEF]',
    'Somebody [0123456789abcdef] (old)',
    ' Somebody [0123456789abcdef] ',
  ])('has the app’s fingerprint even if the service changed the name: %j', async (name) => {
    const { emulator, call, licenseId } = await startGateway({ signing, clock: () => now })
    const key = emulator.control.addKey(licenseId, name).id
    const answer = await call('POST', `/licenses/${licenseId}/validate`, { json: { key }, headers: wanted })
    expect(await claimsOf(answer)).toMatchObject({ ent: true, fp: '0123456789abcdef' })
  })

  test('is only issued on request, and only with a signing key', async () => {
    const signed = await startGateway({ signing })
    const unsigned = await startGateway()
    for (const [{ call, licenseId }, headers] of [
      [signed, {}],
      [unsigned, wanted],
    ] as const) {
      const answer = await call('POST', `/licenses/${licenseId}/activate`, {
        json: { name: keyName },
        headers,
      })
      expect(answer.status).toBe(200)
      expect(answer.headers.has('latchkey-lease')).toBe(false)
    }
  })
})

const oldKey = await generateSigningKey()
const newKey = await generateSigningKey()

/** Whether an app with these trusted keys accepts the leases of a gateway with these signing keys. */
async function believes(trusted: SigningKey[], signing: SigningKey[], saysSo: boolean): Promise<boolean> {
  const emulator = await startService()
  const { call, licenseId } = gatewayOf(emulator, { signing: { keys: signing } })
  const leaseKeys = await leaseKeysOf(trusted)
  const answer = await call('POST', `/licenses/${licenseId}/activate`, {
    json: { name: keyName },
    headers: {
      'latchkey-nonce': nonce,
      ...(saysSo && { 'latchkey-lease-keys': leaseKeys.keys.map(({ kid }) => kid).join(', ') }),
    },
  })
  const lease = answer.headers.get('latchkey-lease') ?? ''
  return (await verifyLease(lease, { leaseKeys, nowMs: Date.now(), nonce })).trusted
}

describe('during a key rotation', () => {
  test.each<[string, SigningKey[], SigningKey[], boolean, boolean]>([
    [
      'an old app trusts a gateway that has the new key and the old one',
      [oldKey],
      [newKey, oldKey],
      true,
      true,
    ],
    [
      'a new app that trusts both keys trusts a gateway with the old one',
      [newKey, oldKey],
      [oldKey],
      true,
      true,
    ],
    ['a new app gets a lease signed with the active key', [newKey], [newKey, oldKey], true, true],
    [
      'a new app gets that lease without sending its trusted keys, too',
      [newKey],
      [newKey, oldKey],
      false,
      true,
    ],
    [
      'an old app that doesn’t send its trusted keys gets that lease',
      [oldKey],
      [newKey, oldKey],
      false,
      false,
    ],
    ['an old app trusts no lease after the old key is removed', [oldKey], [newKey], true, false],
  ])('%s', async (_what, trusted, signing, saysSo, isTrusted) => {
    expect(await believes(trusted, signing, saysSo)).toBe(isTrusted)
  })
})
