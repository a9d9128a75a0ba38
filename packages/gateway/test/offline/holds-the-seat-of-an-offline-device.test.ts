import { serviceNames } from '@latchkey/services/environment'
import { expect, test } from 'vitest'
import { instanceBeside, newReleasingDevice, startOffline } from './offline-fixture.ts'

const fingerprintOf = (index: number): string => String(index).padStart(16, '0')

test.each(['commerce', ...serviceNames] as const)(
  'the page can’t release a computer that may still run, so one seat is one computer (%s)',
  async (face) => {
    const { emulator, licenseId, send, step } = await startOffline(face)
    emulator.control.updateLicense(licenseId, { activation_limit: 1 })
    const answers = []
    for (let index = 1; index <= 4; index += 1) {
      const fingerprint = fingerprintOf(index)
      answers.push((await send({ fingerprint })).status)
      const { devices } = (await step({ action: 'devices' })).body
      expect(devices).toMatchObject([
        { name: expect.stringMatching(/^Ada/u), offlineUntil: expect.stringMatching(/^20/u) },
      ])
      const [{ device }] = devices
      expect(await step({ action: 'release', device })).toMatchObject({
        status: 422,
        body: { error: 'offline-seat' },
      })
    }
    expect(answers).toEqual([200, 422, 422, 422])
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  },
)

test.each(['', '         Laptop 12'])('a computer named %j holds its seat, too', async (device) => {
  const { step, send } = await startOffline('commerce')
  await send({ deviceName: device })
  const [{ device: handle, offlineUntil }] = (await step({ action: 'devices' })).body.devices
  expect(offlineUntil).toMatch(/^20/u)
  expect((await step({ action: 'release', device: handle })).status).toBe(422)
})

test("with devices: 'own', nobody sees or frees the device of a colleague on the page", async () => {
  const { emulator, licenseId, licenseKey, step } = await startOffline('commerce', { devices: 'own' })
  emulator.control.addKey(licenseId, 'Ada’s laptop [fedcba9876543210]')
  const open = instanceBeside('commerce', emulator, licenseKey)
  const [{ device }] = (await open.step({ action: 'devices' })).body.devices
  expect((await step({ action: 'devices' })).body).toEqual({ devices: [], isWhole: true })
  expect((await step({ action: 'release', device })).body).toEqual({ released: false })
  expect(emulator.control.keys(licenseId)).toHaveLength(1)
})

test('someone who only knows the license key can’t free its seat, and its app can', async () => {
  const { emulator, licenseId, licenseKey, send, ask } = await startOffline('commerce')
  const { releaseKey, codeFor } = newReleasingDevice()
  const { body } = await send({ releaseKey, fingerprint: fingerprintOf(1) })
  const other = newReleasingDevice()
  const { body: others } = await send({ releaseKey: other.releaseKey, fingerprint: fingerprintOf(2) })
  const [{ id: key } = { id: '' }] = emulator.control.keys(licenseId)
  const deactivate = (headers?: Record<string, string>) =>
    ask('DELETE', `/licenses/${licenseKey}/deactivate`, { key }, headers)
  const refusal = { status: 422, body: { error: 'offline-seat' } }
  expect(await deactivate()).toMatchObject(refusal)
  const codeOfAnother = await other.codeFor(others.answer)
  expect(await deactivate({ 'latchkey-release-code': codeOfAnother })).toMatchObject(refusal)
  expect(emulator.control.keys(licenseId)).toHaveLength(2)
  const code = (await codeFor(body.answer)).replace(/\s+/gu, '')
  expect(await deactivate({ 'latchkey-release-code': code })).toMatchObject({ status: 200 })
  expect(emulator.control.keys(licenseId)).toHaveLength(1)
})

test('while the list can’t be had, a seat waits to be freed', async () => {
  const { emulator, licenseId, licenseKey, send, of } = await startOffline('commerce')
  await send()
  const [{ id } = { id: '' }] = emulator.control.keys(licenseId)
  emulator.control.faults.inject({ fault: 'status', status: 503, operation: 'keys' })
  expect(await of(licenseKey).deactivate(id)).toMatchObject({ status: 503 })
  expect(emulator.control.keys(licenseId)).toHaveLength(1)
})

test('a computer that was activated online before keeps one seat, and holds it from then on', async () => {
  const { emulator, licenseId, licenseKey, send, step, of } = await startOffline('commerce')
  emulator.control.updateLicense(licenseId, { activation_limit: 1 })
  await of(licenseKey).activate(`Ada’s laptop [${fingerprintOf(1)}]`)
  expect(await send({ fingerprint: fingerprintOf(1) })).toMatchObject({ status: 200 })
  const { devices } = (await step({ action: 'devices' })).body
  expect(await step({ action: 'release', device: devices[0].device })).toMatchObject({ status: 422 })
  expect(emulator.control.keys(licenseId)).toHaveLength(1)
})

test('its release code frees the seat, and so does the end of its answer', async () => {
  let nowMs = Date.now()
  const { emulator, licenseId, send, step, ask } = await startOffline('commerce', { clock: () => nowMs })
  const { releaseKey, codeFor } = newReleasingDevice()
  const { body } = await send({ releaseKey })
  const request = await codeFor(body.answer)
  expect(await ask('POST', '/offline', { request })).toMatchObject({ body: { released: true } })
  await send()
  const { devices } = (await step({ action: 'devices' })).body
  nowMs += 367 * 86_400_000
  expect(await step({ action: 'release', device: devices[0].device })).toMatchObject({
    body: { released: true },
  })
  expect(emulator.control.keys(licenseId)).toEqual([])
})
