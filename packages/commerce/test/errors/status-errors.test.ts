import { describe, expect, it } from 'vitest'
import { createCommerceClient, isCommerceError } from '../../src/index.ts'
import { errorOf } from '../error-of.ts'
import { keyId, licenseId } from '../samples.ts'

const table = [
  { code: 'unauthorized', isRetryable: false, reason: null, statuses: [401, 403, 407] },
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

/** The error of a call whose answer has this status. */
const errorFor = (body: string, status: number, headers: Record<string, string> = {}) => {
  const fetch = async () => new Response(body, { status, headers })
  const { licenses } = createCommerceClient({ baseUrl: 'https://commerce.example/v1', fetch })
  return errorOf(licenses.validate(licenseId, { key: keyId }))
}

describe('a refusal', () => {
  it.each(table)('with the status $statuses is $code', async ({ statuses, ...expected }) => {
    for (const status of statuses) {
      const error = await errorFor('{"error":"no"}', status)
      const facts = {
        status,
        name: 'CommerceError',
        operation: 'licenses.validate',
        bodyIsJson: true,
        field: null,
      }
      expect(error).toMatchObject({ ...expected, ...facts })
      expect(isCommerceError(error)).toBe(true)
    }
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
  ])('reports whether it came with a JSON document: %s', async (_what, body, bodyIsJson) => {
    expect(await errorFor(body, 404)).toMatchObject({ code: 'not-found', bodyIsJson })
  })
})

describe('Retry-After', () => {
  const date = 'Sun, 06 Nov 2033 08:49:37 GMT'
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Sun, 06 Nov 2033 08:50:37 GMT', 60_000],
    ['Sun, 06 Nov 2033 08:40:00 GMT', 0],
    ['Sunday, 06-Nov-33 08:50:37 GMT', 60_000],
    ['Sun, 06 Nov 2033 10:50:37 +0200', 60_000],
    // Without a time zone, it would be a local time.
    ['Sun, 06 Nov 2033 08:50:37', null],
    ['soon', null],
    ['  120 ', 120_000],
    ['Sun 06 Nov 2033 08:50:37 GMT', 60_000],
    ['at Sun, 06 Nov 2033 08:50:37 GMT', null],
    ['Sun, sooner or later', null],
    ['-5', null],
    ['1.5', null],
    ['', null],
  ])("%j is reported in milliseconds, a date by the service's clock", async (value, retryAfterMs) => {
    const serverDateMs = Date.UTC(2033, 10, 6, 8, 49, 37)
    const error = await errorFor('{}', 429, { 'retry-after': value, date })
    expect(error).toMatchObject({ retryAfterMs, serverDateMs })
  })

  it('as a date is measured by the local clock if the answer has no Date', async () => {
    const at = new Date(Date.now() + 3_600_000).toUTCString()
    const { retryAfterMs, serverDateMs } = await errorFor('{}', 503, { 'retry-after': at })
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
