import type { Operation } from '../operations.ts'

/** A request of the interface, taken apart. */
export interface ServiceRequest {
  operation: Operation
  licenseId: string
  keyId: string
  /** The raw query parameter. */
  page: string | undefined
  /** Address of the request without its query: pages link to it. */
  url: string
  header(name: string): string | undefined
  /** The body's text, or `null` when it was too large to be read. */
  bodyText: string | null
}

/** The body as an object; `null` when it is none. */
export function parseBody(bodyText: string): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(bodyText)
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : null
  } catch {
    return null
  }
}
