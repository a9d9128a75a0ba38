import path from 'node:path'
import { launchApp } from '../../e2e/launch-app.ts'
import { exampleAppPath } from '../../workspace/repository.ts'
import { firstWindowAfter, withService } from '../electron-program.ts'
import type { BenchReport } from '../report.ts'

/** The same notebook built without Latchkey. */
const bareAppPath = path.join(exampleAppPath, 'out-bare', 'main', 'index.cjs')

/** What Latchkey adds to every launch of an activated app. */
export async function bench(report: BenchReport): Promise<void> {
  await withService(report, async ({ emulator, folder }) => {
    const env = { LATCHKEY_SERVICE_URL: emulator.baseUrl, LATCHKEY_SERVICE_TOKEN: emulator.accessToken ?? '' }
    const licensedApp = { appPath: exampleAppPath, userDataPath: path.join(folder, 'licensed'), env }
    const bareApp = { appPath: bareAppPath, userDataPath: path.join(folder, 'bare'), env }
    const app = await launchApp(licensedApp)
    const activation = await app.firstWindow()
    await activation.getByLabel('License key').fill(emulator.demoLicense.id)
    const opened = app.electronApp.waitForEvent('window')
    await activation.getByRole('button', { name: 'Activate', exact: true }).click()
    await opened
    await app.close()

    report.section('Process start to the first window of the example, on real Electron')
    const bare = () => firstWindowAfter(bareApp)
    const licensed = () => firstWindowAfter(licensedApp)
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
  })
}
