import { type FaceName, startEmulator } from '@latchkey/emulator'
import { type GatewayOptions, generateSigningKey } from '@latchkey/gateway'
import { upstreamOf } from '@latchkey/scripts/e2e/upstream-of'
import { serviceNames } from '@latchkey/services/environment'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createTestDevice, dayMs, hourMs, minuteMs, type TestDevice } from '../core/fixture.ts'
import { reachGateway } from '../doubles/app-service.ts'
import { skipWaitsBeforeRetries } from '../doubles/skip-waits.ts'
import { signing, startGateway } from './behind-gateway.ts'
import { lostActivation, noNetwork } from './faces.ts'

const isLong = process.env['LATCHKEY_LONG'] === '1'

/** Answers in place of the service; `null` lets the service answer. */
type Box = (request: Request) => Response | null

/** A vendor's gateway in front of a service, and a box that may stand between them. */
async function startVendor(face: FaceName, options: Partial<GatewayOptions> & { readonly box?: Box } = {}) {
  const { box, ...own } = options
  const emulator = await startEmulator({
    face,
    accessToken: 'demo',
    customers: 0,
    discounts: 0,
    requestLogLimit: 100_000,
  })
  onTestFinished(() => emulator.close())
  const { control, licenseKey, demoLicense } = emulator
  const way = { box: box ?? null }
  const scene = startGateway(
    {
      upstream: upstreamOf(emulator),
      fetch: async (request, init) => way.box?.(request) ?? fetch(request, init),
      signing,
      devicesPage: true,
      ...own,
    },
    // Apps of the commerce service that were shipped long ago have no such option.
    { licenseKeys: face === 'commerce' ? undefined : 'any' },
  )
  return Object.assign(scene, {
    control,
    licenseKey,
    licenseId: demoLicense.id,
    way,
    /** Launches a device. */
    async launch(...given: Parameters<typeof scene.device>): Promise<TestDevice> {
      const device = scene.device(...given)
      await device.launch()
      return device
    },
    /** Sends a form of the page for devices, like a browser. Returns what is shown next. */
    async submit(fields: Record<string, string>): Promise<string> {
      const headers = { 'sec-fetch-site': 'same-origin' }
      const init = { method: 'POST', headers, body: new URLSearchParams(fields) }
      return (await scene.gateway(new Request('https://licenses.vendor.example/v1/devices', init))).text()
    },
    seats: () => control.keys(demoLicense.id).map(({ name }) => name),
  })
}

beforeEach(skipWaitsBeforeRetries)

describe.each(serviceNames)('an app behind a gateway in front of %s', (face) => {
  test('activates with the pasted text, runs offline on its lease, and frees its seat', async () => {
    const scene = await startVendor(face)
    const device = await scene.launch()
    const result = await device.core.activate(`Your license key: ${scene.licenseKey}\n`)
    expect(result).toMatchObject({ ok: true, state: { status: 'active', entitled: true, problem: null } })
    expect((await device.recordOnDisk()).activation?.licenseKey).toBe(scene.licenseKey)
    expect((await device.recordOnDisk()).activation?.lease).toBeDefined()

    scene.answer = noNetwork
    expect((await device.decide()).entitled).toBe(true)
    await device.elapse(6 * dayMs)
    expect(device.state).toMatchObject({ status: 'grace', entitled: true })
    // The lease lasts seven days.
    await device.elapse(2 * dayMs)
    expect(device.state.entitled).toBe(false)
    scene.answer = null
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })

    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
    expect(scene.seats()).toEqual([])
  })

  test('keeps its seat when it is reinstalled, and when an answer is lost', async () => {
    const scene = await startVendor(face)
    const lost = await scene.launch()
    scene.control.faults.inject(lostActivation)
    await lost.core.activate(scene.licenseKey)
    await lost.elapse(hourMs)
    expect(lost.state.status).toBe('active')
    const reinstalled = await scene.launch()
    expect(await reinstalled.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
    expect(scene.seats()).toHaveLength(1)
  })

  test('takes the only seat from a device that its user releases in the app or in a browser', async () => {
    const { control, licenseKey, licenseId, launch, submit, seats } = await startVendor(face)
    control.updateLicense(licenseId, { activation_limit: 1 })
    const laptop = await launch({ device: { label: 'Laptop' } })
    const replacement = await launch({ device: { machineId: 'machine-two', label: 'Replacement' } })
    const noSeatLeft = { ok: false, problem: { code: 'no-seat-left' } }
    const isMoved = { status: 'revoked', entitled: false, problem: { code: 'moved-to-another-device' } }
    await laptop.core.activate(licenseKey)
    expect(await replacement.core.activate(licenseKey)).toMatchObject(noSeatLeft)
    const listed = await replacement.core.devices()
    expect(listed).toMatchObject({ ok: true, devices: [{ label: 'Laptop', isThisDevice: false }] })
    const id = listed.ok ? (listed.devices[0]?.id ?? '') : ''
    expect(await replacement.core.releaseDevice(id)).toMatchObject({ ok: true })
    expect(await replacement.core.activate(licenseKey)).toMatchObject({ ok: true })
    await laptop.core.validate()
    expect(laptop.state).toMatchObject(isMoved)

    // A service's limits count the requests of a minute.
    await laptop.elapse(hourMs)
    expect(await laptop.core.activate(licenseKey)).toMatchObject(noSeatLeft)
    const page = await submit({ licenseKey })
    expect(page).toContain('<bdi>Replacement</bdi>')
    const [, handle = ''] = /name="device" value="([^"]+)"/u.exec(page) ?? []
    expect(await submit({ licenseKey, device: handle, step: 'release' })).toContain('The seat is free')
    expect(await laptop.core.activate(licenseKey)).toMatchObject({ ok: true })
    expect(seats()).toEqual([expect.stringMatching(/^Laptop/u)])
    await replacement.core.validate()
    expect(replacement.state).toMatchObject(isMoved)
  })

  test('is informed at once that its license is suspended or has ended', async () => {
    const scene = await startVendor(face)
    const device = await scene.launch()
    await device.core.activate(scene.licenseKey)
    scene.control.suspend(scene.licenseId)
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'suspended', entitled: false })
    scene.control.reinstate(scene.licenseId)
    await device.core.validate()
    expect(device.state.status).toBe('active')
    scene.control.expire(scene.licenseId)
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'expired', entitled: false })
  })

  test('reports why it can’t activate', async () => {
    const scene = await startVendor(face)
    const device = await scene.launch()
    const unknown = scene.licenseKey.replace(/\d(?=\D*$)/u, (digit) => (digit === '0' ? '1' : '0'))
    const activate = async (key: string) => {
      const result = await device.core.activate(key)
      return result.ok ? result.state.status : result.problem.code
    }
    expect(await activate(unknown)).toBe('license-not-found')
    scene.control.suspend(scene.licenseId)
    // Dodo Payments doesn't say why to someone who activates.
    expect(await activate(scene.licenseKey)).toBe(face === 'dodo' ? 'license-inactive' : 'license-suspended')
    expect(scene.seats()).toEqual([])
    expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
  })

  test.each([
    ['refuses with a reason', () => Response.json({ error: 'license-suspended' }, { status: 422 })],
    ['knows no license', () => Response.json({ error: 'not-found' }, { status: 404 })],
    ['lists no device', () => Response.json({ data: [] })],
  ])('keeps its license while a server in the gateway’s place %s', async (_what, answer) => {
    const scene = await startVendor(face)
    const device = await scene.launch()
    await device.core.activate(scene.licenseKey)
    scene.answer = answer
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject({ entitled: true })
    expect(scene.seats()).toHaveLength(1)
  })
})

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

describe.each(replacements)('a proxy that replaces every 404 of the gateway by %s', (_name, make) => {
  async function startBehindProxy(options?: Partial<GatewayOptions>) {
    const scene = await startVendor('commerce', options)
    scene.answer = async (request) => {
      const answer = await scene.gateway(request)
      return answer.status === 404 ? make() : answer
    }
    return { scene, device: await scene.launch() }
  }

  test('keeps no new customer out', async () => {
    const { scene, device } = await startBehindProxy()
    const result = await device.core.activate(scene.licenseKey)
    expect(result).toMatchObject({ ok: true, state: { status: 'active' } })
    expect((await device.recordOnDisk()).activation?.lease).toBeDefined()
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scene.seats()).toHaveLength(1)
  })

  test('makes no answer with an unknown signature activate the app', async () => {
    const { scene, device } = await startBehindProxy({ signing: { keys: [await generateSigningKey()] } })
    for (let click = 0; click < 3; click += 1) {
      const untrusted = { ok: false, problem: { code: 'untrusted-answer' }, state: { entitled: false } }
      expect(await device.core.activate(scene.licenseKey)).toMatchObject(untrusted)
    }
    // Without the page, the app would have learned it before it took a seat. The one it took is adopted again.
    expect(scene.seats()).toHaveLength(1)
  })
})

// A load balancer sent it twice, and the limit stopped the second copy.
test('a seat that was taken before the limit refused the request is freed if the user cancels', async () => {
  const scene = await startVendor('commerce')
  const device = await scene.launch()
  scene.answer = async (request) => {
    const answer = await scene.gateway(request.clone())
    return request.method === 'POST' ? Response.json({ error: 'too-many-requests' }, { status: 429 }) : answer
  }
  expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: false })
  expect(scene.seats()).toHaveLength(1)
  await device.core.cancelActivation()
  scene.answer = null
  await device.elapse(dayMs)
  expect(scene.seats()).toEqual([])
  expect((await device.recordOnDisk()).owed).toEqual([])
})

/** Answers every list in place of the service. */
const instead =
  (answer: () => Response): Box =>
  ({ method, url }) => {
    const isList =
      method === 'GET' && (new URL(url).pathname.endsWith('/keys') || url.includes('license-key-instances'))
    return isList ? answer() : null
  }
const refused = instead(() => Response.json({ message: 'No scope.' }, { status: 403 }))

describe('behind a gateway that can’t list', () => {
  test.each<[string, 'commerce' | 'lemon-squeezy', () => Response]>([
    ['has another form', 'commerce', () => Response.json({ data: { keys: [] } })],
    ['is refused with a 401', 'commerce', () => Response.json({ message: 'No scope.' }, { status: 401 })],
    ['needs a valid API key', 'lemon-squeezy', () => Response.json({ errors: [] }, { status: 401 })],
  ])('a list that %s (%s) costs adoption, not the activation', async (_what, face, answer) => {
    const scene = await startVendor(face, { box: instead(answer) })
    const device = await scene.launch()
    const result = await device.core.activate(scene.licenseKey)
    expect(result).toMatchObject({ ok: true, state: { status: 'active' } })
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
    expect(scene.seats()).toHaveLength(1)
    scene.way.box = null
    await device.elapse(dayMs)
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
    expect(scene.seats()).toEqual([])
  })

  test.each(['commerce', 'lemon-squeezy'] as const)(
    'a device (%s) whose seat support freed is activated by its user after grace',
    async (face) => {
      const scene = await startVendor(face, { box: refused })
      const { control, licenseId, licenseKey } = scene
      const device = await scene.launch()
      await device.core.activate(licenseKey)
      for (const { id } of control.keys(licenseId)) control.removeKey(licenseId, id)
      await device.core.validate()
      expect(device.state).toMatchObject({ status: 'grace', entitled: true })
      await device.elapse(20 * dayMs)
      expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
      expect(await device.core.activate(licenseKey)).toMatchObject({ ok: true, state: { status: 'active' } })
      expect(scene.seats()).toHaveLength(1)
    },
  )

  test('an activation waits for a list that can be had later, and takes one seat', async () => {
    const scene = await startVendor('commerce', { box: instead(() => Response.json({}, { status: 503 })) })
    const device = await scene.launch()
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: false })
    await device.elapse(hourMs)
    expect(scene.seats()).toEqual([])
    scene.way.box = null
    await device.elapse(hourMs)
    expect(device.state.status).toBe('active')
    expect(scene.seats()).toHaveLength(1)
  })

  test('a device beyond the limit of its gateway activates by itself', async () => {
    let taken = 0
    // Other computers with the same license key use up the minute after the first request.
    const perLicense = {
      take: async () => {
        taken += 1
        return taken === 2 ? { allowed: false as const, retryAfterMs: 30_000 } : { allowed: true as const }
      },
    }
    const scene = await startVendor('commerce', { box: refused, limits: { perLicense } })
    const device = await scene.launch()
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({
      ok: false,
      problem: { code: 'rate-limited', isRetryable: true },
    })
    await device.elapse(hourMs)
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
    expect(scene.seats()).toHaveLength(1)
  })
})

test('a list that is larger than the app reads costs adoption without a gateway, not the activation', async () => {
  const emulator = await startEmulator({ accessToken: 'demo', customers: 0, discounts: 0 })
  onTestFinished(() => emulator.close())
  const key = { id: '11111111-1111-4111-8111-111111111111', name: 'Workstation 12 [0123456789abcd00]' }
  const box = instead(() => Response.json({ data: Array(30_000).fill(key) }))
  const service = reachGateway({
    baseUrl: emulator.baseUrl,
    accessToken: 'demo',
    fetch: async (request, init) => box(request) ?? fetch(request, init),
  })
  const device = createTestDevice(null, { service })
  await device.launch()
  const activated = await device.core.activate(emulator.licenseKey)
  expect(activated).toMatchObject({ ok: true, state: { status: 'active' } })
  await device.elapse(dayMs)
  expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(1)
})

describe('computers behind one address of a company, whose gateway shows each only itself', () => {
  async function startFleet(seats: number, computers: number) {
    const scene = await startVendor('commerce', {
      devices: 'own',
      devicesPage: false,
      signing: undefined,
      limits: {},
      clientAddress: () => '203.0.113.7',
    })
    scene.control.updateLicense(scene.licenseId, { activation_limit: seats })
    const devices = Array.from({ length: computers }, (_, index) =>
      scene.device({
        device: { machineId: `machine ${index}`, label: `Desk ${index}` },
        rules: { devices: 'own' },
      }),
    )
    const elapse = (ms: number) => Promise.all(devices.map((device) => device.elapse(ms)))
    return { ...scene, devices, elapse }
  }
  const isActive = ({ state }: TestDevice): boolean => state.status === 'active'

  test('are all active twenty minutes after they started within a minute, each with one seat', async () => {
    const computers = isLong ? 500 : 100
    const { control, devices, licenseKey, elapse, seats } = await startFleet(computers, computers)
    // Some lose the answer to the request that took their seat, and some are asked to come back.
    control.faults.inject({ ...lostActivation, times: computers / 10 })
    control.faults.inject({ fault: 'status', status: 503, operation: 'keys', times: computers / 10 })
    const perSecond = Math.ceil(computers / 60)
    for (let first = 0; first < computers; first += perSecond) {
      const starting = devices.slice(first, first + perSecond)
      await Promise.all(starting.map(({ core }) => core.activate(licenseKey)))
      await elapse(1_000)
    }
    for (let minute = 1; minute < 20; minute += 1) await elapse(minuteMs)
    expect(devices.filter((device) => !isActive(device)).map(({ state }) => state.problem?.code)).toEqual([])
    expect(seats()).toHaveLength(computers)
    expect(new Set(seats()).size).toBe(computers)
  })

  test('are ten active and forty told why on ten seats, and no seat is lost', async () => {
    const { devices, licenseKey, elapse, seats } = await startFleet(10, 50)
    await Promise.all(devices.map(({ core }) => core.activate(licenseKey)))
    for (let minute = 0; minute < 60; minute += 5) await elapse(5 * minuteMs)
    const isTold = ({ states }: TestDevice): boolean =>
      states.some(({ problem }) => problem?.code === 'no-seat-left')
    expect(devices.filter((device) => !isActive(device) && isTold(device))).toHaveLength(40)
    expect(devices.filter(isActive)).toHaveLength(10)
    expect(new Set(seats()).size).toBe(10)

    const [one] = devices.filter(isActive)
    const [other] = devices.filter((device) => !isActive(device))
    // Nobody sees or releases a colleague's computer.
    expect(await other?.core.devices()).toMatchObject({ ok: false, problem: { code: 'other-device' } })
    expect(await one?.core.devices()).toMatchObject({ ok: true, devices: [{ isThisDevice: true }] })
    expect(await one?.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
    expect(await other?.core.activate(licenseKey)).toMatchObject({ ok: true })
    expect(seats()).toHaveLength(10)
  })
})
