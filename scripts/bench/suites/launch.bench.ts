import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import * as z from 'zod/mini'
import { launchApp } from '../../e2e/launch-app.ts'
import { waitUntil } from '../../e2e/wait-until.ts'
import { exampleAppPath } from '../../workspace/repository.ts'
import { startElectronProgram } from '../electron-program.ts'
import { type BenchReport, expectMainWindow } from '../report.ts'

const watchPath = path.join(import.meta.dirname, '..', 'launch-watch.cjs')
const windowSchema = z.object({ url: z.string() })
/** The same notebook built without Latchkey. */
const bareAppPath = path.join(exampleAppPath, 'out-bare', 'main', 'index.cjs')

/** What Latchkey adds to every launch of an activated app. */
export async function bench(report: BenchReport): Promise<void> {
  const { startEmulator } = await import('@latchkey/emulator')
  await report.desktop()
  const emulator = await startEmulator({ accessToken: 'demo' })
  const folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-bench-'))
  const licensedData = path.join(folder, 'licensed')
  const bareData = path.join(folder, 'bare')
  const env = { LATCHKEY_SERVICE_URL: emulator.baseUrl, LATCHKEY_SERVICE_TOKEN: emulator.accessToken ?? '' }
  try {
    await activateOnce(licensedData, env, emulator.demoLicense.id)
    report.section('Process start to the first window of the example, on real Electron')
    const launch = (appPath: string, userDataPath: string) => async () => {
      const program = startElectronProgram({ appPath, userDataPath, env, preloadedScript: watchPath })
      const { rest, afterMs } = await program.line('gated-window')
      await program.end()
      expectMainWindow(windowSchema.parse(JSON.parse(rest)).url)
      return afterMs
    }
    const bare = launch(bareAppPath, bareData)
    const licensed = launch(exampleAppPath, licensedData)
    // The first start of each creates its folders and caches.
    await bare()
    await licensed()
    await report.compare({
      name: 'launch',
      unit: 'ms',
      pairs: report.isLong ? 50 : 15,
      baseline: { name: 'Latchkey taken out', measure: bare },
      candidate: { name: 'with Latchkey, activated', measure: licensed },
    })
    const keys = emulator.control.keys(emulator.demoLicense.id).length
    if (keys !== 1)
      throw new Error(`The launches were no launches of one activated device: ${keys} seats are taken.`)
  } finally {
    await emulator.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

async function activateOnce(
  userDataPath: string,
  env: Readonly<Record<string, string>>,
  licenseKey: string,
): Promise<void> {
  const app = await launchApp({ appPath: exampleAppPath, userDataPath, env })
  const window = await app.firstWindow()
  await window.getByLabel('License key').fill(licenseKey)
  await window.getByRole('button', { name: 'Activate', exact: true }).click()
  await waitUntil('the main window opens', async () => {
    const counts = await Promise.all(
      app.electronApp.windows().map((page) =>
        page
          .locator('.sidebar')
          .count()
          .catch(() => 0),
      ),
    )
    return counts.some((count) => count > 0) ? true : undefined
  })
  await app.close()
}
