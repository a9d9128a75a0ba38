import { parseBody } from '../service/service-request.ts'
import type { FaceRequest } from './face.ts'

/** Parses the body's fields from JSON or a form; empty if it is neither. */
export function readFields({ bodyText, header }: FaceRequest): Record<string, unknown> {
  const type = header('content-type') ?? ''
  if (/^application\/x-www-form-urlencoded\b/iu.test(type)) {
    return Object.fromEntries(new URLSearchParams(bodyText ?? ''))
  }
  return parseBody(bodyText ?? '') ?? {}
}

/** Returns a non-empty text field; `null` if there is none. */
export function textField(fields: Record<string, unknown>, name: string): string | null {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : null
}

/** A field that is an object. */
export function objectField(fields: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = fields[name]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
