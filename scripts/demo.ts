import path from 'node:path'
import { parseArgs } from 'node:util'
import { startDemo } from './demo/start-demo.ts'
import { playTour } from './demo/tour.ts'
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

console.log('Latchkey demo\n')
const desktop = await prepareDesktop()
useDesktop(desktop)
const demo = await startDemo(values)
console.log(`${demo.description}\n`)
try {
  if (desktop.display.isVirtual || values.tour) {
    await playTour(demo, picturesPath)
    console.log(`\nEvery step held. Pictures: ${picturesPath}`)
  } else {
    await openForVisitor(demo, desktop.runtime)
  }
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await demo.close()
  await desktop.display.close()
}
