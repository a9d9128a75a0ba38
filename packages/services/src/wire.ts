import { toDate, toEndDate } from '@latchkey/commerce'
import * as z from 'zod/mini'
import { parseActivationName } from './activation-name.ts'
import {
  type Activation,
  type ActivationList,
  answer,
  type Outcome,
  type Refusal,
  type Unavailable,
  unavailable,
} from './license-service.ts'

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

/** One page of a list of activations. */
export interface ActivationPage {
  readonly kind: 'page'
  /** An item that can't be read is `null`. */
  readonly items: readonly (Activation | null)[]
  readonly isLast: boolean
  readonly serverDateMs: number | null
}

/** Maximum number of pages. With more, the list is incomplete. */
const maxPages = 100

/**
 * Reads a list to its end, and compares it with the number of activations that the license itself reports. A vendor's secret
 * may only see the activations of its own account, mode, or product, and then lists fewer without an error.
 *
 * @param readPage reads a page. Pages are counted from 0.
 * @param seatsInUse what the license reports; `null` if it doesn't.
 * @param secret the option with the secret that authorizes the list; `null` if it is the one that found the license.
 */
export async function readActivations(
  readPage: (page: number) => Promise<ActivationPage | Refusal | Unavailable>,
  seatsInUse: number | null,
  secret: string | null,
): Promise<Outcome<ActivationList>> {
  const activations = new Map<string, Activation>()
  const expected = seatsInUse ?? 0
  let isWhole = true
  for (let number = 0; number < maxPages; number += 1) {
    const page = await readPage(number)
    if (page.kind !== 'page') return page
    for (const item of page.items) {
      if (item === null) isWhole = false
      else activations.set(item.id, item)
    }
    if (!page.isLast) continue
    const { serverDateMs } = page
    if (isWhole && expected > 0 && activations.size === 0 && secret !== null) {
      const detail = `${secret} lists none of the seats in use (${expected}): check its account, product, and mode`
      return unavailable('unexpected-answer', { httpStatus: 200, bodyIsJson: true, serverDateMs, detail })
    }
    const list = { activations: [...activations.values()], isWhole: isWhole && expected <= activations.size }
    return answer<ActivationList>(list, serverDateMs)
  }
  return answer({ activations: [...activations.values()], isWhole: false }, null)
}
