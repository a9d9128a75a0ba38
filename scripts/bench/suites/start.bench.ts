import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Emulator } from '@latchkey/emulator'
import { activateForStart, bundleApp, type Decided, decideOnce } from '../electron-program.ts'
import { type BenchReport, roundForReading, spreadOf } from '../report.ts'

const delaysMs = [0, 200, 5_000] as const
/** How long the service takes for each answer to an activation, in milliseconds. */
const answerMs = 100

/** Shows that a launch never waits for the network: the service's delay must not affect it. */
export async function bench(report: BenchReport): Promise<void> {
  const { startEmulator } = await import('@latchkey/emulator')
  await report.desktop()
  const emulator = await startEmulator({ accessToken: 'demo' })
  const folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-bench-'))
  const appPath = path.join(folder, 'main.cjs')
  const userDataPath = path.join(folder, 'data')
  const env = { BENCH_SERVICE_URL: emulator.baseUrl, BENCH_SERVICE_TOKEN: emulator.accessToken ?? '' }
  try {
    await bundleApp('start-app', appPath)
    const app = { appPath, userDataPath, env }
    await activateForStart(app, emulator.demoLicense.id)

    await tellActivations(report, emulator, app)

    const decide = (): Promise<Decided> => decideOnce(app)
    const decisions = new Map(delaysMs.map((delayMs) => [delayMs, [] as Decided[]]))
    // The first starts fill the system's caches.
    await decide()
    await decide()
    const rounds = report.isLong ? 60 : 15
    for (let round = 0; round < rounds; round += 1) {
      // Every round starts with a different one.
      for (const offset of delaysMs.keys()) {
        const delayMs = delaysMs[(round + offset) % delaysMs.length] ?? 0
        emulator.control.faults.clear()
        emulator.control.faults.inject({ fault: 'delay', delayMs })
        decisions.get(delayMs)?.push(await decide())
      }
    }

    const all = [...decisions.values()].flat()
    report.section(
      `start() to a decided state, activated device, on real Electron (${rounds} rounds in turns)`,
    )
    tell(report, 'createLicensing() before it', all, ({ createMs }) => createMs)
    for (const delayMs of delaysMs) {
      tell(report, `service answers in ${delayMs} ms`, decisions.get(delayMs), ({ startMs }) => startMs)
    }
    const [atOnce = [], , late = []] = delaysMs.map((delayMs) => decisions.get(delayMs))
    const ratios = late.map(({ startMs }, round) => startMs / (atOnce[round]?.startMs ?? Number.NaN))
    report.figure('ratio 5,000 ms / 0 ms', spreadOf(ratios).median, '×', 'median of the rounds’ ratios')

    report.section('Processor time of the main thread in start()')
    for (const delayMs of delaysMs) {
      const name = `service answers in ${delayMs} ms`
      tell(report, name, decisions.get(delayMs), ({ mainThreadMs }) => mainThreadMs)
    }
  } finally {
    await emulator.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

/** Reports how long an activation takes beyond the service's answers, each time on a new device. */
async function tellActivations(
  report: BenchReport,
  { control, demoLicense }: Emulator,
  app: Parameters<typeof activateForStart>[0],
): Promise<void> {
  const rounds = report.isLong ? 30 : 10
  control.faults.inject({ fault: 'delay', delayMs: answerMs })
  report.section(`A first activation, beside the ${answerMs} ms of each answer (${rounds} rounds)`)
  let round = 0
  await report.repeat('time of its own', 'ms', rounds, async () => {
    round += 1
    for (const { id } of control.keys(demoLicense.id)) control.removeKey(demoLicense.id, id)
    const before = control.requests().length
    const userDataPath = `${app.userDataPath}-${round}`
    const activateMs = await activateForStart({ ...app, userDataPath }, demoLicense.id)
    return activateMs - answerMs * (control.requests().length - before)
  })
  control.faults.clear()
}

/** Reports median and spread of one of the times; nothing if the system doesn't report it. */
function tell(
  report: BenchReport,
  name: string,
  decisions: readonly Decided[] = [],
  timeOf: (decided: Decided) => number | null,
): void {
  const values = decisions.map(timeOf).filter((value) => value !== null)
  if (values.length === 0) {
    report.say(`${name}: not available on this system.`)
    return
  }
  const { median, lowerQuartile, upperQuartile } = spreadOf(values)
  const middleHalf = `middle half ${roundForReading(lowerQuartile)} to ${roundForReading(upperQuartile)}`
  report.figure(name, median, 'ms', middleHalf)
}
