import { base64url } from 'jose'

/** A route of the gateway. `offline`, `devices` and `thanks` exist only if their options are set. */
export type LicenseRoute =
  | 'keys'
  | 'key'
  | 'activate'
  | 'validate'
  | 'deactivate'
  | 'offline'
  | 'devices'
  | 'thanks'

/** The method and path of an operation, relative to the base path. */
export interface RoutePattern {
  readonly route: Exclude<LicenseRoute, 'offline' | 'devices' | 'thanks'>
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

/** Matches a UUID in upper or lower case, inside a route pattern. */
export const uuidPattern = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}'

/** Matches a string that is exactly a UUID. */
export const uuidOnly: RegExp = new RegExp(`^${uuidPattern}$`)

/** Maximum length of a license key or ID that isn't a UUID, in UTF-8 bytes. Keygen's signed keys have a few hundred. */
const maxIdBytes = 2048

/**
 * Matches an ID that isn't a UUID in a path: `~` and its base64url. The path then has no character that a proxy could
 * decode or normalize.
 */
const encodedIdPattern: string = `~[A-Za-z0-9_-]{2,${Math.ceil((maxIdBytes * 4) / 3)}}`

/** One line of text, without control characters and halves of surrogate pairs. */
const oneLine = /^[^\p{Cc}\p{Cs}\u2028\u2029]{1,2048}$/u

/** Whether a text can be a license key or an ID. A `.` or `..` would lead to another path of the service. */
export function isId(text: string): boolean {
  return oneLine.test(text) && text !== '.' && text !== '..'
}

/** Reads an ID from a path; `null` if it is invalid or not encoded as described at {@link encodedIdPattern}. */
export function readPathId(text: string): string | null {
  if (!text.startsWith('~')) return text
  try {
    const bytes = base64url.decode(text.slice(1))
    const id = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    // Only one spelling per ID is accepted, so that a proxy's logs and limits count it once.
    return oneLine.test(id) && pathIdOf(id) === text ? id : null
  } catch {
    return null
  }
}

/** Encodes an ID for a path. */
export function pathIdOf(id: string): string {
  return uuidOnly.test(id) ? id : `~${base64url.encode(id)}`
}
