import type { BenchReport } from '../../../scripts/bench/report.ts'
import { generateSigningKey } from '../src/leases/signing-keys.ts'
import { startGatewayProcess, startProcess } from './processes/start-process.ts'
import { validateUnderLoad } from './processes/validate-under-load.ts'

/** Resident memory of a signing gateway under load over time: 10 minutes in the long run, half a minute otherwise. */
export async function bench(report: BenchReport): Promise<void> {
  const upstream = await startProcess(new URL('processes/static-upstream.ts', import.meta.url))
  const gateway = await startGatewayProcess(upstream.origin, {
    LATCHKEY_SIGNING_KEY: JSON.stringify(await generateSigningKey()),
  })
  try {
    const slices = 10
    const seconds = report.isLong ? 60 : 3
    report.section(`Gateway: memory while 100 connections validate for ${slices * seconds} s`)
    report.figure('at rest', (await gateway.memoryMib()) ?? Number.NaN, 'MiB')
    const samples: number[] = []
    for (let slice = 0; slice < slices; slice += 1) {
      await validateUnderLoad(gateway.origin, {
        seconds,
        headers: { 'latchkey-nonce': 'n0nce-n0nce-n0nce-n0nce' },
      })
      samples.push((await gateway.memoryMib()) ?? Number.NaN)
    }
    const half = slices / 2
    report.figure('first half, highest', Math.max(...samples.slice(0, half)), 'MiB')
    report.figure('second half, highest', Math.max(...samples.slice(half)), 'MiB')
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()])
  }
}
