import { isSameId } from '@latchkey/commerce'
import type { ActivatedLicense, Activation, Outcome, Refusal, ServiceCall } from '@latchkey/services'
import {
  causeOf,
  type Failure,
  isRefused,
  isRefusedByService,
  type LicensedReading,
  readLicense,
  readRefusal,
} from './answers.ts'
import type { DeviceRecord } from './device-record.ts'
import type { ListReading, ReadList } from './plan.ts'
import type { Lease, LeaseSubject, LicensingPorts } from './ports.ts'
import { type ProblemCause, unconfirmed } from './problem.ts'
import { heldAs, heldOf, type Owed, proofAfterMs, type UnknownSince, type Verdict } from './record.ts'

/** The questions to the service: nothing here takes or frees a seat, or changes what is wanted, held or owed. */
export interface Questions {
  /**
   * Sends any request, and notes the time that the service states.
   *
   * @param confirms whether an answer confirms the license, so that its time may move the mark forward.
   */
  ask<Value>(
    send: (call: ServiceCall) => Promise<Outcome<Value>>,
    confirms?: boolean,
  ): Promise<Outcome<Value>>
  /** What a request about an activation contains. */
  subjectOf(licenseKey: string, activationId: string): Promise<LeaseSubject>
  /** Reads the list of a license's activations. */
  list(licenseKey: string): Promise<ListReading>
  /** Asks about one activation. */
  read(licenseKey: string, activationId: string): Promise<Reading>
  /** Reads the license in an answer. */
  readAnswer(answer: LicenseAnswer, licenseKey: string): Promise<LicensedReading>
  /**
   * Whether an activation is gone, after a refusal of it.
   *
   * @param wasListed whether this license's list was ever seen with an activation.
   */
  findProof(licenseKey: string, activationId: string, refused: Failure, wasListed: boolean): Promise<Proof>
  /**
   * Why a seat may still be taken after a successful deactivation: a proxy may answer so to everything. The service refuses
   * to show what is gone. Some services keep showing it, but they don't validate it anymore.
   */
  doubtSuccess(licenseKey: string, activationId: string): Promise<ProblemCause | null>
  /**
   * Whether a list proves that an unknown activation doesn't exist: the host has to refuse one that can't exist. An empty
   * list may be a proxy's, unless an activation was found in it before.
   */
  isReliable(entry: Pick<Owed, 'licenseKey' | 'wasListed'>, listed: ReadList): Promise<boolean>
  /** Cancels all requests, because the app is about to quit. */
  end(): void
}

/** Whether an activation is gone, or why nobody knows. `list`: this license's; `null` if a signature proves it alone. */
export type Proof =
  | { readonly kind: 'gone'; readonly list: ReadList | null }
  | { readonly kind: 'doubt'; readonly cause: ProblemCause }

type LicenseAnswer = Extract<Outcome<ActivatedLicense>, { kind: 'answer' }>

/** What the service says about an activation. */
export type Reading =
  | { readonly kind: 'licensed'; readonly reading: LicensedReading; readonly isAnswer: boolean }
  | { readonly kind: 'gone'; readonly list: ReadList | null }
  /** The service documents that it doesn't know it, and has no list that could prove it. */
  | {
      readonly kind: 'unknown'
      readonly reason: string
      readonly verdict: Verdict
    }
  /** Nothing definite. `isRefused`: the service itself refused it, although it may still exist. */
  | { readonly kind: 'unclear'; readonly cause: ProblemCause; readonly isRefused: boolean }

/** The ID of an activation that doesn't exist at any service. */
const noActivationId = '00000000-0000-4000-8000-000000000000'

/** Creates the questions. */
export function createQuestions(record: DeviceRecord, { service, leases, clock }: LicensingPorts): Questions {
  const { capabilities } = service
  const show = service.showActivation?.bind(service)
  // Ends all requests when the app quits.
  const ending = new AbortController()

  async function leaseIn(proof: string | null | undefined, subject: LeaseSubject): Promise<Lease | null> {
    return proof == null || leases === undefined ? null : leases.verify(proof, subject)
  }

  const questions: Questions = {
    async ask(send, confirms = false) {
      const outcome = await send({ signal: ending.signal })
      if (outcome.kind !== 'unavailable') record.noteAnswer(outcome.serverDateMs, confirms)
      return outcome
    },

    async subjectOf(licenseKey, activationId) {
      const { fingerprint } = heldAs(record.current, activationId) ?? (await record.identity())
      return { licenseKey, activationId, fingerprint }
    },

    async readAnswer({ value, serverDateMs, proof }, licenseKey) {
      const lease = await leaseIn(proof, await questions.subjectOf(licenseKey, value.activation.id))
      const known = heldOf(record.current, licenseKey)?.license ?? null
      // Nobody states a time with such an answer, so the mark decides whether the license has ended.
      const markMs = capabilities.answersOffline ? record.time.nowMs() : null
      const answer = { value: value.license, serverDateMs: markMs ?? serverDateMs }
      return readLicense(answer, known, lease, markMs ?? clock.now())
    },

    async list(licenseKey) {
      const { fingerprint } = await record.identity()
      const listActivations = service.listActivations?.bind(service)
      if (!capabilities.listsActivations || listActivations === undefined) {
        return { kind: 'refused', mayBeUnknown: false, cause: { code: 'devices-not-listed' } }
      }
      const outcome = await questions.ask((call) => listActivations({ licenseKey, fingerprint }, call))
      if (outcome.kind === 'answer') {
        const { activations, isWhole } = outcome.value
        const own = activations.filter((one) => one.fingerprint === fingerprint).sort(byAge)
        return { kind: 'read', activations, own, isWhole, serverDateMs: outcome.serverDateMs }
      }
      const cause = causeOf(outcome)
      if (outcome.kind === 'refusal') {
        return { kind: 'refused', mayBeUnknown: outcome.reason === 'unknown-license', cause }
      }
      const { httpStatus } = outcome
      // A list that can't be read only prevents adopting, never the activation.
      const isUnreadable =
        outcome.cause === 'misconfigured' ||
        (outcome.cause === 'unexpected-answer' && outcome.bodyIsJson === true)
      if (!isRefused(outcome) && !isUnreadable) return { kind: 'unavailable', cause }
      const mayBeUnknown = outcome.cause === 'not-found' || httpStatus === 400 || httpStatus === 422
      return { kind: 'refused', mayBeUnknown: mayBeUnknown && !isUnreadable, cause }
    },

    async findProof(licenseKey, activationId, refused, wasListed) {
      const isDenied = isAccessDenied(refused)
      // A denied access is nobody's fault here.
      const doubt = (cause: ProblemCause | null): Proof => ({
        kind: 'doubt',
        cause: isDenied ? causeOf(refused) : (cause ?? { ...causeOf(refused), code: 'unconfirmed' }),
      })
      let last = refused
      if (show !== undefined && (!isDenied || leases !== undefined)) {
        // Cheaper than the list: what is shown isn't gone.
        const subject = await questions.subjectOf(licenseKey, activationId)
        const shown = await questions.ask((call) => show(subject, call))
        if (shown.kind === 'answer') return doubt(null)
        if (!isRefused(shown)) return doubt(causeOf(shown))
        last = shown
      }
      // A gateway that signs its answers signs this one, but not its list.
      const isSigned = show !== undefined && leases !== undefined
      if (isSigned && last.kind !== 'refusal') return doubt(null)
      // Also after a signed proof: another user of this computer may have activated again.
      const list = await questions.list(licenseKey)
      if (list.kind === 'unavailable') return doubt(list.cause)
      if (isSigned) return { kind: 'gone', list: list.kind === 'read' ? list : null }
      const isProven = list.kind === 'read' && provesGone(activationId, last, list, wasListed)
      return isProven ? { kind: 'gone', list } : doubt(null)
    },

    async read(licenseKey, activationId) {
      const subject = await questions.subjectOf(licenseKey, activationId)
      const outcome = await questions.ask((call) => service.validate(subject, call), true)
      if (outcome.kind === 'answer') {
        return { kind: 'licensed', reading: await questions.readAnswer(outcome, licenseKey), isAnswer: true }
      }
      const held = heldOf(record.current, licenseKey)
      if (outcome.kind === 'refusal') {
        const lease = await leaseIn(outcome.proof, subject)
        const definite = readRefusal(outcome, held?.license ?? null, lease)
        if (definite !== null) return { kind: 'licensed', reading: definite, isAnswer: false }
        const unknown = readUnknownReason(outcome)
        if (unknown === null) return { kind: 'unclear', cause: causeOf(outcome), isRefused: false }
        if (!capabilities.listsActivations) return unknown
      } else if (!isRefused(outcome)) {
        return { kind: 'unclear', cause: causeOf(outcome), isRefused: false }
      }
      const proof = await questions.findProof(licenseKey, activationId, outcome, held?.isListed === true)
      if (proof.kind === 'gone') return proof
      // A denied access says nothing about the activation.
      const isRefusedItself = isRefusedByService(outcome) && !isAccessDenied(outcome)
      return { kind: 'unclear', cause: proof.cause, isRefused: isRefusedItself }
    },

    async doubtSuccess(licenseKey, activationId) {
      if (show === undefined) return null
      const subject = await questions.subjectOf(licenseKey, activationId)
      const shown = await questions.ask((call) => show(subject, call))
      if (shown.kind === 'answer') {
        const validated = await questions.ask((call) => service.validate(subject, call))
        return isRefused(validated) ? null : unconfirmed
      }
      // With leases, an unsigned refusal is too little to revoke a device, but enough to confirm a success.
      const isUnsigned = shown.kind === 'unavailable' && shown.cause === 'unsigned-answer'
      return isRefused(shown) || isUnsigned ? null : causeOf(shown)
    },

    async isReliable({ licenseKey, wasListed }, listed) {
      if (!listed.isWhole || (listed.activations.length === 0 && !wasListed)) return false
      if (show === undefined) return true
      const subject = await questions.subjectOf(licenseKey, noActivationId)
      return isRefused(await questions.ask((call) => show(subject, call)))
    },

    end: () => ending.abort(),
  }
  return questions
}

function isAccessDenied(failure: Failure): boolean {
  return failure.kind === 'unavailable' && failure.cause === 'access-denied'
}

/** The reading of a refusal that says that the service doesn't know this; `null` for other reasons. */
export function readUnknownReason({
  reason,
  mayBeUnknown,
}: Refusal): Extract<Reading, { kind: 'unknown' }> | null {
  if (reason === 'unknown-license' || reason === 'unknown-activation') {
    return { kind: 'unknown', reason, verdict: 'revoked' }
  }
  if (mayBeUnknown !== true) return null
  const verdict = reason === 'expired' || reason === 'suspended' ? reason : 'inactive'
  return { kind: 'unknown', reason: 'unknown-license', verdict }
}

/** Oldest first. Activations of the same age are ordered by ID, so that every process picks the same one. */
function byAge(one: Activation, other: Activation): number {
  const ageMs = ({ createdAtMs }: Activation): number => createdAtMs ?? 0
  return ageMs(one) - ageMs(other) || (one.id.toLowerCase() < other.id.toLowerCase() ? -1 : 1)
}

/** How much older than another response a list may be, in milliseconds. An older one comes from a cache. */
const longestListAgeMs = 60_000

/**
 * The one place that says when an activation is gone: the service lists the license's activations, the whole list lacks this
 * one, and the same host refuses it. A refusal alone proves nothing, not even twice. A list that is much older than the
 * refusal comes from a cache. An empty list counts only if this license's list was ever seen with an activation, or if the
 * refusal has a documented reason.
 *
 * @param refused the host's answer to a question about this activation.
 * @param wasListed whether this license's list was ever seen with an activation.
 */
function provesGone(activationId: string, refused: Failure, list: ReadList, wasListed: boolean): boolean {
  if (!list.isWhole || list.activations.some(({ id }) => isSameId(id, activationId))) return false
  const isEmptyByChance = list.activations.length === 0 && !wasListed && refused.kind !== 'refusal'
  return !isEmptyByChance && !isOlder(list, refused.serverDateMs)
}

/** If only the list has a date, the refusal came from another host. */
function isOlder({ serverDateMs: listedAtMs }: ReadList, answeredAtMs: number | null): boolean {
  return listedAtMs !== null && (answeredAtMs === null || answeredAtMs - listedAtMs > longestListAgeMs)
}

/**
 * A service without a list proves that an activation is gone by the same documented refusal at two checks, at least a day
 * apart.
 *
 * @returns since when it says so, or `proven`.
 */
export function readUnknown(
  known: UnknownSince | null,
  reason: string,
  nowMs: number,
): UnknownSince | 'proven' {
  if (known === null || known.reason !== reason) return { reason, sinceMs: nowMs }
  return nowMs - known.sinceMs >= proofAfterMs ? 'proven' : known
}
