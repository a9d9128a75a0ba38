import type { Fetch } from '@latchkey/commerce'
import type { Logger } from '../../core/ports/logger-port.ts'

/** Logs each request at `debug`: method, route, status and duration. No id, no key, no query. */
export function logRequests(fetch: Fetch, logger: Pick<Logger, 'debug'>): Fetch {
  return async (request, init) => {
    const startedMs = performance.now()
    const route = `${request.method} ${routeOf(request.url)}`
    const durationMs = (): number => Math.round(performance.now() - startedMs)
    try {
      const response = await fetch(request, init)
      logger.debug(`${route}: status ${response.status} after ${durationMs()} ms`)
      return response
    } catch (error) {
      logger.debug(`${route}: no answer after ${durationMs()} ms`)
      throw error
    }
  }
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
