import type { LicenseService } from '@latchkey/services'
import { describe, expect, test } from 'vitest'
import { createTestDevice, dayMs, minuteMs, type TestDevice, withDate } from '../core/fixture.ts'
import { reach } from '../doubles/app-service.ts'
import { createScriptedService, refusal } from '../doubles/scripted-service.ts'
import { adapterOf, type FaceScene, keyOfLicense, startFace } from './faces.ts'

const names = ['lemon-squeezy', 'polar'] as const

/** A device, and a license key of another product, as the service reports it. */
async function start(
  name: (typeof names)[number],
): Promise<{ scene: FaceScene; device: TestDevice; foreignKey: string; commerce: LicenseService }> {
  const scene = await startFace(name)
  const foreignKey = keyOfLicense(scene, scene.emulator.control.createLicense().id)
  const commerce = reach({
    service: adapterOf[name](scene.emulator),
    fetch: async (request, init) => {
      const isForeign = (await request.clone().text()).includes(foreignKey)
      const answer = await fetch(request, init)
      return withDate(isForeign ? await ofAnotherProduct(name, answer) : answer, device.elapsedMs())
    },
  })
  const device = scene.device({ service: commerce })
  await device.launch()
  await device.core.activate(scene.licenseKey)
  return { scene, device, foreignKey, commerce }
}

async function ofAnotherProduct(name: (typeof names)[number], answer: Response): Promise<Response> {
  const headers = { date: answer.headers.get('date') ?? '' }
  if (name === 'polar') {
    const detail = 'License key does not match given benefit.'
    return Response.json({ error: 'ResourceNotFound', detail }, { status: 404, headers })
  }
  const body = (await answer.json()) as { meta?: { product_id: number } }
  if (body.meta !== undefined) body.meta.product_id = 999
  return Response.json(body, { status: answer.status, headers })
}

const refused = { ok: false, problem: { code: 'wrong-product' } }

describe.each(names)('a license key of another product at %s', (name) => {
  test('doesn’t stand in the way of “Activate again” on a device whose seat was freed', async () => {
    const { scene, device, foreignKey } = await start(name)
    const { control } = scene.emulator
    for (const { id } of control.keys(scene.licenseId)) control.removeKey(scene.licenseId, id)
    await device.elapse(3 * dayMs)
    expect(device.state.status).toBe('revoked')
    expect(await device.core.activate(foreignKey)).toMatchObject(refused)
    expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
    expect(scene.seats()).toHaveLength(1)
  })

  test('isn’t asked about again while another license is in use, and its problem goes away', async () => {
    const { scene, device, foreignKey } = await start(name)
    expect(await device.core.activate(foreignKey)).toMatchObject(refused)
    expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
    const before = scene.asked()
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scene.asked() - before).toBeLessThanOrEqual(4)
  })

  test('that an administrator provides is a problem that names its source', async () => {
    const { scene, foreignKey, commerce } = await start(name)
    const findProvided = async () => ({ text: foreignKey, source: 'NOTES_LICENSE_KEY' })
    const fleet = scene.device({ service: commerce, findProvided, device: { machineId: 'machine-two' } })
    await fleet.launch()
    await fleet.elapse(minuteMs)
    const problem = { code: 'wrong-product', source: 'NOTES_LICENSE_KEY' }
    expect(fleet.state).toMatchObject({ status: 'unlicensed', problem })
    expect(scene.seats()).toHaveLength(1)
  })
})

test('a refusal of the license in use, such as for another product, takes no second seat', async () => {
  const scripted = createScriptedService(false)
  const commerce = reach({ service: scripted.service, fetch })
  const device = createTestDevice(null, { service: commerce })
  await device.launch()
  await device.core.activate('ANY-LICENSE-KEY-1')
  scripted.says.validate.push(refusal('wrong-product'))
  expect(await device.core.activate('ANY-LICENSE-KEY-1')).toMatchObject(refused)
  expect(scripted.activations).toHaveLength(1)
})
