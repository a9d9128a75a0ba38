import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ensureSystemPackages, hasCommand, redisNeeds } from '@latchkey/scripts/e2e/runtime/system-packages'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from './free-port.ts'
import { accessToken, startService } from './gateway-fixture.ts'
import { startGatewayProcess } from './gateway-process.ts'

/** Why Redis is unavailable; `null` if it is available. On Debian and Ubuntu it is installed. */
const lacksRedis = await ensureSystemPackages(redisNeeds).then(
  () => (hasCommand('redis-server') ? null : 'There is no redis-server on this machine.'),
  (error: unknown) => (error instanceof Error ? error.message : String(error)),
)
if (lacksRedis !== null) process.stderr.write(`Not tested: limits in Redis. ${lacksRedis}\n`)

/** Starts a Redis for this test that writes no files. */
async function startRedis(port: number): Promise<{ stop(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-redis-'))
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder, '--daemonize', 'no'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  onTestFinished(stop)
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (text: Buffer) => {
      if (text.includes('Ready to accept connections')) resolve()
    })
  })
  return { stop }
}

function startInstance(upstream: string, redisUrl: string) {
  return startGatewayProcess(
    {
      LATCHKEY_UPSTREAM: upstream,
      LATCHKEY_ACCESS_TOKEN: accessToken,
      LATCHKEY_LIMIT_PER_LICENSE: '3',
      LATCHKEY_REDIS_URL: redisUrl,
    },
    { beside: ['ioredis@6', 'rate-limiter-flexible@11'] },
  )
}

/** A busy machine needs longer than the default of one second. */
const patient = { timeout: 60_000 }

describe('two instances that share one Redis', () => {
  test('share the limit of a license, and count by themselves while Redis is down', async (context) => {
    if (lacksRedis !== null) return context.skip(lacksRedis)
    const emulator = await startService()
    const redisPort = await freePort()
    const { stop } = await startRedis(redisPort)
    const redisUrl = `redis://127.0.0.1:${redisPort}`
    const [one, two] = [
      await startInstance(emulator.baseUrl, redisUrl),
      await startInstance(emulator.baseUrl, redisUrl),
    ]
    const ask = async ({ origin }: { origin: string }, license = emulator.demoLicense.id) =>
      await fetch(`${origin}/v1/licenses/${license}/keys`)
    // Each instance counts by itself until it is connected.
    await vi.waitFor(async () => {
      const { id } = emulator.control.createLicense()
      const statuses = []
      for (const instance of [one, two, one, two]) statuses.push((await ask(instance, id)).status)
      expect(statuses).toEqual([200, 200, 200, 429])
      expect(Number((await ask(one, id)).headers.get('retry-after'))).toBeGreaterThan(0)
    }, patient)

    await stop()
    two.clearLines()
    expect((await ask(two)).status).toBe(200)
    const counted = [{ isUncounted: false, level: 'info' }]
    await vi.waitFor(() => expect(two.requestLines()).toMatchObject(counted), patient)
  })
})
