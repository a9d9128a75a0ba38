import { describe, expect, test } from 'vitest'
import type { GatewayLogLine, GatewayOptions } from '../src/index.ts'
import { createGateway, generateSigningKey, leaseKeysOf, verifyLease } from '../src/index.ts'
import { accessToken, nonce } from './gateway-fixture.ts'

const licenseId = 'b0000000-0000-4000-8000-000000000001'
const keyId = 'a0000000-0000-4000-8000-000000000001'
const madeAt = '2025-01-01T00:00:00.000000Z'
const key = { id: keyId, name: 'Laptop [0123456789abcdef]', created_at: madeAt, updated_at: madeAt }
const license = (id: string, status: string) => ({
  id,
  activation_limit: 3,
  activation_usage: 1,
  activation_usage_formatted: '1/3',
  expires_at: null,
  suspended_at: null,
  status,
  created_at: madeAt,
  updated_at: madeAt,
})

interface Said {
  readonly status: number
  readonly body: unknown
  /** When it was made; `null` for a response without a date. @default now */
  readonly dateMs?: number | null
}

/** The gateway's responses about the key and the list in front of this service. */
async function behind(
  answer: (url: string) => Said,
  options: Pick<GatewayOptions, 'allow'> = {},
  knowsOther = true,
) {
  let isOther = false
  const signingKey = await generateSigningKey()
  const lines: GatewayLogLine[] = []
  const gateway = createGateway({
    log: (line) => void lines.push(line),
    upstream: {
      baseUrl: 'https://commerce.example/v1',
      accessToken,
      async fetch({ url }) {
        const other = { status: 200, body: { data: [{ ...key, id: licenseId }] } }
        const { status, body, dateMs = Date.now() }: Said = isOther ? other : answer(url)
        const headers = dateMs === null ? {} : { date: new Date(dateMs).toUTCString() }
        return Response.json(body, { status, headers })
      },
    },
    signing: { keys: [signingKey] },
    ...options,
  })
  const ask = (path: string) =>
    gateway(
      new Request(`https://gateway.example/v1/licenses/${licenseId}${path}`, {
        headers: { 'latchkey-nonce': nonce },
      }),
    )
  // An empty list proves something only once the service knew a key.
  if (knowsOther) {
    isOther = true
    await ask('/keys')
    isOther = false
    lines.length = 0
  }
  const shown = await ask(`/keys/${keyId}`)
  const lease = shown.headers.get('latchkey-lease')
  const about = { leaseKeys: await leaseKeysOf([signingKey]), nowMs: Date.now(), nonce, licenseId, keyId }
  const verdict = lease === null ? null : await verifyLease(lease, about)
  const status = verdict?.trusted === true ? verdict.claims.sta : null
  return { status, shownStatus: shown.status, shownLine: lines[0], list: await ask('/keys') }
}

test('an hour-old list from a cache does not prove that a key is gone', async () => {
  const answer = (url: string): Said =>
    url.endsWith('/keys')
      ? { status: 200, body: { data: [] }, dateMs: Date.now() - 3_600_000 }
      : { status: 404, body: {} }
  expect((await behind(answer)).status).toBeNull()
})

test.each([
  ['a fresh list', 0, 422],
  ['an hour-old list from a cache', 3_600_000, 502],
])('%s that has the key proves nothing', async (_what, ageMs, shownStatus) => {
  const answer = (url: string): Said =>
    url.endsWith('/keys')
      ? { status: 200, body: { data: [key] }, dateMs: Date.now() - ageMs }
      : { status: 404, body: {} }
  expect(await behind(answer)).toMatchObject({ status: null, shownStatus })
})

test('a fresh list without the key proves that it is gone', async () => {
  const answer = (url: string): Said =>
    url.endsWith('/keys') ? { status: 200, body: { data: [] } } : { status: 404, body: {} }
  expect((await behind(answer)).status).toBe('GONE')
})

describe('the log line of a key that is signed as gone', () => {
  const listing =
    (...data: unknown[]) =>
    (url: string): Said =>
      url.endsWith('/keys') ? { status: 200, body: { data } } : { status: 404, body: {} }

  test('has a remark if nothing is listed', async () => {
    const { status, shownLine } = await behind(listing())
    expect([status, shownLine]).toMatchObject(['GONE', { level: 'info', remark: 'no-keys-listed' }])
  })

  test('isn’t signed as gone before the service knew a key', async () => {
    const { status, shownStatus, shownLine } = await behind(listing(), {}, false)
    expect([status, shownStatus, shownLine]).toMatchObject([null, 502, { remark: 'no-keys-listed' }])
  })

  test('has no remark if another key is listed', async () => {
    const other = { ...key, id: 'a0000000-0000-4000-8000-000000000002' }
    const { status, shownLine } = await behind(listing(other))
    expect([status, shownLine]).toMatchObject(['GONE', { level: 'info', remark: null }])
  })

  test('has the remark of the vendor’s rule if that refuses the license', async () => {
    const answer = (url: string): Said => {
      if (url.endsWith('/keys')) return { status: 200, body: { data: [key] } }
      if (!url.endsWith('/validate')) return { status: 200, body: { data: key } }
      return { status: 200, body: { license: license(licenseId, 'BETA'), key } }
    }
    const { status, shownLine } = await behind(answer, { allow: ({ status: word }) => word === 'ACTIVE' })
    expect([status, shownLine]).toMatchObject(['GONE', { level: 'info', remark: 'not-allowed' }])
  })
})

test.each([
  ['only the refusal has no date, so another host refused', null, Date.now() - 30_000, null],
  ['only the list has no date', Date.now(), null, 'GONE'],
  ['neither has a date', null, null, 'GONE'],
])('if %s', async (_what, refusedAtMs, listedAtMs, status) => {
  const answer = (url: string): Said =>
    url.endsWith('/keys')
      ? { status: 200, body: { data: [] }, dateMs: listedAtMs }
      : { status: 404, body: {}, dateMs: refusedAtMs }
  expect((await behind(answer)).status).toBe(status)
})

test('the allow rule is not called with another customer’s license', async () => {
  const answer = (url: string): Said => {
    if (url.endsWith('/keys')) return { status: 200, body: { data: [key] } }
    if (!url.endsWith('/validate')) return { status: 200, body: { data: key } }
    const other = 'b0000000-0000-4000-8000-000000000002'
    return { status: 200, body: { license: license(other, 'BETA'), key } }
  }
  const { status, list } = await behind(answer, { allow: ({ status: word }) => word === 'ACTIVE' })
  expect(status).toBeNull()
  expect(list.status).toBe(502)
})
