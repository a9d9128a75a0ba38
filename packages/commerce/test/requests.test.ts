import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  type CallOptions,
  type CommerceClient,
  type CommerceClientOptions,
  createCommerceClient,
  isSameId,
} from '../src/index.ts'
import { accessToken, calls, key, keyId, license, licenseId } from './samples.ts'
import { errorOf, hangUp, json, type Service, signalOnce, startService, transports } from './service.ts'

const activated = { license, key }
const deactivated = { message: 'License key deactivated successfully' }

const routes = [
  ['licenses.keys', 'GET', 'keys', null, { data: [key] }, [key]],
  ['licenses.key', 'GET', `keys/${keyId}`, null, { data: key }, key],
  ['licenses.activate', 'POST', 'activate', { name: key.name }, activated, activated],
  ['licenses.validate', 'POST', 'validate', { key: keyId }, activated, activated],
  ['licenses.deactivate', 'DELETE', 'deactivate', { key: keyId }, deactivated, deactivated],
] as const

describe.each(transports)('over %s', (_name, transport) => {
  const clientOf = ({ baseUrl }: Service, options: Partial<CommerceClientOptions> = {}): CommerceClient =>
    createCommerceClient({ baseUrl, ...options, ...transport() })

  describe.each(routes)('%s', (operation, method, route, sent, answer, result) => {
    const call = calls[operation]

    it('sends path, method, headers and body once', async () => {
      const service = await startService(json(answer))
      expect(await call(clientOf(service, { accessToken }))).toEqual(result)
      const type = 'application/json'
      const headers = { authorization: `Bearer ${accessToken}`, 'content-type': type, accept: type }
      const body = sent === null ? '' : JSON.stringify(sent)
      const url = `/v1/licenses/${licenseId}/${route}`
      expect(service.requests).toMatchObject([{ method, url, body, headers }])
    })

    it('counts any success status as a success', async () => {
      for (const status of [201, 202, 206, 299]) {
        expect(await call(clientOf(await startService(json(answer, status))))).toEqual(result)
      }
    })

    it('is sent again, once, only if it reads, and is named by its error', async () => {
      for (const failure of [json({}, 503, { 'retry-after': '0' }), hangUp]) {
        const service = await startService(failure)
        expect(await errorOf(call(clientOf(service)))).toMatchObject({ code: 'unreachable', operation })
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
      const options = { accessToken, userAgent: 'Notebook/1.2' }
      const headers = await sentWith(options, { headers: { 'X-Nonce': 'abc' } })
      const authorization = `Bearer ${accessToken}`
      expect(headers).toMatchObject({ 'x-nonce': 'abc', 'user-agent': 'Notebook/1.2', authorization })
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

  describe('a call that is canceled', () => {
    it('sends nothing if the signal is already aborted', async () => {
      const service = await startService(json({ data: [] }))
      const { licenses, customers } = clientOf(service)
      const signal = AbortSignal.abort()
      for (const [operation, call] of [
        ['licenses.keys', licenses.keys(licenseId, { signal })],
        ['customers.list', customers.all({ signal }).next()],
      ] as const) {
        expect(await errorOf(call)).toMatchObject({ code: 'cancelled', isRetryable: false, operation })
      }
      expect(service.requests).toHaveLength(0)
    })

    it('ends while it waits for an answer, and closes its connection', async () => {
      const cancel = new AbortController()
      const closed = signalOnce()
      const service = await startService((_request, response) => {
        response.on('close', closed.give)
        cancel.abort(new Error(`because of ${licenseId}`))
      })
      const error = await errorOf(clientOf(service).licenses.keys(licenseId, { signal: cancel.signal }))
      expect(error).toMatchObject({ code: 'cancelled', status: null })
      expect(error.cause).toBeUndefined()
      await closed.given
    })

    it('ends in the middle of a body', async () => {
      const cancel = new AbortController()
      const service = await startService((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('{"data":', () => cancel.abort())
      })
      const call = clientOf(service).licenses.keys(licenseId, { signal: cancel.signal })
      expect(await errorOf(call)).toMatchObject({ code: 'cancelled' })
    })

    it('leaves no listener on a signal that is used longer than the call', async () => {
      const later = json({}, 503, { 'retry-after': '0' })
      const service = await startService((request, response) =>
        (request.url.endsWith('/keys') ? json({ data: [] }) : later)(request, response),
      )
      const { licenses, customers } = clientOf(service)
      const { signal } = new AbortController()
      await licenses.keys(licenseId, { signal })
      await errorOf(customers.list({ signal, retry: 1 }))
      await errorOf(customers.all({ signal }).next())
      expect(service.requests).toHaveLength(4)
      expect(getEventListeners(signal, 'abort')).toEqual([])
    })
  })
})

describe('arguments that can’t be sent', () => {
  const { licenses } = createCommerceClient({
    baseUrl: 'https://commerce.example/v1',
    fetch: () => Promise.reject(new Error('was sent')),
  })
  async function expectRefused(call: Promise<unknown>, hint: string): Promise<void> {
    const error = await errorOf(call)
    expect(error).toMatchObject({ code: 'invalid-argument', hint: expect.stringContaining(hint) })
    expect(error.message).toContain(`${error.hint}).`)
  }

  it.each([
    ...['', ' ', 'abc', `${licenseId} `, ` ${licenseId}`, `${licenseId}/../x`, `../${licenseId}`],
    ...[`{${licenseId}}`, licenseId.replaceAll('-', ''), [licenseId]],
  ])('the id %j, on every route', async (given) => {
    // Plain JavaScript can pass anything.
    const id = given as string
    await expectRefused(licenses.keys(id), 'licenseKey is')
    await expectRefused(licenses.key(id, keyId), 'licenseKey is')
    await expectRefused(licenses.activate(id, { name: 'x' }), 'licenseKey is')
    await expectRefused(licenses.validate(id, { key: keyId }), 'licenseKey is')
    await expectRefused(licenses.deactivate(id, { key: keyId }), 'licenseKey is')
    await expectRefused(licenses.key(licenseId, id), 'activationId is')
    await expectRefused(licenses.validate(licenseId, { key: id }), 'key is')
    await expectRefused(licenses.deactivate(licenseId, { key: id }), 'key is')
  })

  it.each([' \n', 42, null, undefined])('the key name %j', async (name) => {
    await expectRefused(Reflect.apply(licenses.activate, licenses, [licenseId, { name }]), 'name is blank')
  })

  it('don’t include a UUID in upper case, which is sent as it is', async () => {
    const service = await startService(json({ data: [] }))
    await createCommerceClient({ baseUrl: service.baseUrl }).licenses.keys(licenseId.toUpperCase())
    expect(service.requests[0]?.url).toBe(`/v1/licenses/${licenseId.toUpperCase()}/keys`)
  })
})

describe('a client of a gateway whose license keys have any format', () => {
  const licenseKey = 'key/eyJ9=.c2ln+Zür 7'
  const activationId = 'lki_7C2d'
  const anyKey = { ...key, id: activationId }
  async function anyIds(answer: unknown, status = 200) {
    const service = await startService(json(answer, status))
    return { service, ...createCommerceClient({ baseUrl: service.baseUrl, ids: 'any' }) }
  }

  it('encodes them in the path so that no proxy decodes them, but not a UUID', async () => {
    const { service, licenses } = await anyIds({ data: anyKey })
    expect(await licenses.key(licenseKey, activationId)).toMatchObject({ id: activationId })
    await licenses.key(licenseId, keyId)
    const [encoded, encodedId] = [licenseKey, activationId].map(
      (id) => `~${Buffer.from(id).toString('base64url')}`,
    )
    const urls = [`/v1/licenses/${encoded}/keys/${encodedId}`, `/v1/licenses/${licenseId}/keys/${keyId}`]
    expect(service.requests.map(({ url }) => url)).toEqual(urls)
  })

  it('sends ids in a body unchanged, with the fingerprint if there is one', async () => {
    const answer = { license: { ...license, id: licenseKey }, key: anyKey }
    const { service, licenses } = await anyIds(answer)
    const inputs = [{ key: activationId, fingerprint: '0123456789abcdef' }, { key: activationId }]
    for (const input of inputs) expect(await licenses.validate(licenseKey, input)).toEqual(answer)
    expect(service.requests.map(({ body }) => JSON.parse(body))).toEqual(inputs)
  })

  it('distinguishes ids that differ only in case', async () => {
    const { licenses } = await anyIds({ data: [key, { ...key, id: 'lki_a' }, { ...key, id: 'lki_A' }] })
    expect(await licenses.keys(licenseKey)).toHaveLength(3)
  })

  it.each(['', '.', '..', 'half \ud83d', 'two\nlines', 'x'.repeat(2049)])(
    'refuses %j before anything is sent',
    async (id) => {
      const { service, licenses } = await anyIds({ data: [] })
      expect(await errorOf(licenses.keys(id))).toMatchObject({ code: 'invalid-argument' })
      expect(service.requests).toEqual([])
    },
  )

  it('reports the gateway’s code for a refusal', async () => {
    const { licenses } = await anyIds({ error: 'no-seat-left' }, 422)
    const refused = { code: 'rejected', refusalCode: 'no-seat-left' }
    expect(await errorOf(licenses.activate(licenseKey, { name: 'Laptop' }))).toMatchObject(refused)
  })

  it.each([
    ['lki_a', 'lki_a', true],
    ['lki_a', 'lki_A', false],
    [licenseId, licenseId.toUpperCase(), true],
    [licenseId, keyId, false],
  ])('has %s and %s for the same activation: %s', (one, other, isSame) => {
    expect(isSameId(one, other)).toBe(isSame)
  })
})

it('works, times out and cancels on Node 18.15', async () => {
  const service = await startService(json({ data: [] }))
  const silent = await startService(() => {})
  // In a separate process, because it removes globals that other tests need.
  const program = path.join(import.meta.dirname, 'fixtures', 'old-runtime.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program, service.baseUrl, silent.baseUrl])
  expect(JSON.parse(stdout)).toEqual({
    keys: [],
    timedOut: { code: 'unreachable', reason: 'timeout' },
    cancelled: { code: 'cancelled', reason: null },
  })
})
