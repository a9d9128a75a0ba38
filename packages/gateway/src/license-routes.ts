/** The five operations a gateway serves. */
export type LicenseRoute = 'keys' | 'key' | 'activate' | 'validate' | 'deactivate'

/** Where an operation is served, below the base path. */
export interface RoutePattern {
  readonly route: LicenseRoute
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
}

const uuidPattern = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}'
const license = `/licenses/:license{${uuidPattern}}`

/** Exactly what is served. */
export const licenseRoutes: readonly RoutePattern[] = [
  { route: 'keys', method: 'GET', path: `${license}/keys` },
  { route: 'key', method: 'GET', path: `${license}/keys/:key{${uuidPattern}}` },
  { route: 'activate', method: 'POST', path: `${license}/activate` },
  { route: 'validate', method: 'POST', path: `${license}/validate` },
  { route: 'deactivate', method: 'DELETE', path: `${license}/deactivate` },
]

/** Whether a text is a UUID and nothing else. */
export const uuidOnly: RegExp = new RegExp(`^${uuidPattern}$`)

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
