import path from 'node:path'
import { buildPackages } from './build-packages.ts'
import { openForVisitor } from './demo/open-for-visitor.ts'
import { playTour } from './demo/tour.ts'
import { prepareDesktop } from './desktop.ts'
import { useDesktop } from './e2e/electron-environment.ts'
import { repositoryRoot } from './repository.ts'

// `pnpm demo`: the example app against the emulator. On a screen it is yours to try; without one it plays a tour.
// `--tour` plays the tour on a screen, too.

/** Pictures of the tour; git-ignored. */
const picturesPath = path.join(repositoryRoot, 'demo-output')

console.log('Latchkey demo\n')
console.log('Building …')
await buildPackages()
const desktop = await prepareDesktop()
useDesktop(desktop)

// Built a moment ago: it could not be imported before.
const { startEmulator } = await import('@latchkey/emulator')
const emulator = await startEmulator()
console.log(
  `Commerce service (emulated) on ${emulator.baseUrl}, with a license of ${emulator.demoLicense.activation_limit} seats\n`,
)

try {
  if (desktop.display.isVirtual || process.argv.includes('--tour')) {
    await playTour(emulator, { picturesPath })
    console.log(`\nEvery step held. Pictures: ${picturesPath}`)
  } else {
    await openForVisitor(emulator, desktop.runtime)
  }
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await emulator.close()
  await desktop.display.close()
}
