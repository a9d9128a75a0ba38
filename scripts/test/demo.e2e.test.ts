import { readdir } from 'node:fs/promises'
import { faceNames } from '@latchkey/emulator'
import { expect, onTestFinished, test } from 'vitest'
import { type DemoOptions, startDemo } from '../demo/start-demo.ts'
import { playTour, stepsOf } from '../demo/tour.ts'
import { temporaryFolder } from './side-by-side.ts'

// In short runs the tests of the example and of the helper cover the gateway, each service and computers without internet.
const longDemos: readonly DemoOptions[] = [
  { offline: true },
  { gateway: true },
  ...[...faceNames, 'signed-keys'].filter((name) => name !== 'commerce').map((service) => ({ service })),
]

test.for<DemoOptions>([{}, ...(process.env['LATCHKEY_LONG'] === '1' ? longDemos : [])])(
  'the tour of %j passes, and shows what the service saw in each step',
  async (options) => {
    const demo = await startDemo(options)
    onTestFinished(demo.close)
    const picturesPath = await temporaryFolder()
    const told: string[] = []
    await playTour(demo, picturesPath, (line) => told.push(line))
    const steps = stepsOf[demo.kind].length
    expect(told.filter((line) => /^\d+\. /.test(line))).toHaveLength(steps)
    expect(told.filter((line) => line.includes('The service saw:'))).toHaveLength(steps)
    expect((await readdir(picturesPath)).length).toBeGreaterThan(3)
  },
)
