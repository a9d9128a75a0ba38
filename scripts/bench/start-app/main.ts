import { createLicensing } from '@latchkey/electron/main'
import { app } from 'electron'

// Measures licensing from the inside, without windows: what `start()` takes until the state is decided.

const licenseKey = process.env['BENCH_LICENSE_KEY']
const baseUrl = process.env['BENCH_SERVICE_URL'] ?? ''
const accessToken = process.env['BENCH_SERVICE_TOKEN'] ?? ''

void app.whenReady().then(async () => {
  const createdAtMs = performance.now()
  const licensing = createLicensing({ appId: 'com.example.bench', service: { baseUrl, accessToken } })
  const startedAtMs = performance.now()
  const { entitled } = await licensing.start()
  const decidedAtMs = performance.now()
  if (licenseKey !== undefined) {
    const result = await licensing.activate(licenseKey)
    process.stdout.write(`activated ${JSON.stringify({ ok: result.ok })}\n`)
    return
  }
  const createMs = startedAtMs - createdAtMs
  const startMs = decidedAtMs - startedAtMs
  process.stdout.write(`decided ${JSON.stringify({ createMs, startMs, entitled })}\n`)
})
