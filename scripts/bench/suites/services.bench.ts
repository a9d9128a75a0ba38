import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { bundleApp } from '../bundle-app.ts'
import type { BenchReport } from '../report.ts'
import { activateForStart, type Decided, decideOnce } from '../start-app/run-start-app.ts'
import { roundForReading, spreadOf } from '../statistics.ts'

const services = ['commerce', 'dodo', 'keygen', 'lemon-squeezy', 'polar'] as const

/** Shows that a launch costs the same, whichever licensing service the app uses. */
export async function bench(report: BenchReport): Promise<void> {
  const { startEmulator } = await import('@latchkey/emulator')
  await report.desktop()
  const folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-bench-'))
  const appPath = path.join(folder, 'main.cjs')
  const emulators = await Promise.all(services.map((face) => startEmulator({ face })))
  try {
    await bundleApp('start-app', appPath)
    const apps = emulators.map(({ face, baseUrl, settings, accessToken, licenseKey }) => ({
      face,
      licenseKey,
      appPath,
      userDataPath: path.join(folder, face),
      env: {
        BENCH_SERVICE: face,
        BENCH_SERVICE_URL: baseUrl,
        BENCH_SERVICE_TOKEN: accessToken ?? '',
        BENCH_SERVICE_SETTINGS: JSON.stringify(settings),
      },
    }))
    for (const app of apps) await activateForStart(app, app.licenseKey)
    // The first starts fill the system's caches.
    for (const app of apps) await decideOnce(app)
    const decisions = new Map(services.map((face) => [face, [] as Decided[]]))
    const rounds = report.isLong ? 60 : 15
    for (let round = 0; round < rounds; round += 1) {
      // Every round starts with a different one.
      for (const offset of apps.keys()) {
        const app = apps[(round + offset) % apps.length]
        if (app !== undefined) decisions.get(app.face)?.push(await decideOnce(app))
      }
    }
    report.section(
      `A launch with each adapter, activated device, on real Electron (${rounds} rounds in turns)`,
    )
    const costs = (face: (typeof services)[number]): readonly number[] =>
      (decisions.get(face) ?? []).map(({ createMs, startMs }) => createMs + startMs)
    for (const face of services) {
      const { median, lowerQuartile, upperQuartile } = spreadOf(costs(face))
      const middleHalf = `middle half ${roundForReading(lowerQuartile)} to ${roundForReading(upperQuartile)}`
      report.figure(`createLicensing() and start(), ${face}`, median, 'ms', middleHalf)
    }
    for (const face of services.slice(1)) {
      const ratios = costs(face).map((cost, round) => cost / (costs('commerce')[round] ?? Number.NaN))
      report.figure(`ratio ${face} / commerce`, spreadOf(ratios).median, '×', 'median of the rounds’ ratios')
    }
  } finally {
    await Promise.all(emulators.map((emulator) => emulator.close()))
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}
