import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import * as z from 'zod/mini'
import { startElectronProgram } from '../electron-program.ts'
import type { BenchReport } from '../report.ts'
import { spreadOf } from '../statistics.ts'

const delaysMs = [0, 200, 5_000] as const
const decidedSchema = z.object({ createMs: z.number(), startMs: z.number(), entitled: z.boolean() })
const activatedSchema = z.object({ ok: z.boolean() })

/** That a launch never waits for the network: the service's delay must not show. */
export async function bench(report: BenchReport): Promise<void> {
  const { startEmulator } = await import('@latchkey/emulator')
  await report.desktop()
  const emulator = await startEmulator()
  const folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-bench-'))
  const appPath = path.join(folder, 'main.cjs')
  const userDataPath = path.join(folder, 'data')
  const env = { BENCH_SERVICE_URL: emulator.baseUrl, BENCH_SERVICE_TOKEN: emulator.accessToken ?? '' }
  try {
    await build({
      entryPoints: [path.join(import.meta.dirname, '..', 'start-app', 'main.ts')],
      outfile: appPath,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node18.15',
      external: ['electron'],
      // Bundled as CommonJS there is no import.meta; the app does without it.
      logOverride: { 'empty-import-meta': 'silent' },
    })
    await activate(appPath, userDataPath, { ...env, BENCH_LICENSE_KEY: emulator.demoLicense.id })

    const decide = async () => {
      const program = startElectronProgram({ appPath, userDataPath, env })
      const decided = decidedSchema.parse(JSON.parse((await program.line('decided')).rest))
      await program.end()
      if (!decided.entitled) throw new Error('The device was not entitled.')
      return decided
    }
    const startMs = new Map<number, number[]>(delaysMs.map((delayMs) => [delayMs, []]))
    const createMs: number[] = []
    await decide()
    const rounds = report.isLong ? 30 : 7
    for (let round = 0; round < rounds; round += 1) {
      // A different one first in every round.
      for (const offset of delaysMs.keys()) {
        const delayMs = delaysMs[(round + offset) % delaysMs.length] ?? 0
        emulator.control.faults.clear()
        emulator.control.faults.inject({ fault: 'delay', delayMs })
        const decided = await decide()
        startMs.get(delayMs)?.push(decided.startMs)
        createMs.push(decided.createMs)
      }
    }

    report.section('start() to a decided state, activated device, on real Electron')
    report.figure('createLicensing() before it', spreadOf(createMs).median, 'ms')
    for (const delayMs of delaysMs) {
      const { median, lowerQuartile, upperQuartile } = spreadOf(startMs.get(delayMs) ?? [])
      const note = `${rounds} launches, middle half ${lowerQuartile.toFixed(1)} to ${upperQuartile.toFixed(1)}`
      report.figure(`service answers in ${delayMs} ms`, median, 'ms', note)
    }
    const withoutDelay = startMs.get(0) ?? []
    const ratios = (startMs.get(5_000) ?? []).map(
      (value, round) => value / (withoutDelay[round] ?? Number.NaN),
    )
    report.figure(
      'ratio 5,000 ms / 0 ms',
      spreadOf(ratios).median,
      '×',
      'median of the ratios within each round',
    )
  } finally {
    await emulator.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

async function activate(appPath: string, userDataPath: string, env: Record<string, string>): Promise<void> {
  const program = startElectronProgram({ appPath, userDataPath, env })
  const { ok } = activatedSchema.parse(JSON.parse((await program.line('activated')).rest))
  await program.end()
  if (!ok) throw new Error('The device could not be activated.')
}
