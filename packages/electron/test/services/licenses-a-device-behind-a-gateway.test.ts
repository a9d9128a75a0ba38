import { type Emulator, type FaceName, startEmulator } from '@latchkey/emulator'
import { createGateway, generateSigningKey, leaseKeysOf } from '@latchkey/gateway'
import { readService, type ServiceName, serviceNames, serviceSettings } from '@latchkey/services/environment'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLeaseVerifier } from '../../src/main/adapters/leases.ts'
import { createTestDevice, dayMs, hourMs, type TestDevice, type TestDeviceOptions } from '../core/fixture.ts'
import { reachGateway } from '../doubles/app-service.ts'

const signingKey = await generateSigningKey()
const leaseKeys = await leaseKeysOf([signingKey])

/** The adapter as a vendor's gateway has it: with the vendor's secret. */
function vendorService(face: ServiceName, { baseUrl, settings }: Emulator) {
  const values: Record<string, string | undefined> = { ...settings, baseUrl }
  const variables = serviceSettings[face].variables.flatMap(({ name, option, isSecret, isRequired }) => {
    const value = isSecret && isRequired ? 'demo' : values[option]
    return value === undefined ? [] : [[name, value]]
  })
  const problems: string[] = []
  const service = readService(face, Object.fromEntries(variables), problems)
  if (service === null) throw new Error(problems.join(' '))
  return service
}

/** A vendor's gateway in front of a face, and devices whose apps have the gateway's address. */
async function startVendor(face: ServiceName) {
  const emulator = await startEmulator({
    accessToken: 'demo',
    face: face satisfies FaceName,
    requestLogLimit: 10_000,
  })
  onTestFinished(() => emulator.close())
  const { control, licenseKey, demoLicense } = emulator
  let elapsedMs = (): number => 0
  const gateway = createGateway({
    upstream: vendorService(face, emulator),
    signing: { keys: [signingKey], leaseDays: 7 },
    devicesPage: true,
    clock: () => Date.now() + elapsedMs(),
    limits: { perLicense: false },
  })
  const scene = {
    control,
    licenseKey,
    licenseId: demoLicense.id,
    /** Answers in place of the gateway; `null` lets the gateway answer. */
    answer: null as ((request: Request) => Response | Promise<Response>) | null,
    device(options: TestDeviceOptions = {}): TestDevice {
      const verifier = createLeaseVerifier(leaseKeys.keys)
      const commerce = reachGateway({
        baseUrl: 'https://licenses.vendor.example/v1',
        licenseKeys: 'any',
        leases: verifier,
        fetch: async (request, init) => {
          const sent = new Request(request, init)
          return scene.answer === null ? gateway(sent) : scene.answer(sent)
        },
      })
      const device = createTestDevice(null, { service: commerce, leases: verifier, ...options })
      elapsedMs = () => device.elapsedMs()
      return device
    },
    /** Sends a form of the page for devices, like a browser. Returns what is shown next. */
    async submit(fields: Record<string, string>): Promise<string> {
      const headers = { 'sec-fetch-site': 'same-origin' }
      const init = { method: 'POST', headers, body: new URLSearchParams(fields) }
      return (await gateway(new Request('https://licenses.vendor.example/v1/devices', init))).text()
    },
    seats: () => control.keys(demoLicense.id).map(({ name }) => name),
  }
  return scene
}

const offline = (): never => {
  throw new Error('net::ERR_INTERNET_DISCONNECTED')
}

describe.each(serviceNames)('an app behind a gateway in front of %s', (face) => {
  test('activates with the pasted text, runs offline on its lease, and frees its seat', async () => {
    const scene = await startVendor(face)
    const device = scene.device()
    await device.launch()
    const result = await device.core.activate(`Your license key: ${scene.licenseKey}\n`)
    expect(result).toMatchObject({ ok: true, state: { status: 'active', entitled: true, problem: null } })
    expect((await device.recordOnDisk()).activation?.licenseKey).toBe(scene.licenseKey)
    expect((await device.recordOnDisk()).activation?.lease).toBeDefined()

    scene.answer = offline
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
    const lost = scene.device()
    await lost.launch()
    scene.control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting', times: 1 })
    await lost.core.activate(scene.licenseKey)
    await lost.elapse(hourMs)
    expect(lost.state.status).toBe('active')
    const reinstalled = scene.device()
    await reinstalled.launch()
    expect(await reinstalled.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
    expect(scene.seats()).toHaveLength(1)
  })

  test('lists the devices when every seat is taken, and releases another one', async () => {
    const scene = await startVendor(face)
    scene.control.updateLicense(scene.licenseId, { activation_limit: 1 })
    const [one, other] = [
      scene.device({ device: { label: 'Studio' } }),
      scene.device({ device: { machineId: 'machine-two' } }),
    ]
    await one.launch()
    await other.launch()
    await one.core.activate(scene.licenseKey)
    const refused = await other.core.activate(scene.licenseKey)
    expect(refused).toMatchObject({ ok: false, problem: { code: 'no-seat-left' } })
    const listed = await other.core.devices()
    expect(listed).toMatchObject({ ok: true, devices: [{ label: 'Studio', isThisDevice: false }] })
    const id = listed.ok ? (listed.devices[0]?.id ?? '') : ''
    expect(await other.core.releaseDevice(id)).toMatchObject({ ok: true })
    expect(await other.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
    expect(scene.seats()).toHaveLength(1)
    await one.core.validate()
    expect(one.state).toMatchObject({ status: 'revoked', entitled: false })
  })

  test('takes the seat of a dead laptop that its user released in a browser', async () => {
    const { licenseKey, licenseId, control, submit, seats, device } = await startVendor(face)
    control.updateLicense(licenseId, { activation_limit: 1 })
    const [laptop, replacement] = [
      device({ device: { label: 'Laptop' } }),
      device({ device: { machineId: 'machine-two', label: 'Replacement' } }),
    ]
    await laptop.launch()
    await replacement.launch()
    await laptop.core.activate(licenseKey)
    expect(await replacement.core.activate(licenseKey)).toMatchObject({ ok: false })

    const listed = await submit({ licenseKey })
    expect(listed).toContain('<bdi>Laptop</bdi>')
    const [, handle = ''] = /name="device" value="([^"]+)"/u.exec(listed) ?? []
    expect(await submit({ licenseKey, device: handle, step: 'release' })).toContain('The seat is free')

    expect(await replacement.core.activate(licenseKey)).toMatchObject({ ok: true })
    expect(seats()).toEqual([expect.stringMatching(/^Replacement/u)])
    await laptop.core.validate()
    expect(laptop.state).toMatchObject({ status: 'revoked', problem: { code: 'moved-to-another-device' } })
  })

  test('is informed at once that its license is suspended or has ended', async () => {
    const scene = await startVendor(face)
    const device = scene.device()
    await device.launch()
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
    const device = scene.device()
    await device.launch()
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
    const device = scene.device()
    await device.launch()
    await device.core.activate(scene.licenseKey)
    scene.answer = answer
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject({ entitled: true })
    expect(scene.seats()).toHaveLength(1)
  })
})
