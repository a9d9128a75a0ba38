import path from 'node:path'
import * as z from 'zod/mini'
import { bundle, startElectronProgram, withService } from '../electron-program.ts'
import type { BenchReport } from '../report.ts'

/** How long the service takes for each answer to an activation, in milliseconds. */
const answerMs = 100

const activatedSchema = z.object({ ok: z.literal(true), activateMs: z.number() })
const decidedSchema = z.object({
  createMs: z.number(),
  startMs: z.number(),
  mainThreadMs: z.number(),
  entitled: z.literal(true),
})

/** What an activation adds to the service's answers, and that a launch never waits for them. */
export async function bench(report: BenchReport): Promise<void> {
  await withService(report, async ({ emulator: { control, demoLicense }, folder, env }) => {
    const appPath = path.join(folder, 'main.cjs')
    await bundle('apps/start-app.ts', appPath)
    const run = async (data: string, word: string, variables: Readonly<Record<string, string>> = {}) => {
      const userDataPath = path.join(folder, data)
      const program = startElectronProgram({ appPath, userDataPath, env: { ...env, ...variables } })
      const { rest } = await program.line(word)
      await program.end()
      return JSON.parse(rest)
    }
    const activate = async (data: string): Promise<number> => {
      const { activateMs } = activatedSchema.parse(
        await run(data, 'activated', { BENCH_LICENSE_KEY: demoLicense.id }),
      )
      return activateMs
    }
    const setDelay = (delayMs: number): void => {
      control.faults.clear()
      control.faults.inject({ fault: 'delay', delayMs })
    }

    setDelay(answerMs)
    let device = 0
    const rounds = report.isLong ? 30 : 10
    report.section(`A first activation, beside the ${answerMs} ms of each answer (${rounds} rounds)`)
    await report.repeat('time of its own', 'ms', rounds, async () => {
      device += 1
      for (const { id } of control.keys(demoLicense.id)) control.removeKey(demoLicense.id, id)
      const before = control.requests().length
      const activateMs = await activate(`device-${device}`)
      return activateMs - answerMs * (control.requests().length - before)
    })

    control.faults.clear()
    for (const { id } of control.keys(demoLicense.id)) control.removeKey(demoLicense.id, id)
    await activate('data')
    const decide = async () => decidedSchema.parse(await run('data', 'decided'))
    // The first starts fill the system's caches.
    await decide()
    await decide()
    const decided: z.infer<typeof decidedSchema>[] = []
    const startAfter = (delayMs: number) => async () => {
      setDelay(delayMs)
      const latest = await decide()
      decided.push(latest)
      return latest.startMs
    }
    report.section('A launch of an activated device, on real Electron')
    await report.compare({
      name: 'start() to a decided state',
      unit: 'ms',
      pairs: report.isLong ? 60 : 15,
      baseline: { name: 'the service answers at once', measure: startAfter(0) },
      candidate: { name: 'the service answers in 5,000 ms', measure: startAfter(5_000) },
    })
    for (const [name, cost] of [
      ['createLicensing() before it', 'createMs'],
      // The time that the main thread has run on a processor. Only Linux reports it.
      ['processor time of start()', 'mainThreadMs'],
    ] as const) {
      const values = decided.map((one) => one[cost]).values()
      await report.repeat(name, 'ms', decided.length, async () => values.next().value ?? Number.NaN)
    }
  })
}
