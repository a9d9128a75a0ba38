import { startEmulator } from '@latchkey/emulator'
import { upstreamOf } from '@latchkey/scripts/e2e/upstream-of'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dayMs } from '../core/fixture.ts'
import { signing, startGateway } from './behind-gateway.ts'
import { startFace } from './faces.ts'

interface Sold {
  readonly releasedOnDay: number
  /** When the license ends; `null` for one without an end that Polar calls expired nevertheless. */
  readonly endsOnDay: number | null
}

describe.each([true, false])(
  'behind a gateway in front of Polar, which doesn’t say when an expired license ended, signed: %s',
  (isSigned) => {
    async function startDevice({ releasedOnDay, endsOnDay }: Sold) {
      const emulator = await startEmulator({ face: 'polar', accessToken: 'demo', requestLogLimit: 10_000 })
      onTestFinished(() => emulator.close())
      const says = { hasEnded: false }
      const scene = startGateway(
        {
          upstream: upstreamOf(emulator),
          signing,
          fetch: async (request, init) =>
            says.hasEnded
              ? Response.json(
                  { error: 'ResourceNotFound', detail: 'License key has expired.' },
                  { status: 404 },
                )
              : fetch(request, init),
        },
        { isSigned, licenseKeys: 'any' },
      )
      scene.answer = async (request) => {
        const response = await scene.gateway(request)
        response.headers.set('date', new Date(scene.nowMs()).toUTCString())
        return response
      }
      const device = scene.device({ rules: { releasedAtMs: scene.nowMs() + releasedOnDay * dayMs } })
      const expires_at = endsOnDay === null ? null : new Date(scene.nowMs() + endsOnDay * dayMs).toISOString()
      emulator.control.updateLicense(emulator.demoLicense.id, { expires_at })
      await device.launch()
      expect(await device.core.activate(emulator.licenseKey)).toMatchObject({ ok: true })
      await device.elapse(20 * dayMs)
      says.hasEnded = true
      return { device, licenseKey: emulator.licenseKey }
    }

    test.each([
      ['a build released later', { releasedOnDay: 200, endsOnDay: 30 }, 'not-covered'],
      ['a build released before', { releasedOnDay: 29, endsOnDay: 30 }, 'active'],
      ['no end was known', { releasedOnDay: 50, endsOnDay: null }, 'not-covered'],
    ] as const)(
      'an ended license covers the same builds at every later check: %s',
      async (_what, sold, status) => {
        const { device } = await startDevice(sold)
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

    test('activating it again moves no end', async () => {
      const { device, licenseKey } = await startDevice({ releasedOnDay: 200, endsOnDay: 30 })
      device.sleep(215 * dayMs)
      await device.launch()
      await device.core.validate()
      const { status, license } = device.state
      expect(status).toBe('not-covered')
      expect(await device.core.activate(licenseKey)).toMatchObject({ problem: { code: 'license-expired' } })
      await device.core.validate()
      expect(device.state).toMatchObject({ status, license: { expiresAt: license?.expiresAt } })
      expect((await device.launch()).status).toBe(status)
    })
  },
)

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
