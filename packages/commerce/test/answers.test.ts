import type { ServerResponse } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type AnswerMeta, createCommerceClient, type Fetch, isCommerceError } from '../src/index.ts'
import { accessToken, customer, key, keyId, license, licenseId, page } from './samples.ts'
import {
  type Answer,
  breakOff,
  errorOf,
  hangUp,
  json,
  type Service,
  signalOnce,
  startService,
  text,
  transports,
} from './service.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const baseUrl = 'https://commerce.example/v1'
const date = 'Sun, 06 Nov 2033 08:49:37 GMT'
const activated = { license, key }

describe.each(transports)('over %s,', (_name, transport) => {
  function activate({ baseUrl }: Service, options: { maxAnswerBytes?: number } = {}) {
    const commerce = createCommerceClient({ baseUrl, accessToken, ...options, ...transport() })
    return commerce.licenses.activate(licenseId, { name: 'x' })
  }

  it.each<[what: string, answer: Answer, told: object]>([
    ['a captive portal’s page', text('<!doctype html><title>Sign in to the hotel</title>'), {}],
    ['a page that ends like JSON', text('<html>{'), {}],
    ['nothing', text(''), {}],
    ['nothing, with a 204', (_request, response) => void response.writeHead(204).end(), { status: 204 }],
    ['truncated JSON', text(JSON.stringify(activated).slice(0, -20)), { bodyIsCut: true }],
    ['a bare word', text('"ok"'), {}],
    ['null', text('null'), {}],
    ['an array', text('[]'), { bodyIsJson: true }],
    ['an empty object', text('{}'), { bodyIsJson: true, field: 'license' }],
    ['binary data', text('\u0000\u0001\u0002'), {}],
  ])('a success with %s is an unexpected answer', async (_what, answer, told) => {
    const error = await errorOf(activate(await startService(answer)))
    const facts = { status: 200, bodyIsJson: false, bodyIsCut: false, field: null, reason: null, ...told }
    expect(error).toMatchObject({ code: 'unexpected-answer', isRetryable: true, ...facts })
    expect(error.message.includes('not a JSON document')).toBe(!facts.bodyIsJson)
  })

  it('JSON is read under any content type, and with a byte order mark', async () => {
    const service = await startService(text(`\ufeff${JSON.stringify(activated)}`))
    expect(await activate(service)).toEqual(activated)
  })

  it.each([300, 301, 302, 303, 307, 308])(
    'a redirect (%i) is not followed, not even on the same origin',
    async (status) => {
      const elsewhere = await startService(json(activated))
      for (const location of [`${elsewhere.origin}/v1/licenses/${licenseId}/activate`, '/elsewhere']) {
        const service = await startService(json(activated, status, { location }))
        expect(await errorOf(activate(service))).toMatchObject({ code: 'unexpected-answer', status })
        expect(service.requests).toHaveLength(1)
      }
      expect(elsewhere.requests).toHaveLength(0)
    },
  )

  it.each<[string, Answer, boolean]>([
    ['before the answer', hangUp, false],
    ['in the middle of the body', breakOff(200, { 'content-length': '10000' }), true],
    ['in the middle of a chunked body', breakOff(200), true],
    ['in the middle of a refusal', breakOff(404, { 'content-length': '10000' }), true],
    ['with an encoding that can’t be decoded', text('no gzip', 200, { 'content-encoding': 'gzip' }), true],
  ])('a connection that breaks %s leaves the service unreachable', async (_when, answer, bodyIsCut) => {
    const service = await startService(answer)
    const error = await errorOf(activate(service))
    expect(error).toMatchObject({ code: 'unreachable', reason: 'network', isRetryable: true, bodyIsCut })
    expect(error.cause).toBeInstanceOf(Error)
    expect(service.requests).toHaveLength(1)
  })

  it('an answer whose body never ends times out, and its connection is closed', async () => {
    const [began, closed] = [signalOnce(), signalOnce()]
    const service = await startService((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const dripping = setInterval(() => response.write(' '), 5)
      response.on('close', () => {
        clearInterval(dripping)
        closed.give()
      })
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { fetch: send = globalThis.fetch } = transport()
    const fetch: Fetch = async (request, init) => {
      const response = await send(request, init)
      setImmediate(began.give)
      return response
    }
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl, fetch })
    const call = errorOf(licenses.activate(licenseId, { name: 'x' }))
    await began.given
    // As in an app that runs for long.
    collectGarbage()
    vi.advanceTimersByTime(15_000)
    expect(await call).toMatchObject({ code: 'unreachable', reason: 'timeout', status: 200 })
    await closed.given
  })

  describe('a body that is too large', () => {
    const megabyte = Buffer.alloc(1024 * 1024, ' ')

    /** Sends up to `megabytes` while the other side reads, and reports how many it read. */
    function flood(megabytes: number, headers: Record<string, string>, status = 200) {
      let resolve: (sent: number) => void = () => {}
      const sent = new Promise<number>((resolveSent) => {
        resolve = resolveSent
      })
      const answer: Answer = (_request, response: ServerResponse) => {
        let count = 0
        response.writeHead(status, headers)
        const send = (): void => {
          if (response.destroyed || count === megabytes) return void response.end()
          count++
          response.write(megabyte, () => setImmediate(send))
        }
        response.on('close', () => resolve(count))
        send()
      }
      return { answer, sent }
    }

    it.each([
      ['announced', { 'content-length': String(50 * 1024 * 1024) }, 200, 'unexpected-answer'],
      ['not announced', {}, 200, 'unexpected-answer'],
      ['of a refusal', {}, 401, 'unauthorized'],
    ])('isn’t read: 50 MB, %s', async (_how, headers, status, code) => {
      const { answer, sent } = flood(50, headers, status)
      const error = await errorOf(activate(await startService(answer)))
      expect(error).toMatchObject({ code, status, bodyIsJson: false })
      expect(await sent).toBeLessThan(50)
    })

    it.each([
      ['application/json', true],
      ['Application/Problem+JSON; charset=utf-8', true],
      ['text/html', false],
      ['application/json-seq', false],
    ])('of %s is known to be one of JSON: %s', async (contentType, bodyIsTooLarge) => {
      const service = await startService(flood(3, { 'content-type': contentType }).answer)
      expect(await errorOf(activate(service))).toMatchObject({ bodyIsTooLarge })
    })

    it('is measured unpacked, so a gzip bomb is one', async () => {
      const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024, ' '))
      expect(bomb.byteLength).toBeLessThan(64 * 1024)
      const service = await startService((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        response.end(bomb)
      })
      const error = await errorOf(activate(service))
      expect(error).toMatchObject({ code: 'unexpected-answer', bodyIsJson: false })
      expect(error.message).toContain('too large')
    })

    it('has one byte more than the limit', async () => {
      const body = JSON.stringify(activated)
      const size = Buffer.byteLength(body)
      const service = await startService(text(body))
      expect(await activate(service, { maxAnswerBytes: size })).toEqual(activated)
      expect((await errorOf(activate(service, { maxAnswerBytes: size - 1 }))).message).toContain('too large')
    })
  })
})

/** Imitates only the platform: how Electron's `net.fetch` and others differ from Node's fetch. */
describe('an injected fetch', () => {
  const withFetch = (fetch: Fetch): Promise<unknown> =>
    createCommerceClient({ baseUrl, fetch, timeout: 50 }).licenses.keys(licenseId)
  const unending = () => new ReadableStream({ pull: () => new Promise(() => {}) })
  const breaking = (status: number) => {
    const failed = new Error('net::ERR_TUNNEL_CONNECTION_FAILED')
    return new Response(new ReadableStream({ pull: (controller) => controller.error(failed) }), { status })
  }
  const hidden = Object.defineProperties(Response.error(), { type: { value: 'opaqueredirect' } })
  const withoutStatus = Object.defineProperty(Response.json({ data: [] }), 'status', { value: 0 })

  it.each<[what: string, fetch: Fetch, error: object]>([
    ...['net::ERR_INTERNET_DISCONNECTED', 'net::ERR_CERT_AUTHORITY_INVALID', 'Redirect was cancelled'].map(
      (message): [string, Fetch, object] => [
        `rejects with a plain Error, ${message},`,
        () => Promise.reject(new Error(message)),
        { code: 'unreachable', reason: 'network', cause: { message } },
      ],
    ),
    [
      'throws at once',
      () => {
        throw new Error('at once')
      },
      { code: 'unreachable', reason: 'network' },
    ],
    ['rejects with no Error', () => Promise.reject('a string'), { code: 'unreachable', reason: 'network' }],
    [
      'never settles and ignores its signal',
      () => new Promise(() => {}),
      {
        code: 'unreachable',
        reason: 'timeout',
        message: expect.stringMatching(/\(licenses\.keys, timeout\)\.$/u),
      },
    ],
    [
      'has a body that never ends and ignores its signal',
      async () => new Response(unending()),
      { code: 'unreachable', reason: 'timeout', status: 200 },
    ],
    ['hides a redirect, as browsers do,', async () => hidden, { code: 'unexpected-answer', status: null }],
    ['has no status, even with a valid body', async () => withoutStatus, { code: 'unexpected-answer' }],
    ['breaks off a 407', async () => breaking(407), { code: 'unauthorized', status: 407, bodyIsCut: false }],
    ['breaks off a 403', async () => breaking(403), { code: 'unreachable', status: 403, bodyIsCut: true }],
  ])('that %s gives the error of what happened', async (_what, fetch, error) => {
    expect(await errorOf(withFetch(fetch))).toMatchObject(error)
  })

  it('that fails after the timeout causes no unhandled rejection', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    let late: (error: Error) => void = () => {}
    const fetch: Fetch = () =>
      new Promise((_, reject) => {
        late = reject
      })
    await errorOf(withFetch(fetch))
    late(new Error('too late'))
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })

  it('gets options that prevent redirects and caching', async () => {
    let seen: Request | undefined
    await withFetch(async (request) => {
      seen = request
      return Response.json({ data: [] })
    })
    expect(seen).toMatchObject({ redirect: 'manual', cache: 'no-store', method: 'GET' })
  })
})

describe('onAnswer', () => {
  async function answersTo(answer: Answer): Promise<AnswerMeta[]> {
    const service = await startService(answer)
    const seen: AnswerMeta[] = []
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl })
    const onAnswer = (meta: AnswerMeta): void => void seen.push(meta)
    await licenses.validate(licenseId, { key: keyId }, { onAnswer }).catch(() => {})
    return seen
  }

  it('reports status, headers, the server’s date and that the answer is as documented', async () => {
    const seen = await answersTo(json(activated, 201, { date, 'x-signature': 'abc' }))
    // And no body.
    expect(seen).toEqual([
      {
        operation: 'licenses.validate',
        status: 201,
        headers: expect.anything(),
        serverDateMs: Date.UTC(2033, 10, 6, 8, 49, 37),
        isExpected: true,
        durationMs: expect.any(Number),
      },
    ])
    expect(seen[0]?.headers.get('x-signature')).toBe('abc')
  })

  it.each<[string, Answer, number]>([
    ['a refusal', json({}, 404), 404],
    ['a captive portal’s page', text('<html>'), 200],
    ['a wrong field', json({ license, key: { ...key, id: 7 } }), 200],
    ['a redirect', text('', 302, { location: '/' }), 302],
    ['a body that breaks off', breakOff(200, { 'content-length': '100' }), 200],
  ])('reports %s as unexpected', async (_what, answer, status) => {
    expect(await answersTo(answer)).toMatchObject([{ status, isExpected: false }])
  })

  it.each(['', 'yesterday', '-1', '2033'])('reports no server date when the header is %j', async (value) => {
    expect(await answersTo(json(activated, 200, { date: value }))).toMatchObject([{ serverDateMs: null }])
  })

  it('isn’t called without an answer', async () => {
    expect(await answersTo(hangUp)).toEqual([])
  })

  it('reports how long the answer took up to its last byte', async () => {
    let nowMs = 5000
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    onTestFinished(() => clock.mockRestore())
    const fetch = async () => {
      nowMs += 200
      const body = new ReadableStream({
        pull(controller) {
          nowMs += 50
          controller.enqueue(new TextEncoder().encode('{"data":[]}'))
          controller.close()
        },
      })
      return new Response(body)
    }
    const { licenses } = createCommerceClient({ baseUrl, fetch })
    const seen: AnswerMeta[] = []
    await licenses.keys(licenseId, { onAnswer: (meta) => seen.push(meta) })
    expect(seen).toMatchObject([{ durationMs: 250 }])
  })

  it('is called for every page', async () => {
    const service = await startService((request, response) => {
      const number = Number(new URL(request.url, 'http://x').searchParams.get('page') ?? 1)
      json(page('/v1/customers', [customer(number)], number, 3))(request, response)
    })
    const statuses: number[] = []
    const { customers } = createCommerceClient({ baseUrl: service.baseUrl })
    for await (const _ of customers.all({ onAnswer: ({ status }) => statuses.push(status) }));
    expect(statuses).toEqual([200, 200, 200])
  })

  it('rejects the call with its error if it throws', async () => {
    const service = await startService(json({ data: [] }))
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl })
    const onAnswer = (): void => {
      throw new RangeError('mine')
    }
    await expect(licenses.keys(licenseId, { onAnswer })).rejects.toThrow(new RangeError('mine'))
  })
})

describe('a refusal', () => {
  /** The error of a call whose answer has this status. */
  const errorFor = (body: string, status: number, headers: Record<string, string> = {}) => {
    const fetch = async () => new Response(body, { status, headers })
    const { licenses } = createCommerceClient({ baseUrl, fetch })
    return errorOf(licenses.validate(licenseId, { key: keyId }))
  }

  it.each([
    ['unauthorized', null, [401, 403, 407]],
    ['not-found', null, [404, 410]],
    ['rejected', null, [400, 402, 405, 406, 409, 413, 418, 422, 451, 499]],
    ['unreachable', 'http-status', [408, 425, 429, 500, 502, 503, 504, 599]],
  ])('is %s (%s) with the status %j', async (code, reason, statuses) => {
    for (const status of statuses) {
      const error = await errorFor('{"error":"no"}', status)
      const told = { code, reason, status, isRetryable: code === 'unreachable' }
      const facts = { operation: 'licenses.validate', bodyIsJson: true, field: null }
      expect(error).toMatchObject({ name: 'CommerceError', ...told, ...facts })
      expect(error.message).toMatch(new RegExp(` \\(licenses\\.validate, status ${status}\\)\\.$`, 'u'))
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
  ])('reports the Retry-After %j in milliseconds, a date by the service’s clock', async (value, waitMs) => {
    const error = await errorFor('{}', 429, { 'retry-after': value, date })
    expect(error).toMatchObject({ retryAfterMs: waitMs, serverDateMs: Date.UTC(2033, 10, 6, 8, 49, 37) })
  })

  it('reports a Retry-After that is a date by the local clock if the answer has no Date', async () => {
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

it('a letter whose bytes arrive separately is read correctly', async () => {
  const bytes = new TextEncoder().encode(JSON.stringify({ data: { ...key, name: 'Büro' } }))
  const middle = bytes.indexOf(0xc3) + 1
  const service = await startService((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(bytes.slice(0, middle))
    setTimeout(() => response.end(bytes.slice(middle)), 30)
  })
  const { licenses } = createCommerceClient({ baseUrl: service.baseUrl })
  expect((await licenses.key(licenseId, keyId)).name).toBe('Büro')
})
