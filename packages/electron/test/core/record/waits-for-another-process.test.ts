import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSharedLock } from '../../doubles/shared-lock.ts'
import { createTestDevice, startTestService, type TestDevice, type TestService } from '../fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.emulator.close())

/** Holds a lock like another process. @returns a function that releases it. */
async function take(lock: ReturnType<typeof createSharedLock>, { clock }: TestDevice) {
  const acquired = await lock.port(clock).acquire()
  if (acquired.kind !== 'held') throw new Error(`The lock is ${acquired.kind}`)
  return acquired.release
}

test('an activation waits for the other process and continues from its result', async () => {
  const license = service.newLicense()
  const lock = createSharedLock()
  const device = createTestDevice(service, { lock })
  await device.launch()
  const release = await take(lock, device)
  const activation = device.core.activate(license.id)
  await device.clock.advance(100)
  expect(service.asked(license.id)).toEqual([])
  await release()
  await device.clock.advance(100)
  expect(await activation).toMatchObject({ ok: true })
  expect(service.seats(license.id)).toHaveLength(1)
  // The lock is free again.
  await (await take(lock, device))()
})

test('an operation that throws releases the lock', async () => {
  const license = service.newLicense()
  const lock = createSharedLock()
  const device = createTestDevice(service, { lock })
  device.device.identify = () => Promise.reject(new Error('broken'))
  await device.decide()
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false, problem: { code: 'unexpected' } })
  await (await take(lock, device))()
})

test('an app that quits while it waits for another process does not hang', async () => {
  const license = service.newLicense()
  const lock = createSharedLock()
  const device = createTestDevice(service, { lock })
  await device.launch()
  await take(lock, device)
  const activation = device.core.activate(license.id)
  const quit = device.quit()
  await device.clock.advance(100)
  await quit
  expect((await activation).ok).toBe(false)
})
