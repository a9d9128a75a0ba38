import { describe, expect, test } from 'vitest'
import { hourMs } from '../core/fixture.ts'
import { withCall } from '../doubles/with-call.ts'
import { adapterNames, adapterOf, startFace, unlistedNames } from './faces.ts'

/** What a request rejects with on a computer without a network. */
function disconnected(): never {
  throw new Error('net::ERR_NAME_NOT_RESOLVED')
}

test.each(unlistedNames)(
  '%s: a key pasted offline is activated by itself once the network is back',
  async (name) => {
    const scene = await startFace(name)
    let isOnline = false
    const reached = withCall(adapterOf[name](scene.emulator), () => ({
      fetch: async (request, init) => {
        // As Chromium reports it. Some connections break with it after the request was sent.
        if (!isOnline) throw new Error('net::ERR_INTERNET_DISCONNECTED')
        return fetch(request, init)
      },
    }))
    const device = scene.device({ service: reached })
    await device.launch()
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ problem: { code: 'offline' } })
    isOnline = true
    await device.elapse(hourMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scene.seats()).toHaveLength(1)
  },
)

describe.each(adapterNames)('%s: a key pasted behind a proxy that answers with a page', (name) => {
  test.each([
    [400, 'service-error'],
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'unexpected-answer'],
    [407, 'unauthorized'],
  ])('is activated by itself once the proxy lets it through: HTTP %i', async (status, code) => {
    const scene = await startFace(name, { isSigned: false })
    const device = scene.device()
    await device.launch()
    const page = { status, headers: { 'content-type': 'text/html' } }
    scene.answer = () => new Response('<title>Blocked</title>', page)
    // Nothing was sent that takes a seat.
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ problem: { code } })
    scene.answer = null
    await device.elapse(hourMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scene.seats()).toHaveLength(1)
  })
})

test.each(unlistedNames)(
  '%s: a page in place of the activation’s own answer may still mean that a seat was taken',
  async (name) => {
    const scene = await startFace(name)
    const device = scene.device()
    await device.launch()
    const page = { status: 403, headers: { 'content-type': 'text/html' } }
    scene.answer = ({ url }) =>
      url.endsWith('/activate') ? new Response('<title>Blocked</title>', page) : null
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({
      problem: { code: 'seat-may-be-taken' },
    })
  },
)

describe.each(unlistedNames)('%s: after an activation whose answer was lost', (name) => {
  test.each([
    ['a page with HTTP 400', () => new Response('<title>Sign in</title>', { status: 400 })],
    ['a page with HTTP 403', () => new Response('<title>Sign in</title>', { status: 403 })],
    ['a page with HTTP 404', () => new Response('<title>Sign in</title>', { status: 404 })],
    ['a failing service', () => new Response(null, { status: 503 })],
    ['no network', disconnected],
  ])(
    '%s at the next click doesn’t hide that a seat may be taken, and takes no second one',
    async (_, answer) => {
      const scene = await startFace(name)
      const device = scene.device()
      await device.launch()
      const lost = { fault: 'reset', operation: 'activate', when: 'after-acting', times: 1 } as const
      scene.emulator.control.faults.inject(lost)
      const uncertain = { problem: { code: 'seat-may-be-taken' } }
      expect(await device.core.activate(scene.licenseKey)).toMatchObject(uncertain)
      scene.answer = answer
      expect(await device.core.activate(scene.licenseKey)).toMatchObject(uncertain)
      scene.answer = null
      await device.elapse(hourMs)
      expect(device.state).toMatchObject(uncertain)
      expect(scene.seats()).toHaveLength(1)
    },
  )
})
