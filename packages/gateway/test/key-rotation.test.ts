import { describe, expect, test } from 'vitest'
import { generateSigningKey, leaseKeysOf, type SigningKey, verifyLease } from '../src/index.ts'
import { gatewayOf, keyName, nonce, startService } from './gateway-fixture.ts'

const oldKey = await generateSigningKey()
const newKey = await generateSigningKey()

/** Whether an app with these trusted keys accepts the leases of a gateway with these signing keys. */
async function believes(trusted: SigningKey[], signing: SigningKey[], saysSo = true): Promise<boolean> {
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
  test('an old app keeps working with a gateway that has the new key and the old one', async () => {
    expect(await believes([oldKey], [newKey, oldKey])).toBe(true)
  })

  test('a new app that trusts both keys keeps working with a gateway that only has the old one', async () => {
    expect(await believes([newKey, oldKey], [oldKey])).toBe(true)
  })

  test('a new app gets a lease signed with the active key', async () => {
    expect(await believes([newKey], [newKey, oldKey])).toBe(true)
    expect(await believes([newKey], [newKey, oldKey], false)).toBe(true)
  })

  test('an app that does not send its trusted keys gets a lease signed with the active key', async () => {
    expect(await believes([oldKey], [newKey, oldKey], false)).toBe(false)
  })

  test('an old app trusts no lease after the old key is removed', async () => {
    expect(await believes([oldKey], [newKey])).toBe(false)
  })
})
