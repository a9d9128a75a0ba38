import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Emulator } from '@latchkey/emulator'
import type { ElectronRuntime } from '../e2e/runtime/electron-runtime.ts'
import type { AppEnvironment } from './app-environment.ts'
import { exampleAppPath } from './stage.ts'
import { watchService } from './watch-service.ts'

const question = 'Enter starts the app again, as on the next day; q ends the demo: '

/** Opens the app for a person at the screen, as often as they like. All launches share their data. */
export async function openForVisitor(
  emulator: Emulator,
  runtime: ElectronRuntime,
  environment: AppEnvironment,
): Promise<void> {
  const userDataPath = await mkdtemp(path.join(os.tmpdir(), 'latchkey-demo-'))
  const stopWatching = watchService(emulator)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  terminal.once('SIGINT', () => process.exit(130))
  try {
    console.log('Paste this license key into the window (with any spaces around it, it does not matter):')
    console.log(`\n  ${emulator.licenseKey}\n`)
    console.log('What the service is asked appears below. Close the window when you have seen enough.\n')
    let wantsMore = true
    while (wantsMore) {
      await runApp(environment, runtime, userDataPath)
      // Without a terminal, nobody can answer.
      wantsMore = process.stdin.isTTY && (await terminal.question(question)).trim().toLowerCase() !== 'q'
    }
  } finally {
    terminal.close()
    stopWatching()
    await rm(userDataPath, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

async function runApp(
  environment: AppEnvironment,
  runtime: ElectronRuntime,
  userDataPath: string,
): Promise<void> {
  const args = [...runtime.args, `--user-data-dir=${userDataPath}`, exampleAppPath]
  const env = { ...process.env, ...environment }
  // Chromium's messages about the desktop would hide the service's log.
  const child = spawn(runtime.executablePath, args, { env, stdio: 'ignore' })
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (exitCode !== 0) throw new Error(`The app ended with ${exitCode ?? 'a signal'}.`)
}
