import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Emulator } from '@latchkey/emulator'
import { type GatewayInFront, startGatewayInFront } from '../../e2e/service-under-test.ts'
import { activateForStart, bundleApp, type Decided, decideOnce } from '../electron-program.ts'
import { type BenchReport, roundForReading, spreadOf } from '../report.ts'

const services = ['commerce', 'dodo', 'keygen', 'lemon-squeezy', 'polar'] as const
/** Apps that verify a signature at each launch. */
const withLeases = 'commerce behind a gateway with leaseKeys'
const withPublicKey = 'keygen with publicKey'

/** Shows that a launch costs the same, whichever licensing service the app uses. */
export async function bench(report: BenchReport): Promise<void> {
  const { startEmulator } = await import('@latchkey/emulator')
  await report.desktop()
  const folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-bench-'))
  const appPath = path.join(folder, 'main.cjs')
  const emulators = await Promise.all(services.map((face) => startEmulator({ face })))
  let gateway: GatewayInFront | null = null
  try {
    await bundleApp('start-app', appPath)
    const [commerceEmulator, , keygenEmulator] = emulators
    if (commerceEmulator === undefined || keygenEmulator === undefined)
      throw new Error('A service is missing.')
    gateway = await startGatewayInFront(commerceEmulator)
    const appOf = ({ face, baseUrl, settings, accessToken, licenseKey }: Emulator, name: string = face) => ({
      name,
      licenseKey,
      appPath,
      userDataPath: path.join(folder, name),
      env: {
        BENCH_SERVICE: face,
        BENCH_SERVICE_URL: baseUrl,
        BENCH_SERVICE_TOKEN: accessToken ?? '',
        BENCH_SERVICE_SETTINGS: JSON.stringify({ ...settings, publicKey: undefined }),
      },
    })
    const leased = appOf(commerceEmulator, withLeases)
    const signed = appOf(keygenEmulator, withPublicKey)
    const { service, leaseKeys } = gateway.access
    const apps = [
      ...emulators.map((emulator) => appOf(emulator)),
      {
        ...leased,
        env: {
          ...leased.env,
          BENCH_SERVICE_URL: service.baseUrl,
          BENCH_SERVICE_TOKEN: '',
          BENCH_LEASE_KEYS: leaseKeys ?? '',
        },
      },
      {
        ...signed,
        env: { ...signed.env, BENCH_SERVICE_SETTINGS: JSON.stringify(keygenEmulator.settings) },
      },
    ]
    for (const app of apps) await activateForStart(app, app.licenseKey)
    // The first starts fill the system's caches.
    for (const app of apps) await decideOnce(app)
    const decisions = new Map(apps.map(({ name }) => [name, [] as Decided[]]))
    const rounds = report.isLong ? 60 : 15
    for (let round = 0; round < rounds; round += 1) {
      // Every round starts with a different one.
      for (const offset of apps.keys()) {
        const app = apps[(round + offset) % apps.length]
        if (app !== undefined) decisions.get(app.name)?.push(await decideOnce(app))
      }
    }
    report.section(
      `A launch with each adapter, activated device, on real Electron (${rounds} rounds in turns)`,
    )
    const costs = (name: string): readonly number[] =>
      (decisions.get(name) ?? []).map(({ createMs, startMs }) => createMs + startMs)
    for (const { name } of apps) {
      const { median, lowerQuartile, upperQuartile } = spreadOf(costs(name))
      const middleHalf = `middle half ${roundForReading(lowerQuartile)} to ${roundForReading(upperQuartile)}`
      report.figure(`createLicensing() and start(), ${name}`, median, 'ms', middleHalf)
    }
    const compare = (name: string, base: string) => {
      const ratios = costs(name).map((cost, round) => cost / (costs(base)[round] ?? Number.NaN))
      report.figure(`ratio ${name} / ${base}`, spreadOf(ratios).median, '×', 'median of the rounds’ ratios')
    }
    for (const face of services.slice(1)) compare(face, 'commerce')
    compare(withPublicKey, withLeases)
  } finally {
    await gateway?.stop()
    await Promise.all(emulators.map((emulator) => emulator.close()))
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}
