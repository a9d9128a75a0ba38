import { startEmulator } from '@latchkey/emulator'
import { createGateway } from '@latchkey/gateway'
import type { LicenseService } from '@latchkey/services'
import { polar } from '@latchkey/services/polar'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDevice } from '../core/fixture.ts'
import { reach, reachGateway } from '../doubles/app-service.ts'

/** Polar's emulator, whose license key has another prefix than the emulator's own. */
async function startPolar(prefix: string) {
  const emulator = await startEmulator({ accessToken: 'demo', face: 'polar' })
  onTestFinished(() => emulator.close())
  const { licenseKey: ownKey, demoLicense, control } = emulator
  const licenseKey = `${prefix}-${demoLicense.id.toUpperCase()}`
  return {
    licenseKey,
    options: { baseUrl: emulator.baseUrl, organizationId: emulator.settings['organizationId'] ?? '' },
    seats: () => control.keys(demoLicense.id).length,
    fetch: async (request: Request, init?: RequestInit): Promise<Response> => {
      const { method, url, headers } = request
      const sent = await request.text()
      const body = sent === '' ? null : JSON.stringify(JSON.parse(sent, keyFor(licenseKey, ownKey)))
      const answer = await fetch(url, { ...init, method, headers, body })
      const text = await answer.text()
      return new Response(answer.status === 204 ? null : text.replaceAll(ownKey, licenseKey), answer)
    },
  }
}

/** Replaces the license key if it has arrived unchanged. */
function keyFor(from: string, to: string) {
  return (name: string, value: unknown): unknown => {
    if (name !== 'key') return value
    return value === from ? to : 'UNKNOWN'
  }
}

const prefixes = ['INKWELL-', 'BÜCHER', 'E\u0301CLAIR', '墨水', 'INK&PEN', 'INK+', 'PRO!', '50%', 'V2.0']

/** Activates with a text that contains the key, and deactivates. */
async function useKey(
  commerce: LicenseService,
  { licenseKey, seats }: Awaited<ReturnType<typeof startPolar>>,
) {
  const device = createTestDevice(null, { service: commerce })
  await device.launch()
  expect(await device.core.activate(`Your key: ${licenseKey}`)).toMatchObject({ ok: true })
  expect((await device.recordOnDisk()).activation?.licenseKey).toBe(licenseKey)
  expect(seats()).toBe(1)
  expect(await device.core.deactivate()).toMatchObject({ ok: true })
  expect(seats()).toBe(0)
}

test.each(prefixes)('the license key with the prefix %s reaches the service from an app', async (prefix) => {
  const service = await startPolar(prefix)
  await useKey(reach({ service: polar(service.options), fetch: service.fetch }), service)
})

test.each(prefixes)(
  'the license key with the prefix %s reaches the service behind a gateway',
  async (prefix) => {
    const service = await startPolar(prefix)
    const upstream = polar({ ...service.options, accessToken: 'demo' })
    const gateway = createGateway({ upstream, fetch: service.fetch })
    const commerce = reachGateway({
      baseUrl: 'https://licenses.vendor.example/v1',
      licenseKeys: 'any',
      fetch: async (request, init) => gateway(new Request(request, init)),
    })
    await useKey(commerce, service)
  },
)
