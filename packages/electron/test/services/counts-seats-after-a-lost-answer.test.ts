import { describe, expect, test } from 'vitest'
import { createServicePort } from '../../src/main/adapters/service/create-service-port.ts'
import { createServiceOnDemand } from '../../src/main/adapters/service/service-on-demand.ts'
import { dayMs, hourMs, minuteMs, type TestDevice } from '../core/fixture.ts'
import { createScriptedService } from '../doubles/scripted-service.ts'
import { type FaceScene, startFace } from './faces.ts'

const lost = { fault: 'reset', operation: 'activate', times: 1 } as const

async function scene(
  when: 'before-acting' | 'after-acting',
): Promise<{ face: FaceScene; device: TestDevice }> {
  const face = await startFace('lemon-squeezy')
  const device = face.device()
  await device.launch()
  face.emulator.control.faults.inject({ ...lost, when })
  expect(await device.core.activate(face.licenseKey)).toMatchObject({
    ok: false,
    problem: { code: 'seat-may-be-taken', isRetryable: true },
  })
  return { face, device }
}

const activations = ({ emulator }: FaceScene): number =>
  emulator.control.requests().filter(({ operation }) => operation === 'activate').length

describe('after a lost answer, at a service that reports how many seats are in use', () => {
  test('an activation that took no seat is completed automatically, once it can’t arrive anymore', async () => {
    const { face, device } = await scene('before-acting')
    await device.elapse(8 * minuteMs)
    expect(activations(face)).toBe(1)
    await device.elapse(hourMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(face.seats()).toHaveLength(1)
  })

  test('an activation that took a seat isn’t repeated, until that seat is released or the user asks', async () => {
    const { face, device } = await scene('after-acting')
    await device.elapse(3 * hourMs)
    expect(device.state).toMatchObject({ status: 'unlicensed', problem: { code: 'seat-may-be-taken' } })
    expect(activations(face)).toBe(1)
    // The customer releases it in the portal.
    const [key] = face.emulator.control.keys(face.licenseId)
    face.emulator.control.removeKey(face.licenseId, key?.id ?? '')
    await device.elapse(3 * hourMs)
    expect(device.state.status).toBe('active')
    expect(face.seats()).toHaveLength(1)
  })

  test('a seat that another computer frees meanwhile doesn’t prove that none was taken here', async () => {
    const face = await startFace('lemon-squeezy')
    const old = face.device({ device: { machineId: 'old', label: 'Old computer' } })
    await old.core.activate(face.licenseKey)
    const device = face.device()
    await device.launch()
    face.emulator.control.faults.inject({ ...lost, when: 'after-acting' })
    await device.core.activate(face.licenseKey)
    await old.core.deactivate()
    await device.elapse(3 * hourMs)
    expect(device.state.problem).toMatchObject({ code: 'seat-may-be-taken' })
    expect(face.seats()).toHaveLength(1)
  })

  test('an activation that the user asks for again is sent', async () => {
    const { face, device } = await scene('after-acting')
    expect(await device.core.activate(face.licenseKey)).toMatchObject({ ok: true })
    expect(face.seats()).toHaveLength(2)
  })

  test('nothing is sent again while the number can’t be read', async () => {
    const { face, device } = await scene('before-acting')
    face.emulator.control.faults.inject({ fault: 'reset', operation: 'validate' })
    await device.elapse(3 * hourMs)
    expect(activations(face)).toBe(1)
    expect(device.state.problem).toMatchObject({ code: 'seat-may-be-taken' })
  })

  test('nothing is sent again when the service doesn’t know the license key anymore', async () => {
    const { face, device } = await scene('before-acting')
    face.emulator.control.deleteLicense(face.licenseId)
    await device.elapse(3 * hourMs)
    expect(activations(face)).toBe(1)
    expect(device.state.problem).toMatchObject({ code: 'seat-may-be-taken' })
  })

  test('a day later, the user is asked first', async () => {
    const { face, device } = await scene('before-acting')
    face.emulator.control.faults.inject({ fault: 'reset', operation: 'validate' })
    await device.elapse(2 * dayMs)
    face.emulator.control.faults.clear()
    await device.elapse(dayMs)
    expect(device.state.problem).toMatchObject({ code: 'activation-paused' })
    expect(activations(face)).toBe(1)
  })
})

test('an activation isn’t sent while the service is unreachable, so it is completed automatically', async () => {
  const face = await startFace('lemon-squeezy')
  const device = face.device()
  await device.launch()
  face.emulator.control.faults.inject({ fault: 'reset', times: 1 })
  expect(await device.core.activate(face.licenseKey)).toMatchObject({ problem: { code: 'offline' } })
  await device.elapse(hourMs)
  expect(device.state.status).toBe('active')
  expect(face.seats()).toHaveLength(1)
})

test('an unknown license key is refused, even without a number of seats', async () => {
  const face = await startFace('lemon-squeezy')
  const device = face.device()
  await device.launch()
  face.emulator.control.deleteLicense(face.licenseId)
  expect(await device.core.activate(face.licenseKey)).toMatchObject({
    problem: { code: 'license-not-found' },
  })
})

test('a service that is loaded late also reports its seats, or that it can’t', async () => {
  const capabilities = { ...createScriptedService(false).service.capabilities, tellsSeatsInUse: true }
  const silent = createServicePort({ service: createScriptedService(false).service, fetch })
  const asked = createServiceOnDemand({ capabilities, showsActivations: false, load: async () => silent })
  expect(await asked.seatsInUse?.('KEY')).toEqual({ value: null, serverDateMs: null })
  const telling = { ...silent, seatsInUse: async () => ({ value: 2, serverDateMs: null }) }
  const told = createServiceOnDemand({ capabilities, showsActivations: false, load: async () => telling })
  expect(await told.seatsInUse?.('KEY')).toEqual({ value: 2, serverDateMs: null })
})
