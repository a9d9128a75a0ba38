import { describe, expect, test } from 'vitest'
import { GatewayConfigError, generateSigningKey, leaseKeysOf, parseSigningKeys } from '../src/index.ts'
import { createLeaseSigner } from '../src/leases/lease-signer.ts'
import { keysCommand } from '../src/node/command-line.ts'
import { readSettings } from '../src/node/settings-file.ts'

describe('a signing key', () => {
  test('is read from one private key or from a set', async () => {
    const [one, two] = [await generateSigningKey(), await generateSigningKey()]
    expect(parseSigningKeys(JSON.stringify({ ...one, kid: 'mine', alg: 'EdDSA' }))).toEqual([one])
    expect(parseSigningKeys(JSON.stringify({ keys: [one, two] }))).toEqual([one, two])
  })

  test.each([
    'not JSON',
    '{}',
    '{"keys":[]}',
    '{"kty":"EC","crv":"P-256","x":"a","y":"b","d":"secret-half"}',
    '{"kty":"OKP","crv":"Ed25519","x":"short","d":"secret-half"}',
  ])('such as «%.30s» is refused without being shown', (text) => {
    expect(() => parseSigningKeys(text)).toThrow(GatewayConfigError)
    expect(() => parseSigningKeys(text)).toThrow(/keys generate/)
    expect(() => parseSigningKeys(text)).not.toThrow(/secret-half/)
  })

  test.each<[string, (key: string) => string]>([
    ['single quotes in a variable', (key) => `'${key}'`],
    ['double quotes in a variable', (key) => `"${key}"`],
    ['double quotes and backslashes in a variable', (key) => JSON.stringify(key)],
    ['no quotes in a shell', (key) => key.replaceAll('"', '')],
    ['single quotes, and without its end', (key) => `'${key.slice(0, -5)}`],
    ['none, and without its beginning', (key) => key.slice(3)],
    [
      'double quotes in a settings file',
      (key) => readSettings(`LATCHKEY_SIGNING_KEY="${key}"`, 'x')['LATCHKEY_SIGNING_KEY'] ?? '',
    ],
  ])('in the wrong quotes (%s) is refused without suggesting a new key', async (_what, quoted) => {
    const key = await generateSigningKey()
    const parse = () => parseSigningKeys(quoted(JSON.stringify(key)))
    expect(parse).toThrow(GatewayConfigError)
    expect(parse).toThrow('check its quotes')
    expect(parse).not.toThrow(/keys generate/)
    expect(parse).not.toThrow(key.d)
  })

  test.each(['generate', 'rotate'] as const)(
    'that is the output of keys %s --json names the part to use',
    async (verb) => {
      const key = await generateSigningKey()
      const output = await keysCommand(verb, JSON.stringify(key), true)
      expect(() => parseSigningKeys(output)).toThrow('Use only the value of its part signingKey')
      expect(() => parseSigningKeys(output)).not.toThrow(key.d)
      expect(() => parseSigningKeys(JSON.stringify(JSON.parse(output).signingKey))).not.toThrow()
    },
  )

  test.each(['', ' \n'])('that is empty is called so, because a new key would not be trusted: %j', (text) => {
    expect(() => parseSigningKeys(text)).toThrow('The signing key is empty.')
  })

  test('that is only the public part is called so, because a new key would not be trusted', async () => {
    const leaseKeys = await leaseKeysOf([await generateSigningKey()])
    for (const value of [leaseKeys, leaseKeys.keys[0]]) {
      const parse = () => parseSigningKeys(JSON.stringify(value))
      expect(parse).toThrow(GatewayConfigError)
      expect(parse).toThrow('The signing key is only the public part')
    }
  })

  test('that was parsed already is refused without being shown', async () => {
    const key = await generateSigningKey()
    // @ts-expect-error a caller without types
    const parse = () => parseSigningKeys(key)
    expect(parse).toThrow(GatewayConfigError)
    expect(parse).toThrow('Pass JSON.stringify(key) to parseSigningKeys.')
    expect(parse).not.toThrow(key.d)
  })

  // An unset variable.
  test.each([[undefined], [null]])('%j is refused like an empty key', (value) => {
    // @ts-expect-error a caller without types
    const parse = () => parseSigningKeys(value)
    expect(parse).toThrow(GatewayConfigError)
    expect(parse).toThrow('The signing key is empty.')
  })

  test('whose public and private parts do not belong together is refused', async () => {
    const [one, two] = [await generateSigningKey(), await generateSigningKey()]
    await expect(createLeaseSigner([{ ...one, x: two.x }]).ready()).rejects.toThrow(
      /public and private parts/,
    )
    await expect(createLeaseSigner([one, two]).ready()).resolves.toBeUndefined()
  })
})
