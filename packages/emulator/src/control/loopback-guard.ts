import type { MiddlewareHandler } from 'hono'
import type { ServiceEnv } from '../service/service-app.ts'

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Blocks web pages: a page on the internet can send requests to localhost, and with a host name that resolves to it
 * (DNS rebinding) even read the responses.
 */
export const loopbackGuard: MiddlewareHandler<ServiceEnv> = async (context, next) => {
  const url = new URL(context.req.url)
  if (!loopbackHosts.has(url.hostname)) {
    return context.json({ message: 'Ask for localhost: other host names are refused.' }, 403)
  }
  const origin = context.req.header('origin')
  const site = context.req.header('sec-fetch-site')
  const isForeign =
    (origin !== undefined && origin !== url.origin) ||
    (site !== undefined && site !== 'same-origin' && site !== 'none')
  if (isForeign) return context.json({ message: 'Other origins are refused.' }, 403)
  // A form can be sent across origins without a preflight request; JSON can't.
  const isChange = context.req.method !== 'GET' && context.req.method !== 'HEAD'
  if (isChange && !/^application\/json\b/i.test(context.req.header('content-type') ?? '')) {
    return context.json({ message: 'Send the header Content-Type: application/json.' }, 415)
  }
  return next()
}
