import { createServer, type ServerResponse } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createCommerceClient, type Fetch } from '../../src/index.ts'
import { errorOf } from '../error-of.ts'
import { accessToken, key, license, licenseId } from '../samples.ts'
import { type Answer, json, type Service, signalOnce, startService, text } from '../service.ts'
import { transports } from '../transports.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

describe.each(transports)('over %s,', (_name, transport) => {
  function activate(service: Service, options: { timeout?: number; maxAnswerBytes?: number } = {}) {
    const commerce = createCommerceClient({
      baseUrl: service.baseUrl,
      accessToken,
      ...options,
      ...transport(),
    })
    return commerce.licenses.activate(licenseId, { name: 'x' })
  }

  describe('a success status with an unusable body', () => {
    it.each([
      ['a captive portal’s page', '<!doctype html><title>Sign in to the hotel</title>', {}],
      ['a page that ends like JSON', '<html>{', {}],
      ['nothing', '', {}],
      ['truncated JSON', JSON.stringify({ license, key }).slice(0, -20), { bodyIsCut: true }],
      ['a bare word', '"ok"', {}],
      ['null', 'null', {}],
      ['an array', '[]', { bodyIsJson: true }],
      ['an empty object', '{}', { bodyIsJson: true, field: 'license' }],
      ['binary data', '\u0000\u0001\u0002', {}],
    ])('%s with status 200 is an unexpected answer', async (_what, body, told) => {
      const service = await startService(text(body))
      const error = await errorOf(activate(service))
      const facts = { bodyIsJson: false, bodyIsCut: false, field: null, reason: null, ...told }
      expect(error).toMatchObject({ code: 'unexpected-answer', status: 200, isRetryable: true, ...facts })
      expect(error.message.includes('not a JSON document')).toBe(!facts.bodyIsJson)
    })

    it('204 without a body is an unexpected answer', async () => {
      const service = await startService((_request, response) => response.writeHead(204).end())
      expect(await errorOf(activate(service))).toMatchObject({ code: 'unexpected-answer', status: 204 })
    })

    it('reads JSON under any content type, and with a byte order mark', async () => {
      const service = await startService(text(`\ufeff${JSON.stringify({ license, key })}`))
      expect(await activate(service)).toEqual({ license, key })
    })
  })

  describe('a redirect', () => {
    it.each([300, 301, 302, 303, 307, 308])(
      '%i is not followed, not even on the same origin',
      async (status) => {
        const elsewhere = await startService(json({ license, key }))
        for (const location of [`${elsewhere.origin}/v1/licenses/${licenseId}/activate`, '/elsewhere']) {
          const service = await startService(json({ license, key }, status, { location }))
          expect(await errorOf(activate(service))).toMatchObject({ code: 'unexpected-answer', status })
          expect(service.requests).toHaveLength(1)
        }
        expect(elsewhere.requests).toHaveLength(0)
      },
    )
  })

  describe('a connection that breaks', () => {
    /** Sends the beginning of an answer, and then breaks the connection. */
    const begin =
      (status: number, headers: Record<string, string> = {}): Answer =>
      (_request, response) => {
        response.writeHead(status, headers)
        response.write('{"license":', () => response.destroy())
      }

    it.each<[string, Answer, boolean]>([
      ['before the answer', (_request, response) => response.destroy(), false],
      ['in the middle of the body', begin(200, { 'content-length': '10000' }), true],
      ['in the middle of a chunked body', begin(200), true],
      ['in the middle of a refusal', begin(404, { 'content-length': '10000' }), true],
      ['with an encoding that can’t be decoded', text('no gzip', 200, { 'content-encoding': 'gzip' }), true],
    ])('%s leaves the service unreachable', async (_when, answer, bodyIsCut) => {
      const service = await startService(answer)
      const error = await errorOf(activate(service))
      expect(error).toMatchObject({ code: 'unreachable', reason: 'network', isRetryable: true, bodyIsCut })
      expect(error.cause).toBeInstanceOf(Error)
      expect(service.requests).toHaveLength(1)
    })

    it('a refused connection makes the service unreachable, with the reason', async () => {
      const closed = createServer()
      await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
      const address = closed.address()
      await new Promise((resolve) => closed.close(resolve))
      const port = typeof address === 'object' ? address?.port : undefined
      const commerce = createCommerceClient({ baseUrl: `http://127.0.0.1:${port}/v1`, ...transport() })
      const error = await errorOf(commerce.licenses.keys(licenseId))
      expect(error).toMatchObject({
        code: 'unreachable',
        reason: 'network',
        status: null,
        bodyIsJson: null,
        bodyIsCut: false,
      })
      expect(JSON.stringify(causes(error))).toContain('ECONNREFUSED')
    })
  })

  describe('an answer that takes too long', () => {
    it('times out if no byte arrives', async () => {
      const service = await startService(() => {})
      expect(await errorOf(activate(service, { timeout: 50 }))).toMatchObject({
        code: 'unreachable',
        reason: 'timeout',
        status: null,
        isRetryable: true,
      })
    })

    it('times out when its body never ends, and closes the connection', async () => {
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
  })

  describe('an answer that is too large', () => {
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
      ['announced', { 'content-length': String(50 * 1024 * 1024) }],
      ['not announced', {}],
    ])('50 MB, %s, aren’t read', async (_how, headers) => {
      const { answer, sent } = flood(50, headers)
      const service = await startService(answer)
      expect(await errorOf(activate(service))).toMatchObject({
        code: 'unexpected-answer',
        status: 200,
        bodyIsJson: false,
      })
      expect(await sent).toBeLessThan(50)
    })

    it('a refusal with a body of 50 MB is understood without reading it', async () => {
      const { answer, sent } = flood(50, {}, 401)
      const service = await startService(answer)
      expect(await errorOf(activate(service))).toMatchObject({ code: 'unauthorized', bodyIsJson: false })
      expect(await sent).toBeLessThan(50)
    })

    it('a gzip bomb is measured by its unpacked size', async () => {
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

    it.each([
      ['application/json', true],
      ['Application/Problem+JSON; charset=utf-8', true],
      ['text/html', false],
      ['application/json-seq', false],
    ])('of %s is known to be one of JSON: %s', async (contentType, bodyIsTooLarge) => {
      const { answer } = flood(3, { 'content-type': contentType })
      const service = await startService(answer)
      expect(await errorOf(activate(service))).toMatchObject({ bodyIsTooLarge })
    })

    it('an answer as long as the limit is read, but not with one byte more', async () => {
      const body = JSON.stringify({ license, key })
      const size = Buffer.byteLength(body)
      const service = await startService(text(body))
      expect(await activate(service, { maxAnswerBytes: size })).toEqual({ license, key })
      expect((await errorOf(activate(service, { maxAnswerBytes: size - 1 }))).message).toContain('too large')
    })

    it('an ordinary compressed answer is read', async () => {
      const service = await startService((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        response.end(gzipSync(JSON.stringify({ license, key })))
      })
      expect(await activate(service)).toEqual({ license, key })
    })
  })
})

function causes(error: Error): unknown[] {
  if (!(error.cause instanceof Error)) return []
  return [{ ...error.cause, message: error.cause.message }, ...causes(error.cause)]
}
