import { expect, test } from 'vitest'
import { minuteMs } from '../core/fixture.ts'
import { startFace } from './faces.ts'

test('a machine that a late request creates at Keygen after a deactivation is freed', async () => {
  const scene = await startFace('keygen', { isSigned: false })
  const device = scene.device()
  await device.launch()
  let late: Request | null = null
  scene.answer = (request) => {
    if (late !== null || request.method !== 'POST' || !request.url.endsWith('/machines')) return null
    late = request.clone()
    return new Response('<!doctype html><title>Bad Gateway</title>', { status: 502 })
  }
  expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: false })
  expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
  expect(await device.core.deactivate()).toMatchObject({ ok: true })
  expect(scene.seats()).toHaveLength(0)
  if (late !== null) await fetch(late)
  expect(scene.seats()).toHaveLength(1)
  await device.elapse(30 * minuteMs)
  expect(scene.seats()).toHaveLength(0)
})
