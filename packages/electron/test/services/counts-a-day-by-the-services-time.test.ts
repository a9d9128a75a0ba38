import { describe, expect, test } from 'vitest'
import { dayMs, hourMs } from '../core/fixture.ts'
import { type AdapterName, startFace, unlistedNames } from './faces.ts'

/** How each service says that it doesn't know a license key. */
const unknownKey: Readonly<Record<string, unknown>> = {
  dodo: { code: 'LICENSE_KEY_NOT_FOUND', message: 'License key not found' },
  'lemon-squeezy': { valid: false, error: 'license_key not found.', license_key: null, meta: null },
  polar: { error: 'ResourceNotFound', detail: 'Not found' },
}

async function activated(name: AdapterName) {
  const scene = await startFace(name)
  const device = scene.device()
  await device.launch()
  await device.core.activate(scene.licenseKey)
  expect(device.state.status).toBe('active')
  const headers = { date: new Date().toUTCString() }
  scene.answer = () => Response.json(unknownKey[name], { status: 404, headers })
  return { scene, device }
}

describe.each(unlistedNames)('a clock that is set ahead between two denials of %s', (name) => {
  test('takes no license', async () => {
    const { device } = await activated(name)
    await device.core.validate()
    device.clock.jump(2 * dayMs)
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'grace', entitled: true, problem: { code: 'unconfirmed' } })
    await device.elapse(20 * hourMs)
    expect(device.state.entitled).toBe(true)
    await device.elapse(30 * hourMs)
    expect(device.state).toMatchObject({ status: 'revoked', entitled: false })
  })

  test('leaves no seat behind that waits to be freed', async () => {
    const { scene, device } = await activated(name)
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    device.clock.jump(40 * dayMs)
    await device.core.validate()
    scene.answer = null
    await device.elapse(dayMs)
    expect(scene.seats()).toHaveLength(0)
  })
})
