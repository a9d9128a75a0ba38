import type { BenchReport } from '@latchkey/scripts/bench/report'
import { generateSigningKey } from '../src/leases/signing-keys.ts'
import { type ServerProcess, startGatewayProcess, startProcess } from './processes/start-process.ts'
import { type LoadResult, validateUnderLoad } from './processes/validate-under-load.ts'

interface Result extends LoadResult {
  /** Processor time of the server for one request, in microseconds. */
  readonly cpuUs: number
}

const wanted = { 'latchkey-nonce': 'n0nce-n0nce-n0nce-n0nce' }

/**
 * Requests a second and latency, beside a bare Hono reverse proxy of the same route in the same run: one on the gateway's
 * own HTTP client, so that only the gateway's work differs, and one on the global `fetch`, as everybody writes it.
 */
export async function bench(report: BenchReport): Promise<void> {
  const upstream = await startProcess(new URL('processes/static-upstream.ts', import.meta.url))
  const started: ServerProcess[] = [upstream]
  const start = async (server: Promise<ServerProcess>): Promise<ServerProcess> => {
    const running = await server
    started.push(running)
    return running
  }
  try {
    const startProxy = (client: string) =>
      start(
        startProcess(new URL('processes/bare-proxy.ts', import.meta.url), {
          UPSTREAM: `${upstream.origin}/v1`,
          CLIENT: client,
        }),
      )
    const bare = await startProxy('pooled')
    const usual = await startProxy('fetch')
    const unsigned = await start(startGatewayProcess(upstream.origin))
    const signed = await start(
      startGatewayProcess(upstream.origin, {
        LATCHKEY_SIGNING_KEY: JSON.stringify(await generateSigningKey()),
      }),
    )
    report.section('Gateway: 100 connections that validate, in front of a service that answers immediately')
    const seconds = report.isLong ? 15 : 4
    const pairs = report.isLong ? 10 : 5
    const measuring =
      (server: ServerProcess, results: Result[], headers = {}) =>
      async () => {
        const usedMs = (await server.cpuMs()) ?? Number.NaN
        const load = await validateUnderLoad(server.origin, { seconds, headers })
        const cpuMs = ((await server.cpuMs()) ?? Number.NaN) - usedMs
        results.push({ ...load, cpuUs: (cpuMs * 1000) / load.requests })
        return load.requestsPerSecond
      }
    // Compilers need a while; it belongs to no pair.
    for (const server of [bare, usual, unsigned, signed])
      await validateUnderLoad(server.origin, { seconds, headers: wanted })

    for (const [name, server, headers, proxyName, proxy] of [
      ['gateway, unsigned', unsigned, {}, 'bare Hono reverse proxy, same client', bare],
      ['gateway, each answer signed', signed, wanted, 'bare Hono reverse proxy, same client', bare],
      [
        'gateway, unsigned, compared with the usual proxy',
        unsigned,
        {},
        'bare Hono reverse proxy, global fetch',
        usual,
      ],
    ] as const) {
      const bareResults: Result[] = []
      const results: Result[] = []
      await report.compare({
        name,
        unit: 'req/s',
        pairs,
        baseline: { name: proxyName, measure: measuring(proxy, bareResults, headers) },
        candidate: { name, measure: measuring(server, results, headers) },
      })
      for (const [who, which] of [
        [proxyName, bareResults],
        [name, results],
      ] as const) {
        report.figure(`p99, ${who}`, median(which.map(({ p99Ms }) => p99Ms)), 'ms')
        report.figure(`processor time for one request, ${who}`, median(which.map(({ cpuUs }) => cpuUs)), 'µs')
      }
    }
  } finally {
    await Promise.all(started.map((server) => server.stop()))
  }
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
