import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import {
  type AnswerDelay,
  activateNotebook,
  buildGatedApp,
  type GatedNotebook,
  installPeers,
  launchNotebook,
  type PeerServiceControl,
  peers,
  startPeerService,
} from '../peers/notebooks.ts'
import { type BenchReport, roundForReading, spreadOf } from '../report.ts'

const networks: readonly { readonly name: string; readonly delayMs: AnswerDelay }[] = [
  { name: 'the service answers at once', delayMs: 0 },
  { name: 'the service answers after 5 s', delayMs: 5_000 },
  { name: 'the service never answers', delayMs: null },
]

/** Compares the same notebook behind Latchkey, behind each peer, and without a gate, in turns. */
export async function bench(report: BenchReport): Promise<void> {
  await report.desktop()
  const folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-peers-'))
  const latchkeyService = await startLatchkeyService()
  const peerService = await startPeerService()
  try {
    const peerModules = await installPeers()
    const environment = { serviceUrl: peerService.url, accessToken: 'token', licenseKey: 'IK-AAAA-BBBB-CCCC' }
    const prepare = async (name: string, gate: string, service: PeerServiceControl | null) => {
      const mainFile = await buildGatedApp(gate, path.join(folder, gate), peerModules)
      return { name, mainFile, userDataPath: path.join(folder, gate, 'data'), service }
    }
    const bare = await prepare('without a gate', 'without-a-gate', null)
    const gated = [await prepare('Latchkey', 'latchkey', latchkeyService.control)]
    for (const { name, version, gate } of peers) {
      gated.push(await prepare(`${name} ${version}`, gate, { ...peerService, environment }))
    }
    const notebooks = [bare, ...gated]
    for (const notebook of notebooks) await activateNotebook(notebook)
    // The first start fills the system's caches.
    for (const notebook of notebooks) await launchNotebook(notebook)

    report.section('What was done to make each run')
    report.say(
      'The notebook’s main process is bundled and minified by esbuild; preload script, page and window are the same in all. ' +
        'A launch ends when the first window is shown and painted.',
    )
    for (const { name, madeToRun } of peers) report.say(`${name}: ${madeToRun}.`)

    for (const { name, delayMs } of networks) await tellLaunches(report, notebooks, name, delayMs)
  } finally {
    await latchkeyService.close()
    await peerService.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

async function startLatchkeyService() {
  const { startEmulator } = await import('@latchkey/emulator')
  const emulator = await startEmulator({ accessToken: 'demo' })
  const control: PeerServiceControl = {
    environment: {
      serviceUrl: emulator.baseUrl,
      accessToken: emulator.accessToken ?? '',
      licenseKey: emulator.demoLicense.id,
    },
    setDelay(delayMs) {
      emulator.control.faults.clear()
      if (delayMs === null) emulator.control.faults.inject({ fault: 'timeout' })
      else emulator.control.faults.inject({ fault: 'delay', delayMs })
    },
  }
  return { control, close: () => emulator.close() }
}

async function tellLaunches(
  report: BenchReport,
  notebooks: readonly GatedNotebook[],
  network: string,
  delayMs: AnswerDelay,
): Promise<void> {
  const rounds = report.isLong ? 50 : 15
  const launches = notebooks.map((): number[] => [])
  for (const { service } of notebooks) service?.setDelay(delayMs)
  for (let round = 0; round < rounds; round += 1) {
    // Every round starts with a different one.
    for (const offset of notebooks.keys()) {
      const index = (round + offset) % notebooks.length
      const notebook = notebooks[index]
      if (notebook !== undefined) launches[index]?.push(await launchNotebook(notebook))
    }
  }
  report.section(`Process start to the first painted window: ${network} (${rounds} rounds in turns)`)
  tellBesideFirst(report, notebooks, launches)
}

/** Reports each notebook's median, and its ratio to the first one as the median of the rounds. */
function tellBesideFirst(
  report: BenchReport,
  notebooks: readonly GatedNotebook[],
  series: readonly (readonly number[])[],
): void {
  const [first = []] = series
  for (const [index, { name }] of notebooks.entries()) {
    const values = series[index] ?? []
    const { median, lowerQuartile, upperQuartile } = spreadOf(values)
    const middleHalf = `middle half ${roundForReading(lowerQuartile)} to ${roundForReading(upperQuartile)}`
    const ratios = spreadOf(values.map((value, round) => value / (first[round] ?? Number.NaN)))
    const ratio = `${roundForReading(ratios.median)} × the notebook without a gate (${roundForReading(ratios.lowerQuartile)} to ${roundForReading(ratios.upperQuartile)})`
    report.figure(name, median, 'ms', index === 0 ? middleHalf : `${ratio}; ${middleHalf}`)
  }
}
