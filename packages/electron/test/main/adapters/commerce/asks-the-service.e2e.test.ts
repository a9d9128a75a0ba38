import { createServer, type RequestListener } from 'node:http'
import { expect, onTestFinished } from 'vitest'
import { type OpenApp, test } from '../../../fixtures/open-app-test.ts'

const licenseKey = '1f0a0000-0000-4000-8000-000000009c1d'

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The test server has no port')
  return `http://127.0.0.1:${address.port}/v1`
}

/** What comes of an activation. */
async function activate(app: OpenApp, baseUrl: string, timeout = 60_000): Promise<unknown> {
  await app.createLicensing({ service: { baseUrl, accessToken: 'token', timeout } })
  return await app.electronApp.evaluate(async ({ app: electronApp }, key) => {
    await electronApp.whenReady()
    const result = await globalThis.licensing.activate(key)
    return result.ok ? 'active' : result.problem.code
  }, licenseKey)
}

test('a request that is given up closes its connection', async ({ openApp }) => {
  let closed = 0
  const baseUrl = await serve((request) => request.socket.once('close', () => closed++))
  expect(await activate(await openApp(), baseUrl, 500)).toBe('timeout')
  await expect.poll(() => closed).toBeGreaterThan(0)
})

test('an answer that never stops is cut off, and its connection closed', async ({ openApp }) => {
  let closed = 0
  const baseUrl = await serve((request, response) => {
    request.socket.once('close', () => closed++)
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = (): void => {
      if (!response.destroyed) response.write('x'.repeat(65_536), () => setImmediate(more))
    }
    more()
  })
  expect(await activate(await openApp(), baseUrl)).not.toBe('active')
  await expect.poll(() => closed).toBeGreaterThan(0)
})

test('cookies of the app are not sent, and no list of devices comes from the cache', async ({ openApp }) => {
  const cookies: (string | undefined)[] = []
  const baseUrl = await serve((request, response) => {
    if (request.method === 'GET') cookies.push(request.headers.cookie)
    const headers = { 'content-type': 'application/json', 'cache-control': 'max-age=3600' }
    if (request.method === 'GET') response.writeHead(200, headers).end('{"data":[]}')
    else response.writeHead(503).end()
  })
  const app = await openApp()
  await app.electronApp.evaluate(async ({ app: electronApp, session }, url) => {
    await electronApp.whenReady()
    await session.defaultSession.cookies.set({ url, name: 'visitor', value: 'reader' })
  }, baseUrl)
  await activate(app, baseUrl)
  const asked = cookies.length
  await app.electronApp.evaluate((_electron, key) => globalThis.licensing.activate(key), licenseKey)
  expect(cookies.length).toBeGreaterThan(asked)
  expect(cookies).toEqual(cookies.map(() => undefined))
})

const strange: Readonly<Record<string, RequestListener>> = {
  'a redirect': (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  'half an answer': (_request, response) => {
    response.writeHead(200, { 'content-length': 1000 }).write('{"license":{')
    setImmediate(() => response.destroy())
  },
  'no body': (_request, response) => response.writeHead(204).end(),
  'a status nobody knows': (_request, response) => response.writeHead(999).end('{}'),
}

test.for(Object.entries(strange))(
  '%s is handled, and no other server is contacted',
  async ([, answer], { openApp }) => {
    const asked = new Set<string | undefined>()
    const baseUrl = await serve((request, response) => {
      asked.add(request.url?.split('/')[1])
      answer(request, response)
    })
    expect(await activate(await openApp(), baseUrl)).not.toBe('active')
    expect([...asked]).toEqual(['v1'])
  },
)
