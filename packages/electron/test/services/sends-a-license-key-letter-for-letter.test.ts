import { startEmulator } from '@latchkey/emulator'
import { polar } from '@latchkey/services/polar'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDevice } from '../core/fixture.ts'
import { reach } from '../doubles/app-service.ts'
import { startGateway } from './behind-gateway.ts'

/** Polar's emulator, whose license key has another prefix than the emulator's own. */
async function startPolar(prefix: string) {
  const emulator = await startEmulator({ accessToken: 'demo', face: 'polar' })
  onTestFinished(() => emulator.close())
  const { licenseKey: ownKey, demoLicense, control } = emulator
  const licenseKey = `${prefix}-${demoLicense.id.toUpperCase()}`
  /** Replaces the license key if it has arrived unchanged. */
  const known = (name: string, value: unknown): unknown =>
    name === 'key' ? (value === licenseKey ? ownKey : 'UNKNOWN') : value
  return {
    licenseKey,
    options: { baseUrl: emulator.baseUrl, organizationId: emulator.settings['organizationId'] ?? '' },
    seats: () => control.keys(demoLicense.id).length,
    fetch: async (request: Request, init?: RequestInit): Promise<Response> => {
      const { method, url, headers } = request
      const sent = await request.text()
      const body = sent === '' ? null : JSON.stringify(JSON.parse(sent, known))
      const answer = await fetch(url, { ...init, method, headers, body })
      const text = await answer.text()
      return new Response(answer.status === 204 ? null : text.replaceAll(ownKey, licenseKey), answer)
    },
  }
}

const prefixes = ['INKWELL-', 'BÜCHER', 'E\u0301CLAIR', '墨水', 'INK&PEN', 'INK+', 'PRO!', '50%', 'V2.0']

test.each(prefixes)(
  'the license key with the prefix %s reaches the service from an app and a gateway',
  async (prefix) => {
    const { licenseKey, options, seats, fetch } = await startPolar(prefix)
    const upstream = polar({ ...options, accessToken: 'demo' })
    for (const device of [
      createTestDevice(null, { service: reach({ service: polar(options), fetch }) }),
      startGateway({ upstream, fetch }, { licenseKeys: 'any' }).device(),
    ]) {
      await device.launch()
      expect(await device.core.activate(`Your key: ${licenseKey}`)).toMatchObject({ ok: true })
      expect((await device.recordOnDisk()).activation?.licenseKey).toBe(licenseKey)
      expect(seats()).toBe(1)
      expect(await device.core.deactivate()).toMatchObject({ ok: true })
      expect(seats()).toBe(0)
    }
  },
)
