import { isSameId } from '@latchkey/commerce'
import type { Activation } from '@latchkey/services'
import type { ProblemCause } from './problem.ts'
import {
  type ActivationRecord,
  isOwedId,
  isSameOwed,
  type LicenseRecord,
  type Owed,
  type OwedId,
  type Wanted,
} from './record.ts'

/** What to do next, so that what is wanted and what is there agree. */
export type Step =
  /** Read the list of a license's activations. */
  | { readonly do: 'list'; readonly licenseKey: string }
  /** Take an existing activation of this device into use. It takes no seat. */
  | { readonly do: 'adopt'; readonly licenseKey: string; readonly activationId: string }
  /** Ask for a seat. */
  | { readonly do: 'activate'; readonly licenseKey: string }
  /** Give a seat back. */
  | { readonly do: 'deactivate'; readonly entry: OwedId }
  /** Owe what an unanswered request left behind, as far as a list shows it. */
  | { readonly do: 'search'; readonly entry: Owed; readonly list: ReadList }
  /** What is owed can't be found, because the service lists nothing. */
  | { readonly do: 'forget'; readonly entry: Owed }
  /** The activation in use is the oldest that the list shows of this device. The others are owed. */
  | { readonly do: 'confirm'; readonly list: ReadList }
  /** Find out why a seat wasn't given, from the activations that the license has. */
  | {
      readonly do: 'explain'
      readonly licenseKey: string
      readonly list: ReadList
      readonly sent: SentRequest
    }
  /** What is wanted has to wait. */
  | { readonly do: 'wait'; readonly cause: ProblemCause }
  | { readonly do: 'nothing' }

/** A list of a license's activations that was read. */
export interface ReadList {
  readonly kind: 'read'
  readonly activations: readonly Activation[]
  /** Those with this device's fingerprint, oldest first. */
  readonly own: readonly Activation[]
  /** Whether it is known to be complete. */
  readonly isWhole: boolean
  /** When it was made, by the service's clock; `null` if it doesn't state a time. */
  readonly serverDateMs: number | null
}

/** The outcome of reading a list. */
export type ListReading =
  | ReadList
  /** This app may not list activations, or the list can't be read. Activating works, but adopting doesn't. */
  | {
      readonly kind: 'refused'
      /** Whether the reason may be that the license doesn't exist. */
      readonly mayBeUnknown: boolean
      readonly cause: ProblemCause
    }
  | { readonly kind: 'unavailable'; readonly cause: ProblemCause }

/** A request for a seat that brought none. */
export interface SentRequest {
  readonly cause: ProblemCause
  /** Whether the service refused it. Otherwise, its outcome is unknown. */
  readonly isRefused: boolean
  /** The list before it. */
  readonly list: ReadList
  /** The record before it. */
  readonly from: Pick<LicenseRecord, 'wanted' | 'owed'>
}

/** What is known beside the record, from the service and from this run. The run adds what it learns. */
export interface Evidence {
  readonly service: string
  readonly listsActivations: boolean
  /** Whether activating twice takes one seat. */
  readonly isIdempotent: boolean
  /** Whether a person asks right now. Only then may a request of unknown outcome be repeated. */
  readonly isPersonAsking: boolean
  /** Whether the app may run now. */
  readonly isEntitled: boolean
  /** The lists that were read in this run, by license key. */
  readonly lists: Map<string, ListReading>
  /** IDs of activations that can't be taken into use. */
  readonly rejected: Set<string>
  /** Why the service refuses an activation of this device that it lists; `null` if it refuses none. */
  refusal: ProblemCause | null
  /** The request for a seat that was sent in this run without a result; `null` if there is none. */
  sent: SentRequest | null
  /** Why what is wanted has to wait; `null` if it doesn't. */
  stopped: ProblemCause | null
  /** Entries that were worked on in this run. */
  readonly tried: Owed[]
  /** Whether the held activation was looked for in the list in this run. */
  isConfirmed: boolean
}

/** How long an activation may be wanted before the person is asked again, in milliseconds. */
const longestWantedMs = 24 * 60 * 60 * 1000

/**
 * Compares what is wanted, held and owed, and returns the next step. Pure. Activating, deactivating, retrying, restarting,
 * a second process and a late answer all follow this one function.
 *
 * @param nowMs the high-water mark.
 */
export function plan(record: LicenseRecord, evidence: Readonly<Evidence>, nowMs: number): Step {
  const { wanted } = record
  if (wanted !== null && evidence.stopped === null) return planWanted(record, wanted, evidence, nowMs)
  return planOwed(record, evidence) ?? planConfirmation(record, evidence) ?? { do: 'nothing' }
}

function planWanted(
  record: LicenseRecord,
  wanted: Wanted,
  evidence: Readonly<Evidence>,
  nowMs: number,
): Step {
  const { licenseKey, askedAtMs, sinceMs } = wanted
  const { listsActivations, isPersonAsking, refusal, sent } = evidence
  const list = listsActivations ? evidence.lists.get(licenseKey) : null
  if (list === undefined) return { do: 'list', licenseKey }
  // The activations were just listed, and one of them may show the reason.
  if (sent !== null && list?.kind !== 'read') return { do: 'explain', licenseKey, list: sent.list, sent }
  if (list?.kind === 'unavailable') return { do: 'wait', cause: list.cause }

  for (const activationId of candidatesOf(record, licenseKey, list, evidence)) {
    if (evidence.rejected.has(activationId)) continue
    const leaving = record.owed.find((entry) => isOwedId(entry, activationId) && mayStillFree(entry, nowMs))
    if (leaving === undefined) return { do: 'adopt', licenseKey, activationId }
    // A deactivation is on its way. Adopting the seat could lose it again, so free it for certain.
    const isTried = evidence.tried.some((entry) => isSameOwed(entry, leaving))
    // Without a list, a new seat may still be available.
    if (isTried && list === null) continue
    const mayFree = isPersonAsking || leaving.releaseLink !== null
    if (isTried || !mayFree) return { do: 'wait', cause: { code: 'activation-unconfirmed' } }
    return { do: 'deactivate', entry: { ...leaving, activationId } }
  }

  if (sent !== null && list?.kind === 'read') return { do: 'explain', licenseKey, list, sent }
  if (refusal !== null && !(isPersonAsking && mayReplace(record, licenseKey, evidence)))
    return { do: 'wait', cause: refusal }
  if (!isPersonAsking && askedAtMs !== null && list?.kind !== 'read') {
    return { do: 'wait', cause: openCause(list) }
  }
  const isForgotten = !isPersonAsking && nowMs - sinceMs > longestWantedMs
  return isForgotten ? { do: 'wait', cause: { code: 'activation-paused' } } : { do: 'activate', licenseKey }
}

/** What to call an activation of unknown outcome. Without a list, only the person can find out. */
export function openCause(list: ListReading | null, cause?: ProblemCause): ProblemCause {
  // Trying again doesn't help against a mistake in the settings.
  if (cause?.code === 'misconfigured') return cause
  return { ...cause, code: list === null ? 'seat-may-be-taken' : 'activation-unconfirmed' }
}

/** IDs of this device's activations of a license, the first choice first. */
function candidatesOf(
  { activation, owed }: LicenseRecord,
  licenseKey: string,
  list: ListReading | null,
  evidence: Readonly<Evidence>,
): readonly string[] {
  const isOwn = activation !== null && activation.verdict !== 'copied'
  const held = isOwn && activation.verdict !== 'revoked' ? activation : null
  const heldId = held !== null && isSameId(held.licenseKey, licenseKey) ? held.activationId : null
  if (list?.kind === 'read') {
    const ids = list.own.map(({ id }) => id)
    // The name that identifies it may have been changed.
    const isUnnamed =
      heldId !== null &&
      !ids.some((id) => isSameId(id, heldId)) &&
      list.activations.some(({ id }) => isSameId(id, heldId))
    return isUnnamed ? [...ids, heldId] : ids
  }
  if (evidence.listsActivations) return heldId === null ? [] : [heldId]
  const owedIds = owed.flatMap(({ activationId, ...entry }) =>
    activationId !== null && isSameId(entry.licenseKey, licenseKey) ? [activationId] : [],
  )
  const own = heldId === null ? owedIds : [heldId, ...owedIds]
  if (own.length > 0) return own
  // The service may have replaced the license key and kept the activation, which then looks revoked.
  const last = owed.findLast(({ activationId }) => activationId !== null)?.activationId ?? null
  const likeliest = isOwn && activation.service === evidence.service ? activation.activationId : last
  return likeliest === null ? [] : [likeliest]
}

/** Whether this seat may still be freed at any time: by a deactivation on its way, or by its release code. */
function mayStillFree({ untilMs, releaseLink }: Owed, nowMs: number): boolean {
  return releaseLink !== null || (untilMs !== null && nowMs < untilMs)
}

/** How many seats of one license may be owed before refused activations are no longer replaced. */
const mostReplaced = 2

/**
 * Whether a person may get a new seat although the service refuses an activation of this device that it lists, or that it
 * doesn't list at all. The limits keep a proxy that refuses everything from using up all seats.
 */
function mayReplace(
  { wanted, owed }: LicenseRecord,
  licenseKey: string,
  evidence: Readonly<Evidence>,
): boolean {
  const kind = evidence.lists.get(licenseKey)?.kind
  const isLost = kind === 'read' || (kind === 'refused' && !evidence.isEntitled)
  const waiting = owed.filter(
    (entry) => entry.activationId !== null && isSameId(entry.licenseKey, licenseKey),
  )
  return isLost && wanted?.askedAtMs === null && waiting.length < mostReplaced
}

function planOwed(record: LicenseRecord, evidence: Readonly<Evidence>): Step | null {
  const { wanted } = record
  for (const entry of record.owed) {
    if (evidence.tried.some((other) => isSameOwed(other, entry))) continue
    // What is wanted may still take this seat into use.
    const isWanted = wanted !== null && isSameId(wanted.licenseKey, entry.licenseKey)
    if (isWanted && evidence.listsActivations) continue
    const { activationId, licenseKey } = entry
    if (activationId !== null) return { do: 'deactivate', entry: { ...entry, activationId } }
    if (!evidence.listsActivations) return { do: 'forget', entry }
    const list = evidence.lists.get(licenseKey)
    if (list === undefined) return { do: 'list', licenseKey }
    if (list.kind === 'read') return { do: 'search', entry, list }
  }
  return null
}

function planConfirmation({ activation }: LicenseRecord, evidence: Readonly<Evidence>): Step | null {
  if (activation === null || !needsConfirmation(activation, evidence)) return null
  const { licenseKey, activationId } = activation
  const list = evidence.lists.get(licenseKey)
  if (list === undefined) return { do: 'list', licenseKey }
  // The list may come from a cache that is older than the activation in use.
  if (list.kind !== 'read' || !list.activations.some(({ id }) => isSameId(id, activationId))) return null
  const oldest = list.own.find(({ id }) => !evidence.rejected.has(id))
  return oldest === undefined || isSameId(oldest.id, activationId)
    ? { do: 'confirm', list }
    : { do: 'adopt', licenseKey, activationId: oldest.id }
}

/** Whether the held activation was never seen in a list, which may show others of this device beside it. */
function needsConfirmation(
  { isListed, service, verdict, offline }: ActivationRecord,
  evidence: Readonly<Evidence>,
): boolean {
  if (isListed || evidence.isConfirmed || offline !== null) return false
  return (
    service === evidence.service &&
    verdict !== 'revoked' &&
    verdict !== 'copied' &&
    evidence.listsActivations &&
    !evidence.isIdempotent
  )
}
