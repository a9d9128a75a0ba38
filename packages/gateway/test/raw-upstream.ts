import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'

/** One request as it came over the wire. */
export interface RawRequest {
  /** Everything before the body, the empty line included. */
  readonly head: string
  readonly body: string
  /** Which connection it came on, counted from 1. */
  readonly connection: number
}

/** A service that is nothing but a socket: it sees what really arrives, and answers byte by byte. */
export interface RawUpstream {
  readonly baseUrl: string
  readonly requests: RawRequest[]
  /** Bytes that came after a request's declared end and began no other request. */
  stray(): string
}

export interface RawUpstreamOptions {
  /** What is answered: bytes, or `null` to say nothing. */
  answer(request: RawRequest): Buffer | string | null
  /** Certificate and key, for https. */
  tls?: { cert: string; key: string }
}

/**
 * Starts one. A body is as long as `Content-Length` says, as every HTTP server reads it; without one there is none, and
 * what follows is taken for the next request.
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

/** A whole answer with a JSON body. */
export function jsonAnswer(body: unknown, status = '200 OK', headers: string[] = []): Buffer {
  const content = Buffer.from(JSON.stringify(body))
  return bytesAnswer(content, status, ['Content-Type: application/json', ...headers])
}

/** A whole answer of these bytes. */
export function bytesAnswer(content: Buffer, status: string, headers: string[]): Buffer {
  const head = [`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${content.byteLength}`]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), content])
}
