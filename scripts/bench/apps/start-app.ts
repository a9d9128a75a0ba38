import { readFileSync } from 'node:fs'
import { createLicensing } from '@latchkey/electron/main'
import { app } from 'electron'

/** Returns how long this process's main thread has run on a processor, in milliseconds. Only Linux reports it. */
function mainThreadMs(): number {
  if (process.platform !== 'linux') return 0
  // The kernel updates the figure when the thread pauses.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.05)
  const [runNanoseconds] = readFileSync('/proc/self/schedstat', 'utf8').split(' ')
  return Number(runNanoseconds) / 1_000_000
}

// Measures licensing inside the app, without windows: how long `start()` takes until the state is decided.

const licenseKey = process.env['BENCH_LICENSE_KEY']

void app.whenReady().then(async () => {
  const createdAtMs = performance.now()
  const licensing = createLicensing({
    appId: 'com.example.bench',
    service: {
      baseUrl: process.env['BENCH_SERVICE_URL'] ?? '',
      accessToken: process.env['BENCH_SERVICE_TOKEN'],
    },
  })
  const createMs = performance.now() - createdAtMs
  const ranBeforeMs = mainThreadMs()
  const startedAtMs = performance.now()
  const { entitled } = await licensing.start()
  const startMs = performance.now() - startedAtMs
  const ranAfterMs = mainThreadMs()
  if (licenseKey !== undefined) {
    // A person pastes a key some seconds after the app has started.
    await new Promise((resolve) => setTimeout(resolve, 4000))
    const askedAtMs = performance.now()
    const { ok } = await licensing.activate(licenseKey)
    process.stdout.write(`activated ${JSON.stringify({ ok, activateMs: performance.now() - askedAtMs })}\n`)
    return
  }
  const decided = { createMs, startMs, mainThreadMs: ranAfterMs - ranBeforeMs, entitled }
  process.stdout.write(`decided ${JSON.stringify(decided)}\n`)
})
