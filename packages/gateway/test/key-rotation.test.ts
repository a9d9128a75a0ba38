import { describe, expect, test } from 'vitest'
import { generateSigningKey, leaseKeysOf, type SigningKey, verifyLease } from '../src/index.ts'
import { gatewayOf, keyName, nonce, startService } from './gateway-fixture.ts'

const oldKey = await generateSigningKey()
const newKey = await generateSigningKey()

/** Whether an app that trusts some keys believes a gateway that signs with others. */
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

describe('while a signing key is replaced', () => {
  test('an old app goes on with a gateway that signs with the new key and still has the old one', async () => {
    expect(await believes([oldKey], [newKey, oldKey])).toBe(true)
  })

  test('a new app that trusts both goes on with a gateway that does not have the new key yet', async () => {
    expect(await believes([newKey, oldKey], [oldKey])).toBe(true)
  })

  test('a new app gets the active key, not the retiring one', async () => {
    expect(await believes([newKey], [newKey, oldKey])).toBe(true)
    expect(await believes([newKey], [newKey, oldKey], false)).toBe(true)
  })

  test('an app that does not say what it trusts gets the active key', async () => {
    expect(await believes([oldKey], [newKey, oldKey], false)).toBe(false)
  })

  test('an old app believes nothing once the old key is withdrawn', async () => {
    expect(await believes([oldKey], [newKey])).toBe(false)
  })
})
