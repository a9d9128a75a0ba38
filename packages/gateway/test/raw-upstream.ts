import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'

/** A request as received, byte by byte. */
export interface RawRequest {
  /** Everything before the body, including the empty line. */
  readonly head: string
  readonly body: string
  /** Number of its connection, starting at 1. */
  readonly connection: number
}

/** A service on a raw socket, which records the received bytes and controls the sent ones. */
export interface RawUpstream {
  readonly baseUrl: string
  readonly requests: RawRequest[]
  /** Bytes received after the declared end of a request that don't start another one. */
  stray(): string
}

export interface RawUpstreamOptions {
  /** Returns the bytes of the response, or `null` to send nothing. */
  answer(request: RawRequest): Buffer | string | null
  /** Certificate and key for https. */
  tls?: { cert: string; key: string }
}

/**
 * Starts a raw upstream. A request's body is as long as its `Content-Length`. Without that header there is no body, and
 * the following bytes are parsed as the next request.
 */
export async function startRawUpstream({ answer, tls }: RawUpstreamOptions): Promise<RawUpstream> {
  const requests: RawRequest[] = []
  const sockets = new Set<Socket>()
  let strayBytes = ''
  let connections = 0
  const serve = (socket: Socket): void => {
    sockets.add(socket)
    connections += 1
    const connection = connections
    let pending = ''
    socket.setEncoding('latin1')
    socket.on('error', () => {})
    socket.on('data', (text: string) => {
      pending += text
      for (;;) {
        const end = pending.indexOf('\r\n\r\n')
        if (!/^(?:[A-Z]+(?: |$))/.test(pending) && pending !== '') {
          strayBytes += pending
          pending = ''
        }
        if (end === -1) return
        const head = pending.slice(0, end + 4)
        const length = Number(/^content-length: *(\d+)\r$/im.exec(head)?.[1] ?? 0)
        if (pending.length < head.length + length) return
        const request = { head, body: pending.slice(head.length, head.length + length), connection }
        pending = pending.slice(head.length + length)
        requests.push(request)
        const bytes = answer(request)
        if (bytes !== null) socket.write(bytes)
      }
    })
  }
  const server: Server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve)
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestEnd(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    baseUrl: `${tls === undefined ? 'http' : 'https'}://${tls === undefined ? '127.0.0.1' : 'localhost'}:${port}/v1`,
    requests,
    stray: () => strayBytes,
  }
}

/** Returns a complete response with a JSON body. */
export function jsonAnswer(body: unknown, status = '200 OK', headers: string[] = []): Buffer {
  const content = Buffer.from(JSON.stringify(body))
  return bytesAnswer(content, status, ['Content-Type: application/json', ...headers])
}

/** Returns a complete response with these bytes as its body. */
export function bytesAnswer(content: Buffer, status: string, headers: string[]): Buffer {
  const head = [`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${content.byteLength}`]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), content])
}
