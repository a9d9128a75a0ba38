import type { Operation } from '../operations.ts'

/** A parsed request of the interface. */
export interface ServiceRequest {
  operation: Operation
  licenseId: string
  keyId: string
  /** The raw query parameter. */
  page: string | undefined
  /** Address of the request without its query, for links to pages. */
  url: string
  header(name: string): string | undefined
  /** The body's text; `null` if it was too large to read. */
  bodyText: string | null
}

/** Parses the body as an object; `null` if it isn't one. */
export function parseBody(bodyText: string): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(bodyText)
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : null
  } catch {
    return null
  }
}
