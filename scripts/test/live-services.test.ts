import { startEmulator } from '@latchkey/emulator'
import { serviceNames } from '@latchkey/services/environment'
import { expect, onTestFinished, test } from 'vitest'
import { upstreamOf } from '../e2e/upstream-of.ts'
import { askService } from '../live/ask-service.ts'

// This runs the script for real services with emulated ones, so it works once a maintainer has credentials.

async function emulated(face: (typeof serviceNames)[number]) {
  const emulator = await startEmulator({ face })
  onTestFinished(() => emulator.close())
  const service = upstreamOf(emulator)
  if (!('activate' in service)) throw new Error(`There is no adapter for ${face}.`)
  return { emulator, service }
}

test.each(serviceNames)('the check of %s succeeds and leaves no seat taken', async (face) => {
  const { emulator, service } = await emulated(face)
  const steps = await askService(service, emulator.licenseKey, 0)
  expect(steps.filter(({ isExpected }) => !isExpected)).toEqual([])
  expect(steps.length).toBeGreaterThan(9)
  expect(JSON.stringify(steps)).not.toContain(emulator.licenseKey)
  expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([])
})

test('a service that is down is reported, not thrown', async () => {
  const { emulator, service } = await emulated('polar')
  await emulator.control.pause()
  const steps = await askService(service, emulator.licenseKey, 0)
  expect(steps.at(-1)).toMatchObject({ name: 'activate', isExpected: false })
})
