import { encodedIdPattern, uuidPattern } from './ids.ts'

/** A route of the gateway. `offline` exists only if the `offline` option is set. */
export type LicenseRoute = 'keys' | 'key' | 'activate' | 'validate' | 'deactivate' | 'offline'

/** The method and path of an operation, relative to the base path. */
export interface RoutePattern {
  readonly route: Exclude<LicenseRoute, 'offline'>
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
}

/**
 * Returns the license routes.
 *
 * @param takesAnyId whether a service behind the gateway uses license keys and IDs that aren't UUIDs.
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

/** Returns the requested page of a list; 1 by default. */
export function pageOf(request: Request): number {
  return Number(/[?&]page=([1-9]\d{0,6})(?:&|$)/.exec(request.url)?.[1] ?? 1)
}

/**
 * Returns a request's path without decoding it, so that a percent-encoded path matches no route.
 */
export function rawPath(request: Request): string {
  const { url } = request
  const start = url.indexOf('/', url.indexOf(':') + 3)
  if (start === -1) return '/'
  const end = url.slice(start).search(/[?#]/)
  return end === -1 ? url.slice(start) : url.slice(start, start + end)
}
