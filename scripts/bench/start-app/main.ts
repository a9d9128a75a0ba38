import { createLicensing } from '@latchkey/electron/main'
import { app } from 'electron'
import { chooseService } from './choose-service.ts'
import { mainThreadMs } from './main-thread-time.ts'

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
