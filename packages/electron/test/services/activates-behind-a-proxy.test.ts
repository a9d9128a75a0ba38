import { describe, expect, test } from 'vitest'
import { hourMs } from '../core/fixture.ts'
import { withCall } from '../doubles/with-call.ts'
import {
  adapterNames,
  adapterOf,
  lostActivation,
  noNetwork,
  startDevice,
  startFace,
  unknownHost,
  unlistedNames,
} from './faces.ts'

const uncertain = { ok: false, problem: { code: 'seat-may-be-taken' } }

/** A proxy's own page. */
const page = (status: number) => (): Response =>
  new Response('<title>Blocked</title>', { status, headers: { 'content-type': 'text/html' } })

test.each(
  adapterNames.flatMap((name) =>
    (
      [
        [0, 'offline'],
        [400, 'service-error'],
        [401, 'unauthorized'],
        [403, 'unauthorized'],
        [404, 'unexpected-answer'],
        [407, 'unauthorized'],
      ] as const
    ).map(([status, code]) => [name, status, code] as const),
  ),
)(
  '%s: a key pasted behind a proxy’s page, or offline, is activated by itself later: HTTP %i',
  async (name, status, code) => {
    const { scene, device } = await startDevice(name, { isSigned: false })
    scene.answer = status === 0 ? noNetwork : page(status)
    // Nothing was sent that takes a seat.
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: false, problem: { code } })
    expect(scene.seats()).toEqual([])
    scene.answer = null
    await device.elapse(hourMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scene.seats()).toHaveLength(1)
  },
)

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
      const world = { hasBox: true }
      const service = withCall(adapterOf[name](scene.emulator), () => ({
        fetch: async (request, init) => {
          const served = await fetch(request, init)
          return world.hasBox && request.url.endsWith('/activate') ? answer() : served
        },
      }))
      const device = scene.device({ service })
      await device.launch()
      return { scene, device, world }
    }

    test.each([
      [403, bodies] as const,
      ...[400, 401, 404, 407, 409, 410, 413, 422, 451, 503].map(
        (status, index) => [status, bodies.slice(index % 4).slice(0, 1)] as const,
      ),
    ])('with a page or JSON is no refusal of the service: HTTP %i', async (status, said) => {
      const answers = said.map((body) => () => Response.json(body, { status }))
      for (const answer of [page(status), ...answers]) {
        const { scene, device, world } = await startBehindBox(answer)
        expect(await device.core.activate(scene.licenseKey)).toMatchObject(uncertain)
        await device.launch()
        expect(device.state).toMatchObject({ status: 'unlicensed', problem: uncertain.problem })
        // The app itself sends nothing again.
        expect(scene.seats()).toHaveLength(1)
        world.hasBox = false
        expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
        expect(device.state).toMatchObject({ status: 'active', problem: null })
      }
    })

    test('is reported before another request is sent, even if the app ended meanwhile', async () => {
      let hasActed = false
      const { scene, device, world } = await startBehindBox(() => {
        hasActed = true
        return new Promise(() => {})
      })
      void device.core.activate(scene.licenseKey)
      await expect.poll(() => hasActed).toBe(true)
      device.kill()
      world.hasBox = false
      await device.decide()
      expect(await device.core.activate(scene.licenseKey)).toMatchObject(uncertain)
      expect(scene.seats()).toHaveLength(1)
      // The user now knows what another request may cost.
      expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
      expect(scene.seats()).toHaveLength(2)
      expect(device.state).toMatchObject({ status: 'active', problem: null })
    })

    test.each([
      ['a page with HTTP 400', page(400)],
      ['a page with HTTP 403', page(403)],
      ['a page with HTTP 404', page(404)],
      ['a failing service', () => new Response(null, { status: 503 })],
      ['no network', unknownHost],
    ])('isn’t hidden by %s at the next click, which takes no second seat', async (_, answer) => {
      const { scene, device, control } = await startDevice(name)
      control.faults.inject(lostActivation)
      expect(await device.core.activate(scene.licenseKey)).toMatchObject(uncertain)
      scene.answer = answer
      expect(await device.core.activate(scene.licenseKey)).toMatchObject(uncertain)
      scene.answer = null
      await device.elapse(hourMs)
      expect(device.state).toMatchObject({ problem: uncertain.problem })
      expect(scene.seats()).toHaveLength(1)
    })
  },
)
