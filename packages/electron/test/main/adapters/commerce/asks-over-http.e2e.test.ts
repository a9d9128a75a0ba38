import type { RequestListener } from 'node:http'
import { expect } from 'vitest'
import { type OpenApp, test } from '../../../fixtures/open-app-test.ts'
import {
  json,
  key,
  license,
  licenseKey,
  type RawAnswer,
  startRawService,
} from '../../../fixtures/raw-service.ts'
import { startServer } from '../../../fixtures/start-server.ts'

interface Outcome {
  readonly code: string
  readonly httpStatus: number | undefined
  readonly retryAt: string | undefined
}

async function activate(app: OpenApp, baseUrl: string, timeout = 60_000): Promise<Outcome> {
  await app.createLicensing({ service: { baseUrl, accessToken: 'token', timeout } })
  return await app.electronApp.evaluate(async (_electron, given) => {
    const result = await globalThis.licensing.activate(given)
    const { code, httpStatus, retryAt } = result.ok
      ? { code: 'active', httpStatus: undefined, retryAt: undefined }
      : result.problem
    return { code, httpStatus, retryAt }
  }, licenseKey)
}

const noList = json('403 Forbidden', { message: 'no list' })
const keepAlive = 'connection: keep-alive'

test.for([
  ['a header beyond Latin-1', '201 Created\r\nx-served-by: Łódź ☃'],
  ['a reason phrase beyond Latin-1', '201 Utworzono ✓'],
  ['bytes that are no text at all', '201 Created\r\nx-noise: \u0001\u0002'],
  ['a header name with a space in it', '201 Created\r\nx odd name: yes'],
] as const)('%s does not cost a good answer', async ([, head], { app }) => {
  const service = await startRawService(({ method }) =>
    method === 'GET' ? noList : json(head, { key, license }),
  )
  expect(await activate(app, service.baseUrl)).toMatchObject({ code: 'active' })
})

test('a service’s Retry-After is read, whatever its other headers', async ({ app }) => {
  const service = await startRawService(() =>
    json('503 Przerwa ☕\r\nretry-after: 3600\r\nx-served-by: Łódź', {}),
  )
  const { code, retryAt } = await activate(app, service.baseUrl)
  expect(code).toBe('service-error')
  expect(Date.parse(retryAt ?? '') - Date.now()).toBeGreaterThan(3_500_000)
})

const redirects = [301, 302, 307, 308].map((status) => [
  `a redirect (${status})`,
  `HTTP/1.1 ${status} Elsewhere\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n`,
  { code: 'unexpected-answer', httpStatus: status },
])
test.for([
  ...redirects,
  ['no body', 'HTTP/1.1 204 No Content\r\n\r\n', { httpStatus: 204 }],
  ['a status nobody knows', json('999 Odd', {}), { code: expect.not.stringMatching(/^active$/u) }],
] as [string, RawAnswer, object][])(
  '%s is no answer, and no other address is asked',
  async ([, answer, outcome], { app }) => {
    const service = await startRawService(() => answer)
    expect(await activate(app, service.baseUrl)).toMatchObject(outcome)
    expect(service.requests.filter(({ path }) => !path.startsWith('/v1/'))).toEqual([])
  },
)

const neverDone: Readonly<Record<string, [RequestListener, timeout: number | undefined, code: RegExp]>> = {
  'a request that is given up': [() => {}, 500, /^timeout$/u],
  'half an answer': [
    (_request, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('{"license":{')
      setImmediate(() => response.destroy())
    },
    undefined,
    /^(?!active)/u,
  ],
  'an answer that never stops': [
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = (): void => {
        if (!response.destroyed) response.write('x'.repeat(65_536), () => setImmediate(more))
      }
      more()
    },
    undefined,
    /^(?!active)/u,
  ],
}
test.for(Object.entries(neverDone))(
  '%s ends, and its connection is closed',
  async ([, [listener, timeout, code]], { app }) => {
    let closed = 0
    const origin = await startServer((request, response) => {
      request.socket.once('close', () => closed++)
      listener(request, response)
    })
    expect((await activate(app, `${origin}/v1`, timeout)).code).toMatch(code)
    await expect.poll(() => closed).toBeGreaterThan(0)
  },
)

test('cookies of the app are not sent, and no list of devices comes from the cache', async ({ app }) => {
  const cookies: (string | undefined)[] = []
  const origin = await startServer((request, response) => {
    if (request.method === 'GET') cookies.push(request.headers.cookie)
    const headers = { 'content-type': 'application/json', 'cache-control': 'max-age=3600', etag: '"same"' }
    if (request.method === 'GET') response.writeHead(200, headers).end('{"data":[]}')
    else response.writeHead(503).end()
  })
  await app.electronApp.evaluate(
    ({ session }, url) => session.defaultSession.cookies.set({ url, name: 'visitor', value: 'reader' }),
    origin,
  )
  await activate(app, `${origin}/v1`)
  const asked = cookies.length
  await app.electronApp.evaluate((_electron, given) => globalThis.licensing.activate(given), licenseKey)
  expect(cookies.length).toBeGreaterThan(asked)
  expect(cookies).toEqual(cookies.map(() => undefined))
})

// How a connection ends that was reset, or closed, after the service acted and before it answered; and whether it was
// used for an earlier request.
test.for([
  ['reset', 'connection: close'],
  ['reset', keepAlive],
  ['hang up', 'connection: close'],
  ['hang up', keepAlive],
] as const)(
  'a request that takes or frees a seat is sent once, whose connection ends without an answer (%s, %s)',
  async ([end, header], { app }) => {
    let isBroken = false
    const service = await startRawService(({ method }) => {
      if (method === 'GET') return json(`403 Forbidden\r\n${header}`, { message: 'no list' })
      return method === 'POST' && !isBroken ? json(`201 Created\r\n${header}`, { key, license }) : end
    })
    expect(await activate(app, service.baseUrl)).toMatchObject({ code: 'active' })
    const seat = await app.electronApp.evaluate(async () => {
      const result = await globalThis.licensing.deactivate()
      return result.ok ? result.seat : result.problem.code
    })
    expect(seat).toBe('freed-later')
    expect(service.sent('DELETE', '/deactivate')).toHaveLength(1)

    isBroken = true
    await app.electronApp.evaluate(() => globalThis.startOver())
    const [asked, activated] = [service.sent('GET', '/keys').length, service.sent('POST', '/activate').length]
    expect(await activate(app, service.baseUrl)).toMatchObject({ code: 'activation-unconfirmed' })
    expect(service.sent('GET', '/keys').length).toBeGreaterThan(asked)
    expect(service.sent('POST', '/activate')).toHaveLength(activated + 1)
  },
)

test('a connection another window left open carries no activation', async ({ app }) => {
  const service = await startRawService(({ method, path }) => {
    if (path.endsWith('/warm')) return json(`200 OK\r\n${keepAlive}`, {})
    return method === 'GET' ? json(`403 Forbidden\r\n${keepAlive}`, { message: 'no list' }) : 'reset'
  })
  await app.electronApp.evaluate(async ({ net }, url) => {
    await Promise.all(Array.from({ length: 4 }, () => net.fetch(url, { credentials: 'omit' })))
  }, `${service.baseUrl}/warm`)
  await activate(app, service.baseUrl)
  expect(service.sent('POST', '/activate').map(({ before }) => before)).toEqual([0])
})
