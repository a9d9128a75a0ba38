import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import * as z from 'zod/mini'
import { bundleApp, startElectronProgram } from '../electron-program.ts'
import type { BenchReport } from '../report.ts'

type Kind = 'static' | 'activation'

const paintedSchema = z.array(z.number())

const staticPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Static</title><h1>Activate</h1><p>A page without a script.</p></html>
`

/** The cost of the activation window compared with an empty window. */
export async function bench(report: BenchReport): Promise<void> {
  const { startEmulator } = await import('@latchkey/emulator')
  await report.desktop()
  const emulator = await startEmulator({ accessToken: 'demo' })
  const folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-bench-'))
  const appPath = path.join(folder, 'main.cjs')
  const userDataPath = path.join(folder, 'data')
  const env = { BENCH_SERVICE_URL: emulator.baseUrl, BENCH_SERVICE_TOKEN: emulator.accessToken ?? '' }
  try {
    await bundleApp('window-app', appPath)
    await writeFile(path.join(folder, 'static.html'), staticPage)
    const open = async (kinds: readonly Kind[]): Promise<number[]> => {
      const windows = { ...env, BENCH_WINDOWS: kinds.join(',') }
      const program = startElectronProgram({ appPath, userDataPath, env: windows })
      const painted = paintedSchema.parse(JSON.parse((await program.line('painted')).rest))
      await program.end()
      return painted
    }

    report.section('From the call to the first text in the window, on real Electron')
    const first = (kind: Kind) => async () => (await open([kind]))[0] ?? Number.NaN
    // The first start creates folders and caches.
    await open(['static', 'activation'])
    await report.compare({
      name: 'first window of an app that just started',
      unit: 'ms',
      pairs: report.isLong ? 50 : 15,
      baseline: { name: 'BrowserWindow with a static page', measure: first('static') },
      candidate: { name: 'openActivationWindow()', measure: first('activation') },
    })

    const pairs = report.isLong ? 50 : 15
    const order = Array.from({ length: pairs }, (_, pair): Kind[] =>
      pair % 2 === 0 ? ['static', 'activation'] : ['activation', 'static'],
    ).flat()
    const warmUp: Kind[] = ['static', 'activation']
    const painted = (await open([...warmUp, ...order])).slice(warmUp.length)
    const later = (kind: Kind) => {
      const values = painted.filter((_, index) => order[index] === kind).values()
      return async () => values.next().value ?? Number.NaN
    }
    await report.compare({
      name: 'another window of a running app',
      unit: 'ms',
      pairs,
      baseline: { name: 'BrowserWindow with a static page', measure: later('static') },
      candidate: { name: 'openActivationWindow()', measure: later('activation') },
    })
  } finally {
    await emulator.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}
