import { fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type CommerceClient, createCommerceClient } from '../src/index.ts'

// Walks generated customers with the client and with a bare fetch + JSON.parse loop, in turns.
//   node packages/commerce/bench/walk.ts [--items 1000000] [--rounds 8] [--json]

const { values: args } = parseArgs({
  options: {
    items: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
  },
})

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const speed = await measureSpeed(Number(args.items), Number(args.rounds))
const heap = await measureHeap(Number(args.items))
const prefetch = await measurePrefetch(40)
process.stdout.write(args.json ? `${JSON.stringify({ speed, heap, prefetch })}\n` : report())

function report(): string {
  return [
    `Walking ${speed.items} customers, ${speed.rounds} rounds in turns (median of the rounds):`,
    `  bare fetch + JSON.parse   ${speed.barePerSecond} items/s`,
    `  client, all()             ${speed.clientPerSecond} items/s   ratio ${speed.ratio} (aim 0.6 or more)`,
    `Heap over one walk of ${heap.items}: ${heap.growthMb} MB growth (aim under 20), highest ${heap.highestMb} MB above the start`,
    `A service that answers in 50 ms, 50 ms of work per page, ${prefetch.pages} pages:`,
    `  one after the other ${prefetch.plainMs} ms, prefetch ${prefetch.prefetchMs} ms   ${prefetch.times} times (aim 1.8)`,
    '',
  ].join('\n')
}

async function measureSpeed(items: number, rounds: number) {
  const itemsPerRound = Math.ceil(items / rounds / 25) * 25
  return withServer(itemsPerRound, 0, async (baseUrl) => {
    const commerce = createCommerceClient({ baseUrl })
    await walkBare(baseUrl)
    await walkClient(commerce)
    const bareMs: number[] = []
    const clientMs: number[] = []
    for (let round = 0; round < rounds; round++) {
      const turns = [
        async () => bareMs.push(await timeOf(() => walkBare(baseUrl))),
        async () => clientMs.push(await timeOf(() => walkClient(commerce))),
      ]
      for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn()
    }
    const perSecond = (ms: number): number => Math.round((itemsPerRound / ms) * 1000)
    const ratios = bareMs.map((ms, round) => ms / (clientMs[round] ?? Number.NaN))
    return {
      items: itemsPerRound * rounds,
      rounds,
      barePerSecond: perSecond(median(bareMs)),
      clientPerSecond: perSecond(median(clientMs)),
      ratio: Number(median(ratios).toFixed(2)),
    }
  })
}

async function measureHeap(items: number) {
  return withServer(items, 0, async (baseUrl) => {
    const commerce = createCommerceClient({ baseUrl })
    const heapMb = (): number => {
      collectGarbage()
      return process.memoryUsage().heapUsed / 1024 / 1024
    }
    const samples: number[] = []
    const every = Math.max(1, Math.floor(items / 20))
    let count = 0
    for await (const _customer of commerce.customers.all()) {
      if (count++ % every === 0) samples.push(heapMb())
    }
    samples.push(heapMb())
    const start = samples[0] ?? 0
    return {
      items,
      growthMb: Number(((samples.at(-1) ?? 0) - start).toFixed(1)),
      highestMb: Number((Math.max(...samples) - start).toFixed(1)),
    }
  })
}

async function measurePrefetch(pages: number) {
  return withServer(pages * 25, 50, async (baseUrl) => {
    const commerce = createCommerceClient({ baseUrl })
    const walk = async (prefetch: boolean): Promise<void> => {
      for await (const _page of commerce.customers.pages({ prefetch })) await sleep(50)
    }
    const plainMs = await timeOf(() => walk(false))
    const prefetchMs = await timeOf(() => walk(true))
    return {
      pages,
      plainMs: Math.round(plainMs),
      prefetchMs: Math.round(prefetchMs),
      times: Number((plainMs / prefetchMs).toFixed(2)),
    }
  })
}

async function walkBare(baseUrl: string): Promise<number> {
  let count = 0
  let url: string | null = `${baseUrl}/customers`
  while (url !== null) {
    const response: Response = await fetch(url, { headers: { accept: 'application/json' } })
    const page: { data: { id: string }[]; links: { next: string | null } } = JSON.parse(await response.text())
    for (const customer of page.data) if (customer.id !== '') count++
    url = page.links.next
  }
  return count
}

async function walkClient(commerce: CommerceClient): Promise<number> {
  let count = 0
  for await (const customer of commerce.customers.all()) if (customer.id !== '') count++
  return count
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

function median(numbers: number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return ((sorted[middle] ?? Number.NaN) + (sorted[Math.ceil(sorted.length / 2 - 0.5)] ?? Number.NaN)) / 2
}

async function withServer<T>(
  items: number,
  delayMs: number,
  use: (baseUrl: string) => Promise<T>,
): Promise<T> {
  const server = fork(new URL('customers-server.ts', import.meta.url), [String(items), String(delayMs)])
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
