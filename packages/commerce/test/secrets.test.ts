import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createCommerceClient, type Fetch } from '../src/index.ts'
import { accessToken, calls, key, keyId, licenseId } from './samples.ts'
import { type Answer, breakOff, errorOf, hangUp, json, startService, text, transports } from './service.ts'

/** Expects that nothing in an error that can appear in a log is a secret. */
function expectNoSecret(error: Error): void {
  const chain: Error[] = []
  for (let link: unknown = error; link instanceof Error; link = link.cause) chain.push(link)
  const everything = [
    ...chain.flatMap((link) => [String(link), link.message, link.stack, JSON.stringify(link)]),
    inspect(error, { depth: 10, showHidden: true, getters: true }),
    JSON.stringify(error, Object.getOwnPropertyNames(error)),
  ].join('\n')
  for (const secret of [licenseId, keyId, accessToken]) expect(everything.toLowerCase()).not.toContain(secret)
}

/** A server that repeats the request, as debugging pages do. */
const echo: Answer = (request, response) => {
  response.writeHead(500, { 'content-type': 'text/html', 'x-echo': request.url })
  response.end(`${request.url} ${request.headers.authorization} ${request.body}`)
}

describe.each(transports)('over %s, an error shows no secret', (_name, transport) => {
  it.each<[string, Answer]>([
    ['a page that repeats the request', echo],
    [
      'a success whose fields are wrong',
      json({ data: { id: licenseId, token: accessToken }, license: { id: licenseId }, key }),
    ],
    ['a success that is text', text(`${licenseId} ${accessToken}`)],
    ['a refusal', json({ message: licenseId }, 404)],
    ['a redirect', text('', 302, { location: `/licenses/${licenseId}?token=${accessToken}` })],
    ['a broken connection', hangUp],
    ['a broken body', breakOff(200, { 'content-length': '1000' }, licenseId)],
    ['no answer in time', () => {}],
  ])('after %s', async (_what, answer) => {
    const { baseUrl } = await startService(answer)
    const commerce = createCommerceClient({ baseUrl, accessToken, timeout: 200, ...transport() })
    for (const outcome of await Promise.allSettled(Object.values(calls).map((call) => call(commerce)))) {
      // *deactivate* may get the message it expects.
      if (outcome.status === 'rejected') expectNoSecret(outcome.reason)
    }
  })
})

describe('an error of an injected fetch', () => {
  const clientOf = (makeError: (url: string, token: string) => Error) => {
    const fetch: Fetch = async ({ url, headers }) => {
      throw makeError(url, headers.get('authorization') ?? '')
    }
    return createCommerceClient({ baseUrl: 'https://commerce.example/v1', accessToken, fetch }).licenses
  }
  const nested = (text: string, depth: number): Error =>
    depth === 0 ? new Error(text) : new Error(text, { cause: nested(text, depth - 1) })

  it.each<[string, (url: string, token: string) => Error]>([
    ['in its message', (url, token) => new TypeError(`error sending request for url (${url}), ${token}`)],
    ['in its cause', (url) => new Error('failed', { cause: nested(url, 1) })],
    [
      'in a property',
      (url, token) => Object.assign(new Error('failed'), { request: { url, token }, code: url }),
    ],
    ['in its name', (url) => Object.assign(new Error(), { name: url })],
    [
      'where a name and a message should be',
      (url) => Object.assign(new Error(), { name: 7, message: [url] }),
    ],
    ['in a very long chain of causes', (url) => nested(url, 50)],
  ])('shows no secret that it has %s', async (_where, makeError) => {
    const error = await errorOf(clientOf(makeError).validate(licenseId, { key: keyId }))
    expect(error).toMatchObject({ code: 'unreachable', reason: 'network' })
    expectNoSecret(error)
  })

  it('keeps the part that a developer needs', async () => {
    const message = 'net::ERR_PROXY_CONNECTION_FAILED'
    const licenses = clientOf(() => Object.assign(new Error(message), { code: 'ERR_PROXY' }))
    const error = await errorOf(licenses.keys(licenseId))
    expect(error.cause).toMatchObject({ message, code: 'ERR_PROXY' })
  })

  it('has placeholders for the license and the token', async () => {
    const licenses = clientOf((url) => new TypeError(`GET ${url} ${accessToken} failed`))
    const { cause } = await errorOf(licenses.key(licenseId, keyId))
    const message = 'GET https://commerce.example/v1/licenses/<id>/keys/<id> <token> failed'
    expect(cause).toMatchObject({ name: 'TypeError', message, stack: `TypeError: ${message}` })
  })
})

it('an error about an argument shows no secret', async () => {
  const { licenses } = createCommerceClient({ baseUrl: 'https://commerce.example/v1', accessToken })
  expectNoSecret(await errorOf(licenses.validate(licenseId, { key: `${licenseId}/${keyId}` })))
})
