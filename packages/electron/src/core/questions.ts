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
import { provesGone } from './proof.ts'
import { heldAs, heldOf, type LicenseOnRecord, type Owed, type Verdict } from './record.ts'

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

/** Whether an activation is gone, or why nobody knows. `own`: this device's others, oldest first. */
export type Proof =
  | { readonly kind: 'gone'; readonly own: readonly Activation[] }
  | { readonly kind: 'doubt'; readonly cause: ProblemCause }

type LicenseAnswer = Extract<Outcome<ActivatedLicense>, { kind: 'answer' }>

/** What the service says about an activation. */
export type Reading =
  | { readonly kind: 'licensed'; readonly reading: LicensedReading; readonly isAnswer: boolean }
  | { readonly kind: 'gone'; readonly own: readonly Activation[] }
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

  async function ask<Value>(
    send: (call: ServiceCall) => Promise<Outcome<Value>>,
    confirms = false,
  ): Promise<Outcome<Value>> {
    const outcome = await send({ signal: ending.signal })
    if (outcome.kind !== 'unavailable') record.noteAnswer(outcome.serverDateMs, confirms)
    return outcome
  }

  async function subjectOf(licenseKey: string, activationId: string): Promise<LeaseSubject> {
    const { fingerprint } = heldAs(record.current, activationId) ?? (await record.identity())
    return { licenseKey, activationId, fingerprint }
  }

  async function leaseIn(proof: string | null | undefined, subject: LeaseSubject): Promise<Lease | null> {
    return proof == null || leases === undefined ? null : leases.verify(proof, subject)
  }

  function knownLicense(licenseKey: string): LicenseOnRecord | null {
    return heldOf(record.current, licenseKey)?.license ?? null
  }

  async function readAnswer(
    { value, serverDateMs, proof }: LicenseAnswer,
    licenseKey: string,
  ): Promise<LicensedReading> {
    const subject = await subjectOf(licenseKey, value.activation.id)
    const lease = await leaseIn(proof, subject)
    const known = knownLicense(licenseKey)
    // Nobody states a time with such an answer, so the mark decides whether the license has ended.
    if (capabilities.answersOffline) {
      const nowMs = record.time.nowMs()
      return readLicense({ value: value.license, serverDateMs: nowMs }, known, lease, nowMs)
    }
    return readLicense({ value: value.license, serverDateMs }, known, lease, clock.now())
  }

  async function list(licenseKey: string): Promise<ListReading> {
    const { fingerprint } = await record.identity()
    const listActivations = service.listActivations?.bind(service)
    if (!capabilities.listsActivations || listActivations === undefined) {
      return { kind: 'refused', mayBeUnknown: false, cause: { code: 'devices-not-listed' } }
    }
    const outcome = await ask((call) => listActivations({ licenseKey, fingerprint }, call))
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
  }

  async function findProof(
    licenseKey: string,
    activationId: string,
    refused: Failure,
    wasListed: boolean,
  ): Promise<Proof> {
    const isDenied = refused.kind === 'unavailable' && refused.cause === 'access-denied'
    // A denied access is nobody's fault here.
    const doubt = (cause: ProblemCause | null): Proof => ({
      kind: 'doubt',
      cause: isDenied ? causeOf(refused) : (cause ?? { ...causeOf(refused), code: 'unconfirmed' }),
    })
    let last = refused
    if (show !== undefined && (!isDenied || leases !== undefined)) {
      // Cheaper than the list: what is shown isn't gone.
      const shown = await ask(async (call) => show(await subjectOf(licenseKey, activationId), call))
      if (shown.kind === 'answer') return doubt(null)
      if (!isRefused(shown)) return doubt(causeOf(shown))
      last = shown
    }
    // A gateway that signs its answers signs this one, but not its list.
    const isSigned = show !== undefined && leases !== undefined
    if (isSigned && last.kind !== 'refusal') return doubt(null)
    // Also after a signed proof: another user of this computer may have activated again.
    const listed = await list(licenseKey)
    if (listed.kind === 'unavailable') return doubt(listed.cause)
    if (isSigned) return { kind: 'gone', own: listed.kind === 'read' ? listed.own : [] }
    return listed.kind === 'read' && provesGone(activationId, last, listed, wasListed)
      ? { kind: 'gone', own: listed.own }
      : doubt(null)
  }

  async function read(licenseKey: string, activationId: string): Promise<Reading> {
    const subject = await subjectOf(licenseKey, activationId)
    const outcome = await ask((call) => service.validate(subject, call), true)
    if (outcome.kind === 'answer') {
      return { kind: 'licensed', reading: await readAnswer(outcome, licenseKey), isAnswer: true }
    }
    if (outcome.kind === 'refusal') {
      const lease = await leaseIn(outcome.proof, subject)
      const definite = readRefusal(outcome, knownLicense(licenseKey), lease)
      if (definite !== null) return { kind: 'licensed', reading: definite, isAnswer: false }
      const unknown = readUnknownReason(outcome)
      if (unknown === null) return { kind: 'unclear', cause: causeOf(outcome), isRefused: false }
      if (!capabilities.listsActivations) return unknown
    } else if (!isRefused(outcome)) {
      return { kind: 'unclear', cause: causeOf(outcome), isRefused: false }
    }
    const proof = await findProof(
      licenseKey,
      activationId,
      outcome,
      heldOf(record.current, licenseKey)?.isListed === true,
    )
    if (proof.kind === 'gone') return proof
    // A denied access says nothing about the activation.
    const isDenied = outcome.kind === 'unavailable' && outcome.cause === 'access-denied'
    const isRefusedItself = isRefusedByService(outcome) && !isDenied
    return { kind: 'unclear', cause: proof.cause, isRefused: isRefusedItself }
  }

  async function doubtSuccess(licenseKey: string, activationId: string): Promise<ProblemCause | null> {
    if (show === undefined) return null
    const subject = await subjectOf(licenseKey, activationId)
    const shown = await ask((call) => show(subject, call))
    if (shown.kind === 'answer') {
      const validated = await ask((call) => service.validate(subject, call))
      return isRefused(validated) ? null : unconfirmed
    }
    // With leases, an unsigned refusal is too little to revoke a device, but enough to confirm a success.
    const isUnsigned = shown.kind === 'unavailable' && shown.cause === 'unsigned-answer'
    return isRefused(shown) || isUnsigned ? null : causeOf(shown)
  }

  async function isReliable(
    { licenseKey, wasListed }: Pick<Owed, 'licenseKey' | 'wasListed'>,
    listed: ReadList,
  ): Promise<boolean> {
    if (!listed.isWhole || (listed.activations.length === 0 && !wasListed)) return false
    if (show === undefined) return true
    return isRefused(await ask(async (call) => show(await subjectOf(licenseKey, noActivationId), call)))
  }

  return {
    ask,
    subjectOf,
    list,
    read,
    readAnswer,
    findProof,
    doubtSuccess,
    isReliable,
    end: () => ending.abort(),
  }
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
