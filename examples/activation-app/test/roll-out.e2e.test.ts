import { execFile } from 'node:child_process'
import { cp, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startEmulator } from '@latchkey/emulator'
import { electronFromEnvironment } from '@latchkey/scripts/e2e/electron-environment'
import { expect, onTestFinished, test } from 'vitest'
import { appPath } from './inkwell.ts'

/** Packages the example as a folder: Electron under the app's name, with the built app in it. */
async function packageInkwell(folder: string): Promise<string> {
  const { executablePath } = electronFromEnvironment()
  const distribution = path.dirname(executablePath)
  const loader = path.join(distribution, 'resources', 'app')
  await cp(distribution, folder, { recursive: true, filter: (source) => source !== loader })
  for (const name of ['package.json', 'out']) {
    await cp(path.join(appPath, name), path.join(folder, 'resources', 'app', name), { recursive: true })
  }
  const executable = path.join(folder, 'inkwell')
  await rename(path.join(folder, path.basename(executablePath)), executable)
  return executable
}

test.skipIf(process.platform !== 'linux')(
  'a script rolls the packaged app out to ten profiles without a display, and takes it back (needs Linux)',
  async () => {
    const emulator = await startEmulator()
    const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-roll-out-'))
    onTestFinished(async () => {
      await emulator.close()
      await rm(folder, { recursive: true, force: true })
    })
    const inkwell = await packageInkwell(path.join(folder, 'Inkwell'))
    const { args } = electronFromEnvironment()
    const { DISPLAY: _, WAYLAND_DISPLAY: __, ...env } = process.env

    /** @returns the lines that the script prints. */
    async function rollOut(verb: string, input: string): Promise<readonly string[]> {
      const words = [verb, path.join(folder, 'profiles'), '10', inkwell, ...args, '--password-store=basic']
      return new Promise((resolve, reject) => {
        const script = execFile(
          path.join(appPath, 'roll-out.sh'),
          words,
          { env: { ...env, LATCHKEY_SERVICE_URL: emulator.baseUrl } },
          (error, stdout, stderr) =>
            error === null ? resolve(stdout.trim().split('\n')) : reject(new Error(`${stdout}${stderr}`)),
        )
        script.stdin?.end(input)
      })
    }

    const seats = (): number => emulator.control.keys(emulator.demoLicense.id).length
    const activated = await rollOut('activate', emulator.licenseKey)
    expect(activated).toEqual(Array(10).fill(expect.stringMatching(/^Activated with license /u)))
    // All profiles of a computer share its seat.
    expect(seats()).toBe(1)
    const deactivated = await rollOut('deactivate', '')
    expect(deactivated).toEqual(Array(10).fill('This device is deactivated, and its seat is available.'))
    expect(seats()).toBe(0)
  },
)
