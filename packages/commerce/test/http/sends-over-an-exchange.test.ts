import { expect, test } from 'vitest'
import { createAppLicenses, type ExchangeRequest } from '../../src/app-client.ts'
import { createCommerceClient, isCommerceError } from '../../src/index.ts'

const licenseId = '11111111-2222-4333-8444-555555555555'
const key = { id: '66666666-7777-4888-8999-aaaaaaaaaaaa', name: 'Laptop', created_at: null, updated_at: null }
const license = { id: licenseId, status: 'ACTIVE', suspended_at: null, expires_at: null }

/** License routes over an exchange that always gives the same answer. */
function licensesAnswering(status: number, body: string | null, given: Record<string, string> = {}) {
  const requests: ExchangeRequest[] = []
  const limits: number[] = []
  let headersRead = 0
  const licenses = createAppLicenses(
    { baseUrl: 'https://commerce.example/v1', accessToken: 'token', maxAnswerBytes: 1000 },
    async (request) => {
      requests.push(request)
      return {
        status,
        header: (name) => given[name] ?? null,
        headers() {
          headersRead += 1
          return new Headers(given)
        },
        async text(maxBytes) {
          limits.push(maxBytes)
          return body
        },
      }
    },
  )
  return { licenses, requests, limits, headersRead: () => headersRead }
}

test('a request is plain data, and the answer’s headers are built only when they are read', async () => {
  const date = 'Sun, 01 Nov 2026 12:00:00 GMT'
  const { licenses, requests, limits, headersRead } = licensesAnswering(
    200,
    JSON.stringify({ license, key }),
    { date },
  )
  let serverDateMs: number | null = null
  const validated = await licenses.validate(
    licenseId,
    { key: key.id },
    { headers: { 'X-App': ' notes ' }, onAnswer: (answer) => (serverDateMs = answer.serverDateMs) },
  )
  expect(validated.key.id).toBe(key.id)
  expect(requests).toEqual([
    {
      method: 'POST',
      url: `https://commerce.example/v1/licenses/${licenseId}/validate`,
      headers: {
        'x-app': 'notes',
        'content-type': 'application/json',
        accept: 'application/json',
        authorization: 'Bearer token',
      },
      body: JSON.stringify({ key: key.id }),
    },
  ])
  expect(serverDateMs).toBe(Date.parse(date))
  expect(limits).toEqual([1000])
  expect(headersRead()).toBe(0)
  let seen: string | null = null
  const onAnswer = ({ headers }: { headers: Headers }) => (seen = headers.get('date'))
  await licenses.validate(licenseId, { key: key.id }, { onAnswer })
  expect(seen).toBe(date)
})

test.each([
  [200, null, 'unexpected-answer'],
  [404, '{}', 'not-found'],
  [429, '', 'unreachable'],
  [999, '', 'unreachable'],
])('status %i with %j is a CommerceError with the requested waiting time', async (status, body, code) => {
  const { licenses } = licensesAnswering(status, body, { 'retry-after': '7' })
  const error: unknown = await licenses.keys(licenseId).catch((thrown: unknown) => thrown)
  expect(isCommerceError(error) && error.code).toBe(code)
  expect(isCommerceError(error) && error.retryAfterMs).toBe(status === 200 ? null : 7000)
})

test.each([{ 'x app': 'a' }, { 'x-app': 'a\nb' }, { 'x-app': '見' }, { Accept: 'text/html' }])(
  'headers %j are refused without showing their values',
  async (headers) => {
    const { licenses, requests } = licensesAnswering(200, '{"data":[]}')
    const error: unknown = await licenses.keys(licenseId, { headers }).catch((thrown: unknown) => thrown)
    expect(isCommerceError(error) && error.code).toBe('invalid-argument')
    expect(String(error)).not.toMatch(/html|見/u)
    expect(requests).toEqual([])
  },
)

test('a client with an exchange of its own asks nothing of fetch', async () => {
  const fetched: string[] = []
  const { licenses } = createCommerceClient({
    baseUrl: 'https://commerce.example/v1',
    async fetch(request) {
      fetched.push(request.url)
      return Response.error()
    },
    exchange: async () => ({
      status: 200,
      header: () => null,
      headers: () => new Headers(),
      text: async () => JSON.stringify({ license, key }),
    }),
  })
  expect((await licenses.validate(licenseId, { key: key.id })).key.id).toBe(key.id)
  expect(fetched).toEqual([])
})

test.each([
  [407, 'unauthorized', false],
  [403, 'unreachable', true],
])('an answer with status %i that breaks off is %s', async (status, code, isCut) => {
  const licenses = createAppLicenses({ baseUrl: 'https://commerce.example/v1' }, async () => ({
    status,
    header: () => null,
    headers: () => new Headers(),
    text: () => Promise.reject(new Error('net::ERR_TUNNEL_CONNECTION_FAILED')),
  }))
  const error: unknown = await licenses.keys(licenseId).catch((reason: unknown) => reason)
  expect(isCommerceError(error) && [error.code, error.status, error.bodyIsCut]).toEqual([code, status, isCut])
})
