import { describe, expect, test } from 'vitest'
import { GatewayConfigError, generateSigningKey, parseSigningKeys } from '../src/index.ts'
import { createLeaseSigners } from '../src/leases/lease-signers.ts'

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
