import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Exchange, ExchangeRequest } from '../http/exchange.ts'
import { decoded } from './decoded.ts'
import { proxyEnvironment } from './proxy-environment.ts'

/** Options of {@link createNodeClient}. */
export interface NodeClientOptions {
  /**
   * How much of a body `fetch` reads, in bytes after decompression. It returns slightly more of a larger body, so that
   * its caller can refuse the answer by its size.
   * @default 2_097_152
   */
  maxFetchBytes?: number | undefined
}

/** An HTTP client with its own connection pool. */
export interface NodeClient {
  /** For `createCommerceClient`. It needs none of the classes of `fetch`. */
  readonly exchange: Exchange
  /** The same connections for code that takes a `fetch`, such as an adapter of another licensing service. */
  readonly fetch: (request: Request, init?: RequestInit) => Promise<Response>
  /** Closes all connections. Running requests fail. */
  close(): void
}

/** A request with any method. An adapter chooses its own. */
type Sent = Omit<ExchangeRequest, 'method'> & { readonly method: string }

/** Unlike `toString`, it removes a byte order mark, which `JSON.parse` doesn't accept. */
const utf8 = new TextDecoder()

/** Statuses that `Response` doesn't allow a body for. */
const bodiless = new Set([204, 205, 304])

/** Headers that no longer apply, because the body is decompressed and complete. */
const wireHeaders = new Set(['content-encoding', 'content-length', 'transfer-encoding'])

/**
 * Creates a client on Node's HTTP for small requests. It avoids web streams and takes a fraction of the processor time of
 * the global `fetch`. It doesn't follow redirects. It requests uncompressed responses, but decompresses a response that
 * is compressed anyway. It uses the proxy of the environment if Node does (`NODE_USE_ENV_PROXY=1`).
 *
 * Idle connections don't keep the process running.
 *
 * @example
 * ```ts
 * const { exchange } = createNodeClient()
 * const commerce = createCommerceClient({ baseUrl: 'https://commerce.example/v1', accessToken, exchange })
 * ```
 */
export function createNodeClient({ maxFetchBytes = 2 * 1024 * 1024 }: NodeClientOptions = {}): NodeClient {
  const options = {
    keepAlive: true,
    scheduling: 'lifo',
    // Idle connections are closed before common load balancers close them after 60 s.
    timeout: 50_000,
    proxyEnv: proxyEnvironment(),
  } as const
  const httpAgent = new HttpAgent(options)
  const httpsAgent = new HttpsAgent(options)

  async function send(
    { method, url, headers: given, body: text }: Sent,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const body = text ?? ''
    // Some firewalls refuse requests without a user agent. This one is what Node's `fetch` sends.
    const headers: Record<string, string> = { 'user-agent': 'node', ...given, 'accept-encoding': 'identity' }
    // Node sets the length for a POST, but not for a DELETE.
    if (body !== '') headers['content-length'] = String(Buffer.byteLength(body))
    const args = { method, headers }
    return await answerTo(body, signal, (onAnswer) =>
      url.startsWith('https:')
        ? httpsRequest(url, { ...args, agent: httpsAgent }, onAnswer)
        : httpRequest(url, { ...args, agent: httpAgent }, onAnswer),
    )
  }

  return {
    async exchange(request, signal) {
      const incoming = await send(request, signal)
      return {
        status: incoming.statusCode ?? 0,
        header: (name) => incoming.headers[name]?.toString() ?? null,
        headers: () => headersOf(incoming),
        async text(maxBytes) {
          const body = await readBounded(incoming, maxBytes)
          return body.byteLength > maxBytes ? null : utf8.decode(body)
        },
      }
    },
    async fetch(request, init) {
      const body = await request.text()
      const headers = Object.fromEntries(request.headers)
      const signal = init?.signal ?? request.signal
      const incoming = await send({ method: request.method, url: request.url, headers, body }, signal)
      const status = incoming.statusCode ?? 0
      const read = await readBounded(incoming, maxFetchBytes)
      return new Response(bodiless.has(status) ? null : utf8.decode(read), {
        status,
        headers: headersOf(incoming),
      })
    },
    close() {
      httpAgent.destroy()
      httpsAgent.destroy()
    },
  }
}

/**
 * Sends a request. Node's own `signal` option does the same as `abort` here, but watches the whole stream for it, which
 * takes a twentieth of a small request's processor time.
 */
function answerTo(
  body: string,
  signal: AbortSignal,
  start: (onAnswer: (incoming: IncomingMessage) => void) => ClientRequest,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = start(resolve)
    const abort = (): void => {
      const reason: unknown = signal.reason
      request.destroy(reason instanceof Error ? reason : new Error('The request was aborted.'))
    }
    signal.addEventListener('abort', abort)
    request.once('close', () => signal.removeEventListener('abort', abort))
    // on() and not once(): an abort may emit two errors, and an error without a listener crashes the process.
    request.on('error', reject)
    // The body is a string, which Node sends together with the headers. A buffer would take a second write.
    if (signal.aborted) abort()
    else request.end(body)
  })
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, value = []] of Object.entries(incoming.headers)) {
    if (wireHeaders.has(name)) continue
    for (const one of [value].flat()) headers.append(name, one)
  }
  return headers
}

/** Reads a body. Stops once it is larger than `maxBytes`, so a returned body of more bytes is only a part of it. */
function readBounded(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let byteCount = 0
    const finish = (): void => resolve(Buffer.concat(chunks))
    const body = decoded(incoming)
    body.on('data', (chunk: Buffer) => {
      byteCount += chunk.byteLength
      chunks.push(chunk)
      if (byteCount <= maxBytes) return
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
