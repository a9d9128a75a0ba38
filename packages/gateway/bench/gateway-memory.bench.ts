import type { BenchReport } from '@latchkey/scripts/bench/report'
import { generateSigningKey } from '../src/leases/signing-keys.ts'
import { licenseCount, sendFiveVerbs } from './processes/five-verbs-under-load.ts'
import { startGatewayProcess, startProcess } from './processes/start-process.ts'

/** Resident memory of a signing gateway that is asked about 100,000 licenses with all five requests of an app. */
export async function bench(report: BenchReport): Promise<void> {
  const upstream = await startProcess(new URL('processes/licenses-upstream.ts', import.meta.url))
  const gateway = await startGatewayProcess(upstream.origin, {
    LATCHKEY_SIGNING_KEY: JSON.stringify(await generateSigningKey()),
    LATCHKEY_UPSTREAM_TIMEOUT_MS: '120000',
  })
  try {
    const slices = 10
    // In the long run each license is asked about five times for each of the five.
    const rounds = report.isLong ? 25 : 1
    const amount = (licenseCount * rounds) / slices
    report.section(
      `Gateway: memory while 100 connections send all five requests for ${licenseCount.toLocaleString('en')} licenses`,
    )
    report.figure('at rest', (await gateway.memoryMib()) ?? Number.NaN, 'MiB')
    const samples: number[] = []
    for (let slice = 0; slice < slices; slice += 1) {
      const headers = { 'latchkey-nonce': 'n0nce-n0nce-n0nce-n0nce' }
      await sendFiveVerbs(gateway.origin, { from: slice * amount, amount, headers })
      samples.push((await gateway.memoryMib()) ?? Number.NaN)
    }
    await expectWholeLoad(upstream.origin)
    const half = slices / 2
    report.figure('first half, highest', Math.max(...samples.slice(0, half)), 'MiB')
    report.figure('second half, highest', Math.max(...samples.slice(half)), 'MiB')
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()])
  }
}

/** @throws when the service was not asked about every license, or not for all five. */
async function expectWholeLoad(origin: string): Promise<void> {
  const response = await fetch(`${origin}/seen`)
  const seen: { licenses: number; verbs: Record<string, number> } = await response.json()
  const verbs = Object.keys(seen.verbs).sort().join(', ')
  if (seen.licenses !== licenseCount || verbs !== 'activate, deactivate, key, keys, validate') {
    throw new Error(`The service was asked about ${seen.licenses} licenses, for ${verbs}.`)
  }
}
