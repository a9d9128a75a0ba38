import path from 'node:path'
import { parseArgs } from 'node:util'
import {
  adapterEnvironment,
  directEnvironment,
  signedKeysEnvironment,
  startDemoGateway,
} from './demo/app-environment.ts'
import { offlineSteps, playTour, signedKeySteps } from './demo/tour.ts'
import { openForVisitor } from './demo/visitor.ts'
import { useDesktop } from './e2e/electron-environment.ts'
import { prepareDesktop } from './e2e/runtime/desktop.ts'
import { repositoryRoot } from './workspace/repository.ts'

// `pnpm demo`: the example app with the emulator. On a display you can try it; without one it runs the tour.
// `--tour` runs the tour on a display too; `--gateway` puts a signing gateway between app and service;
// `--offline` shows a computer that never goes online, activated from the gateway's page on another device;
// `--service polar` sells the app through another service: dodo, keygen, lemon-squeezy or polar;
// `--service signed-keys` sells it without a service, with license keys that the vendor signs.

const { values } = parseArgs({
  options: {
    tour: { type: 'boolean', default: false },
    gateway: { type: 'boolean', default: false },
    offline: { type: 'boolean', default: false },
    service: { type: 'string' },
  },
})

/** Screenshots of the tour; ignored by Git. */
const picturesPath = path.join(repositoryRoot, 'demo-output')

const services = ['commerce', 'dodo', 'keygen', 'lemon-squeezy', 'polar', 'signed-keys'] as const
const service = services.find((name) => name === (values.service ?? 'commerce'))
if (service === undefined) throw new Error(`--service must be one of: ${services.join(', ')}`)
const isAdapter = service !== 'commerce'
const hasGateway = values.gateway || values.offline
if (isAdapter && hasGateway) throw new Error('--gateway and --offline work with the commerce service only')

console.log('Latchkey demo\n')
const desktop = await prepareDesktop()
useDesktop(desktop)

// A dynamic import, because it has only just been built.
const { startEmulator } = await import('@latchkey/emulator')
const emulator = await startEmulator({
  ...(service !== 'signed-keys' && { face: service }),
  // The gateway holds it.
  ...(hasGateway && { accessToken: 'demo' }),
})
const signed = service === 'signed-keys' ? await signedKeysEnvironment() : null
console.log(
  signed === null
    ? `${isAdapter ? service : 'Commerce service'} (emulated) on ${emulator.baseUrl}, with a license of ${emulator.demoLicense.activation_limit} seats\n`
    : 'No service: the app verifies a license key that the vendor signed.\n',
)

const gateway = hasGateway ? await startDemoGateway(emulator, values.offline) : null
if (gateway !== null) {
  console.log(`Gateway on ${gateway.baseUrl}: it holds the token and signs its answers; the app has none.\n`)
  if (values.offline) {
    console.log('The app can’t reach it. Open this page in a browser, as if on another device:')
    console.log(`\n  ${gateway.baseUrl}/offline\n`)
  }
}
const direct = isAdapter ? adapterEnvironment(emulator) : directEnvironment(emulator)
const environment = gateway?.environment ?? signed?.environment ?? direct
const steps = values.offline ? offlineSteps : signed === null ? undefined : signedKeySteps
const licenseKey = signed?.licenseKey

try {
  if (desktop.display.isVirtual || values.tour) {
    await playTour(emulator, { picturesPath, environment, licenseKey, ...(steps && { steps }) })
    console.log(`\nEvery step held. Pictures: ${picturesPath}`)
  } else {
    await openForVisitor(emulator, desktop.runtime, environment, licenseKey)
  }
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await gateway?.close()
  await emulator.close()
  await desktop.display.close()
}
