import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Emulator } from '@latchkey/emulator'
import type { ElectronRuntime } from '../e2e/runtime/electron-runtime.ts'
import { exampleAppPath } from '../workspace/repository.ts'
import type { Demo } from './start-demo.ts'
import { describeRequest } from './tour.ts'

const question = 'Enter starts the app again, as on the next day; q ends the demo: '

/** Opens the app for a person at the screen, as often as they like. All launches share their data. */
export async function openForVisitor(
  { emulator, environment, licenseKey }: Demo,
  runtime: ElectronRuntime,
): Promise<void> {
  const userDataPath = await mkdtemp(path.join(os.tmpdir(), 'latchkey-demo-'))
  const stopWatching = watchService(emulator)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  terminal.once('SIGINT', () => process.exit(130))
  try {
    console.log('Paste this license key into the window (with any spaces around it, it does not matter):')
    console.log(`\n  ${licenseKey}\n`)
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
  environment: Demo['environment'],
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

/** Prints every request once it is answered. @returns a function that stops it. */
function watchService(emulator: Emulator): () => void {
  let printedId = 0
  const timer = setInterval(() => {
    for (const request of emulator.control.requests()) {
      if (request.id <= printedId) continue
      // Wait for the earlier one, so that the log stays in order.
      if (request.outcome === 'pending') return
      printedId = request.id
      const { activation_usage_formatted } = emulator.control.license(emulator.demoLicense.id)
      console.log(`  service: ${describeRequest(request)}   (seats in use: ${activation_usage_formatted})`)
    }
  }, 100)
  return () => clearInterval(timer)
}
