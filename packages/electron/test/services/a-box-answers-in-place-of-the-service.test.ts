import { describe, expect, test } from 'vitest'
import { withCall } from '../doubles/with-call.ts'
import { adapterOf, startFace, unlistedNames } from './faces.ts'

/** Errors of a box in JSON, none in the form of these services. */
const bodies = [
  { error: 'blocked', reason: 'Data loss prevention' },
  { error: 'Forbidden', detail: 'Data loss prevention' },
  { code: '403', message: 'Forbidden' },
  ['blocked'],
]

/** Something to wait for. */
function event() {
  let happens = (): void => {}
  const hasHappened = new Promise<void>((resolve) => {
    happens = resolve
  })
  return { happens: () => happens(), hasHappened }
}

describe.each(unlistedNames)(
  'where %s can’t list, a box that answers an activation after it took a seat',
  (name) => {
    /** A device behind a box that lets every request through and replaces only the answers to activations. */
    async function startBehindBox(answer: () => Response | Promise<Response>) {
      const scene = await startFace(name)
      const { baseUrl, settings: all } = scene.emulator
      const { publicKey: _, ...settings } = all
      const world = { hasBox: true }
      const reached = withCall(adapterOf[name]({ baseUrl, settings }), () => ({
        fetch: async (request, init) => {
          const served = await fetch(request, init)
          return world.hasBox && request.url.endsWith('/activate') ? answer() : served
        },
      }))
      const device = scene.device({ service: reached })
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

    test('is reported before another request is sent, even if the app ended meanwhile', async () => {
      const acted = event()
      const { scene, device, world } = await startBehindBox(() => {
        acted.happens()
        return new Promise(() => {})
      })
      void device.core.activate(scene.licenseKey)
      await acted.hasHappened
      device.kill()
      world.hasBox = false
      await device.decide()
      const unclear = { ok: false, problem: { code: 'seat-may-be-taken' } }
      expect(await device.core.activate(scene.licenseKey)).toMatchObject(unclear)
      expect(scene.seats()).toHaveLength(1)
      // The user now knows what another request may cost.
      expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
      expect(scene.seats()).toHaveLength(2)
      expect(device.state).toMatchObject({ status: 'active', problem: null })
    })
  },
)
