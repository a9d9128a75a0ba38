import { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { expect, test, vi } from 'vitest'
import { generateSigningKey } from '../src/index.ts'
import { startGatewayServer } from '../src/node/index.ts'

const untilClosedMs = 300

/** Starts a gateway whose connections time out soon. Its service answers when `answer` resolves. */
async function startServer(answer: Promise<void>) {
  const shortened = vi.spyOn(Server.prototype, 'setTimeout').mockImplementation(function (
    this: Server,
    ...[, onTimeout]: unknown[]
  ) {
    this.timeout = untilClosedMs
    return typeof onTimeout === 'function' ? this.on('timeout', (socket) => onTimeout(socket)) : this
  })
  const server = await startGatewayServer({
    port: 0,
    host: '127.0.0.1',
    upstream: {
      baseUrl: 'https://commerce.example/v1',
      accessToken: 'a-token',
      async fetch() {
        await answer
        return Response.json({ data: [] })
      },
    },
    signing: { keys: [await generateSigningKey()] },
    offline: { days: 30 },
  })
  shortened.mockRestore()
  onTestEnd(() => server.close())
  return server
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  onTestEnd(() => void socket.destroy())
  return socket
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: gateway\r\n\r\n`

test('closes the connection of a client that doesn’t read its answers', async () => {
  const { port } = await startServer(Promise.resolve())
  const socket = open(port)
  socket.pause()
  // More than what the system keeps for a client.
  socket.write(get('/v1/offline').repeat(400))
  // A paused socket doesn't notice that it was closed, so it is written to until that fails.
  const writing = setInterval(() => socket.write(get('/v1/offline')), 100)
  onTestEnd(() => clearInterval(writing))
  await expect.poll(() => socket.closed, { timeout: 60_000 }).toBe(true)
})

test('keeps the connection of a client whose answer takes long', async () => {
  let answer = (): void => {}
  const { port } = await startServer(
    new Promise((resolve) => {
      answer = resolve
    }),
  )
  const socket = open(port)
  let said = ''
  socket.setEncoding('latin1').on('data', (text: string) => (said += text))
  socket.write(get('/v1/licenses/6f1a3c1e-6d9f-4d63-9c55-0a3d1a1d0a11/keys'))
  setTimeout(answer, 4 * untilClosedMs)
  await expect.poll(() => said, { timeout: 60_000 }).toContain('{"data":[]')
})

test('closes the connection of a refused client that stays', async () => {
  const { port } = await startServer(Promise.resolve())
  // Keeps its own side open after the server has ended the connection.
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  onTestEnd(() => void socket.destroy())
  // Without Host.
  socket.write('GET / HTTP/1.1\r\n\r\n')
  await expect
    .poll(
      () => {
        // A connection that was closed resets what is written to it.
        socket.write('GET / HTTP/1.1\r\n\r\n')
        return socket.destroyed
      },
      { timeout: 60_000, interval: 400 },
    )
    .toBe(true)
})

test('lets one connection have only a few requests without an answer', async () => {
  let arrived = 0
  let answer = (): void => {}
  const server = await startGatewayServer({
    port: 0,
    host: '127.0.0.1',
    upstream: {
      baseUrl: 'https://commerce.example/v1',
      accessToken: 'a-token',
      async fetch() {
        arrived += 1
        await new Promise<void>((resolve) => {
          answer = resolve
        })
        return Response.json({ data: [] })
      },
    },
    limits: { perLicense: false, perAddress: false },
  })
  onTestEnd(() => server.close())
  onTestEnd(() => answer())
  const socket = open(server.port)
  socket.write(get('/v1/licenses/b0000000-0000-4000-8000-000000000001/keys').repeat(500))
  await expect.poll(() => socket.closed, { timeout: 60_000 }).toBe(true)
  expect(arrived).toBeLessThanOrEqual(16)
})
