import { expect, onTestFinished, test } from 'vitest'
import { createTestDevice, dayMs, startTestService, type TestDevice } from '../core/fixture.ts'
import { type FaceScene, startFace } from './faces.ts'

const pending = { status: 'unlicensed', problem: { code: 'deactivation-pending' } }
const quiet = { status: 'unlicensed', problem: null }

async function expectOnlyAMonth(scene: FaceScene, device: TestDevice): Promise<void> {
  expect(device.state).toMatchObject(pending)
  await device.elapse(3 * dayMs)
  expect(device.state).toMatchObject(quiet)
  expect((await device.recordOnDisk()).owed).toHaveLength(1)
  const before = scene.asked()
  await device.elapse(5 * dayMs)
  // The seat may be found again, so the service is asked to free it and to list the keys, once a day.
  expect(scene.asked() - before).toBe(10)
  await device.elapse(25 * dayMs)
  expect((await device.recordOnDisk()).owed).toEqual([])
  expect(device.state).toMatchObject(quiet)
}

// Keygen's refusal of a license that it doesn't know.
const invalid = { errors: [{ title: 'Unauthorized', detail: 'is invalid', code: 'LICENSE_INVALID' }] }

/** A device that was deactivated while Keygen answered like this. */
async function deactivated(answer: FaceScene['answer']): Promise<{ scene: FaceScene; device: TestDevice }> {
  const scene = await startFace('keygen', { isSigned: false })
  const device = scene.device()
  await device.launch()
  await device.core.activate(scene.licenseKey)
  scene.answer = answer
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
  return { scene, device }
}

test('a deactivation that Keygen refuses, because it doesn’t know the license, isn’t shown after a day', async () => {
  const { scene, device } = await deactivated(() => Response.json(invalid, { status: 401 }))
  expect(device.state).toMatchObject(pending)
  await device.elapse(3 * dayMs)
  expect(device.state).toMatchObject(quiet)
  await device.launch()
  expect(device.state).toMatchObject(quiet)
  // The vendor restores the license.
  scene.answer = null
  expect(scene.seats()).toHaveLength(1)
  await device.elapse(2 * dayMs)
  expect(scene.seats()).toHaveLength(0)
  expect((await device.recordOnDisk()).owed).toEqual([])
})

test.each(['before', 'after'])(
  'a license of the previous service that is deactivated %s the move is asked about for a month',
  async (when) => {
    const service = await startTestService()
    onTestFinished(() => service.emulator.close())
    const old = createTestDevice(service)
    await old.launch()
    await old.core.activate(service.newLicense().id)
    const scene = await startFace('keygen')
    if (when === 'before') {
      service.emulator.control.faults.inject({ fault: 'status', status: 503 })
      await old.core.deactivate()
    }
    await old.quit()
    const device = scene.device({ store: old.store, secrets: old.secrets })
    await device.launch()
    if (when === 'after') await device.core.deactivate()
    await expectOnlyAMonth(scene, device)
  },
)

test('a seat isn’t given up because Keygen doesn’t know the device while its list is refused', async () => {
  const missing = { errors: [{ title: 'Not found', detail: 'was not found', code: 'NOT_FOUND' }] }
  const denied = { errors: [{ title: 'Access denied', detail: 'not allowed', code: 'LICENSE_NOT_ALLOWED' }] }
  const { scene, device } = await deactivated(({ method }) =>
    method === 'DELETE' ? Response.json(missing, { status: 404 }) : Response.json(denied, { status: 403 }),
  )
  await device.elapse(20 * dayMs)
  // Nobody waits for it any longer.
  expect(device.state).toMatchObject(quiet)
  scene.answer = null
  await device.elapse(2 * dayMs)
  expect(scene.seats()).toHaveLength(0)
})
