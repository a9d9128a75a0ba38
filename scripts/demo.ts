import path from 'node:path'
import { parseArgs } from 'node:util'
import { buildPackages } from './build-packages.ts'
import { adapterEnvironment, directEnvironment, startDemoGateway } from './demo/app-environment.ts'
import { openForVisitor } from './demo/open-for-visitor.ts'
import { playTour } from './demo/tour.ts'
import { useDesktop } from './e2e/electron-environment.ts'
import { prepareDesktop } from './e2e/runtime/desktop.ts'
import { repositoryRoot } from './workspace/repository.ts'

// `pnpm demo`: the example app with the emulator. On a display you can try it; without one it runs the tour.
// `--tour` runs the tour on a display too; `--gateway` puts a signing gateway between app and service;
// `--service polar` sells the app through another service: dodo, keygen, lemon-squeezy or polar.

const { values } = parseArgs({
  options: {
    tour: { type: 'boolean', default: false },
    gateway: { type: 'boolean', default: false },
    service: { type: 'string' },
  },
})

/** Screenshots of the tour; ignored by Git. */
const picturesPath = path.join(repositoryRoot, 'demo-output')

const services = ['commerce', 'dodo', 'keygen', 'lemon-squeezy', 'polar'] as const
const face = services.find((name) => name === (values.service ?? 'commerce'))
if (face === undefined) throw new Error(`--service must be one of: ${services.join(', ')}`)
const isAdapter = face !== 'commerce'
if (isAdapter && values.gateway) throw new Error('--gateway works with the commerce service only')

console.log('Latchkey demo\n')
console.log('Building …')
await buildPackages()
const desktop = await prepareDesktop()
useDesktop(desktop)

// A dynamic import, because it has only just been built.
const { startEmulator } = await import('@latchkey/emulator')
const emulator = await startEmulator({ face })
console.log(
  `${isAdapter ? face : 'Commerce service'} (emulated) on ${emulator.baseUrl}, with a license of ${emulator.demoLicense.activation_limit} seats\n`,
)

const gateway = values.gateway ? await startDemoGateway(emulator) : null
if (gateway !== null) {
  console.log(`Gateway on ${gateway.baseUrl}: it holds the token and signs its answers; the app has none.\n`)
}
const environment =
  gateway?.environment ?? (isAdapter ? adapterEnvironment(emulator) : directEnvironment(emulator))

try {
  if (desktop.display.isVirtual || values.tour) {
    await playTour(emulator, { picturesPath, environment })
    console.log(`\nEvery step held. Pictures: ${picturesPath}`)
  } else {
    await openForVisitor(emulator, desktop.runtime, environment)
  }
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await gateway?.close()
  await emulator.close()
  await desktop.display.close()
}
