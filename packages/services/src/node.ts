import type { Fetch } from '@latchkey/commerce/http'
import { Agent, EnvHttpProxyAgent, fetch } from 'undici'

/** An HTTP client with its own connections. */
export interface NodeClient {
  /** For the adapters, and for `createCommerceClient`. */
  readonly fetch: Fetch
  /** Closes all connections. Running requests fail. */
  close(): void
}

/**
 * Creates a `fetch` for Node with a pool of connections. It uses the proxy of the environment if Node does
 * (`NODE_USE_ENV_PROXY=1`).
 *
 * Idle connections don't keep the process running.
 *
 * @example
 * ```ts
 * const { fetch } = createNodeClient()
 * const commerce = createCommerceClient({ baseUrl: 'https://commerce.example/v1', accessToken, fetch })
 * ```
 */
export function createNodeClient(): NodeClient {
  const options = {
    // Idle connections are closed before common load balancers close them after 60 s.
    keepAliveTimeout: 50_000,
    // Node's own agents don't use a tunnel for http: either.
    proxyTunnel: false,
  }
  const dispatcher = usesEnvironmentProxy() ? new EnvHttpProxyAgent(options) : new Agent(options)
  return {
    async fetch(request, init) {
      const { method, url } = request
      const headers = [...request.headers]
      // undici doesn't take the `Request` of Node, which contains another copy of undici.
      const body = request.body === null ? null : await request.text()
      const signal = init?.signal ?? request.signal
      try {
        return await fetch(url, { method, headers, body, signal, redirect: 'manual', dispatcher })
      } catch (error) {
        const { message = null, code } = causeOf(error) ?? {}
        // undici has no reason for the only answer that it doesn't return: one with the status 407.
        if (message === '' && code === undefined) return new Response(null, { status: 407 })
        // Node's own code. undici reports it like an aborted request.
        throw message?.startsWith('Proxy response')
          ? Object.assign(new Error(message), { code: 'ERR_PROXY_TUNNEL' })
          : error
      }
    },
    close: () => void dispatcher.destroy(),
  }
}

/** Returns the error that an error was caused by in the first place; `null` for anything but an error. */
function causeOf(error: unknown): (Error & { readonly code?: unknown }) | null {
  return error instanceof Error ? (causeOf(error.cause) ?? error) : null
}

/** Whether Node takes the proxy from the environment, which you turn on with `NODE_USE_ENV_PROXY=1` or `--use-env-proxy`. */
function usesEnvironmentProxy(): boolean {
  const { env, execArgv } = process
  const options = [...execArgv, ...(env['NODE_OPTIONS'] ?? '').split(/\s+/u)]
  return env['NODE_USE_ENV_PROXY'] === '1' || options.includes('--use-env-proxy')
}
