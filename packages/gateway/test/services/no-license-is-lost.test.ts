import type { LicenseService } from '@latchkey/services'
import { serviceNames } from '@latchkey/services/environment'
import { describe, expect, test } from 'vitest'
import { type GatewayOptions, verifyLease } from '../../src/index.ts'
import {
  accessToken,
  keyName,
  leaseClaims,
  leaseKeys,
  nonce,
  signing,
  startService,
  withNonce,
} from '../gateway-fixture.ts'
import {
  adapterOf,
  fingerprint,
  gatewayOf,
  type LicenseRoutes,
  otherFingerprint,
  startFace,
} from './face-fixture.ts'

const dayMs = 86_400_000
const otherDevice = `Other [${otherFingerprint}]`

/** Something that answers every request in place of a service. */
const answering =
  (answer: (url: string) => { status: number; body: unknown }): NonNullable<GatewayOptions['fetch']> =>
  async ({ url }) => {
    const { status, body } = answer(url)
    return Response.json(body, { status })
  }

/** What the signed statement in an answer says; `null` without one. */
async function signedStatus(lease: string | null): Promise<string | null> {
  const claims = await leaseClaims(lease)
  return typeof claims === 'object' ? (claims?.sta ?? null) : claims
}

/** Performs requests to a service whose clock shows the same time as the gateway's. */
function dated(clock: () => number): NonNullable<GatewayOptions['fetch']> {
  return async (request, init) => {
    const response = await fetch(request, init)
    const headers = new Headers(response.headers)
    headers.set('date', new Date(clock()).toUTCString())
    const { status } = response
    return new Response(status === 204 ? null : await response.arrayBuffer(), { status, headers })
  }
}

describe.each(serviceNames)('in front of %s, a gateway whose clock is ahead', (face) => {
  test('doesn’t end a license that its service calls good', async () => {
    const emulator = await startFace(face)
    const endMs = Date.now() + 10 * dayMs
    emulator.control.updateLicense(emulator.demoLicense.id, {
      expires_at: `${new Date(endMs).toISOString().slice(0, -1)}000Z`,
    })
    const clock = () => Date.now() + 20 * dayMs
    const gateway = gatewayOf(adapterOf(face, emulator), { clock }).of(emulator.licenseKey)
    const { id } = (await gateway.activate(keyName)).body.key
    const { license } = (await gateway.validate(id)).body
    expect(license.status).toBe('ACTIVE')
    expect(Math.abs(Date.parse(license.expires_at) - endMs)).toBeLessThan(1000)
  })

  test.each([
    ['days', dayMs],
    ['hours', 3_600_000],
  ])(
    'by %s signs nothing about the end of such a license, and logs that its clock is wrong',
    async (_, ms) => {
      const emulator = await startFace(face)
      emulator.control.updateLicense(emulator.demoLicense.id, {
        expires_at: new Date(Date.now() + 5 * ms).toISOString(),
      })
      const clock = () => Date.now() + 9 * ms
      const gateway = gatewayOf(adapterOf(face, emulator), { clock, signing })
      const { id } = (await gateway.of(emulator.licenseKey).activate(keyName)).body.key
      const told = await gateway.of(emulator.licenseKey).validate(id, fingerprint, withNonce)
      expect(told).toMatchObject({ status: 502, lease: null })
      expect(gateway.lines.at(-1)).toMatchObject({ level: 'error', remark: 'clock-differs' })
    },
  )

  test('signs no lease that outlasts the license by more than its days for a renewal', async () => {
    const emulator = await startFace(face)
    // Signed answers also sign their date.
    const { publicKey: _, ...settings } = emulator.settings
    const unsigned = { ...emulator, settings }
    const endMs = Date.now() + 2 * dayMs
    emulator.control.updateLicense(emulator.demoLicense.id, {
      expires_at: `${new Date(endMs).toISOString().slice(0, -1)}000Z`,
    })
    const claimsAt = async (aheadMs: number) => {
      const clock = () => Date.now() + aheadMs
      const terms = { ...signing, renewalGraceDays: 1 }
      const options = { signing: terms, clock, fetch: dated(clock) }
      const gateway = gatewayOf(adapterOf(face, unsigned), options).of(emulator.licenseKey)
      const { id } = (await gateway.activate(keyName)).body.key
      const { lease } = await gateway.validate(id, fingerprint, withNonce)
      const verdict = await verifyLease(lease ?? '', { leaseKeys, nowMs: clock(), nonce })
      if (!verdict.trusted) throw new Error(verdict.refusal)
      return verdict.claims
    }
    const before = await claimsAt(0)
    expect(before.ent).toBe(true)
    expect(before.exp * 1000).toBeLessThanOrEqual(endMs + dayMs)
    expect(await claimsAt(3 * dayMs)).toMatchObject({ ent: false })
  })
})

describe('a license key that two services know, while the first one is down', () => {
  async function start() {
    const lemon = await startFace('lemon-squeezy', { seed: 2 })
    const other = await startService()
    // The vendor imported the license, and another device uses it there.
    other.control.createLicense({ id: lemon.licenseKey, keys: [otherDevice] })
    const upstream = [adapterOf('lemon-squeezy', lemon), { baseUrl: other.baseUrl, accessToken }]
    const begin = () => gatewayOf(upstream, { signing }).of(lemon.licenseKey)
    const { id } = (await begin().activate(keyName)).body.key
    return { lemon, other, begin, id }
  }

  test('keeps its devices, and works again right after, though the gateway was restarted meanwhile', async () => {
    const { lemon, begin, id } = await start()
    lemon.control.faults.inject({ fault: 'status', status: 503 })
    const license = begin()
    expect(await license.validate(id, fingerprint, withNonce)).toMatchObject({ status: 502, lease: null })
    expect(await license.key(id, withNonce)).toMatchObject({ status: 502, lease: null })
    expect(await license.deactivate(id)).toMatchObject({ status: 502 })
    lemon.control.faults.clear()
    expect(await license.validate(id)).toMatchObject({ status: 200 })
    expect((await license.keys()).body).toMatchObject({ data: [{ id }] })
  })

  test('activates a new device at the other one, which keeps it once the first one is back', async () => {
    const { lemon, other, begin } = await start()
    lemon.control.faults.inject({ fault: 'status', status: 503 })
    const newDevice = `New [${'1'.repeat(16)}]`
    const { status, body } = await begin().activate(newDevice)
    expect(status).toBe(200)
    expect(other.control.keys(lemon.licenseKey).map(({ name }) => name)).toEqual([otherDevice, newDevice])
    lemon.control.faults.clear()
    const license = begin()
    const { id } = body.key
    expect(await license.validate(id, '1'.repeat(16), withNonce)).toMatchObject({ status: 200 })
    expect(await license.key(id, withNonce)).toMatchObject({ status: 200 })
    // The first one may still have it while it is down, so the device isn't called gone.
    other.control.removeKey(lemon.licenseKey, id)
    other.control.faults.inject({ fault: 'status', status: 503 })
    expect(await license.key(id, withNonce)).toMatchObject({ status: 503, lease: null })
    other.control.faults.clear()
    const gone = await license.key(id, withNonce)
    expect(await signedStatus(gone.lease)).toBe('GONE')
    expect(await license.deactivate(id)).toMatchObject({ status: 404 })
  })

  test.each([
    ['after', [0, 1]],
    ['before', [1, 0]],
  ] as const)('says in the log if a service %s it refuses its token', async (_where, order) => {
    const lemon = await startFace('lemon-squeezy', { seed: 2 })
    const other = await startService()
    const upstreams = [adapterOf('lemon-squeezy', lemon), { baseUrl: other.baseUrl, accessToken }]
    const gateway = gatewayOf(
      order.flatMap((index) => upstreams[index] ?? []),
      { signing },
    )
    const license = gateway.of(lemon.licenseKey)
    const { id } = (await gatewayOf(upstreams).of(lemon.licenseKey).activate(keyName)).body.key
    other.control.faults.inject({ fault: 'status', status: 403 })
    lemon.control.removeKey(lemon.demoLicense.id, id)
    expect(await license.validate(id)).toMatchObject({ status: 502 })
    expect(gateway.lines.at(-1)).toMatchObject({
      level: 'error',
      code: 'upstream-unreachable',
      remark: 'token-refused',
      detail: "commerce refuses the gateway's token",
    })
  })
})

describe.each(['polar', 'lemon-squeezy', 'dodo'] as const)(
  'in front of %s, an empty list by mistake',
  (face) => {
    test('takes no license away and frees no seat', async () => {
      const emulator = await startFace(face)
      const service = adapterOf(face, emulator)
      const { id } = (await gatewayOf(service).of(emulator.licenseKey).activate(keyName)).body.key
      const nothing = { activations: [], isWhole: true }
      const forgetful: LicenseService = {
        ...service,
        listActivations: async () => ({ kind: 'answer', value: nothing, serverDateMs: null, proof: null }),
        deactivate: async (request, call) => {
          const refused = await service.validate({ ...request, fingerprint: otherFingerprint }, call)
          return refused.kind === 'refusal' ? refused : service.deactivate(request, call)
        },
      }
      const license = gatewayOf(forgetful, { signing }).of(emulator.licenseKey)
      expect(await license.key(id, withNonce)).toMatchObject({ status: 502, lease: null })
      if (face === 'polar') expect(await license.deactivate(id)).toMatchObject({ status: 502 })
      expect(await license.validate(id)).toMatchObject({ status: 200 })
    })
  },
)

describe('a service that says “not found” by mistake, beside one that lists nothing for a license it doesn’t know', () => {
  test('takes no device’s license away', async () => {
    const lemon = await startFace('lemon-squeezy', { seed: 2 })
    const commerce = {
      baseUrl: 'https://commerce.example/v1',
      accessToken,
      fetch: answering((url) =>
        url.endsWith('/keys')
          ? { status: 200, body: { data: [] } }
          : { status: 404, body: { message: 'no' } },
      ),
    }
    const service = adapterOf('lemon-squeezy', lemon)
    const behind = (fetch?: GatewayOptions['fetch']): LicenseRoutes =>
      gatewayOf([service, commerce], { signing, fetch }).of(lemon.licenseKey)
    const { id } = (await behind().activate(keyName)).body.key
    const license = behind(
      answering(() => ({ status: 404, body: { valid: false, error: 'license_key not found.' } })),
    )
    expect((await license.validate(id, fingerprint, withNonce)).status).toBe(404)
    expect(await license.key(id, withNonce)).toMatchObject({ status: 502, lease: null })
    // An app can still learn that the gateway signs.
    const nil = '00000000-0000-0000-0000-000000000000'
    expect(await signedStatus((await license.key(nil, withNonce)).lease)).toBe('GONE')
  })

  test('lets a license without devices take its first seat at the other one, which then keeps it', async () => {
    const lemon = await startFace('lemon-squeezy', { seed: 2 })
    const other = await startService()
    const gateway = gatewayOf([adapterOf('lemon-squeezy', lemon), { baseUrl: other.baseUrl, accessToken }], {
      signing,
    })
    const license = gateway.of(other.licenseKey)
    expect(await license.keys()).toMatchObject({ status: 200, body: { data: [] } })
    const { id } = (await license.activate(keyName)).body.key
    other.control.removeKey(other.licenseKey, id)
    expect(await signedStatus((await license.key(id, withNonce)).lease)).toBe('GONE')
    expect(await license.keys()).toMatchObject({ status: 200, body: { data: [] } })
  })
})
