import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { decoded } from './decoded.ts'

/** A `fetch` with connections of its own. */
export interface PooledFetch {
  fetch(request: Request, init?: RequestInit): Promise<Response>
  /** Closes all connections. A request under way fails. */
  close(): void
}

/** As much of an answer as any reader of it accepts, and one byte more to tell that it is too large. */
const maxBodyBytes = 2 * 1024 * 1024 + 1

/** Statuses whose answers have no body; `Response` insists on it. */
const bodiless = new Set([204, 205, 304])

/** Headers that describe the body as it was on the wire, which is not how it is handed on. */
const wireHeaders = new Set(['content-encoding', 'content-length', 'transfer-encoding'])

/**
 * A `fetch` on Node's HTTP client, for the few small requests a gateway sends: without streams in between it takes a third
 * of the processor time of the global one. Redirects are not followed. It asks for uncompressed answers and decompresses
 * those that are compressed regardless; of either kind it reads 2 MiB and no more.
 */
export function createPooledFetch(): PooledFetch {
  // Idle connections are given up before common load balancers close them at 60 s.
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
      // Node frames the body of a POST by itself, but sends that of a DELETE without a length.
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
    // Not once: an abort may report twice, and an error nobody listens to ends the process.
    // A body that is text leaves in one write with its headers; a buffer would take two.
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
      // Stops the decompression, and the download with it.
      body.destroy()
      incoming.destroy()
    })
    body.once('end', finish)
    body.on('error', reject)
    incoming.on('error', reject)
  })
}
