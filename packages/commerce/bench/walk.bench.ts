import { fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { BenchReport } from '@latchkey/scripts/bench/report'
import { spreadOf } from '@latchkey/scripts/bench/report'
import { createNodeClient } from '../../services/src/node.ts'
import { type CommerceClient, type CommerceClientOptions, createCommerceClient } from '../src/index.ts'

const items = 1_000_000
const perPage = 25

/** Walks generated customers with the client, and with a bare loop over the same pages. */
export async function bench(report: BenchReport): Promise<void> {
  report.section(`Walking ${items.toLocaleString('en')} generated customers, ${perPage} on a page, on Node`)
  await benchSpeed(report)
  await benchHeap(report)
  await benchPrefetch(report)
}

/** Compares as `latchkey customers export` sends its requests, and as the client does by default. */
async function benchSpeed(report: BenchReport): Promise<void> {
  const { fetch, close } = createNodeClient()
  await compareWalks(report, 'as the command line exports them', { fetch })
  close()
  await compareWalks(report, 'with the default options', {})
}

async function compareWalks(
  report: BenchReport,
  how: string,
  options: Pick<CommerceClientOptions, 'fetch'>,
): Promise<void> {
  const pairs = report.isLong ? 20 : 8
  const itemsPerWalk = items / pairs
  await withServer(itemsPerWalk, 0, async (baseUrl) => {
    const commerce = createCommerceClient({ baseUrl, ...options })
    const perSecond = (walk: () => Promise<number>, cpuMs: number[]) => async () => {
      const startedMs = performance.now()
      const used = process.cpuUsage()
      const count = await walk()
      if (count !== itemsPerWalk) throw new Error(`Of ${itemsPerWalk} customers ${count} came.`)
      const { user, system } = process.cpuUsage(used)
      cpuMs.push((user + system) / count)
      return (count / (performance.now() - startedMs)) * 1000
    }
    const bareCpuMs: number[] = []
    const clientCpuMs: number[] = []
    const bare = perSecond(() => walkBare(baseUrl), bareCpuMs)
    const client = perSecond(() => walkClient(commerce), clientCpuMs)
    // Compilers need a while; it belongs to no pair.
    await bare()
    await client()
    await report.compare({
      name: `customers per second, ${how}`,
      unit: '/s',
      pairs,
      baseline: { name: 'fetch + JSON.parse', measure: bare },
      candidate: { name: 'client, all(), everything parsed', measure: client },
    })
    // Says what the walk itself costs where the generating server takes its share of a small machine.
    const bareMs = spreadOf(bareCpuMs.slice(1)).median
    const clientMs = spreadOf(clientCpuMs.slice(1)).median
    report.figure('processor time for 1,000, fetch + JSON.parse', bareMs, 'ms')
    report.figure(
      'processor time for 1,000, client',
      clientMs,
      'ms',
      `ratio ${(clientMs / bareMs).toFixed(2)}`,
    )
  })
}

async function benchHeap(report: BenchReport): Promise<void> {
  const collectGarbage = garbageCollector()
  const heapMb = (): number => {
    collectGarbage()
    return process.memoryUsage().heapUsed / 1_000_000
  }
  await withServer(items, 0, async (baseUrl) => {
    const commerce = createCommerceClient({ baseUrl })
    const samples: number[] = []
    let count = 0
    for await (const _customer of commerce.customers.all()) {
      if (count % (items / 20) === 0) samples.push(heapMb())
      count += 1
    }
    samples.push(heapMb())
    const [atFirst = Number.NaN] = samples
    report.figure('heap growth from the first customer to the last', (samples.at(-1) ?? 0) - atFirst, 'MB')
    report.figure('highest heap on the way, above the first', Math.max(...samples) - atFirst, 'MB')
  })
}

async function benchPrefetch(report: BenchReport): Promise<void> {
  const pages = 40
  await withServer(pages * perPage, 50, async (baseUrl) => {
    const commerce = createCommerceClient({ baseUrl })
    const pagesPerSecond = (prefetch: boolean) => async () => {
      const startedMs = performance.now()
      for await (const _page of commerce.customers.pages({ prefetch })) await sleep(50)
      return (pages / (performance.now() - startedMs)) * 1000
    }
    await report.compare({
      name: 'pages per second, the service answers in 50 ms, each page is 50 ms of work',
      unit: '/s',
      pairs: report.isLong ? 10 : 3,
      baseline: { name: 'one after the other', measure: pagesPerSecond(false) },
      candidate: { name: 'prefetch', measure: pagesPerSecond(true) },
    })
  })
}

async function walkBare(baseUrl: string): Promise<number> {
  let count = 0
  let url: string | null = `${baseUrl}/customers`
  while (url !== null) {
    const response: Response = await fetch(url, { headers: { accept: 'application/json' } })
    const page: { data: { id: string }[]; links: { next: string | null } } = JSON.parse(await response.text())
    for (const customer of page.data) if (customer.id !== '') count += 1
    url = page.links.next
  }
  return count
}

async function walkClient(commerce: CommerceClient): Promise<number> {
  let count = 0
  for await (const customer of commerce.customers.all()) if (customer.id !== '') count += 1
  return count
}

/** What has been dropped but not collected yet is no growth. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}

async function withServer<T>(
  customers: number,
  delayMs: number,
  use: (baseUrl: string) => Promise<T>,
): Promise<T> {
  const server = fork(new URL('customers-server.ts', import.meta.url), [String(customers), String(delayMs)])
  try {
    const port = await new Promise<unknown>((resolve, reject) => {
      server.once('message', resolve)
      server.once('exit', () => reject(new Error('The customers server did not start')))
    })
    return await use(`http://127.0.0.1:${port}/v1`)
  } finally {
    server.disconnect()
  }
}
