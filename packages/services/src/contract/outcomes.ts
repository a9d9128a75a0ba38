import type { LicenseFacts } from './license-facts.ts'
import type { Answer, Refusal, RefusalReason, Unavailable, UnavailableCause } from './outcome.ts'

/** All facts unknown. Adapters spread it and set the facts that they know. */
export const nothingTold: LicenseFacts = {
  id: null,
  status: null,
  endsAtMs: null,
  worksAfterEnd: false,
  seatLimit: null,
  seatsInUse: null,
  product: null,
  plan: null,
  isTest: null,
}

/** The response that an outcome is based on. */
interface Origin {
  readonly status: number
  readonly serverDateMs: number | null
}

export function answer<Value>(
  value: Value,
  serverDateMs: number | null,
  proof: string | null = null,
): Answer<Value> {
  return { kind: 'answer', value, serverDateMs, proof }
}

export function refusal(
  reason: RefusalReason,
  { status, serverDateMs }: Origin,
  license: LicenseFacts | null = null,
): Refusal {
  return { kind: 'refusal', reason, license, leftoverActivationId: null, httpStatus: status, serverDateMs }
}

/** A status that the adapter doesn't know, so that it can't say whether the license can be used. */
export function unknownStatus({ serverDateMs }: Pick<Origin, 'serverDateMs'>): Unavailable {
  return unavailable('misconfigured', { serverDateMs, detail: 'status' })
}

export function unavailable(cause: UnavailableCause, known: Partial<Unavailable> = {}): Unavailable {
  return {
    kind: 'unavailable',
    cause,
    httpStatus: null,
    retryAfterMs: null,
    serverDateMs: null,
    bodyIsJson: null,
    mayHaveActed: false,
    detail: null,
    ...known,
  }
}
