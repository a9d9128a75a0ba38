import { expect, test } from 'vitest'
import { goneClaims } from '../src/leases/lease.ts'
import { createLeaseSigner, webCrypto } from '../src/leases/lease-signer.ts'
import { generateSigningKey, leaseKeysOf } from '../src/leases/signing-keys.ts'
import { verifyLease } from '../src/leases/verify-lease.ts'
import { nodeCrypto } from '../src/node/node-crypto.ts'
import { nonce } from './gateway-fixture.ts'

const licenseId = 'Schlüssel-1-🔑'
const keyId = '99999999-2222-4333-8444-555555555555'
const nowMs = Date.UTC(2026, 0, 1)

test('a lease signed on Node is the same, byte for byte, as on other runtimes, and is trusted', async () => {
  const signingKey = await generateSigningKey()
  const licenseHash = await nodeCrypto.sha256(licenseId)
  const claims = goneClaims(
    { licenseId, keyId },
    { licenseHash, nonce, nowMs, leaseDays: 14, renewalGraceDays: 3 },
  )
  const lease = await createLeaseSigner([signingKey], nodeCrypto).sign(claims, [])
  expect(lease).toBe(await createLeaseSigner([signingKey], webCrypto).sign(claims, []))
  expect(licenseHash).toBe(await webCrypto.sha256(licenseId))

  const leaseKeys = await leaseKeysOf([signingKey])
  const verdict = await verifyLease(lease, { leaseKeys, nowMs, nonce, licenseId, keyId })
  expect(verdict).toEqual({ trusted: true, claims })
})

test('a key whose parts do not belong together is refused on Node, too', async () => {
  const [one, two] = [await generateSigningKey(), await generateSigningKey()]
  await expect(createLeaseSigner([{ ...one, x: two.x }], nodeCrypto).ready()).rejects.toThrow(
    /public and private parts/,
  )
  await expect(createLeaseSigner([one, two], nodeCrypto).ready()).resolves.toBeUndefined()
})
