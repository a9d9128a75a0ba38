import { createServer, type IncomingMessage, type ServerOptions, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createGateway } from '../create-gateway.ts'
import type { GatewayOptions, Upstream, UpstreamFetch } from '../gateway-options.ts'
import { createLeaseSigner } from '../leases/lease-signer.ts'
import { refused } from '../reply.ts'
import { logLine, startTrace } from '../request-log.ts'
import { type Caller, forwardedAddress } from './forwarded-address.ts'
import { type Listening, listen } from './listen.ts'
import { createPooledFetch } from './pooled-fetch.ts'
import { createPrometheusMetrics, type PrometheusMetrics } from './prometheus-metrics.ts'

/** How to run a gateway on Node. */
export interface GatewayServerOptions
  extends Omit<GatewayOptions, 'clientAddress' | 'isHealthy' | 'metrics'> {
  /** 0 takes any free one. @default 8787 */
  readonly port?: number
  /** The address to listen on. @default '0.0.0.0' */
  readonly host?: string
  /**
   * How many reverse proxies of the vendor's own stand in front and append to `X-Forwarded-For`. Too many lets callers
   * choose the address they are counted by; too few counts everybody as the proxy.
   * @default 0
   */
  readonly trustedProxies?: number
  /** Serves Prometheus metrics at `/metrics` on this port, apart from what the world can reach. @default none */
  readonly metricsPort?: number
  /**
   * Lets the server replace the process's global `Request` and `Response` by lighter ones: faster, and for a process
   * that does nothing else.
   * @default false
   */
  readonly ownsProcess?: boolean
}

/** A running gateway. */
export interface GatewayServer {
  readonly port: number
  /** `null` when there are no metrics. */
  readonly metricsPort: number | null
  /** Lets requests under way end, then closes. */
  close(): Promise<void>
}

/** Limits on what a connection may do before it is a request; the rest is the gateway's. */
const serverOptions: ServerOptions = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  // Node would refuse such a request without a word in the log, and serve the next one on its connection.
  requireHostHeader: false,
  // Longer than the 60 s of common load balancers: closing first would look like a fault of theirs.
  keepAliveTimeout: 65_000,
}

/**
 * Only what an app sends: a path from the root in letters, digits and a few signs, without dot segments. Nothing in it is
 * encoded, so nothing is left for a URL parser to tidy up into a path that is served.
 */
const plainTarget = /^(?!.*\/\.{1,2}(?:[/?]|$))\/[\w.~/-]*(?:\?[\x21-\x7e]*)?$/

/**
 * Runs a gateway on Node's HTTP server.
 *
 * @throws {GatewayConfigError} when an option is not usable, a signing key among them.
 */
export async function startGatewayServer(options: GatewayServerOptions): Promise<GatewayServer> {
  if (options.signing !== undefined) await createLeaseSigner(options.signing.keys).ready()
  const metrics = options.metricsPort === undefined ? null : createPrometheusMetrics()
  const callers = new WeakMap<Request, Caller>()
  /** The last request that began on a connection. */
  const latest = new WeakMap<Socket, IncomingMessage>()
  const clock = options.clock ?? Date.now
  let isStopping = false

  const pool = createPooledFetch()
  const gateway = createGateway({
    ...options,
    upstream: pooled(options.upstream, pool.fetch),
    fetch: options.fetch ?? pool.fetch,
    ...(metrics === null ? {} : { metrics }),
    isHealthy: () => !isStopping,
    clientAddress(request) {
      const caller = callers.get(request)
      return caller && forwardedAddress(caller, options.trustedProxies ?? 0)
    },
  })
  const listener = getRequestListener(
    (request, { incoming }) => {
      callers.set(request, incoming)
      return gateway(request)
    },
    { overrideGlobalObjects: options.ownsProcess ?? false },
  )
  const refuseConnection = (socket: Socket, status: number, broken?: IncomingMessage): void => {
    if (broken === undefined) {
      const line = logLine(startTrace(null, null), refused(status, 'malformed-request'), clock())
      metrics?.observe(line)
      options.log?.(line)
    }
    // Whatever else is on this connection belongs to nobody: it is closed.
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    // A request whose body broke off has begun already: reading it fails now, and that is its line in the log.
    broken?.destroy()
  }
  const server = createServer(serverOptions, (incoming, outgoing) => {
    // Requests that came in one piece with a malformed one were parsed before its connection was closed.
    if (incoming.socket.writableEnded) return
    latest.set(incoming.socket, incoming)
    const { headers, httpVersion } = incoming
    // HTTP/1.0 has no Host; some load balancers still ask for health in it.
    if (httpVersion !== '1.0' && (httpVersion !== '1.1' || headers.host === undefined)) {
      refuseConnection(incoming.socket, 400)
      return
    }
    // Nothing is served at the root: that is where everything strange ends, and is logged.
    if (!plainTarget.test(incoming.url ?? '')) incoming.url = '/'
    // No decision hangs on it, and a strange one must not decide how the path is read.
    headers.host = 'gateway'
    void listener(incoming, outgoing)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else {
      const begun = latest.get(socket)
      refuseConnection(socket, parserErrorStatus(error.code), begun?.complete === false ? begun : undefined)
    }
  })

  const listening = await listen(server, options.port ?? 8787, options.host ?? '0.0.0.0')
  const metricsListening =
    metrics === null
      ? null
      : await listenForMetrics(metrics, options).catch(async (error: unknown) => {
          // A gateway that says it could not start must not go on serving.
          await listening.close()
          pool.close()
          throw error
        })
  return {
    port: listening.port,
    metricsPort: metricsListening?.port ?? null,
    async close() {
      isStopping = true
      await Promise.all([listening.close(), metricsListening?.close()])
      pool.close()
    },
  }
}

/** Adapters get their `fetch` with each call. */
function pooled(upstream: GatewayOptions['upstream'], fetch: UpstreamFetch): readonly Upstream[] {
  const upstreams: readonly Upstream[] = 'length' in upstream ? upstream : [upstream]
  return upstreams.map((one) => ('findLicenseKey' in one ? one : { fetch, ...one }))
}

function parserErrorStatus(code: string | undefined): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
}

async function listenForMetrics(
  metrics: PrometheusMetrics,
  { metricsPort = 0, host = '0.0.0.0' }: GatewayServerOptions,
): Promise<Listening> {
  const server = createServer((incoming, outgoing) => {
    if (incoming.method !== 'GET' || incoming.url !== '/metrics') {
      outgoing.writeHead(404).end()
      return
    }
    metrics.exposition().then(
      (text) => outgoing.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => outgoing.writeHead(500).end(),
    )
  })
  return await listen(server, metricsPort, host)
}
