import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import { bundle, startElectronProgram, withService } from '../electron-program.ts'
import type { BenchReport } from '../report.ts'

type Kind = 'static' | 'activation'

const paintedSchema = z.array(z.number())

const staticPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Static</title><h1>Activate</h1><p>A page without a script.</p></html>
`

/** The cost of the activation window compared with an empty window. */
export async function bench(report: BenchReport): Promise<void> {
  await withService(report, async ({ folder, env }) => {
    const app = { appPath: path.join(folder, 'main.cjs'), userDataPath: path.join(folder, 'data') }
    await bundle('apps/window-app.ts', app.appPath)
    await writeFile(path.join(folder, 'static.html'), staticPage)
    const open = async (kinds: readonly Kind[]): Promise<number[]> => {
      const program = startElectronProgram({ ...app, env: { ...env, BENCH_WINDOWS: kinds.join(',') } })
      const painted = paintedSchema.parse(JSON.parse((await program.line('painted')).rest))
      await program.end()
      return painted
    }
    const pairs = report.isLong ? 50 : 15
    const compare = (name: string, measure: (kind: Kind) => () => Promise<number>): Promise<void> =>
      report.compare({
        name,
        unit: 'ms',
        pairs,
        baseline: { name: 'BrowserWindow with a static page', measure: measure('static') },
        candidate: { name: 'openActivationWindow()', measure: measure('activation') },
      })

    report.section('From the call to the first text in the window, on real Electron')
    // The first start creates folders and caches.
    await open(['static', 'activation'])
    await compare(
      'first window of an app that just started',
      (kind) => async () => (await open([kind]))[0] ?? Number.NaN,
    )

    const order = Array.from({ length: pairs }, (_, pair): Kind[] =>
      pair % 2 === 0 ? ['static', 'activation'] : ['activation', 'static'],
    ).flat()
    const warmUp: Kind[] = ['static', 'activation']
    const painted = (await open([...warmUp, ...order])).slice(warmUp.length)
    await compare('another window of a running app', (kind) => {
      const values = painted.filter((_, index) => order[index] === kind).values()
      return async () => values.next().value ?? Number.NaN
    })
  })
}
