import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createCommerceClient, type Fetch } from '../../src/index.ts'
import { errorOf } from '../error-of.ts'
import { accessToken, key, keyId, licenseId } from '../samples.ts'
import { type Answer, json, startService, text } from '../service.ts'
import { transports } from '../transports.ts'

/** Everything in an error that can appear in a log. */
function everythingOf(error: Error): string {
  const chain: Error[] = []
  for (let link: unknown = error; link instanceof Error; link = link.cause) chain.push(link)
  return [
    ...chain.flatMap((link) => [String(link), link.message, link.stack, JSON.stringify(link)]),
    inspect(error, { depth: 10, showHidden: true, getters: true }),
    JSON.stringify(error, Object.getOwnPropertyNames(error)),
  ].join('\n')
}

const echo: Answer = (request, response) => {
  // A server that repeats the request, as debugging pages do.
  response.writeHead(500, { 'content-type': 'text/html', 'x-echo': request.url })
  response.end(`${request.url} ${request.headers.authorization} ${request.body}`)
}
const answers: [string, Answer][] = [
  ['a page that repeats the request', echo],
  [
    'a success whose fields are wrong',
    json({ data: { id: licenseId, token: accessToken }, license: { id: licenseId }, key }),
  ],
  ['a success that is text', text(`${licenseId} ${accessToken}`)],
  ['a refusal', json({ message: licenseId }, 404)],
  ['a redirect', text('', 302, { location: `/licenses/${licenseId}?token=${accessToken}` })],
  ['a broken connection', (_request, response) => response.destroy()],
  [
    'a broken body',
    (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write(licenseId, () => response.destroy())
    },
  ],
  ['no answer in time', () => {}],
]

describe.each(transports)('over %s, an error shows no secret', (_name, transport) => {
  it.each(answers)('after %s', async (_what, answer) => {
    const service = await startService(answer)
    const { licenses } = createCommerceClient({
      baseUrl: service.baseUrl,
      accessToken,
      timeout: 200,
      ...transport(),
    })
    const calls = [
      licenses.keys(licenseId),
      licenses.key(licenseId, keyId),
      licenses.activate(licenseId, { name: 'x' }),
      licenses.validate(licenseId, { key: keyId }),
      licenses.deactivate(licenseId, { key: keyId }),
    ]
    for (const outcome of await Promise.allSettled(calls)) {
      // *deactivate* may get the message it expects.
      if (outcome.status === 'rejected') expectNoSecret(everythingOf(outcome.reason))
    }
  })
})

describe('an error shows no secret', () => {
  it.each<[string, (url: string, token: string) => Error]>([
    ['in its message', (url, token) => new TypeError(`error sending request for url (${url}), ${token}`)],
    [
      'in its cause',
      (url) => new Error('failed', { cause: new Error(`cause ${url}`, { cause: new Error(url) }) }),
    ],
    [
      'in a property',
      (url, token) => Object.assign(new Error('failed'), { request: { url, token }, code: url }),
    ],
    ['in its name', (url) => Object.assign(new Error(), { name: url })],
    [
      'where a name and a message should be',
      (url) => Object.assign(new Error(), { name: 7, message: [url] }),
    ],
    ['in a very long chain of causes', (url) => chain(url, 50)],
  ])('when an injected fetch rejects with an error that has one %s', async (_where, makeError) => {
    const fetch: Fetch = async (request) => {
      throw makeError(request.url, request.headers.get('authorization') ?? '')
    }
    const { licenses } = createCommerceClient({ baseUrl: 'https://commerce.example/v1', accessToken, fetch })
    const error = await errorOf(licenses.validate(licenseId, { key: keyId }))
    expect(error).toMatchObject({ code: 'unreachable', reason: 'network' })
    expectNoSecret(everythingOf(error))
  })

  it('keeps the part of the cause that a developer needs', async () => {
    const fetch: Fetch = async () => {
      throw Object.assign(new Error('net::ERR_PROXY_CONNECTION_FAILED'), { code: 'ERR_PROXY' })
    }
    const { licenses } = createCommerceClient({ baseUrl: 'https://commerce.example/v1', fetch })
    const error = await errorOf(licenses.keys(licenseId))
    expect(error.cause).toMatchObject({ message: 'net::ERR_PROXY_CONNECTION_FAILED', code: 'ERR_PROXY' })
  })

  it('has placeholders in its cause for the license and the token', async () => {
    const fetch: Fetch = ({ url }) => Promise.reject(new TypeError(`GET ${url} ${accessToken} failed`))
    const { licenses } = createCommerceClient({ baseUrl: 'https://commerce.example/v1', accessToken, fetch })
    const { cause } = await errorOf(licenses.key(licenseId, keyId))
    const message = 'GET https://commerce.example/v1/licenses/<id>/keys/<id> <token> failed'
    expect(cause).toMatchObject({ name: 'TypeError', message, stack: `TypeError: ${message}` })
  })

  it('when an argument is refused', async () => {
    const { licenses } = createCommerceClient({ baseUrl: 'https://commerce.example/v1', accessToken })
    const error = await errorOf(licenses.validate(licenseId, { key: `${licenseId}/${keyId}` }))
    expectNoSecret(everythingOf(error))
  })
})

function expectNoSecret(everything: string): void {
  for (const secret of [licenseId, keyId, accessToken]) expect(everything.toLowerCase()).not.toContain(secret)
}

function chain(text: string, length: number): Error {
  return length === 0 ? new Error(text) : new Error(text, { cause: chain(text, length - 1) })
}
