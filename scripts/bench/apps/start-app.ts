import { readFileSync } from 'node:fs'
import { createLicensing, type LicensingOptions } from '@latchkey/electron/main'
import { app } from 'electron'
/** The service that the bench chose. Only the chosen adapter is loaded. */
export async function chooseService(): Promise<LicensingOptions['service']> {
  const baseUrl = process.env['BENCH_SERVICE_URL'] ?? ''
  const accessToken = process.env['BENCH_SERVICE_TOKEN'] ?? ''
  const settings: Record<string, string> = JSON.parse(process.env['BENCH_SERVICE_SETTINGS'] ?? '{}')
  const { organizationId = '', benefitId, storeId = '', productId = '' } = settings
  const { account, product = '', publicKey } = settings
  switch (process.env['BENCH_SERVICE']) {
    case 'dodo':
      return (await import('@latchkey/services/dodo')).dodo({ baseUrl, productId })
    case 'keygen':
      return (await import('@latchkey/services/keygen')).keygen({ baseUrl, account, product, publicKey })
    case 'lemon-squeezy':
      return (await import('@latchkey/services/lemon-squeezy')).lemonSqueezy({ baseUrl, storeId, productId })
    case 'polar':
      return (await import('@latchkey/services/polar')).polar({ baseUrl, organizationId, benefitId })
    default:
      return { baseUrl, ...(accessToken !== '' && { accessToken }) }
  }
}

/**
 * Returns how long this process's main thread has run on a processor, in milliseconds; `null` if the system doesn't
 * report it. Excludes waiting and time taken by other processes.
 */
export function mainThreadMs(): number | null {
  if (process.platform !== 'linux') return null
  // The kernel updates the figure when the thread pauses.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.05)
  const [runNanoseconds] = readFileSync('/proc/self/schedstat', 'utf8').split(' ')
  return Number(runNanoseconds) / 1_000_000
}

// Measures licensing inside the app, without windows: how long `start()` takes until the state is decided.

const licenseKey = process.env['BENCH_LICENSE_KEY']
/** As JSON. */
const leaseKeys = process.env['BENCH_LEASE_KEYS']

void app.whenReady().then(async () => {
  const service = await chooseService()
  const createdAtMs = performance.now()
  const licensing = createLicensing({
    appId: 'com.example.bench',
    service,
    ...(leaseKeys !== undefined && { leaseKeys: JSON.parse(leaseKeys) }),
  })
  const createMs = performance.now() - createdAtMs
  const ranBeforeMs = mainThreadMs()
  const startedAtMs = performance.now()
  const { entitled } = await licensing.start()
  const startMs = performance.now() - startedAtMs
  const ranAfterMs = mainThreadMs()
  if (licenseKey !== undefined) {
    const result = await licensing.activate(licenseKey)
    process.stdout.write(`activated ${JSON.stringify({ ok: result.ok })}\n`)
    return
  }
  const mainThread = ranBeforeMs === null || ranAfterMs === null ? null : ranAfterMs - ranBeforeMs
  process.stdout.write(
    `decided ${JSON.stringify({ createMs, startMs, mainThreadMs: mainThread, entitled })}\n`,
  )
})
