import { afterEach, describe, expect, it, vi } from 'vitest'
import { createCommerceClient, isCommerceError } from '../../src/index.ts'
import { errorOf } from '../error-of.ts'
import { keyId, licenseId } from '../samples.ts'
import { json, startService, text } from '../service.ts'
import { transports } from '../transports.ts'

const table = [
  { code: 'unauthorized', isRetryable: false, reason: null, statuses: [401, 403] },
  { code: 'not-found', isRetryable: false, reason: null, statuses: [404, 410] },
  {
    code: 'rejected',
    isRetryable: false,
    reason: null,
    statuses: [400, 402, 405, 406, 409, 413, 418, 422, 451, 499],
  },
  {
    code: 'unreachable',
    isRetryable: true,
    reason: 'http-status',
    statuses: [408, 425, 429, 500, 502, 503, 504, 599],
  },
]
const rows = table.flatMap(({ statuses, ...row }) => statuses.map((status) => ({ ...row, status })))

describe.each(transports)('over %s, the status of a refusal', (_name, transport) => {
  it.each(rows)('$status is $code', async ({ status, code, isRetryable, reason }) => {
    const service = await startService(json({ error: 'no' }, status))
    const call = createCommerceClient({ baseUrl: service.baseUrl, ...transport() }).licenses.validate(
      licenseId,
      {
        key: keyId,
      },
    )
    const error = await errorOf(call)
    expect(error).toMatchObject({
      name: 'CommerceError',
      code,
      isRetryable,
      reason,
      status,
      operation: 'licenses.validate',
      bodyIsJson: true,
      field: null,
    })
    expect(isCommerceError(error)).toBe(true)
  })

  it.each([
    ['an object', '{"message":"gone"}', true],
    ['an array', '[]', true],
    ['a page', '<html>Not found</html>', false],
    ['nothing', '', false],
    ['a number', '404', false],
    ['a word', '"gone"', false],
    ['null', 'null', false],
    ['half a document', '{"message":"go', false],
  ])('reports whether a 404 came with a JSON document: %s', async (_what, body, bodyIsJson) => {
    const service = await startService(text(body, 404))
    const call = createCommerceClient({ baseUrl: service.baseUrl, ...transport() }).licenses.key(
      licenseId,
      keyId,
    )
    expect(await errorOf(call)).toMatchObject({ code: 'not-found', bodyIsJson })
  })
})

describe('the status of a refusal', () => {
  it('407 is unauthorized if fetch reports it', async () => {
    // Node's own fetch turns it into a network error.
    const fetch = async (): Promise<Response> => new Response('{}', { status: 407 })
    const commerce = createCommerceClient({ baseUrl: 'http://127.0.0.1/v1', fetch })
    expect(await errorOf(commerce.licenses.keys(licenseId))).toMatchObject({
      code: 'unauthorized',
      status: 407,
    })
  })
})

describe('Retry-After', () => {
  const date = 'Sun, 06 Nov 2033 08:49:37 GMT'
  describe.each(transports)('over %s', (_name, transport) => {
    it.each([
      ['120', 120_000],
      ['0', 0],
      ['Sun, 06 Nov 2033 08:50:37 GMT', 60_000],
      ['Sun, 06 Nov 2033 08:40:00 GMT', 0],
      ['soon', null],
      ['  120 ', 120_000],
      ['Sun 06 Nov 2033 08:50:37 GMT', 60_000],
      ['at Sun, 06 Nov 2033 08:50:37 GMT', null],
      ['Sun, sooner or later', null],
      ['-5', null],
      ['1.5', null],
      ['', null],
    ])("%j is reported in milliseconds, a date by the service's clock", async (value, retryAfterMs) => {
      const service = await startService(json({}, 429, { 'retry-after': value, date }))
      const call = createCommerceClient({ baseUrl: service.baseUrl, ...transport() }).licenses.keys(licenseId)
      expect(await errorOf(call)).toMatchObject({
        retryAfterMs,
        serverDateMs: Date.UTC(2033, 10, 6, 8, 49, 37),
      })
    })
  })

  describe('is the same moment in every time zone', () => {
    afterEach(() => {
      vi.unstubAllEnvs()
    })

    it.each([
      ['Sun, 06 Nov 2033 08:50:37 GMT', 60_000],
      ['Sunday, 06-Nov-33 08:50:37 GMT', 60_000],
      ['Sun Nov  6 08:50:37 2033', 60_000],
      ['Sun Nov 6 08:50:37 2033', 60_000],
      ['Sun, 06 Nov 2033 10:50:37 +0200', 60_000],
      ['Sun, 06 Nov 2033 08:50:37 UTC', 60_000],
      ['Sun, 06 Nov 2033 08:50:37', null],
      ['Sunday, 06-Nov-33 08:50:37', null],
      ['Sun, 06 Nov 2033', null],
      ['Sun Nov 6 2033', null],
      ['Sun Nov  6 08:50:37 2033 or so', null],
    ])('%j', async (value, retryAfterMs) => {
      const hours = new Set<number>()
      for (const zone of ['UTC', 'Pacific/Kiritimati', 'America/New_York']) {
        vi.stubEnv('TZ', zone)
        hours.add(new Date('2033-11-06T08:49:37Z').getHours())
        const headers = { 'retry-after': value, date }
        const fetch = async () => new Response('{}', { status: 429, headers })
        const call = createCommerceClient({ baseUrl: 'https://commerce.example/v1', fetch })
        expect(await errorOf(call.licenses.keys(licenseId))).toMatchObject({ retryAfterMs })
      }
      // Proves that the time zones took effect.
      expect(hours.size).toBe(3)
    })
  })

  it('as a date is measured by the local clock if the answer has no Date', async () => {
    const at = new Date(Date.now() + 3_600_000).toUTCString()
    const fetch = async () => new Response('{}', { status: 503, headers: { 'retry-after': at } })
    const call = createCommerceClient({ baseUrl: 'https://commerce.example/v1', fetch })
    const { retryAfterMs, serverDateMs } = await errorOf(call.licenses.keys(licenseId))
    expect(serverDateMs).toBeNull()
    expect(retryAfterMs).toBeGreaterThan(3_000_000)
    expect(retryAfterMs).toBeLessThanOrEqual(3_600_000)
  })
})

describe('isCommerceError', () => {
  const named = (fields: object) => Object.assign(new Error('x'), { name: 'CommerceError' }, fields)
  it.each([
    ['an error of another copy of this package', named({ code: 'unreachable' }), true],
    ['an error that only has the name', named({}), false],
    ['another error with a code', Object.assign(new Error('x'), { code: 'unreachable' }), false],
    ['something that isn’t an error', { name: 'CommerceError', code: 'unreachable' }, false],
    ['nothing', null, false],
  ])('decides for %s', (_what, value, isOne) => {
    expect(isCommerceError(value)).toBe(isOne)
  })
})
