import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createPlainServer, type IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type OpenApp, test } from '../../../fixtures/open-app-test.ts'
import { json, key, license, licenseKey, startRawService } from '../../../fixtures/raw-service.ts'
import { portOf } from '../../../fixtures/start-server.ts'

const nowhere = 'http://127.0.0.1:50009/v1'

async function activate(app: OpenApp): Promise<string> {
  return await app.electronApp.evaluate(async (_electron, given) => {
    const result = await globalThis.licensing.activate(given)
    return result.ok ? 'active' : result.problem.code
  }, licenseKey)
}

/** Sets the proxy of the app, which is there for every test; `null` for none. */
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
  await app.createLicensing({ service: { baseUrl: nowhere, accessToken: 'token' } })
  expect(await activate(app)).toBe('active')
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
  await app.createLicensing({ service: { baseUrl: `https://127.0.0.1:${port}/v1` } })
  expect(await activate(app)).toBe('active')
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
    await app.createLicensing({ service: { baseUrl: `${origin}/v1` } })
    const before = proxy.log.length
    expect(await activate(app)).toBe('active')
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
  await app.createLicensing({ service: { baseUrl: nowhere } })
  expect(await activate(app)).toBe('activation-unconfirmed')
  expect(proxy.log.filter((line) => line === 'POST activate with password')).toHaveLength(1)
})

test.for(['http', 'https'] as const)(
  'a proxy whose password nobody has given is reported as such over %s',
  async (scheme, { app }) => {
    const proxy = await startPasswordProxy(0)
    await setProxy(app, proxy.url)
    await app.createLicensing({ service: { baseUrl: `${scheme}://127.0.0.1:50009/v1` } })
    expect(await activate(app)).toBe('unauthorized')
  },
)
