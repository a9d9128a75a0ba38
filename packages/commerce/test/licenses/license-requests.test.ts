import { describe, expect, it } from 'vitest'
import { createCommerceClient } from '../../src/index.ts'
import { errorOf } from '../error-of.ts'
import { accessToken, key, keyId, license, licenseId } from '../samples.ts'
import { type Answer, json, startService } from '../service.ts'
import { transports } from '../transports.ts'

const broken: Answer = (_request, response) => void response.destroy()

describe.each(transports)('the requests of the license routes over %s', (_name, transport) => {
  const routes = [
    {
      name: 'list keys',
      call: (c: Client) => c.licenses.keys(licenseId),
      method: 'GET',
      path: `/licenses/${licenseId}/keys`,
      body: '',
      answer: { data: [key] },
      result: [key],
    },
    {
      name: 'show key',
      call: (c: Client) => c.licenses.key(licenseId, keyId),
      method: 'GET',
      path: `/licenses/${licenseId}/keys/${keyId}`,
      body: '',
      answer: { data: key },
      result: key,
    },
    {
      name: 'activate',
      call: (c: Client) => c.licenses.activate(licenseId, { name: key.name }),
      method: 'POST',
      path: `/licenses/${licenseId}/activate`,
      body: JSON.stringify({ name: key.name }),
      answer: { license, key },
      result: { license, key },
    },
    {
      name: 'validate',
      call: (c: Client) => c.licenses.validate(licenseId, { key: keyId }),
      method: 'POST',
      path: `/licenses/${licenseId}/validate`,
      body: JSON.stringify({ key: keyId }),
      answer: { license, key },
      result: { license, key },
    },
    {
      name: 'deactivate',
      call: (c: Client) => c.licenses.deactivate(licenseId, { key: keyId }),
      method: 'DELETE',
      path: `/licenses/${licenseId}/deactivate`,
      body: JSON.stringify({ key: keyId }),
      answer: { message: 'License key deactivated successfully' },
      result: { message: 'License key deactivated successfully' },
    },
  ]

  it.each(routes)(
    '$name: path, method, headers and body, once',
    async ({ call, method, path, body, answer, result }) => {
      const service = await startService(json(answer))
      const commerce = createCommerceClient({ baseUrl: service.baseUrl, accessToken, ...transport() })

      expect(await call(commerce)).toEqual(result)

      expect(service.requests).toHaveLength(1)
      expect(service.requests[0]).toMatchObject({
        method,
        url: `/v1${path}`,
        body,
        headers: {
          authorization: `Bearer ${accessToken}`,
          'content-type': 'application/json',
          accept: 'application/json',
        },
      })
    },
  )

  it.each(routes)('$name: any success status counts as a success', async ({ call, answer, result }) => {
    for (const status of [201, 202, 206, 299]) {
      const service = await startService(json(answer, status))
      expect(await call(createCommerceClient({ baseUrl: service.baseUrl, ...transport() }))).toEqual(result)
    }
  })

  it.each(routes)('$name: only a request that reads is sent again, once', async ({ call, method }) => {
    for (const answer of [json({}, 503, { 'retry-after': '0' }), broken]) {
      const service = await startService(answer)
      await errorOf(call(createCommerceClient({ baseUrl: service.baseUrl, ...transport() })))
      expect(service.requests).toHaveLength(method === 'GET' ? 2 : 1)
    }
  })
})

describe.each(transports)('headers over %s', (_name, transport) => {
  it('sends no Authorization without a token, as for a gateway', async () => {
    const service = await startService(json({ data: [] }))
    await createCommerceClient({ baseUrl: service.baseUrl, ...transport() }).licenses.keys(licenseId)
    expect(service.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  it("sends the caller's headers and user agent in addition to the interface's", async () => {
    const service = await startService(json({ data: [] }))
    const commerce = createCommerceClient({
      baseUrl: service.baseUrl,
      accessToken,
      userAgent: 'Notebook/1.2',
      ...transport(),
    })
    await commerce.licenses.keys(licenseId, { headers: { 'X-Nonce': 'abc' } })
    expect(service.requests[0]?.headers).toMatchObject({
      'x-nonce': 'abc',
      'user-agent': 'Notebook/1.2',
      authorization: `Bearer ${accessToken}`,
    })
  })

  it('sends no user agent of its own if none was given', async () => {
    const service = await startService(json({ data: [] }))
    await createCommerceClient({ baseUrl: service.baseUrl, ...transport() }).licenses.keys(licenseId)
    expect(service.requests[0]?.headers['user-agent']).not.toBe('undefined')
  })

  it.each(['Authorization', 'content-type', 'ACCEPT'])(
    "refuses %s among the caller's headers",
    async (name) => {
      const service = await startService(json({ data: [] }))
      const call = createCommerceClient({ baseUrl: service.baseUrl, ...transport() }).licenses.keys(
        licenseId,
        {
          headers: { [name]: 'x' },
        },
      )
      expect(await errorOf(call)).toMatchObject({
        code: 'invalid-argument',
        message: expect.stringContaining(name.toLowerCase()),
      })
      expect(service.requests).toHaveLength(0)
    },
  )

  it('refuses an invalid header without showing its value', async () => {
    const service = await startService(json({ data: [] }))
    const commerce = createCommerceClient({ baseUrl: service.baseUrl, ...transport() })
    const error = await errorOf(
      commerce.licenses.keys(licenseId, { headers: { 'x-secret': 'hush\r\nhush' } }),
    )
    expect(error).toMatchObject({ code: 'invalid-argument', operation: 'licenses.keys' })
    expect(error.message).toContain('header')
    expect(error.message).not.toContain('hush')
  })
})

describe('arguments that cannot be sent', () => {
  const notUuids = [
    '',
    ' ',
    'abc',
    `${licenseId} `,
    ` ${licenseId}`,
    `${licenseId}/../x`,
    `../${licenseId}`,
    `{${licenseId}}`,
    licenseId.replaceAll('-', ''),
  ]

  it.each(notUuids)('refuses the license id %j on every route', async (id) => {
    const service = await startService(json({}))
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl })
    const calls = [
      licenses.keys(id),
      licenses.key(id, keyId),
      licenses.activate(id, { name: 'x' }),
      licenses.validate(id, { key: keyId }),
      licenses.deactivate(id, { key: keyId }),
    ]
    for (const call of calls) {
      expect(await errorOf(call)).toMatchObject({
        code: 'invalid-argument',
        message: expect.stringContaining('licenseKey'),
      })
    }
    expect(service.requests).toHaveLength(0)
  })

  it.each(notUuids)('refuses the key id %j', async (id) => {
    const service = await startService(json({}))
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl })
    const calls = [
      licenses.key(licenseId, id),
      licenses.validate(licenseId, { key: id }),
      licenses.deactivate(licenseId, { key: id }),
    ]
    for (const call of calls) expect((await errorOf(call)).code).toBe('invalid-argument')
    expect(service.requests).toHaveLength(0)
  })

  it.each([' \n', 42, null, undefined])('refuses the key name %j', async (name) => {
    const service = await startService(json({}))
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl })
    const call: Promise<unknown> = Reflect.apply(licenses.activate, licenses, [licenseId, { name }])
    expect((await errorOf(call)).code).toBe('invalid-argument')
    expect(service.requests).toHaveLength(0)
  })

  it('refuses a license id inside a list', async () => {
    const service = await startService(json({ data: [] }))
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl })
    const call: Promise<unknown> = Reflect.apply(licenses.keys, licenses, [[licenseId]])
    expect((await errorOf(call)).code).toBe('invalid-argument')
    expect(service.requests).toHaveLength(0)
  })

  it('accepts a UUID in upper case', async () => {
    const service = await startService(json({ data: [] }))
    await createCommerceClient({ baseUrl: service.baseUrl }).licenses.keys(licenseId.toUpperCase())
    expect(service.requests[0]?.url).toBe(`/v1/licenses/${licenseId.toUpperCase()}/keys`)
  })
})

type Client = ReturnType<typeof createCommerceClient>
