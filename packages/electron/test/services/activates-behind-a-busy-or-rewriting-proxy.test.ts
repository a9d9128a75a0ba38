import { startEmulator } from '@latchkey/emulator'
import { createGateway, type GatewayOptions, generateSigningKey, leaseKeysOf } from '@latchkey/gateway'
import { expect, onTestFinished, test } from 'vitest'
import { createLeaseVerifier } from '../../src/main/adapters/leases.ts'
import { createTestDevice, dayMs, hourMs } from '../core/fixture.ts'
import { reachGateway } from '../doubles/app-service.ts'

const signingKey = await generateSigningKey()
const otherKey = await generateSigningKey()
const leaseKeys = await leaseKeysOf([signingKey])

/** A device of an app behind a gateway that signs, and a proxy that may change its answers. */
async function startBehind(options: {
  limits?: GatewayOptions['limits']
  signsWith?: typeof signingKey
  isListRefused?: boolean
  change?: (answer: Response, request: Request) => Response
}) {
  const { change = (answer) => answer, isListRefused = false, signsWith = signingKey, limits } = options
  const emulator = await startEmulator({ accessToken: 'demo', customers: 0, discounts: 0 })
  onTestFinished(() => emulator.close())
  let elapsedMs = (): number => 0
  const gateway = createGateway({
    upstream: {
      baseUrl: emulator.baseUrl,
      accessToken: 'demo',
      fetch: async (request, init) =>
        isListRefused && new URL(request.url).pathname.endsWith('/keys')
          ? Response.json({ message: 'Forbidden.' }, { status: 403 })
          : fetch(request, init),
    },
    signing: { keys: [signsWith] },
    clock: () => Date.now() + elapsedMs(),
    limits: limits ?? { perLicense: false },
  })
  const leases = createLeaseVerifier(leaseKeys.keys)
  const commerce = reachGateway({
    baseUrl: 'https://licenses.vendor.example/v1',
    leases,
    fetch: async (request, init) => {
      const sent = new Request(request, init)
      return change(await gateway(sent.clone()), sent)
    },
  })
  const device = createTestDevice(null, { service: commerce, leases })
  elapsedMs = () => device.elapsedMs()
  await device.launch()
  const { id } = emulator.demoLicense
  return { device, licenseKey: id, seats: () => emulator.control.keys(id).length }
}

const html = { 'content-type': 'text/html' }

/** What proxies put in place of every "not found". */
const replacements: readonly (readonly [name: string, make: () => Response])[] = [
  ['a page', () => new Response('<h1>Not found</h1>', { status: 404, headers: html })],
  ['JSON of its own', () => Response.json({ code: '404', message: 'Not found' }, { status: 404 })],
  ['a single-page app', () => new Response('<!doctype html>', { status: 200, headers: html })],
  ['a redirect to its page', () => new Response(null, { status: 302, headers: { location: '/404' } })],
  ['a page that denies access', () => new Response('<h1>Forbidden</h1>', { status: 403, headers: html })],
  ['a bad gateway', () => new Response('', { status: 502 })],
]

const replace404With = (make: () => Response) => (answer: Response) =>
  answer.status === 404 ? make() : answer

test.each(replacements)(
  'a proxy that replaces every 404 of the gateway by %s keeps no new customer out',
  async (_name, make) => {
    const { device, licenseKey, seats } = await startBehind({ change: replace404With(make) })
    expect(await device.core.activate(licenseKey)).toMatchObject({ ok: true, state: { status: 'active' } })
    expect((await device.recordOnDisk()).activation?.lease).toBeDefined()
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(seats()).toBe(1)
  },
)

test.each(replacements)(
  'behind one with %s, an answer with an unknown signature still activates nothing',
  async (_name, make) => {
    const { device, licenseKey, seats } = await startBehind({
      change: replace404With(make),
      signsWith: otherKey,
    })
    for (let click = 0; click < 3; click += 1) {
      const result = await device.core.activate(licenseKey)
      expect(result).toMatchObject({
        ok: false,
        problem: { code: 'untrusted-answer' },
        state: { entitled: false },
      })
    }
    // Without the page, the app would have learned it before it took a seat. The one it took is adopted again.
    expect(seats()).toBe(1)
  },
)

test('a device beyond the limit of its gateway activates by itself, also without a list', async () => {
  let taken = 0
  // Other computers with the same license key use up the minute after the first request.
  const perLicense = {
    take: async () => {
      taken += 1
      return taken === 2 ? { allowed: false as const, retryAfterMs: 30_000 } : { allowed: true as const }
    },
  }
  const { device, licenseKey, seats } = await startBehind({ isListRefused: true, limits: { perLicense } })
  expect(await device.core.activate(licenseKey)).toMatchObject({
    ok: false,
    problem: { code: 'rate-limited', isRetryable: true },
  })
  await device.elapse(hourMs)
  expect(device.state).toMatchObject({ status: 'active', entitled: true })
  expect(seats()).toBe(1)
})

// A load balancer sent it twice, and the limit stopped the second copy.
test('a seat that was taken before the limit refused the request is freed if the user cancels', async () => {
  let isLimited = true
  const { device, licenseKey, seats } = await startBehind({
    change: (answer, { method }) =>
      isLimited && method === 'POST'
        ? Response.json({ error: 'too-many-requests' }, { status: 429 })
        : answer,
  })
  expect(await device.core.activate(licenseKey)).toMatchObject({ ok: false })
  expect(seats()).toBe(1)
  await device.core.cancelActivation()
  isLimited = false
  await device.elapse(dayMs)
  expect(seats()).toBe(0)
  expect((await device.recordOnDisk()).owed).toEqual([])
})
