import { describe, expect, it } from 'vitest'
import { createCommerceClient, isSameId } from '../../src/index.ts'
import { errorOf } from '../error-of.ts'
import { key, license, licenseId } from '../samples.ts'
import { json, startService } from '../service.ts'

const licenseKey = 'key/eyJ9=.c2ln+Zür 7'
const encoded = `~${Buffer.from(licenseKey).toString('base64url')}`
const keyId = 'lki_7C2d'

describe('a client of a gateway whose license keys have any format', () => {
  it('encodes them in the path so that no proxy decodes them', async () => {
    const service = await startService(json({ data: { ...key, id: keyId } }))
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl, ids: 'any' })
    expect(await licenses.key(licenseKey, keyId)).toMatchObject({ id: keyId })
    const url = `/v1/licenses/${encoded}/keys/~${Buffer.from(keyId).toString('base64url')}`
    expect(service.requests).toMatchObject([{ url }])
  })

  it('sends ids in a body unchanged, with the fingerprint if there is one', async () => {
    const answer = { license: { ...license, id: licenseKey }, key: { ...key, id: keyId } }
    const service = await startService(json(answer))
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl, ids: 'any' })
    expect(await licenses.validate(licenseKey, { key: keyId, fingerprint: '0123456789abcdef' })).toEqual(
      answer,
    )
    await licenses.validate(licenseKey, { key: keyId })
    expect(service.requests.map(({ body }) => JSON.parse(body))).toEqual([
      { key: keyId, fingerprint: '0123456789abcdef' },
      { key: keyId },
    ])
  })

  it('distinguishes ids that differ only in case', async () => {
    const service = await startService(
      json({ data: [key, { ...key, id: 'lki_a' }, { ...key, id: 'lki_A' }] }),
    )
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl, ids: 'any' })
    expect(await licenses.keys(licenseKey)).toHaveLength(3)
  })

  it('doesn’t change UUIDs', async () => {
    const service = await startService(json({ data: [] }))
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl, ids: 'any' })
    await licenses.keys(licenseId)
    expect(service.requests).toMatchObject([{ url: `/v1/licenses/${licenseId}/keys` }])
  })

  it.each(['', '.', '..', 'half \ud83d', 'two\nlines', 'x'.repeat(2049)])(
    'refuses %j before anything is sent',
    async (id) => {
      const service = await startService(json({ data: [] }))
      const { licenses } = createCommerceClient({ baseUrl: service.baseUrl, ids: 'any' })
      expect(await errorOf(licenses.keys(id))).toMatchObject({ code: 'invalid-argument' })
      expect(service.requests).toEqual([])
    },
  )

  it('reports the gateway’s code for a refusal', async () => {
    const service = await startService(json({ error: 'no-seat-left' }, 422))
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl, ids: 'any' })
    expect(await errorOf(licenses.activate(licenseKey, { name: 'Laptop' }))).toMatchObject({
      code: 'rejected',
      refusalCode: 'no-seat-left',
    })
  })
})

it.each([
  ['lki_a', 'lki_a', true],
  ['lki_a', 'lki_A', false],
  [licenseId, licenseId.toUpperCase(), true],
  [licenseId, keyId, false],
])('%s and %s identify the same activation: %s', (one, other, isSame) => {
  expect(isSameId(one, other)).toBe(isSame)
})
