import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { decoded } from './decoded.ts'

/** A `fetch` with its own connection pool. */
export interface PooledFetch {
  fetch(request: Request, init?: RequestInit): Promise<Response>
  /** Closes all connections. Running requests fail. */
  close(): void
}

/** The largest response that any parser accepts, plus one byte to detect a larger one. */
const maxBodyBytes = 2 * 1024 * 1024 + 1

/** Statuses that `Response` doesn't allow a body for. */
const bodiless = new Set([204, 205, 304])

/** Headers that no longer apply, because the body is decompressed and complete. */
const wireHeaders = new Set(['content-encoding', 'content-length', 'transfer-encoding'])

/**
 * Creates a `fetch` on Node's HTTP client for the gateway's small requests. It avoids streams and takes a third of the
 * processor time of the global `fetch`. It doesn't follow redirects and reads at most 2 MiB. It requests uncompressed
 * responses, but decompresses a response that is compressed anyway.
 */
export function createPooledFetch(): PooledFetch {
  // Idle connections are closed before common load balancers close them after 60 s.
  const options = { keepAlive: true, scheduling: 'lifo', timeout: 50_000 } as const
  const httpAgent = new HttpAgent(options)
  const httpsAgent = new HttpsAgent(options)

  return {
    async fetch(request, init) {
      const body = await request.text()
      const headers: Record<string, string> = {
        ...Object.fromEntries(request.headers),
        'accept-encoding': 'identity',
      }
      // Node sets the length for a POST, but not for a DELETE.
      if (body !== '') headers['content-length'] = String(Buffer.byteLength(body))
      const args = { method: request.method, headers, signal: init?.signal ?? request.signal }
      const incoming = await (request.url.startsWith('https:')
        ? send((onAnswer) => httpsRequest(request.url, { ...args, agent: httpsAgent }, onAnswer), body)
        : send((onAnswer) => httpRequest(request.url, { ...args, agent: httpAgent }, onAnswer), body))
      return await responseOf(incoming)
    },
    close() {
      httpAgent.destroy()
      httpsAgent.destroy()
    },
  }
}

function send(
  start: (onAnswer: (incoming: IncomingMessage) => void) => ClientRequest,
  body: string,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // on() and not once(): an abort may emit two errors, and an error without a listener crashes the process.
    // The body is a string, which Node sends together with the headers. A buffer would take a second write.
    start(resolve).on('error', reject).end(body)
  })
}

async function responseOf(incoming: IncomingMessage): Promise<Response> {
  const status = incoming.statusCode ?? 0
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (typeof value === 'string' && !wireHeaders.has(name)) headers.set(name, value)
  }
  const body = await readBounded(incoming)
  return new Response(bodiless.has(status) ? null : body, { status, headers })
}

function readBounded(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let byteCount = 0
    const finish = (): void => resolve(Buffer.concat(chunks).toString('utf8'))
    const body = decoded(incoming)
    body.on('data', (chunk: Buffer) => {
      byteCount += chunk.byteLength
      chunks.push(chunk)
      if (byteCount < maxBodyBytes) return
      finish()
      // Stops the decompression and the download.
      body.destroy()
      incoming.destroy()
    })
    body.once('end', finish)
    body.on('error', reject)
    incoming.on('error', reject)
  })
}
