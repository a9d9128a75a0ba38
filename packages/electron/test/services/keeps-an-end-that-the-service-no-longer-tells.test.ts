import { startEmulator } from '@latchkey/emulator'
import { createGateway, generateSigningKey, leaseKeysOf } from '@latchkey/gateway'
import { polar } from '@latchkey/services/polar'
import { expect, onTestFinished, test } from 'vitest'
import { createLeaseVerifier } from '../../src/main/adapters/leases.ts'
import { createTestDevice, dayMs, type TestDevice } from '../core/fixture.ts'
import { reachGateway } from '../doubles/app-service.ts'
import { startFace } from './faces.ts'

const signingKey = await generateSigningKey()
const leaseKeys = await leaseKeysOf([signingKey])

interface Sold {
  readonly releasedOnDay: number
  /** When the license ends; `null` for one without an end that Polar calls expired nevertheless. */
  readonly endsOnDay: number | null
  readonly isSigned: boolean
}

/** A device behind a gateway in front of Polar, which doesn't say when an expired license ended. */
async function startDevice({ releasedOnDay, endsOnDay, isSigned }: Sold) {
  const emulator = await startEmulator({ face: 'polar', accessToken: 'demo', requestLogLimit: 10_000 })
  onTestFinished(() => emulator.close())
  const startMs = Date.now()
  const clock = (): number => startMs + device.elapsedMs()
  const says = { hasEnded: false }
  const gateway = createGateway({
    upstream: polar({
      organizationId: emulator.settings['organizationId'] ?? '',
      benefitId: emulator.settings['benefitId'] ?? '',
      accessToken: 'demo',
      baseUrl: emulator.baseUrl,
    }),
    signing: { keys: [signingKey], leaseDays: 7 },
    clock,
    limits: { perLicense: false },
    fetch: async (request, init) =>
      says.hasEnded
        ? Response.json({ error: 'ResourceNotFound', detail: 'License key has expired.' }, { status: 404 })
        : fetch(request, init),
  })
  const leases = isSigned ? createLeaseVerifier(leaseKeys.keys) : undefined
  const commerce = reachGateway({
    baseUrl: 'https://licenses.vendor.example/v1',
    licenseKeys: 'any',
    ...(leases && { leases }),
    fetch: async (request, init) => {
      const response = await gateway(new Request(request, init))
      response.headers.set('date', new Date(clock()).toUTCString())
      return response
    },
  })
  const device: TestDevice = createTestDevice(null, {
    service: commerce,
    ...(leases && { leases }),
    rules: { releasedAtMs: startMs + releasedOnDay * dayMs },
  })
  const expires_at = endsOnDay === null ? null : new Date(startMs + endsOnDay * dayMs).toISOString()
  emulator.control.updateLicense(emulator.demoLicense.id, { expires_at })
  await device.launch()
  expect(await device.core.activate(emulator.licenseKey)).toMatchObject({ ok: true })
  return { device, says, licenseKey: emulator.licenseKey }
}

test.each([
  [
    'signed, and a build released later',
    { releasedOnDay: 200, endsOnDay: 30, isSigned: true },
    'not-covered',
  ],
  ['signed, and a build released before', { releasedOnDay: 29, endsOnDay: 30, isSigned: true }, 'active'],
  ['signed, and no end was known', { releasedOnDay: 50, endsOnDay: null, isSigned: true }, 'not-covered'],
  [
    'unsigned, and a build released later',
    { releasedOnDay: 200, endsOnDay: 30, isSigned: false },
    'not-covered',
  ],
  ['unsigned, and a build released before', { releasedOnDay: 29, endsOnDay: 30, isSigned: false }, 'active'],
  ['unsigned, and no end was known', { releasedOnDay: 50, endsOnDay: null, isSigned: false }, 'not-covered'],
] as const)(
  'an ended license covers the same builds at every later check: %s',
  async (_what, sold, status) => {
    const { device, says } = await startDevice(sold)
    await device.elapse(20 * dayMs)
    says.hasEnded = true
    // The device is off when the license ends.
    for (const days of [35, 30, 180, 1]) {
      device.sleep(days * dayMs)
      await device.launch()
      await device.core.validate()
      expect(device.state.status).toBe(status)
      expect((await device.launch()).status).toBe(status)
    }
  },
)

test.each([true, false])('activating it again moves no end, signed: %s', async (isSigned) => {
  const { device, says, licenseKey } = await startDevice({ releasedOnDay: 200, endsOnDay: 30, isSigned })
  await device.elapse(20 * dayMs)
  says.hasEnded = true
  device.sleep(215 * dayMs)
  await device.launch()
  await device.core.validate()
  const before = device.state
  expect(before.status).toBe('not-covered')
  expect(await device.core.activate(licenseKey)).toMatchObject({ problem: { code: 'license-expired' } })
  await device.core.validate()
  expect(device.state).toMatchObject({
    status: 'not-covered',
    license: { expiresAt: before.license?.expiresAt },
  })
  expect((await device.launch()).status).toBe('not-covered')
})

test.each([
  ['a build released before the last check that found it valid', 9, 'active'],
  ['a build released after it', 12, 'not-covered'],
] as const)(
  'without a gateway, activating it again changes nothing: %s',
  async (_what, releasedOnDay, status) => {
    const scene = await startFace('polar')
    const { control } = scene.emulator
    const startMs = Date.now()
    control.updateLicense(scene.licenseId, { expires_at: null })
    const device = scene.device({ rules: { releasedAtMs: startMs + releasedOnDay * dayMs } })
    await device.launch()
    await device.core.activate(scene.licenseKey)
    await device.elapse(10 * dayMs)
    // Polar says that the license has ended, but not when.
    control.updateLicense(scene.licenseId, { expires_at: new Date(startMs - dayMs).toISOString() })
    await device.elapse(20 * dayMs)
    expect(device.state.status).toBe(status)
    const ok = status === 'active'
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok, state: { status } })
    await device.elapse(2 * dayMs)
    expect(device.state.status).toBe(status)
    expect((await device.launch()).status).toBe(status)
  },
)
