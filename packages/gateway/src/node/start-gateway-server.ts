import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createNodeClient } from '@latchkey/services/node'
import { createGatewayWith, logQuietly } from '../create-gateway.ts'
import { checkServerOptions, type GatewayOptions } from '../gateway-options.ts'
import { type Reply, refused } from '../http/reply.ts'
import { type GatewayLogLine, logLine, startTrace } from '../http/request-log.ts'
import { createLeaseSigners } from '../leases/lease-signers.ts'
import { nodeCrypto } from './node-crypto.ts'
import type { PrometheusMetrics } from './prometheus-metrics.ts'

/** Options for {@link startGatewayServer}. */
export interface GatewayServerOptions
  extends Omit<GatewayOptions, 'clientAddress' | 'isHealthy' | 'metrics'> {
  /** The port to listen on; 0 for any free port. @default 8787 */
  readonly port?: number | undefined
  /** The address to listen on. @default '0.0.0.0' */
  readonly host?: string | undefined
  /**
   * Number of your own reverse proxies in front of the gateway that append to `X-Forwarded-For`. If it is too high,
   * clients can fake the address that the rate limit counts. If it is too low, all clients count as one.
   * @default 0
   */
  readonly trustedProxies?: number | undefined
  /**
   * Called with a sentence if a setting is probably wrong: once if a request came through a reverse proxy, and
   * `trustedProxies` is 0, or if a request's `X-Forwarded-For` has fewer addresses than `trustedProxies`, and without `log`,
   * once for each `code` or `remark` of a line with level `error`.
   * @default process.emitWarning
   */
  readonly warn?: ((sentence: string) => void) | undefined
  /** Serves Prometheus metrics at `/metrics` on this port, which you can keep private. @default none */
  readonly metricsPort?: number | undefined
  /** The address to serve the metrics on. @default '127.0.0.1' */
  readonly metricsHost?: string | undefined
  /**
   * Lets the server replace the global `Request` and `Response` with faster versions. Only for a process that runs
   * nothing but the gateway.
   * @default false
   */
  readonly ownsProcess?: boolean | undefined
}

/** A running gateway. */
export interface GatewayServer {
  /** The port it listens on. */
  readonly port: number
  /** The port of the metrics; `null` without them. */
  readonly metricsPort: number | null
  /** Waits for running requests, then closes the server. */
  close(): Promise<void>
}

/** Most requests that a client may send on a connection before it has their answers. Apps and proxies send one. */
const mostUnanswered = 16

/** Limits that apply before a request reaches the gateway. */
const serverOptions: ServerOptions = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  // Checked below instead: Node would reject the request without a log line and keep the connection open.
  requireHostHeader: false,
  // Longer than the 60 s of common load balancers: if we closed first, they would respond with 502.
  keepAliveTimeout: 65_000,
}

/**
 * Matches the paths that apps send: only plain characters, no dot segments, and no percent encoding. A URL parser
 * therefore can't normalize another path into a served one.
 */
const plainTarget = /^(?!.*\/\.{1,2}(?:[/?]|$))\/[\w.~/-]*(?:\?[\x21-\x7e]*)?$/

/**
 * How long a client may read nothing of an answer, in milliseconds. Like the timeout of idle connections, it is longer
 * than the 60 s of common load balancers.
 */
const longestUnreadMs = 65_000

/** What is known about a connection. */
interface Connection {
  /** How many requests have no answer yet. */
  unanswered: number
  /** The latest request, and its answer. */
  incoming: IncomingMessage
  outgoing: ServerResponse
}

/**
 * Starts a gateway on Node's HTTP server.
 *
 * @throws {GatewayConfigError} if an option is invalid, including a signing key, or isn't an option.
 */
export async function startGatewayServer(options: GatewayServerOptions): Promise<GatewayServer> {
  checkServerOptions(options)
  const {
    port = 8787,
    host = '0.0.0.0',
    trustedProxies = 0,
    warn = (sentence) => process.emitWarning(sentence),
    metricsPort,
    metricsHost = '127.0.0.1',
    ownsProcess: overrideGlobalObjects = false,
    log = createErrorHint(warn),
    ...gatewayOptions
  } = options
  if (options.signing !== undefined) await createLeaseSigners(options.signing.keys, nodeCrypto).all()
  // Metrics load a third of the modules of `latchkey-gateway`, which starts faster without them.
  const metricsModule = metricsPort === undefined ? undefined : await import('./prometheus-metrics.ts')
  const metrics = metricsModule?.createPrometheusMetrics()
  const callers = new WeakMap<Request, Incoming>()
  const connections = new WeakMap<Socket, Connection>()
  const clock = options.clock ?? Date.now
  let isStopping = false

  const pool = createNodeClient()
  const gateway = createGatewayWith(nodeCrypto, {
    ...gatewayOptions,
    log,
    fetch: options.fetch ?? pool.fetch,
    metrics,
    isHealthy: () => !isStopping,
    clientAddress(request) {
      const caller = callers.get(request)
      return caller && clientAddressOf(caller, trustedProxies)
    },
  })
  const listener = getRequestListener(
    (request, { incoming }) => {
      callers.set(request, incoming)
      return gateway(request)
    },
    { overrideGlobalObjects },
  )
  const report = (reply: Reply): void =>
    logQuietly(logLine(startTrace(null, null), reply, clock()), { log, metrics })
  const refuseConnection = (socket: Socket, status: number, broken?: IncomingMessage): void => {
    if (broken === undefined) report(refused(status, 'malformed-request'))
    // Closes the connection: after a malformed request, it isn't clear where the next one starts.
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    // A request with an incomplete body is already being handled. Its body now fails to read, which logs it.
    broken?.destroy()
  }
  // Without a limit per address, the address of a client doesn't matter.
  let mayHint = options.limits?.perAddress !== false
  const hint = (incoming: IncomingMessage): void => {
    const problem = mayHint ? proxyProblem(incoming, trustedProxies) : null
    if (problem === null) return
    mayHint = false
    try {
      warn(problem)
    } catch {
      // The warning itself failed, so there is no place to report it.
    }
  }
  const server = createServer(serverOptions, (incoming, outgoing) => {
    const { socket, headers, httpVersion, url = '' } = incoming
    // Ignores requests that arrived together with a malformed one, and were parsed before the connection closed.
    if (socket.writableEnded || socket.destroyed) return
    const connection = connections.get(socket) ?? { unanswered: 0, incoming, outgoing }
    connections.set(socket, Object.assign(connection, { incoming, outgoing }))
    connection.unanswered += 1
    if (connection.unanswered > mostUnanswered) {
      report(refused(429, 'too-many-requests'))
      socket.destroy()
      return
    }
    outgoing.once('close', () => {
      connection.unanswered -= 1
    })
    hint(incoming)
    // HTTP/1.0 needs no Host header, and some load balancers still use it for health checks.
    if (httpVersion !== '1.0' && (httpVersion !== '1.1' || headers.host === undefined)) {
      refuseConnection(socket, 400)
      return
    }
    // The root isn't a route, so an unusual path gets a logged 404.
    if (!plainTarget.test(url)) incoming.url = '/'
    // A page compares the host with the browser's `Origin`. An unusual one could change how the URL is parsed.
    const origin = `http://${headers.host}`
    if (!URL.canParse(origin) || new URL(origin).host !== headers.host) headers.host = 'gateway'
    void listener(incoming, outgoing)
  })
  // Node calls this when nothing was sent or received for that long. A connection whose request is still being handled
  // stays open, however slow the service is.
  server.setTimeout(longestUnreadMs, (socket) => {
    const isHandled = !socket.writableEnded && connections.get(socket)?.outgoing.writableEnded === false
    if (isHandled) socket.setTimeout(server.timeout)
    else socket.destroy()
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const begun = connections.get(socket)?.incoming
    refuseConnection(socket, parserErrorStatus(error.code), begun?.complete === false ? begun : undefined)
  })

  const listening: Listening[] = []
  const close = async (): Promise<void> => {
    isStopping = true
    await Promise.all(listening.map((one) => one.close()))
    pool.close()
  }
  try {
    listening.push(await listen(server, port, host))
    if (metrics !== undefined)
      listening.push(await listen(metricsServer(metrics), metricsPort ?? 0, metricsHost))
  } catch (error) {
    await close()
    throw error
  }
  const [main, ofMetrics] = listening
  return { port: main?.port ?? port, metricsPort: ofMetrics?.port ?? null, close }
}

function parserErrorStatus(code: string | undefined): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
}

function metricsServer({ contentType, exposition }: PrometheusMetrics): Server {
  return createServer((incoming, outgoing) => {
    if (incoming.method !== 'GET' || incoming.url !== '/metrics') return void outgoing.writeHead(404).end()
    exposition().then(
      (text) => outgoing.writeHead(200, { 'content-type': contentType }).end(text),
      () => outgoing.writeHead(500).end(),
    )
  })
}

/** Returns a log for a server without one. It warns once for each `code` or `remark` of a line with level `error`. */
function createErrorHint(warn: (sentence: string) => void): (line: GatewayLogLine) => void {
  const warned = new Set<string>()
  return ({ level, code, remark, route, detail }) => {
    const what = [code, remark].filter((one) => one !== null).join(', ')
    if (level !== 'error' || warned.has(what)) return
    warned.add(what)
    const why = detail === null ? '' : `: ${detail}`
    warn(
      `The gateway has a problem that needs action (${what}, route ${route ?? 'none'})${why}. It won’t be reported again. Pass the option log to see every request.`,
    )
  }
}

/** A listening server. */
interface Listening {
  readonly port: number
  /** Stops accepting connections, waits for running requests, then closes the remaining connections. */
  close(): Promise<void>
}

/** How long `close` waits for running requests. */
const closeGraceMs = 10_000

/** @throws the server's own error if it can't listen, such as `EADDRINUSE`. */
async function listen(server: Server, port: number, host: string): Promise<Listening> {
  await once(server.listen(port, host), 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), closeGraceMs)
        // A keep-alive connection only becomes idle after its last response.
        const sweep = setInterval(() => server.closeIdleConnections(), 50)
        server.close(() => {
          clearTimeout(timer)
          clearInterval(sweep)
          resolve()
        })
      }),
  }
}

/** What is used of a request that HTTP/1 or HTTP/2 received. */
type Incoming = Pick<IncomingMessage, 'headers' | 'url'> & {
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/**
 * Returns the client address of a request. Each trusted proxy appends the address of its caller to `X-Forwarded-For`,
 * so the client's address is counted from the right. The client could have written any entry further left.
 *
 * @param trustedProxies number of your own proxies in front of the gateway. With 0, the header is ignored.
 */
function clientAddressOf({ socket, headers }: Incoming, trustedProxies: number): string | undefined {
  const socketAddress = socket.remoteAddress
  if (trustedProxies === 0) return socketAddress
  const forwarded = forwardedAddresses(headers)
  const address = forwarded.at(-trustedProxies) ?? forwarded[0] ?? socketAddress
  // The address becomes a key in the limiter's store, so its length is limited.
  return address?.slice(0, 64)
}

/** Returns the addresses in `X-Forwarded-For`, from the client's to that of the last proxy's caller. */
function forwardedAddresses(headers: Incoming['headers']): readonly string[] {
  const header = headers['x-forwarded-for']
  return (Array.isArray(header) ? header.join() : (header ?? ''))
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '')
}

/** nginx's most copied lines set `X-Real-IP`, some of them alone. */
const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip']

/**
 * Returns that the number of trusted proxies is probably wrong: it is 0, and a request came through a proxy, or it is
 * higher than the number of addresses that the proxies appended. `null` if it may be right.
 */
function proxyProblem({ headers, url }: Incoming, trustedProxies: number): string | null {
  if (trustedProxies === 0) {
    if (!proxyHeaders.some((name) => name in headers)) return null
    return 'A request has a header of a reverse proxy, but the gateway trusts no proxy, so all clients behind one share a limit. If your own reverse proxies are in front of the gateway, set LATCHKEY_TRUSTED_PROXIES (the option trustedProxies) to their number. If there are none, a client sent the header, and you can ignore this.'
  }
  const { length } = forwardedAddresses(headers)
  // Platforms check the health of the gateway without the proxy.
  if (url === '/healthz' || length >= trustedProxies) return null
  const expected = trustedProxies === 1 ? 'has no address' : `has ${length} of ${trustedProxies} addresses`
  return `The X-Forwarded-For header of a request ${expected}, although LATCHKEY_TRUSTED_PROXIES (the option trustedProxies) is ${trustedProxies}. Either a proxy doesn't append to it, so all clients behind it share a limit: with nginx, add proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for. Or there are fewer proxies, so clients can avoid the limit: set their number. If the request didn't come through your proxies, you can ignore this.`
}
