import type { Fetch } from '@latchkey/commerce'
import type { Exchange } from '@latchkey/commerce/app-client'
import type { Logger } from '../../core/ports/logger-port.ts'

/** Logs each request at `debug`: method, route, status and duration. No id, no key, no query. */
export function logRequests(fetch: Fetch, logger: Pick<Logger, 'debug'>): Fetch {
  return (request, init) => logged(request, () => fetch(request, init), logger)
}

/** Does the same for the commerce client's exchanges. */
export function logExchanges(exchange: Exchange, logger: Pick<Logger, 'debug'>): Exchange {
  return (request, signal) => logged(request, () => exchange(request, signal), logger)
}

async function logged<Answer extends { readonly status: number }>(
  { method, url }: { readonly method: string; readonly url: string },
  send: () => Promise<Answer>,
  logger: Pick<Logger, 'debug'>,
): Promise<Answer> {
  const startedMs = performance.now()
  const route = `${method} ${routeOf(url)}`
  const durationMs = (): number => Math.round(performance.now() - startedMs)
  try {
    const answer = await send()
    logger.debug(`${route}: status ${answer.status} after ${durationMs()} ms`)
    return answer
  } catch (error) {
    logger.debug(`${route}: no answer after ${durationMs()} ms${reasonOf(error)}`)
    throw error
  }
}

/** Returns Chromium's code of a failure, which contains no address; empty if it has none. */
function reasonOf(error: unknown): string {
  const code = /net::(ERR_[A-Z_]+)/u.exec(error instanceof Error ? error.message : '')?.[1]
  if (code === undefined) return ''
  const hint = code === 'ERR_SSL_PROTOCOL_ERROR' ? ' (does the service use http:// instead of https://?)' : ''
  return `, ${code}${hint}`
}

/** Collection names of the interface. The path segment after one of them is an id. */
const collections: ReadonlySet<string> = new Set(['licenses', 'keys', 'accounts', 'machines'])

/** Returns a URL's path with `*` in place of every segment that may identify a license or a device. */
export function routeOf(url: string): string {
  const parts = new URL(url).pathname.split('/')
  return parts
    .map((part, index) => {
      const isPlain = /^(?:v\d+|[a-z]{1,20}(?:-[a-z]{1,20}){0,3})?$/u.test(part)
      return isPlain && !collections.has(parts[index - 1] ?? '') ? part : '*'
    })
    .join('/')
}
