import { mkdtemp, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type FaceName, startEmulator } from '@latchkey/emulator'
import { expect, onTestFinished, test } from 'vitest'
import { adapterEnvironment, startDemoGateway } from '../demo/app-environment.ts'
import { offlineSteps, playTour, tourSteps } from '../demo/tour.ts'

/**
 * The tour of an app that asks the service in another way. A restart reads the device’s record, whatever the way, so
 * that a long run repeats it.
 */
const otherSteps =
  process.env['LATCHKEY_LONG'] === '1'
    ? tourSteps
    : tourSteps.filter(({ isAfterRestart }) => isAfterRestart !== true)

async function prepareTour(face?: FaceName) {
  const emulator = await startEmulator({ face })
  onTestFinished(() => emulator.close())
  const picturesPath = await mkdtemp(path.join(os.tmpdir(), 'latchkey-pictures-'))
  onTestFinished(() => rm(picturesPath, { recursive: true, force: true }))
  const told: string[] = []
  return { emulator, picturesPath, told, tell: (line: string) => told.push(line) }
}

test('the demo’s tour passes from the first start to the free seat, with a picture and a service log of each step', async () => {
  const { emulator, picturesPath, told, tell } = await prepareTour()
  await playTour(emulator, { picturesPath, tell })
  expect(told.filter((line) => /^\d+\. /.test(line))).toHaveLength(tourSteps.length)
  expect(told.filter((line) => line.includes('The service saw:'))).toHaveLength(tourSteps.length)
  expect(told.join('\n')).toContain('list keys → 200, activate → 200')
  expect(await readdir(picturesPath)).toHaveLength(tourSteps.length)
})

test('the tour passes with a signing gateway between app and service', async () => {
  const { emulator, picturesPath, told, tell } = await prepareTour()
  const gateway = await startDemoGateway(emulator)
  onTestFinished(() => gateway.close())
  await playTour(emulator, { picturesPath, tell, environment: gateway.environment, steps: otherSteps })
  expect(told.filter((line) => line.includes('The service saw:'))).toHaveLength(otherSteps.length)
})

test('the tour without internet passes', async () => {
  const { emulator, picturesPath, told, tell } = await prepareTour()
  const gateway = await startDemoGateway(emulator, true)
  onTestFinished(() => gateway.close())
  const steps = offlineSteps
  await playTour(emulator, { picturesPath, tell, environment: gateway.environment, steps })
  expect(told.filter((line) => line.includes('The service saw:'))).toHaveLength(steps.length)
})

// In short runs the example's own tests cover each service.
const isLongRun = process.env['LATCHKEY_LONG'] === '1'
const services = isLongRun ? (['polar', 'dodo', 'keygen', 'lemon-squeezy'] as const) : []

test.each(services)('the tour passes for an app that is sold through %s', async (face) => {
  const { emulator, picturesPath, told, tell } = await prepareTour(face)
  await playTour(emulator, {
    picturesPath,
    tell,
    environment: adapterEnvironment(emulator),
    steps: otherSteps,
  })
  expect(told.filter((line) => line.includes('The service saw:'))).toHaveLength(otherSteps.length)
})

test('a failed step ends the tour and is named', async () => {
  const { emulator, picturesPath, told, tell } = await prepareTour()
  const steps = [
    { title: 'Water flows downhill', run: async () => {} },
    { title: 'Water flows uphill', run: () => Promise.reject(new Error('it did not')) },
    { title: 'Never reached', run: async () => {} },
  ]
  await expect(playTour(emulator, { picturesPath, tell, steps })).rejects.toThrow(
    'Step 2 did not hold: Water flows uphill',
  )
  expect(told).toEqual(['1. Water flows downhill', '   The service saw: nothing'])
})
