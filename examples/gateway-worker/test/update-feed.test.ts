import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { serve } from '@hono/node-server'
import { startEmulator } from '@latchkey/emulator'
import { createGateway, generateSigningKey, leaseKeysOf, type SigningKey } from '@latchkey/gateway'
import { Log, LogLevel, Miniflare } from 'miniflare'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createFeed } from '../src/feed.ts'
import { bundle } from './run-worker.ts'

const nonce = 'n0nce-n0nce-n0nce-n0nce'
const file = Buffer.from('0123456789abcdef')
const signingKey = await generateSigningKey()
const leaseKeys = await leaseKeysOf([signingKey])

/** A license at a gateway, and leases about it. */
async function licensed(key: SigningKey = signingKey) {
  const emulator = await startEmulator({ accessToken: 'demo' })
  onTestFinished(() => emulator.close())
  const gateway = createGateway({
    upstream: { baseUrl: emulator.baseUrl, accessToken: 'demo' },
    signing: { keys: [key] },
  })
  const { control, demoLicense } = emulator
  const { id } = control.addKey(demoLicense.id, 'Edge [0123456789abcdef]')
  return {
    control,
    licenseId: demoLicense.id,
    async lease(): Promise<string> {
      const answer = await gateway(
        new Request(`https://gateway.example/v1/licenses/${demoLicense.id}/validate`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'latchkey-nonce': nonce },
          body: JSON.stringify({ key: id }),
        }),
      )
      return answer.headers.get('latchkey-lease') ?? ''
    },
  }
}

/** The files, on a server that only the feed can read. It answers range requests. */
async function startOrigin(): Promise<{ origin: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer(({ url = '', headers }, response) => {
    asked.push(url)
    if (url !== '/private/notes-3.0.0.AppImage') return void response.writeHead(404).end()
    const [, first = '0', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
    if (headers.range === undefined) return void response.end(file)
    const part = file.subarray(Number(first), last === '' ? undefined : Number(last) + 1)
    const range = `bytes ${first}-${Number(first) + part.length - 1}/${file.length}`
    return void response.writeHead(206, { 'content-range': range }).end(part)
  }).listen(0, '127.0.0.1')
  return { origin: `http://127.0.0.1:${await portOf(server)}/private/`, asked }
}

async function portOf(server: Server): Promise<number> {
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

let script = ''
beforeAll(async () => {
  script = await bundle('feed-worker')
})

const runtimes: Record<string, (origin: string) => Promise<string>> = {
  async Node(origin) {
    const server = serve({ fetch: createFeed({ origin, leaseKeys }), port: 0, hostname: '127.0.0.1' })
    if (!('closeAllConnections' in server)) throw new Error('Expected a server of node:http')
    return `http://127.0.0.1:${await portOf(server)}`
  },
  async 'a Worker'(origin) {
    const worker = new Miniflare({
      modules: true,
      script,
      compatibilityDate: '2026-01-01',
      bindings: { FEED_ORIGIN: origin, LATCHKEY_LEASE_KEYS: JSON.stringify(leaseKeys) },
      host: '127.0.0.1',
      port: 0,
      cf: false,
      log: new Log(LogLevel.NONE),
    })
    onTestFinished(() => worker.dispose())
    return (await worker.ready).origin
  },
}

describe.each(Object.entries(runtimes))('an update feed for licensed users, on %s', (_name, start) => {
  async function startFeed() {
    const { origin, asked } = await startOrigin()
    const feed = await start(origin)
    const get = (lease: string | null, range?: string, path = '/notes-3.0.0.AppImage') =>
      fetch(`${feed}${path}`, {
        headers: {
          ...(lease !== null && { authorization: `Bearer ${lease}` }),
          ...(range !== undefined && { range }),
        },
      })
    return { get, asked }
  }

  test('serves a licensed device, also in parts', async () => {
    const { get } = await startFeed()
    const lease = await (await licensed()).lease()
    expect(await (await get(lease)).text()).toBe(file.toString())
    const part = await get(lease, 'bytes=4-7')
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 4-7/16',
      '4567',
    ])
    expect((await get(lease, undefined, '/../secret')).status).toBe(404)
  })

  test('goes on serving a license that has ended, for the releases that it covers', async () => {
    const { get } = await startFeed()
    const { control, licenseId, lease } = await licensed()
    control.updateLicense(licenseId, { expires_at: '2026-01-01T00:00:00.000000Z' })
    expect((await get(await lease())).status).toBe(200)
  })

  test('refuses everyone else, and the files are not asked for', async () => {
    const { get, asked } = await startFeed()
    const { control, licenseId, lease } = await licensed()
    const good = await lease()
    control.updateLicense(licenseId, { suspended_at: '2026-01-01T00:00:00.000000Z' })
    const ofAnotherApp = await (await licensed(await generateSigningKey())).lease()
    for (const refused of [null, '', 'no lease', good.slice(0, -8), await lease(), ofAnotherApp]) {
      expect((await get(refused)).status).toBe(403)
    }
    expect(asked).toEqual([])
  })
})
