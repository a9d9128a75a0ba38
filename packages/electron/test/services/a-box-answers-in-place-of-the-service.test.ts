import { describe, expect, test } from 'vitest'
import { createServicePort } from '../../src/main/adapters/service/create-service-port.ts'
import { adapterOf, startFace, unlistedNames } from './faces.ts'

/** Errors of a box in JSON, none in the form of these services. */
const bodies = [
  { error: 'blocked', reason: 'Data loss prevention' },
  { error: 'Forbidden', detail: 'Data loss prevention' },
  { code: '403', message: 'Forbidden' },
  ['blocked'],
]

describe.each(unlistedNames)(
  'where %s can’t list, a box that answers an activation after it took a seat',
  (name) => {
    /** A device behind a box that lets every request through and replaces only the answers to activations. */
    async function startBehindBox(answer: () => Response | Promise<Response>) {
      const scene = await startFace(name)
      const { baseUrl, settings: all } = scene.emulator
      const { publicKey: _, ...settings } = all
      const world = { hasBox: true }
      const commerce = createServicePort({
        service: adapterOf[name]({ baseUrl, settings }),
        fetch: async (request, init) => {
          const served = await fetch(request, init)
          return world.hasBox && request.url.endsWith('/activate') ? answer() : served
        },
      })
      const device = scene.device({ commerce })
      await device.launch()
      return { scene, device, world }
    }

    test.each([400, 401, 403, 404, 409, 410, 422, 451])(
      'with a %i in JSON is no refusal of the service',
      async (status) => {
        for (const body of bodies) {
          const { scene, device, world } = await startBehindBox(() => Response.json(body, { status }))
          const unclear = { ok: false, problem: { code: 'seat-may-be-taken' } }
          expect(await device.core.activate(scene.licenseKey)).toMatchObject(unclear)
          await device.launch()
          expect(device.state).toMatchObject({ status: 'unlicensed', problem: unclear.problem })
          // The app itself sends nothing again.
          expect(scene.seats()).toHaveLength(1)
          world.hasBox = false
          expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
          expect(device.state).toMatchObject({ status: 'active', problem: null })
        }
      },
    )

    test('is reported even if the app ended meanwhile, and activates again before its first check', async () => {
      let acted = (): void => {}
      const hasActed = new Promise<void>((resolve) => {
        acted = resolve
      })
      const { scene, device, world } = await startBehindBox(() => {
        acted()
        return new Promise(() => {})
      })
      void device.core.activate(scene.licenseKey)
      await hasActed
      device.kill()
      world.hasBox = false
      await device.decide()
      expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
      expect(scene.seats()).toHaveLength(2)
      expect(device.state).toMatchObject({ status: 'active', problem: { code: 'seat-may-be-taken' } })
      await device.launch()
      expect(device.state).toMatchObject({ status: 'active', problem: null })
    })
  },
)
