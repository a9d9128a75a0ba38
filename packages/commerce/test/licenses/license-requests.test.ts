import { describe, expect, it } from 'vitest'
import { type CallOptions, type CommerceClientOptions, createCommerceClient } from '../../src/index.ts'
import { errorOf } from '../error-of.ts'
import { accessToken, key, keyId, license, licenseId } from '../samples.ts'
import { type Answer, json, type Service, startService } from '../service.ts'
import { transports } from '../transports.ts'

const broken: Answer = (_request, response) => void response.destroy()
const message = 'License key deactivated successfully'

type Client = ReturnType<typeof createCommerceClient>
const routes: readonly (readonly [
  name: string,
  call: (client: Client) => Promise<unknown>,
  method: string,
  path: string,
  body: string,
  answer: object,
  result: unknown,
])[] = [
  ['list keys', (c) => c.licenses.keys(licenseId), 'GET', 'keys', '', { data: [key] }, [key]],
  ['show key', (c) => c.licenses.key(licenseId, keyId), 'GET', `keys/${keyId}`, '', { data: key }, key],
  [
    'activate',
    (c) => c.licenses.activate(licenseId, { name: key.name }),
    'POST',
    'activate',
    JSON.stringify({ name: key.name }),
    { license, key },
    { license, key },
  ],
  [
    'validate',
    (c) => c.licenses.validate(licenseId, { key: keyId }),
    'POST',
    'validate',
    JSON.stringify({ key: keyId }),
    { license, key },
    { license, key },
  ],
  [
    'deactivate',
    (c) => c.licenses.deactivate(licenseId, { key: keyId }),
    'DELETE',
    'deactivate',
    JSON.stringify({ key: keyId }),
    { message },
    { message },
  ],
]

describe.each(transports)('over %s', (_name, transport) => {
  const clientOf = ({ baseUrl }: Service, options: Partial<CommerceClientOptions> = {}): Client =>
    createCommerceClient({ baseUrl, ...options, ...transport() })

  describe.each(routes)('%s', (_route, call, method, path, body, answer, result) => {
    it('sends path, method, headers and body once', async () => {
      const service = await startService(json(answer))
      expect(await call(clientOf(service, { accessToken }))).toEqual(result)
      const type = 'application/json'
      const headers = { authorization: `Bearer ${accessToken}`, 'content-type': type, accept: type }
      expect(service.requests).toMatchObject([
        { method, url: `/v1/licenses/${licenseId}/${path}`, body, headers },
      ])
    })

    it('counts any success status as a success', async () => {
      for (const status of [201, 202, 206, 299]) {
        expect(await call(clientOf(await startService(json(answer, status))))).toEqual(result)
      }
    })

    it('is sent again, once, only if it reads', async () => {
      for (const failure of [json({}, 503, { 'retry-after': '0' }), broken]) {
        const service = await startService(failure)
        await errorOf(call(clientOf(service)))
        expect(service.requests).toHaveLength(method === 'GET' ? 2 : 1)
      }
    })
  })

  describe('the headers', () => {
    async function sentWith(options: Partial<CommerceClientOptions>, call?: CallOptions) {
      const service = await startService(json({ data: [] }))
      await clientOf(service, options).licenses.keys(licenseId, call)
      return service.requests[0]?.headers
    }

    it('have no Authorization without a token, as for a gateway, and no invented user agent', async () => {
      const headers = await sentWith({})
      expect(headers).not.toHaveProperty('authorization')
      expect(headers?.['user-agent']).not.toBe('undefined')
    })

    it('contain the caller’s and the user agent in addition to the interface’s', async () => {
      const sent = await sentWith(
        { accessToken, userAgent: 'Notebook/1.2' },
        { headers: { 'X-Nonce': 'abc' } },
      )
      const authorization = `Bearer ${accessToken}`
      expect(sent).toMatchObject({ 'x-nonce': 'abc', 'user-agent': 'Notebook/1.2', authorization })
    })

    it.each([
      ['Authorization', 'x', 'authorization'],
      ['content-type', 'x', 'content-type'],
      ['ACCEPT', 'x', 'accept'],
      ['x-secret', 'hush\r\nhush', 'header'],
      ['x-secret', '見hush', 'header'],
      ['x secret', 'hush', 'header'],
    ])('can’t contain %s: %j, which isn’t shown', async (name, value, word) => {
      const service = await startService(json({ data: [] }))
      const call = clientOf(service).licenses.keys(licenseId, { headers: { [name]: value } })
      const error = await errorOf(call)
      expect(error).toMatchObject({ code: 'invalid-argument', operation: 'licenses.keys' })
      expect(error.message).toContain(word)
      expect(error.message).not.toContain('hush')
      expect(service.requests).toHaveLength(0)
    })
  })
})

describe('arguments that can’t be sent', () => {
  const { licenses } = createCommerceClient({
    baseUrl: 'https://commerce.example/v1',
    fetch: () => Promise.reject(new Error('was sent')),
  })
  const refused = { code: 'invalid-argument' }

  it.each([
    ...['', ' ', 'abc', `${licenseId} `, ` ${licenseId}`, `${licenseId}/../x`, `../${licenseId}`],
    ...[`{${licenseId}}`, licenseId.replaceAll('-', ''), [licenseId]],
  ])('the id %j, on every route', async (given) => {
    // Plain JavaScript can pass anything.
    const id = given as string
    for (const call of [
      licenses.keys(id),
      licenses.key(id, keyId),
      licenses.activate(id, { name: 'x' }),
      licenses.validate(id, { key: keyId }),
      licenses.deactivate(id, { key: keyId }),
    ]) {
      expect(await errorOf(call)).toMatchObject({ ...refused, hint: expect.stringContaining('licenseKey') })
    }
    for (const call of [
      licenses.key(licenseId, id),
      licenses.validate(licenseId, { key: id }),
      licenses.deactivate(licenseId, { key: id }),
    ]) {
      expect(await errorOf(call)).toMatchObject(refused)
    }
  })

  it.each([' \n', 42, null, undefined])('the key name %j', async (name) => {
    const call: Promise<unknown> = Reflect.apply(licenses.activate, licenses, [licenseId, { name }])
    expect(await errorOf(call)).toMatchObject(refused)
  })

  it('don’t include a UUID in upper case, which is sent as it is', async () => {
    const service = await startService(json({ data: [] }))
    await createCommerceClient({ baseUrl: service.baseUrl }).licenses.keys(licenseId.toUpperCase())
    expect(service.requests[0]?.url).toBe(`/v1/licenses/${licenseId.toUpperCase()}/keys`)
  })
})
