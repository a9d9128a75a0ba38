import { type Emulator, startEmulator } from '@latchkey/emulator'
import { createGateway, generateSigningKey, leaseKeysOf } from '@latchkey/gateway'
import { readService, serviceSettings } from '@latchkey/services/environment'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createLeaseVerifier } from '../../src/main/adapters/leases.ts'
import { createTestDevice, dayMs, hourMs } from '../core/fixture.ts'
import { reachGateway } from '../doubles/app-service.ts'
import { skipWaitsBeforeRetries } from '../doubles/skip-waits.ts'

const signingKey = await generateSigningKey()
const leaseKeys = await leaseKeysOf([signingKey])

/** Answers in place of the service; `null` lets the service answer. */
type Box = (request: Request) => Response | null

/** A device whose gateway reaches the service through a box that answers some requests itself. */
async function startBehind(face: 'commerce' | 'lemon-squeezy', box: Box) {
  const emulator = await startEmulator({ face, accessToken: 'demo', customers: 0, discounts: 0 })
  onTestFinished(() => emulator.close())
  const scene = { box }
  const toService = async (request: Request, init?: RequestInit) => scene.box(request) ?? fetch(request, init)
  const upstream =
    face === 'commerce'
      ? { baseUrl: emulator.baseUrl, accessToken: 'demo' }
      : readService(face, environmentOf(emulator), [])
  if (upstream === null) throw new Error('Not a service.')
  let elapsedMs = (): number => 0
  const gateway = createGateway({
    upstream: 'findLicenseKey' in upstream ? upstream : { ...upstream, fetch: toService },
    fetch: toService,
    signing: { keys: [signingKey] },
    clock: () => Date.now() + elapsedMs(),
    limits: { perLicense: false },
  })
  const leases = createLeaseVerifier(leaseKeys.keys)
  const commerce = reachGateway({
    baseUrl: 'https://licenses.vendor.example/v1',
    // Apps of the commerce service that were shipped long ago have no such option.
    licenseKeys: face === 'commerce' ? undefined : 'any',
    leases,
    fetch: async (request, init) => gateway(new Request(request, init)),
  })
  const device = createTestDevice(null, { service: commerce, leases })
  elapsedMs = () => device.elapsedMs()
  await device.launch()
  const keys = () => emulator.control.keys(emulator.demoLicense.id)
  const release = () => {
    for (const { id } of keys()) emulator.control.removeKey(emulator.demoLicense.id, id)
  }
  return { device, scene, seats: () => keys().length, release, licenseKey: emulator.licenseKey }
}

/** The environment of a gateway with the vendor's secret. */
function environmentOf({ baseUrl, settings }: Emulator): Record<string, string> {
  const values: Record<string, string | undefined> = { ...settings, baseUrl }
  return Object.fromEntries(
    serviceSettings['lemon-squeezy'].variables.flatMap(({ name, option, isSecret, isRequired }) => {
      const value = isSecret && isRequired ? 'demo' : values[option]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

const isList = ({ method, url }: Request): boolean =>
  method === 'GET' && (new URL(url).pathname.endsWith('/keys') || url.includes('license-key-instances'))

beforeEach(skipWaitsBeforeRetries)

test.each<[string, 'commerce' | 'lemon-squeezy', () => Response]>([
  ['has another form', 'commerce', () => Response.json({ data: { keys: [] } })],
  ['is refused with a 401', 'commerce', () => Response.json({ message: 'No scope.' }, { status: 401 })],
  ['needs a valid API key', 'lemon-squeezy', () => Response.json({ errors: [] }, { status: 401 })],
])('a list that %s (%s) costs adoption behind a gateway, not the activation', async (_what, face, answer) => {
  const { device, scene, seats, licenseKey } = await startBehind(face, (request) =>
    isList(request) ? answer() : null,
  )
  expect(await device.core.activate(licenseKey)).toMatchObject({ ok: true, state: { status: 'active' } })
  await device.elapse(3 * dayMs)
  expect(device.state).toMatchObject({ status: 'active', entitled: true })
  expect(seats()).toBe(1)
  scene.box = () => null
  await device.elapse(dayMs)
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  expect(seats()).toBe(0)
})

test.each(['commerce', 'lemon-squeezy'] as const)(
  'support frees the seat of a device (%s) whose gateway may not list, and its user activates it after grace',
  async (face) => {
    const { device, seats, release, licenseKey } = await startBehind(face, (request) =>
      isList(request) ? Response.json({ message: 'No scope.' }, { status: 403 }) : null,
    )
    await device.core.activate(licenseKey)
    release()
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'grace', entitled: true })
    await device.elapse(20 * dayMs)
    expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
    expect(await device.core.activate(licenseKey)).toMatchObject({ ok: true, state: { status: 'active' } })
    expect(seats()).toBe(1)
  },
)

test('an activation waits for a list that can be had later, and takes one seat', async () => {
  const { device, scene, seats, licenseKey } = await startBehind('commerce', (request) =>
    isList(request) ? Response.json({}, { status: 503 }) : null,
  )
  expect(await device.core.activate(licenseKey)).toMatchObject({ ok: false })
  await device.elapse(hourMs)
  expect(seats()).toBe(0)
  scene.box = () => null
  await device.elapse(hourMs)
  expect(device.state.status).toBe('active')
  expect(seats()).toBe(1)
})

test('a list that is larger than the app reads costs adoption without a gateway, not the activation', async () => {
  const emulator = await startEmulator({ accessToken: 'demo', customers: 0, discounts: 0 })
  onTestFinished(() => emulator.close())
  const key = { id: '11111111-1111-4111-8111-111111111111', name: 'Workstation 12 [0123456789abcd00]' }
  const commerce = reachGateway({
    baseUrl: emulator.baseUrl,
    accessToken: 'demo',
    fetch: async (request, init) =>
      isList(request) ? Response.json({ data: Array(30_000).fill(key) }) : fetch(request, init),
  })
  const device = createTestDevice(null, { service: commerce })
  await device.launch()
  const activated = await device.core.activate(emulator.licenseKey)
  expect(activated).toMatchObject({ ok: true, state: { status: 'active' } })
  await device.elapse(dayMs)
  expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(1)
})
