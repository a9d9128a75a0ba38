import type { CommerceError } from './commerce-error.ts'

/** Whether a value is a {@link CommerceError}. Also works across copies of this package. */
export function isCommerceError(value: unknown): value is CommerceError {
  return value instanceof Error && value.name === 'CommerceError' && 'code' in value
}
