import { toDate, toEndDate } from '@latchkey/commerce'
import * as z from 'zod/mini'
import { parseActivationName } from './activation-name.ts'
import type { Activation } from './license-service.ts'

/** Reads a field of another type as absent, such as `[]`, which PHP writes for an empty object. */
export function lenient<T>(schema: z.ZodMiniType<T>): z.ZodMiniType<T | null | undefined> {
  return z.catch(z.nullish(schema), undefined)
}

/** A text that may be absent. */
export const text: z.ZodMiniType<string | null | undefined> = lenient(z.string())

/** A number that may be absent. */
export const count: z.ZodMiniType<number | null | undefined> = lenient(z.number())

/** The buyer of a license. */
export const customerField: z.ZodMiniType<{ name?: string | null | undefined } | null | undefined> = lenient(
  z.object({ name: text }),
)

/** Parses an ISO 8601 timestamp, as UTC if it has no time zone; `null` if it isn't one. */
export function timestampMs(text: string | null | undefined): number | null {
  return toDate(text ?? '')?.getTime() ?? null
}

/** Returns when a license ends: `'never'` for `null` on the wire, `null` for a missing or invalid field. */
export function endOf(text: string | null | undefined): number | 'never' | null {
  return text === null ? 'never' : (toEndDate(text ?? '')?.getTime() ?? null)
}

/** Returns the number of seats: `'unlimited'` for `null` on the wire, `null` for a missing field. */
export function limitOf(limit: number | null | undefined): number | 'unlimited' | null {
  return limit === null ? 'unlimited' : (limit ?? null)
}

/** Reads the activation of a service that only stores names, which contain the fingerprint. */
export function namedActivation(
  id: string,
  name: string | null | undefined,
  createdAt: string | null | undefined,
): Activation {
  const { deviceName = null, fingerprint = null } = name == null ? {} : parseActivationName(name)
  return { id, deviceName, fingerprint, createdAtMs: timestampMs(createdAt) }
}
