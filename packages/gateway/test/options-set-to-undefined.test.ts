import { expect, onTestFinished, test } from 'vitest'
import {
  createGateway,
  createInProcessRateLimiter,
  createWorkersRateLimiter,
  type GatewayOptions,
  generateSigningKey,
} from '../src/index.ts'
import { type GatewayServerOptions, startGatewayServer } from '../src/node/index.ts'
import { accessToken, startService } from './gateway-fixture.ts'

// TypeScript checks this file with exactOptionalPropertyTypes.
test('an option that is set to undefined has its default', async () => {
  const emulator = await startService()
  const options: GatewayServerOptions = {
    upstream: {
      baseUrl: emulator.baseUrl,
      accessToken,
      fetch: undefined,
      timeoutMs: undefined,
      allowInsecure: undefined,
    },
    fetch: undefined,
    timeoutMs: undefined,
    basePath: undefined,
    signing: undefined,
    offline: undefined,
    allow: undefined,
    plan: undefined,
    features: undefined,
    limits: undefined,
    log: undefined,
    clock: undefined,
    // The default is a port that may be in use here.
    port: 0,
    host: undefined,
    trustedProxies: undefined,
    warn: undefined,
    metricsPort: undefined,
    ownsProcess: undefined,
  }
  const { id } = emulator.demoLicense
  const list = `/v1/licenses/${id}/keys`
  const server = await startGatewayServer(options)
  onTestFinished(() => server.close())
  expect((await fetch(`http://127.0.0.1:${server.port}${list}`)).status).toBe(200)

  const gatewayOptions: GatewayOptions = {
    upstream: options.upstream,
    signing: { keys: [await generateSigningKey()], leaseDays: undefined, renewalGraceDays: undefined },
    limits: { perLicense: undefined, perAddress: undefined },
    clientAddress: undefined,
    metrics: undefined,
    isHealthy: undefined,
  }
  const gateway = createGateway(gatewayOptions)
  for (const path of [list, '/healthz']) {
    expect((await gateway(new Request(`http://gateway${path}`))).status).toBe(200)
  }
  const limit = { max: 1, windowMs: 60_000, maxKeys: undefined, clock: undefined }
  expect(await createInProcessRateLimiter(limit).take('key')).toEqual({ allowed: true })
  const binding = { limit: async () => ({ success: false }) }
  const answer = await createWorkersRateLimiter(binding, { periodMs: undefined }).take('key')
  expect(answer).toEqual({ allowed: false, retryAfterMs: 60_000 })
})
