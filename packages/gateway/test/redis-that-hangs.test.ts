import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { readGatewayEnvironment } from '../src/node/environment.ts'
import { runGateway } from '../src/node/start.ts'
import { accessToken, startService } from './gateway-fixture.ts'

test('while Redis accepts connections and answers nothing, the gateway counts by itself', async () => {
  const emulator = await startService()
  let closed = 0
  const redis = createServer((socket) => {
    socket.on('error', () => {}).resume()
    socket.on('close', () => {
      closed += 1
    })
  })
  await new Promise<void>((resolve) => redis.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void redis.close())
  const address = redis.address()
  const port = typeof address === 'object' ? address?.port : null
  const started: number[] = []
  const environment = readGatewayEnvironment({
    PORT: '0',
    HOST: '127.0.0.1',
    LATCHKEY_UPSTREAM: emulator.baseUrl,
    LATCHKEY_ACCESS_TOKEN: accessToken,
    LATCHKEY_LIMIT_PER_LICENSE: '3',
    LATCHKEY_REDIS_URL: `redis://127.0.0.1:${port}`,
  })
  const gateway = await runGateway(environment, (line) => {
    if (line.event === 'listening') started.push(line.port)
  })
  onTestFinished(() => gateway.close())
  const statuses = []
  for (let index = 0; index < 4; index += 1) {
    const url = `http://127.0.0.1:${started[0]}/v1/licenses/${emulator.demoLicense.id}/keys`
    statuses.push((await fetch(url)).status)
  }
  expect(statuses).toEqual([200, 200, 200, 429])
  // A connection that stays open would keep every command that was not answered.
  await expect.poll(() => closed, { timeout: 60_000 }).toBeGreaterThan(0)
})
