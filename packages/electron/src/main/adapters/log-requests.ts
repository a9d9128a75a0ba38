import type { Fetch } from '@latchkey/commerce'
import type { Logger } from '../../core/ports.ts'

/** Where requests are logged. */
export interface RequestLog {
  readonly logger: Pick<Logger, 'debug'>
  /** Called after each request with Chromium's code if there was no answer, such as `ERR_CERT_DATE_INVALID`. */
  readonly onNetworkError: (code: string | null) => void
}

/** Logs each request at `debug`: method, route, status and duration. No id, no key, no query. */
export function logRequests(fetch: Fetch, log: RequestLog): Fetch {
  return (request, init) => logged(request, () => fetch(request, init), log)
}

async function logged<Answer extends { readonly status: number }>(
  { method, url }: { readonly method: string; readonly url: string },
  send: () => Promise<Answer>,
  { logger, onNetworkError }: RequestLog,
): Promise<Answer> {
  const startedMs = performance.now()
  const route = `${method} ${routeOf(url)}`
  const durationMs = (): number => Math.round(performance.now() - startedMs)
  try {
    const answer = await send()
    logger.debug(`${route}: status ${answer.status} after ${durationMs()} ms`)
    onNetworkError(null)
    return answer
  } catch (error) {
    // It contains no address.
    const code = /net::(ERR_[A-Z_]+)/u.exec(error instanceof Error ? error.message : '')?.[1] ?? null
    logger.debug(`${route}: no answer after ${durationMs()} ms${reasonOf(code)}`)
    onNetworkError(code)
    throw error
  }
}

function reasonOf(code: string | null): string {
  if (code === null) return ''
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
