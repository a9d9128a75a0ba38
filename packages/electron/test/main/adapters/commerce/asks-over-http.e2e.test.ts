import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createPlainServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { connect, createServer as createSocketServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type OpenApp, test } from '../../../fixtures/open-app-test.ts'
import { portOf, startServer } from '../../../fixtures/start-server.ts'

/** One request as it arrived, read off the socket. */
interface RawRequest {
  /** Such as `POST /v1/licenses/…/activate`. */
  readonly line: string
  readonly method: string
  readonly path: string
  /** How many requests this connection carried before. */
  readonly before: number
}

/** What the server does with a request: bytes to answer with, or how the connection ends instead. */
type RawAnswer = string | Buffer | 'reset' | 'hang up' | 'say nothing'

/** A service on a plain socket. It sees every request that is sent, by any code. */
interface RawService {
  readonly baseUrl: string
  readonly requests: readonly RawRequest[]
  /** The requests of a method, such as `POST`, whose path ends so. */
  sent(method: string, ending: string): readonly RawRequest[]
}

/** Starts one for the running test. */
async function startRawService(answer: (request: RawRequest) => RawAnswer): Promise<RawService> {
  const requests: RawRequest[] = []
  const sockets = new Set<Socket>()
  const server = createSocketServer((socket) => {
    let carried = 0
    let received = ''
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      for (let end = endOfRequest(received); end > 0; end = endOfRequest(received)) {
        const [line = ''] = received.split(' HTTP/1.1\r\n')
        const [method = '', path = ''] = line.split(' ')
        const request = { line, method, path, before: carried }
        received = received.slice(end)
        carried += 1
        requests.push(request)
        const said = answer(request)
        if (said === 'reset') socket.resetAndDestroy()
        else if (said === 'hang up') socket.destroy()
        else if (said !== 'say nothing') socket.write(said)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The test server has no port')
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    requests,
    sent: (method, ending) =>
      requests.filter((request) => request.method === method && request.path.endsWith(ending)),
  }
}

/** Where the first request in these bytes ends; 0 while it is not whole. */
function endOfRequest(received: string): number {
  const head = received.indexOf('\r\n\r\n')
  if (head < 0) return 0
  const [, length = '0'] = /\r\ncontent-length: (\d+)/iu.exec(received.slice(0, head)) ?? []
  const end = head + 4 + Number(length)
  return received.length >= end ? end : 0
}

/** A whole answer with a JSON body. `head` is the status and headers of its own, without the last line break. */
function json(head: string, body: unknown): Buffer {
  const text = JSON.stringify(body)
  const fixed = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}`
  return Buffer.from(`HTTP/1.1 ${head}\r\n${fixed}\r\n\r\n${text}`, 'utf8')
}

const moment = '2026-11-01T12:00:00.000000Z'
const licenseKey = '1f0a0000-0000-4000-8000-000000009c1d'
const keyId = '66666666-7777-4888-8999-aaaaaaaaaaaa'
const key: object = { id: keyId, name: 'Laptop', created_at: moment, updated_at: moment }
const license: object = {
  id: licenseKey,
  activation_limit: 3,
  expires_at: null,
  suspended_at: null,
  status: 'ACTIVE',
  activation_usage: 1,
  activation_usage_formatted: '1/3',
  created_at: moment,
  updated_at: moment,
}

/** Activates with the service at this address. @returns the problem; `active` as its code if there is none */
async function activate(app: OpenApp, baseUrl: string, timeout = 60_000) {
  await app.createLicensing({ service: { baseUrl, accessToken: 'token', timeout } })
  return await app.electronApp.evaluate(
    async (_electron, given): Promise<{ code: string; retryAt?: string }> => {
      const result = await globalThis.licensing.activate(given)
      return result.ok ? { code: 'active' } : result.problem
    },
    licenseKey,
  )
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
  const { code, retryAt = '' } = await activate(app, service.baseUrl)
  expect(code).toBe('service-error')
  expect(Date.parse(retryAt) - Date.now()).toBeGreaterThan(3_500_000)
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

const nowhere = 'http://127.0.0.1:50009/v1'

/** Sets the proxy of the app, which is there for all tests from here on; `null` for none. */
async function setProxy(app: OpenApp, proxyUrl: string | null): Promise<void> {
  await app.electronApp.evaluate(
    ({ session }, proxyRules) =>
      session.defaultSession.setProxy({ proxyRules, proxyBypassRules: '<-loopback>' }),
    proxyUrl === null ? 'direct://' : new URL(proxyUrl).origin,
  )
}

test('an activation goes through the proxy the app has set', async ({ app }) => {
  const proxy = await startRawService(({ method }) =>
    method === 'GET' ? json('403 Forbidden', { message: 'no list' }) : json('201 Created', { key, license }),
  )
  await setProxy(app, proxy.baseUrl)
  expect(await activate(app, nowhere)).toMatchObject({ code: 'active' })
  expect(proxy.sent('POST', '/activate').map(({ path: asked }) => asked.startsWith(nowhere))).toEqual([true])
})

interface TlsService {
  readonly port: number
  /** Each request: its method, and the last part of its path. */
  readonly seen: readonly string[]
}

/** Starts a service that lists no keys, with a certificate that only the app trusts. */
async function startTlsService(): Promise<TlsService> {
  const folder = mkdtempSync(path.join(tmpdir(), 'latchkey-certificate-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [keyFile, certificateFile] = [path.join(folder, 'key.pem'), path.join(folder, 'certificate.pem')]
  const request = ['req', '-x509', '-nodes', '-newkey', 'rsa:2048', '-days', '2', '-subj', '/CN=localhost']
  execFileSync('openssl', [...request, '-keyout', keyFile, '-out', certificateFile], { stdio: 'ignore' })
  const seen: string[] = []
  const server = createServer(
    { key: readFileSync(keyFile), cert: readFileSync(certificateFile) },
    (request, response) => {
      const { method } = request
      seen.push(describe(request))
      response.setHeader('content-type', 'application/json')
      if (method === 'GET') response.writeHead(403).end('{}')
      else response.writeHead(201).end(JSON.stringify({ key, license }))
    },
  )
  return { port: await portOf(server), seen }
}

/** Names a request by its method and the last part of its path. */
function describe({ method, url = '' }: IncomingMessage): string {
  return `${method} ${url.split('/').at(-1)}`
}

const trustAll = (app: OpenApp): Promise<void> =>
  app.electronApp.evaluate(({ session }) => {
    session.defaultSession.setCertificateVerifyProc((_request, accept) => accept(0))
  })

test('a certificate the app trusts is good enough for an activation', async ({ app }) => {
  const { port, seen } = await startTlsService()
  await trustAll(app)
  await setProxy(app, null)
  expect(await activate(app, `https://127.0.0.1:${port}/v1`)).toMatchObject({ code: 'active' })
  // The list, the activation, and another look at the list, which was refused. A slow machine may also validate.
  expect(seen.slice(0, 3)).toEqual(['GET keys', 'POST activate', 'GET keys'])
})

/**
 * Starts a proxy with a password. Over http, it answers in place of the service, or ends the connection after an activation
 * that took a seat.
 */
async function startPasswordProxy(
  tlsPort: number,
  isBreaking = false,
): Promise<{ url: string; log: readonly string[] }> {
  const wanted = `Basic ${Buffer.from('ada:password').toString('base64')}`
  const log: string[] = []
  const isWelcome = (request: IncomingMessage): boolean => {
    const has = request.headers['proxy-authorization'] === wanted
    log.push(`${describe(request)} ${has ? 'with' : 'without'} password`)
    return has
  }
  const proxy = createPlainServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json')
    if (!isWelcome(request)) {
      response.writeHead(407, { 'proxy-authenticate': 'Basic realm="office"' }).end('{"error":"password"}')
    } else if (request.method === 'GET') response.writeHead(403).end('{}')
    else if (isBreaking) request.socket.destroy()
    else response.writeHead(201).end(JSON.stringify({ key, license }))
  })
  proxy.on('connect', (request, socket) => {
    socket.on('error', () => {})
    if (!isWelcome(request)) {
      const head = 'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="office"'
      socket.end(`${head}\r\nContent-Length: 0\r\n\r\n`)
      return
    }
    const service = connect(tlsPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      service.pipe(socket).pipe(service)
    })
    service.on('error', () => socket.destroy())
  })
  return { url: `http://127.0.0.1:${await portOf(proxy)}`, log }
}

/** The app gives the password for a page of its own, and the default session keeps it. */
const givePassword = (app: OpenApp, page: string): Promise<void> =>
  app.electronApp.evaluate(async ({ app: electronApp, BrowserWindow }, url) => {
    electronApp.on('login', (event, _contents, _request, { isProxy }, answer) => {
      if (!isProxy) return
      event.preventDefault()
      answer('ada', 'password')
    })
    await new BrowserWindow({ show: false }).loadURL(url).catch(() => {})
  }, page)

test.for(['http', 'https'] as const)(
  'the proxy password that the app has given is good enough for an activation over %s',
  async (scheme, { app }) => {
    const { port, seen } = await startTlsService()
    const proxy = await startPasswordProxy(port)
    const origin = scheme === 'https' ? `https://127.0.0.1:${port}` : 'http://127.0.0.1:50009'
    await trustAll(app)
    await setProxy(app, proxy.url)
    await givePassword(app, `${origin}/page`)
    const before = proxy.log.length
    expect(await activate(app, `${origin}/v1`)).toMatchObject({ code: 'active' })
    // Our own session hasn't got the password, so that request ended at the proxy. Chromium may try more connections.
    expect(proxy.log.slice(before).filter((line) => line.endsWith('without password'))).not.toEqual([])
    // The check at launch may follow, so only activations count.
    const activations = [...seen, ...proxy.log].filter((line) =>
      /^POST activate(?: with password)?$/u.test(line),
    )
    expect(activations).toHaveLength(1)
  },
)

test('behind a proxy with a password, an activation whose connection breaks is sent once', async ({
  app,
}) => {
  const proxy = await startPasswordProxy(0, true)
  await setProxy(app, proxy.url)
  await givePassword(app, 'http://127.0.0.1:50008/page')
  expect(await activate(app, nowhere)).toMatchObject({ code: 'activation-unconfirmed' })
  expect(proxy.log.filter((line) => line === 'POST activate with password')).toHaveLength(1)
})

test.for(['http', 'https'] as const)(
  'a proxy whose password nobody has given is reported as such over %s',
  async (scheme, { app }) => {
    const proxy = await startPasswordProxy(0)
    await setProxy(app, proxy.url)
    const outcome = await activate(app, `${scheme}://127.0.0.1:50009/v1`)
    expect(outcome).toMatchObject({ code: 'unauthorized' })
  },
)
