import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import vectors from '../../../docs/public/license-key-vectors.json' with { type: 'json' }
import { findAnyLicenseKey } from '../src/index.ts'
import { generateSigningKey, issueLicenseKey, signRevokedKeys } from '../src/issue.ts'
import { signedKeys } from '../src/signed-keys.ts'
import { idOf, readKey, signList, writeKey } from './signed-keys-by-the-document.ts'

const { signingKey, publicKey } = vectors

describe.each(vectors.keys)('$note', ({ note: _, licenseKey, ...content }) => {
  const { lastDay, ...given } = content

  it('is written the same by the package and by the document', async () => {
    expect(await issueLicenseKey({ signingKey, ...given, expiresAt: lastDay ?? undefined })).toBe(licenseKey)
    expect(writeKey(signingKey, content)).toBe(licenseKey)
  })

  it('says the same to the package and to the document', async () => {
    expect(readKey(publicKey, content.product, licenseKey)).toEqual(content)
    const service = signedKeys({ publicKeys: [publicKey], product: content.product })
    expect(await service.activate({ licenseKey, deviceName: '', fingerprint: '' })).toMatchObject({
      kind: 'answer',
      value: {
        license: {
          id: content.id,
          plan: content.plan || null,
          features: content.features,
          endsAtMs: lastDay === null ? 'never' : Date.parse(lastDay) + 86_400_000,
          product: content.product,
        },
      },
    })
  })
})

it('takes at most 180 characters for a typical key', () => {
  expect(vectors.keys[0]?.licenseKey.length).toBeLessThanOrEqual(180)
})

it('carries ids as the document says', async () => {
  for (const { text, id } of vectors.ids) {
    expect(idOf(text)).toBe(id)
    const key = await issueLicenseKey({ signingKey, product: 'inkwell', id: text })
    expect(readKey(publicKey, 'inkwell', key)?.id).toBe(id)
  }
})

it('signs the list of revoked keys as the document says', async () => {
  const { product, issuedAt, ids, signature } = vectors.revoked
  expect(signList(signingKey, product, issuedAt, ids)).toBe(signature)
  const keys = [vectors.ids[0]?.text ?? '', vectors.keys[0]?.licenseKey ?? '', ids[0] ?? '']
  expect(await signRevokedKeys({ signingKey, product, keys, issuedAt: new Date(issuedAt) })).toEqual(
    vectors.revoked,
  )
})

it('revokes a license key however it was pasted, and refuses a part of one', async () => {
  const [{ licenseKey } = { licenseKey: '' }] = vectors.keys
  const sign = (key: string) => signRevokedKeys({ signingKey, product: 'inkwell', keys: [key] })
  const { ids } = await sign(licenseKey)
  expect((await sign(`> ${licenseKey.toLowerCase()}\n`)).ids).toEqual(ids)
  await expect(sign(licenseKey.slice(0, -9))).rejects.toThrow('keys[0] must be a whole license key')
})

it('gives no key an end that no key can say, or one before its start', async () => {
  const issue = (expiresAt: Date | string, issuedAt?: Date) =>
    issueLicenseKey({ signingKey, product: 'inkwell', expiresAt, issuedAt })
  const start = new Date('2026-02-01T12:00:00Z')
  await expect(issue('2026-01-31', start)).rejects.toThrow('expiresAt must not be in the past')
  expect(await issue('2026-02-01', start)).toMatch(/^LK1-/u)
  for (const end of [new Date(8.64e15), '2149-06-07'])
    await expect(issue(end)).rejects.toThrow('must be before 2149-06-07')
})

const product = 'inkwell'
const service = signedKeys({ publicKeys: [publicKey], product })
const content = {
  product,
  id: '0123456789abcdef',
  name: 'Ada',
  email: '',
  plan: '',
  features: [],
  lastDay: null,
}
const licenseKey = writeKey(signingKey, content)
const foreignKey = await issueLicenseKey({ product, signingKey: (await generateSigningKey()).signingKey })
const found = { ok: true, licenseKey }
const incomplete = { ok: false, code: 'incomplete-license-key' }

async function reasonOf(key: string): Promise<string> {
  const outcome = await service.activate({ licenseKey: key, deviceName: '', fingerprint: '' })
  return outcome.kind === 'refusal' ? outcome.reason : outcome.kind
}

describe('finds the key', () => {
  it.each([
    ['in an email', `Hello Ada,\n\nyour license key: ${licenseKey}\n\nHave fun!\nThe Inkwell team`],
    ['with the next line directly below', `${licenseKey}\nThanks for your order`],
    ['in a reply', licenseKey.replace(/.{40}/gu, '$&\n> ').replace(/^/u, '> ')],
    ['wrapped after hyphens', licenseKey.replace(/(-[^-]+-[^-]+-)/gu, '$1\n    ')],
    ['wrapped anywhere', licenseKey.replace(/.{7}/gu, '$&\r\n')],
    ['in a narrow column', licenseKey.split('').join(' ')],
    ['quoted-printable', licenseKey.replace(/.{33}/gu, '$&=\r\n')],
    ['in quotation marks', `“${licenseKey}”`],
    ['in lower case', licenseKey.toLowerCase()],
    [
      'with letters that look like digits',
      licenseKey.replaceAll('0', 'O').replaceAll('1', 'l').replace('LKl', 'LK1'),
    ],
    ['with typographic hyphens', licenseKey.replaceAll('-', '\u2011')],
    ['twice', `${licenseKey}\n\n${licenseKey}`],
  ])('%s', (_, text) => {
    expect(service.findLicenseKey(text)).toEqual(found)
    expect(findAnyLicenseKey(text)).toEqual(found)
  })
})

describe('refuses what was pasted', () => {
  it.each([
    ['nothing', '', { ok: false, code: 'empty-text' }],
    ['prose', 'Where is my key?', { ok: false, code: 'no-license-key' }],
    ['100 kB', 'A'.repeat(100_000), { ok: false, code: 'text-too-long' }],
    ['the longest text there may be', 'LK1-'.repeat(2500), incomplete],
    ['a UUID', '3713fb33-1f64-4f68-9bc7-8e1f6b0a1e6d', { ok: false, code: 'no-license-key' }],
    ['the end of a key', licenseKey.slice(30), incomplete],
    ['a key with a missing character', licenseKey.slice(0, 50) + licenseKey.slice(51), incomplete],
    ['a key with an added character', `${licenseKey.slice(0, 50)}A${licenseKey.slice(50)}`, incomplete],
    ['a key that an empty line breaks', licenseKey.replace(/.{50}/u, '$&\n\n'), incomplete],
    [
      'a Cyrillic letter',
      licenseKey.replace(/A/u, 'А'),
      { ok: false, code: 'foreign-character', character: 'А' },
    ],
    ['a future version', licenseKey.replace('LK1', 'LK12'), { ok: false, code: 'newer-license-key' }],
    [
      'two keys',
      `${licenseKey}\n\n${writeKey(signingKey, { ...content, name: 'Bob' })}`,
      { ok: false, code: 'several-license-keys' },
    ],
  ])('%s', (_, text, refused) => {
    expect(service.findLicenseKey(text)).toEqual(refused)
  })

  it('wherever a key was cut', () => {
    for (let length = 4; length < licenseKey.length; length += 1) {
      expect(service.findLicenseKey(licenseKey.slice(0, length)), `${length}`).toEqual(incomplete)
    }
    for (let length = 30; length < licenseKey.length; length += 1) {
      expect(findAnyLicenseKey(licenseKey.slice(0, length)).ok, `${length}`).toBe(false)
    }
  })
})

describe('refuses a key', () => {
  it('with any character edited', async () => {
    for (const [at, character] of Array.from(licenseKey).entries()) {
      if (at < 4 || character === '-') continue
      const edited = licenseKey.slice(0, at) + (character === 'Z' ? 'Y' : 'Z') + licenseKey.slice(at + 1)
      // The product is in the signature as well as in these characters.
      expect(['unknown-license', 'wrong-product']).toContain(await reasonOf(edited))
    }
  })

  it.each([
    ['of another product', writeKey(signingKey, { ...content, product: 'other' }), 'wrong-product'],
    ['of an unknown signing key', foreignKey, 'unknown-license'],
    ['that isn’t one', 'LK1-????????', 'unknown-license'],
    ['in lower case, which the finder changes', licenseKey.toLowerCase(), 'unknown-license'],
    ['with other groups', `LK1-${licenseKey.slice(4).replaceAll('-', '')}`, 'unknown-license'],
  ])('%s', async (_, key, reason) => {
    expect(await reasonOf(key)).toBe(reason)
  })

  it('accepts the keys of an earlier signing key as long as its public key is listed', async () => {
    const next = await generateSigningKey()
    const both = signedKeys({ publicKeys: [next.publicKey, publicKey], product })
    for (const key of [licenseKey, await issueLicenseKey({ signingKey: next.signingKey, product })]) {
      const request = { licenseKey: key, deviceName: '', fingerprint: '' }
      expect((await both.activate(request)).kind).toBe('answer')
    }
  })
})

describe('refuses options', () => {
  const pem = generateKeyPairSync('ed25519').privateKey
  const jwk = pem.export({ format: 'jwk' })
  const isPrivate = 'must not be a private key'
  it.each([
    ['the signing key', { publicKeys: [signingKey], product }, isPrivate],
    ['a private JWK', { publicKeys: [jwk], product }, isPrivate],
    ['a private PEM', { publicKeys: [pem.export({ format: 'pem', type: 'pkcs8' })], product }, isPrivate],
    ['the option signingKey', { publicKeys: [publicKey], product, signingKey }, 'must not be in an app'],
    [
      'another text',
      { publicKeys: ['11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'], product },
      'latchkey keys',
    ],
    ['no public key', { publicKeys: [], product }, 'publicKeys'],
    ['no product', { publicKeys: [publicKey] }, 'product is missing'],
    [
      'a signing key for the list',
      {
        publicKeys: [publicKey],
        product,
        revoked: { url: 'https://example.com/r.json', publicKeys: [signingKey] },
      },
      `revoked.publicKeys ${isPrivate}`,
    ],
    [
      'a list that anyone could change',
      {
        publicKeys: [publicKey],
        product,
        revoked: { url: 'http://example.com/r.json', publicKeys: [publicKey] },
      },
      'https://',
    ],
  ])('%s, without repeating it', (_, options, sentence) => {
    const create = () => signedKeys(options as never)
    expect(create).toThrow(sentence)
    expect(create).not.toThrow(signingKey.slice(20, 60))
    expect(create).not.toThrow(jwk.d)
  })
})
