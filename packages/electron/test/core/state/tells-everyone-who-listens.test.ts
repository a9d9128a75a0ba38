import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import { createTestDevice, dayMs, startTestService, type TestDevice, type TestService } from '../fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(() => service.emulator.control.reset())
afterAll(() => service.emulator.close())

async function ready(): Promise<{ device: TestDevice; licenseId: string }> {
  const device = createTestDevice(service)
  await device.launch()
  return { device, licenseId: service.newLicense().id }
}

test('a listener gets every change with the previous state, without gaps', async () => {
  const { device, licenseId } = await ready()
  const heard: (readonly [LicensingState, LicensingState])[] = []
  const before = device.state
  device.core.subscribe((state, previous) => heard.push([state, previous]))
  await device.core.activate(licenseId)
  await device.core.deactivate()
  expect(heard.length).toBeGreaterThan(3)
  expect(heard[0]?.[1]).toBe(before)
  for (const [index, [state]] of heard.entries()) expect(heard[index + 1]?.[1] ?? device.state).toBe(state)
})

test('states are frozen, and a new object means a change', async () => {
  const { device, licenseId } = await ready()
  await device.core.activate(licenseId)
  const texts = device.states.map((state) => JSON.stringify(state))
  expect(texts.every((text, index) => text !== texts[index - 1])).toBe(true)
  expect(Object.isFrozen(device.state)).toBe(true)
  const { state } = device
  await device.core.devices()
  expect(device.state).toBe(state)
})

test('a removed listener is not called, and the others are', async () => {
  const { device, licenseId } = await ready()
  let [left, stayed] = [0, 0]
  const stop = device.core.subscribe(() => {
    left += 1
  })
  device.core.subscribe(() => {
    stayed += 1
  })
  stop()
  stop()
  await device.core.activate(licenseId)
  expect(left).toBe(0)
  expect(stayed).toBeGreaterThan(0)
})

test('a listener that throws does not affect others, and the error is logged', async () => {
  const { device, licenseId } = await ready()
  let heard = 0
  device.core.subscribe(() => {
    throw new Error('the window is gone')
  })
  device.core.subscribe(() => {
    throw 'no error at all'
  })
  device.core.subscribe(() => {
    heard += 1
  })
  expect(await device.core.activate(licenseId)).toMatchObject({ ok: true })
  expect(heard).toBeGreaterThan(0)
  expect(device.logger.lines.join('\n')).toContain('A licensing listener threw: the window is gone')
})

test('a change made in a listener is published after the first one', async () => {
  const { device, licenseId } = await ready()
  let isFirst = true
  device.core.subscribe((state) => {
    if (!isFirst || state.status !== 'active' || state.activity !== 'idle') return
    isFirst = false
    void device.core.validate()
  })
  const heard: LicensingState[] = []
  device.core.subscribe((state) => heard.push(state))
  await device.core.activate(licenseId)
  await device.settled()
  expect(heard.at(-1)).toBe(device.state)
  expect(heard).toEqual(device.states.slice(-heard.length))
})

test('losing entitlement at runtime is published as a change from entitled to not entitled', async () => {
  const { device, licenseId } = await ready()
  await device.core.activate(licenseId)
  const changes: string[] = []
  device.core.subscribe((state, previous) => {
    if (state.entitled !== previous.entitled) changes.push(`${previous.status} -> ${state.status}`)
  })
  service.emulator.control.suspend(licenseId)
  await device.elapse(2 * dayMs)
  expect(changes).toEqual(['active -> suspended'])
})
