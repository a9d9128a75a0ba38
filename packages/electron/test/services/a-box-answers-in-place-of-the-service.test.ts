import { describe, expect, test } from 'vitest'
import { minuteMs } from '../core/fixture.ts'
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

    test('is reported even if the app ended meanwhile, and activates again before its first check', async () => {
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
      expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
      expect(scene.seats()).toHaveLength(2)
      expect(device.state).toMatchObject({ status: 'active', problem: { code: 'seat-may-be-taken' } })
      await device.launch()
      expect(device.state).toMatchObject({ status: 'active', problem: null })
    })
  },
)

test('a click behind the app’s own question at Lemon Squeezy mentions the seat that question is about', async () => {
  const scene = await startFace('lemon-squeezy')
  const { baseUrl, settings } = scene.emulator
  const killed = event()
  const asked = event()
  const clicked = event()
  let isFirstRun = true
  const reached = withCall(adapterOf['lemon-squeezy']({ baseUrl, settings }), () => ({
    fetch: async (request, init) => {
      if (!isFirstRun) {
        asked.happens()
        await clicked.hasHappened
      }
      const served = await fetch(request, init)
      if (!isFirstRun || !request.url.endsWith('/activate')) return served
      killed.happens()
      return new Promise(() => {})
    },
  }))
  const device = scene.device({ service: reached })
  await device.launch()
  void device.core.activate(scene.licenseKey)
  await killed.hasHappened
  device.kill()
  isFirstRun = false
  // Only then can it be proven that the request took no seat, so the app asks before it says anything.
  device.clock.sleep(20 * minuteMs)
  await device.decide()
  await asked.hasHappened
  const click = device.core.activate(scene.licenseKey)
  clicked.happens()
  expect(await click).toMatchObject({ ok: true, state: { problem: { code: 'seat-may-be-taken' } } })
  expect(scene.seats()).toHaveLength(2)
})
