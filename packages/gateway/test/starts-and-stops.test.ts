import { Agent, get } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { allowConcurrentTests, onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { describe, expect, test, vi } from 'vitest'
import { generateSigningKey } from '../src/index.ts'
import { freePort } from './free-port.ts'
import { accessToken } from './gateway-fixture.ts'
import { runGatewayCommand, startGatewayProcess } from './gateway-process.ts'
import { jsonAnswer, type RawUpstream, startRawUpstream } from './raw-upstream.ts'
import { licenseId, sampleKey } from './wire-samples.ts'

allowConcurrentTests()

/** Tests that wait for timeouts of many seconds. */
const isLong = process.env['LATCHKEY_LONG'] === '1'

const keysPath = `/v1/licenses/${licenseId}/keys`
const settings = (upstream: string) => ({ LATCHKEY_UPSTREAM: upstream, LATCHKEY_ACCESS_TOKEN: accessToken })

/** A service that never answers. */
const startSilentUpstream = (): Promise<RawUpstream> => startRawUpstream({ answer: () => null })

/** Whether a server listens on a port. */
async function isListening(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** Returns a port that is in use until the test ends. */
async function takenPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestEnd(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Opens a connection and collects the received data. */
async function openConnection(
  origin: string,
): Promise<{ socket: Socket; said(): string; closed: Promise<void> }> {
  const { hostname, port } = new URL(origin)
  let said = ''
  const socket = connect(Number(port), hostname)
  socket.setEncoding('latin1').on('data', (text: string) => (said += text))
  socket.on('error', () => {})
  onTestEnd(() => void socket.destroy())
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  return { socket, said: () => said, closed }
}

// The slowest tests start first and run in parallel with the others.
describe.concurrent('a connection', () => {
  test('is kept open longer than load balancers keep theirs', async () => {
    const gateway = await startGatewayProcess(settings('http://127.0.0.1:9/v1'))
    const agent = new Agent({ keepAlive: true })
    onTestEnd(() => agent.destroy())
    const headers = await new Promise<Record<string, unknown>>((resolve, reject) => {
      get(`${gateway.origin}/healthz`, { agent }, (incoming) => {
        incoming.resume()
        incoming.once('end', () => resolve(incoming.headers))
      }).once('error', reject)
    })
    expect(headers['connection']).toBe('keep-alive')
    expect(Number(/timeout=(\d+)/.exec(String(headers['keep-alive']))?.[1])).toBeGreaterThan(60)
  })

  // Both in parallel, because each takes the server's full timeout.
  if (isLong)
    test('that never finishes its headers or its body is closed', async () => {
      const upstream = await startRawUpstream({ answer: () => jsonAnswer({ data: [sampleKey] }) })
      const gateway = await startGatewayProcess(settings(upstream.baseUrl))
      const headers = await openConnection(gateway.origin)
      headers.socket.write(`GET ${keysPath} HTTP/1.1\r\nHost: x\r\nX-Slow: `)
      const body = await openConnection(gateway.origin)
      body.socket.write(
        `POST /v1/licenses/${licenseId}/validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n{"key":`,
      )
      const drip = setInterval(() => {
        headers.socket.write('a')
        body.socket.write(' ')
      }, 1_000)
      onTestEnd(() => clearInterval(drip))
      await Promise.all([headers.closed, body.closed])
      expect(headers.said()).toMatch(/^HTTP\/1\.1 408 /)
      expect(body.said()).toMatch(/^HTTP\/1\.1 408 /)
      expect(upstream.requests).toEqual([])
      await vi.waitFor(() => expect(gateway.requestLines()).toHaveLength(2), { timeout: 60_000 })
    }, 60_000)
})

// Processes can't handle these signals on Windows.
describe.skipIf(process.platform === 'win32')('told to stop', { concurrent: true }, () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s, it exits with 0 when no request is running',
    async (signal) => {
      const gateway = await startGatewayProcess({
        ...settings('http://127.0.0.1:9/v1'),
        LATCHKEY_METRICS_PORT: '0',
      })
      expect((await fetch(`${gateway.origin}/healthz`)).status).toBe(200)
      gateway.child.kill(signal)
      expect(await gateway.ended).toMatchObject({ exitCode: 0, signal: null })
      expect(await isListening(Number(new URL(gateway.origin).port))).toBe(false)
      expect(await isListening(gateway.metricsPort)).toBe(false)
    },
  )

  test('while the service hangs, it reports unhealthy, waits for the timeout, and exits with 0', async () => {
    const upstream = await startSilentUpstream()
    const gateway = await startGatewayProcess({
      ...settings(upstream.baseUrl),
      LATCHKEY_UPSTREAM_TIMEOUT_MS: '2000',
    })
    const hanging = fetch(`${gateway.origin}${keysPath}`)
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(1), 60_000)
    // A load balancer's health check that started before the signal.
    const check = await openConnection(gateway.origin)
    check.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n')
    await vi.waitFor(() => expect(check.socket.bytesWritten).toBeGreaterThan(0), { timeout: 60_000 })
    await fetch(`${gateway.origin}/healthz`)

    gateway.child.kill('SIGTERM')
    await vi.waitFor(
      async () => expect(await isListening(Number(new URL(gateway.origin).port))).toBe(false),
      60_000,
    )
    check.socket.write('\r\n')
    await vi.waitFor(() => expect(check.said()).toMatch(/^HTTP\/1\.1 503 /), { timeout: 60_000 })
    expect((await hanging).status).toBe(504)
    expect(await gateway.ended).toMatchObject({ exitCode: 0, signal: null })
  })

  if (isLong)
    test('while the service hangs for longer than the grace period, it aborts the request and exits with 0', async () => {
      const upstream = await startSilentUpstream()
      const gateway = await startGatewayProcess({
        ...settings(upstream.baseUrl),
        LATCHKEY_UPSTREAM_TIMEOUT_MS: '120000',
      })
      const hanging = fetch(`${gateway.origin}${keysPath}`).then(
        () => 'answered',
        () => 'cut off',
      )
      await vi.waitFor(() => expect(upstream.requests).toHaveLength(1), 60_000)
      gateway.child.kill('SIGTERM')
      expect(await gateway.ended).toMatchObject({ exitCode: 0, signal: null })
      expect(await hanging).toBe('cut off')
    })

  test('a second time, it exits immediately', async () => {
    const upstream = await startSilentUpstream()
    const gateway = await startGatewayProcess({
      ...settings(upstream.baseUrl),
      LATCHKEY_UPSTREAM_TIMEOUT_MS: '120000',
    })
    const hanging = fetch(`${gateway.origin}${keysPath}`).catch(() => null)
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(1), 60_000)
    gateway.child.kill('SIGINT')
    await vi.waitFor(
      async () => expect(await isListening(Number(new URL(gateway.origin).port))).toBe(false),
      60_000,
    )
    gateway.child.kill('SIGINT')
    expect(await gateway.ended).toMatchObject({ exitCode: null, signal: 'SIGINT' })
    await hanging
  })
})

describe.concurrent('a start that fails', () => {
  test.each([
    ['PORT', (port: string) => ({ PORT: port })],
    ['LATCHKEY_METRICS_PORT', (port: string) => ({ LATCHKEY_METRICS_PORT: port })],
  ])('because %s is in use prints the reason, exits with 1, and serves nothing', async (_name, taken) => {
    const port = await takenPort()
    const free = await freePort()
    const { exitCode, signal, stdout, stderr } = await runGatewayCommand([], {
      ...settings('http://127.0.0.1:9/v1'),
      HOST: '127.0.0.1',
      PORT: String(free),
      ...taken(String(port)),
    })
    expect([exitCode, signal, stdout]).toEqual([1, null, ''])
    expect(stderr).toMatch(new RegExp(`a port is in use by another program .*:${port}\\b`, 'u'))
    expect(await isListening(free)).toBe(false)
  })

  test('because HOST is no address of this machine names the setting', async () => {
    const env = { ...settings('http://127.0.0.1:9/v1'), HOST: '203.0.113.7', PORT: '0' }
    const { exitCode, stderr } = await runGatewayCommand([], env)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('HOST is not an address of this machine')])
  })

  test('because the signing key’s parts don’t belong together prints the reason without the key', async () => {
    const key = { ...(await generateSigningKey()), d: (await generateSigningKey()).d }
    const { exitCode, stdout, stderr } = await runGatewayCommand([], {
      ...settings('http://127.0.0.1:9/v1'),
      LATCHKEY_SIGNING_KEY: JSON.stringify(key),
      PORT: '0',
      HOST: '127.0.0.1',
    })
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/signing key/i)
    expect(stderr).not.toContain(key.d)
  })
})

test.concurrent('a variable of another program is reported, and the gateway starts', async () => {
  const gateway = await startGatewayProcess({
    ...settings('http://127.0.0.1:9/v1'),
    LATCHKEY_BASE_URL: 'secret-half',
  })
  gateway.child.kill('SIGTERM')
  const { stderr } = await gateway.ended
  expect(stderr).toContain('LATCHKEY_BASE_URL is not a setting of latchkey-gateway and is ignored.')
  expect(stderr).not.toContain('secret-half')
})
