import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { issueLicenseKey, signRevokedKeys } from '../../src/issue.ts'
import { signedKeys } from '../../src/signed-keys.ts'
import { idOf, readKey, signList, writeKey } from './independent-implementation.ts'

const vectors = z
  .object({
    signingKey: z.string(),
    publicKey: z.string(),
    keys: z.array(
      z.object({
        note: z.string(),
        product: z.string(),
        id: z.string(),
        name: z.string(),
        email: z.string(),
        plan: z.string(),
        features: z.array(z.string()),
        lastDay: z.string().nullable(),
        licenseKey: z.string(),
      }),
    ),
    ids: z.array(z.object({ text: z.string(), id: z.string() })),
    revoked: z.object({
      product: z.string(),
      issuedAt: z.string(),
      ids: z.array(z.string()),
      signature: z.string(),
    }),
  })
  .parse(
    JSON.parse(
      readFileSync(new URL('../../../../docs/public/license-key-vectors.json', import.meta.url), 'utf8'),
    ),
  )
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
