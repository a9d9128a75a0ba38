import { mkdtemp, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type FaceName, startEmulator } from '@latchkey/emulator'
import { expect, onTestFinished, test } from 'vitest'
import {
  adapterEnvironment,
  directEnvironment,
  signedKeysEnvironment,
  startDemoGateway,
} from '../demo/app-environment.ts'
import { offlineSteps, playTour, signedKeySteps, tourSteps } from '../demo/tour.ts'

/** What `pnpm demo` can show, by its options. */
interface Demo {
  readonly options: string
  readonly face?: FaceName
  readonly gateway?: 'online' | 'offline'
  readonly signsKeys?: true
}

const demos: readonly Demo[] = [{ options: '--tour' }]

// In short runs the tests of the example and of the helper cover the gateway, each service and computers without internet.
const longDemos: readonly Demo[] = [
  { options: '--offline', gateway: 'offline' },
  { options: '--gateway', gateway: 'online' },
  { options: '--service signed-keys', signsKeys: true },
  ...(['polar', 'dodo', 'keygen', 'lemon-squeezy'] as const).map((face) => ({
    options: `--service ${face}`,
    face,
  })),
]

test.each(process.env['LATCHKEY_LONG'] === '1' ? [...demos, ...longDemos] : demos)(
  'the tour passes with $options, and shows what the service saw in each step',
  async ({ face, gateway: kind, signsKeys }) => {
    const emulator = await startEmulator({ face, ...(kind !== undefined && { accessToken: 'demo' }) })
    onTestFinished(() => emulator.close())
    const gateway = kind === undefined ? null : await startDemoGateway(emulator, kind === 'offline')
    onTestFinished(() => gateway?.close())
    const picturesPath = await mkdtemp(path.join(os.tmpdir(), 'latchkey-pictures-'))
    onTestFinished(() => rm(picturesPath, { recursive: true, force: true }))
    const told: string[] = []
    const signed = signsKeys ? await signedKeysEnvironment() : null
    const steps = kind === 'offline' ? offlineSteps : signed === null ? tourSteps : signedKeySteps
    const direct = face === undefined ? directEnvironment(emulator) : adapterEnvironment(emulator)
    const environment = gateway?.environment ?? signed?.environment ?? direct
    const licenseKey = signed?.licenseKey
    await playTour(emulator, {
      picturesPath,
      steps,
      environment,
      licenseKey,
      tell: (line) => told.push(line),
    })
    expect(told.filter((line) => /^\d+\. /.test(line))).toHaveLength(steps.length)
    expect(told.filter((line) => line.includes('The service saw:'))).toHaveLength(steps.length)
    expect((await readdir(picturesPath)).length).toBeGreaterThan(3)
  },
)
