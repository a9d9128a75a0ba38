import { encodedIdPattern, uuidPattern } from './ids.ts'

/** The five operations a gateway serves, and the activation of computers that never go online, if it is on. */
export type LicenseRoute = 'keys' | 'key' | 'activate' | 'validate' | 'deactivate' | 'offline'

/** Where an operation is served, below the base path. */
export interface RoutePattern {
  readonly route: Exclude<LicenseRoute, 'offline'>
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
}

/**
 * Returns exactly what is served.
 *
 * @param takesAnyId whether a service behind the gateway has license keys and ids that aren't UUIDs.
 */
export function licenseRoutes(takesAnyId: boolean): readonly RoutePattern[] {
  const id = takesAnyId ? `${uuidPattern}|${encodedIdPattern}` : uuidPattern
  const license = `/licenses/:license{${id}}`
  return [
    { route: 'keys', method: 'GET', path: `${license}/keys` },
    { route: 'key', method: 'GET', path: `${license}/keys/:key{${id}}` },
    { route: 'activate', method: 'POST', path: `${license}/activate` },
    { route: 'validate', method: 'POST', path: `${license}/validate` },
    { route: 'deactivate', method: 'DELETE', path: `${license}/deactivate` },
  ]
}

/** Which page of a list a request asks for; the first one where it names none. */
export function pageOf(request: Request): number {
  return Number(/[?&]page=([1-9]\d{0,6})(?:&|$)/.exec(request.url)?.[1] ?? 1)
}

/**
 * The path of a request as it came, nothing decoded: `%6b` is not `k` here, so an encoded path can only miss.
 */
export function rawPath(request: Request): string {
  const { url } = request
  const start = url.indexOf('/', url.indexOf(':') + 3)
  if (start === -1) return '/'
  const end = url.slice(start).search(/[?#]/)
  return end === -1 ? url.slice(start) : url.slice(start, start + end)
}
