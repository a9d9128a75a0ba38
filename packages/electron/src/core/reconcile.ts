import { isSameId } from '@latchkey/commerce'
import type { ActivatedLicense, Activation, Outcome, Refusal } from '@latchkey/services'
import {
  causeOf,
  type Failure,
  isRefused,
  isRefusedByService,
  type LicensedReading,
  problemOfVerdict,
  readLicense,
  readRefusal,
  storedLease,
  withReading,
} from './answers.ts'
import type { DeviceRecord } from './device-record.ts'
import { coversBuild } from './entitlement.ts'
import {
  type Evidence,
  type ListReading,
  openCause,
  plan,
  type ReadList,
  type SentRequest,
  type Step,
} from './plan.ts'
import type { Lease, LicensingPorts } from './ports.ts'
import { type ProblemCause, unconfirmed } from './problem.ts'
import { type GoneReading, readGone, readUnknown } from './proof.ts'
import {
  type ActivationRecord,
  changeOwed,
  gatewayWire,
  isSameOwed,
  type LicenseOnRecord,
  type LicenseRecord,
  longestDeliveryMs,
  longestOwedMs,
  mayKnow,
  type Owed,
  proofAfterMs,
  unknownOwed,
  withActivation,
  withAllOwed,
  withOwed,
  withoutRequest,
  withoutWanted,
  withRequest,
} from './record.ts'

/** What became of what was wanted and owed. */
export interface Reconciled {
  /** `null` if nothing was wanted. Even a success may have a problem to show. */
  readonly wanted: WantedOutcome | null
  /** Why a seat couldn't be given back; `null` if all were. */
  readonly owedCause: ProblemCause | null
}

/** How an activation ended. */
export interface WantedOutcome {
  readonly isActivated: boolean
  readonly cause: ProblemCause | null
}

/** The result of checking the held activation. */
export interface Checked {
  /** Why the service should be asked sooner than usual; `null` after a definite answer. */
  readonly cause: ProblemCause | null
  /** The problem to show. */
  readonly problem: ProblemCause | null
}

/** Makes what is there what is wanted, through the licensing service. */
export interface Reconciler {
  /**
   * Plans and acts until nothing is left. Runs alone: no other process of this app does so at the same time.
   *
   * @param isPersonAsking whether a person asks right now. Without one, nothing is repeated that may take a second seat.
   */
  reconcile(isPersonAsking: boolean): Promise<Reconciled>
  /**
   * Asks about the held activation, which only reads. `null` if it was replaced meanwhile.
   *
   * @param alone runs a task as `reconcile` does.
   */
  check(alone: <Outcome>(task: () => Promise<Outcome>) => Promise<Outcome>): Promise<Checked | null>
  /** Reads the list of a license's activations. */
  list(licenseKey: string): Promise<ListReading>
  /** Frees the seat of another device. */
  release(licenseKey: string, activationId: string): Promise<Released>
  /** Cancels all requests, because the app is about to quit. */
  end(): void
}

/** The result of freeing a seat. */
export interface Released {
  /** `null` when it is free. */
  readonly cause: ProblemCause | null
  /** Whether this request freed it. What is gone already also counts as freed. */
  readonly isFreedNow: boolean
}

/** What the service says about an activation. */
type Reading =
  | { readonly kind: 'licensed'; readonly reading: LicensedReading; readonly isAnswer: boolean }
  | { readonly kind: 'gone'; readonly own: readonly Activation[] }
  /** The service documents that it doesn't know it, and has no list that could prove it. */
  | {
      readonly kind: 'unknown'
      readonly reason: string
      readonly verdict: LicensedReading['verdict'] | 'revoked'
    }
  /** Nothing definite. `isRefused`: the service itself refused it, although it may still exist. */
  | { readonly kind: 'unclear'; readonly cause: ProblemCause; readonly isRefused: boolean }

/** The ID of an activation that doesn't exist at any service. */
const noActivationId = '00000000-0000-4000-8000-000000000000'
/** How many listed activations are asked about to learn why a license takes no more devices. */
const mostAsked = 3

/** Creates the executor of the plan. */
export function createReconciler(
  record: DeviceRecord,
  { service, leases, clock, logger }: LicensingPorts,
  releasedAtMs: number | undefined,
): Reconciler {
  const { capabilities } = service
  const show = service.showActivation?.bind(service)
  // Ends all requests when the app quits.
  const ending = new AbortController()
  const call = { signal: ending.signal }
  let hasLoggedMove = false

  /** Sends a request, and notes the time that the service states. */
  async function ask<Value>(call: () => Promise<Outcome<Value>>, confirms = false): Promise<Outcome<Value>> {
    const outcome = await call()
    if (outcome.kind !== 'unavailable') record.noteAnswer(outcome.serverDateMs, confirms)
    return outcome
  }

  async function subjectOf(licenseKey: string, activationId: string) {
    const { activation } = record.current
    const isHeld = activation !== null && isSameId(activation.activationId, activationId)
    const { fingerprint } = isHeld ? activation : await record.identity()
    return { licenseKey, activationId, fingerprint }
  }

  async function leaseIn(
    proof: string | null | undefined,
    subject: { licenseKey: string; activationId: string; fingerprint: string },
  ): Promise<Lease | null> {
    return proof == null || leases === undefined ? null : leases.verify(proof, subject)
  }

  function knownLicense(licenseKey: string): LicenseOnRecord | null {
    const { activation } = record.current
    return activation !== null && isSameId(activation.licenseKey, licenseKey) ? activation.license : null
  }

  async function readAnswer(
    { value, serverDateMs, proof }: Extract<Outcome<ActivatedLicense>, { kind: 'answer' }>,
    licenseKey: string,
  ): Promise<LicensedReading> {
    const subject = await subjectOf(licenseKey, value.activation.id)
    const lease = await leaseIn(proof, subject)
    return readLicense({ value: value.license, serverDateMs }, knownLicense(licenseKey), lease, clock.now())
  }

  async function list(licenseKey: string): Promise<ListReading> {
    const { fingerprint } = await record.identity()
    const listActivations = service.listActivations?.bind(service)
    if (!capabilities.listsActivations || listActivations === undefined) {
      return {
        kind: 'refused',
        mayBeUnknown: false,
        isUnreadable: false,
        cause: { code: 'devices-not-listed' },
      }
    }
    const outcome = await ask(() => listActivations({ licenseKey }, call))
    if (outcome.kind === 'answer') {
      const { activations, isWhole } = outcome.value
      const own = activations.filter((one) => one.fingerprint === fingerprint).sort(byAge)
      return { kind: 'read', activations, own, isWhole, serverDateMs: outcome.serverDateMs }
    }
    const cause = causeOf(outcome)
    if (outcome.kind === 'refusal') {
      return {
        kind: 'refused',
        mayBeUnknown: outcome.reason === 'unknown-license',
        isUnreadable: false,
        cause,
      }
    }
    const { httpStatus } = outcome
    // A list that can't be read only prevents adopting, never the activation.
    const isUnreadable =
      outcome.cause === 'misconfigured' ||
      (outcome.cause === 'unexpected-answer' && outcome.bodyIsJson === true)
    if (!isRefused(outcome) && !isUnreadable) return { kind: 'unavailable', cause }
    const mayBeUnknown = outcome.cause === 'not-found' || httpStatus === 400 || httpStatus === 422
    return { kind: 'refused', mayBeUnknown: mayBeUnknown && !isUnreadable, isUnreadable, cause }
  }

  /** Whether an activation is gone, after a refusal of it. */
  async function findProof(
    licenseKey: string,
    activationId: string,
    refused: Failure,
    wasListed: boolean,
  ): Promise<GoneReading> {
    let asked: Outcome<unknown> = refused
    const isDenied = refused.kind === 'unavailable' && refused.cause === 'access-denied'
    if (show !== undefined && (!isDenied || leases !== undefined)) {
      // Cheaper than the list: what is shown isn't gone.
      asked = await ask(async () => show(await subjectOf(licenseKey, activationId), call))
      if (!isRefused(asked)) return readGone({ activationId, asked, list: notRead, wasListed })
      // A gateway that signs its answers signs this one, but not its list.
      if (leases !== undefined) return asked.kind === 'refusal' ? afterSignedProof(licenseKey) : notProven
    }
    return readGone({ activationId, asked, list: await list(licenseKey), wasListed })
  }

  function isListedHere(licenseKey: string): boolean {
    const { activation } = record.current
    return activation !== null && isSameId(activation.licenseKey, licenseKey) && activation.isListed
  }

  /** Another user of this computer may have activated again. While the list can't be read now, nothing is proven. */
  async function afterSignedProof(licenseKey: string): Promise<GoneReading> {
    const listed = await list(licenseKey)
    if (listed.kind === 'unavailable') return { kind: 'unclear', cause: listed.cause }
    return { kind: 'gone', own: listed.kind === 'read' ? listed.own : [] }
  }

  /** Asks about one activation. */
  async function read(licenseKey: string, activationId: string): Promise<Reading> {
    const subject = await subjectOf(licenseKey, activationId)
    const outcome = await ask(() => service.validate(subject, call), true)
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
    const proof = await findProof(licenseKey, activationId, outcome, isListedHere(licenseKey))
    if (proof.kind === 'gone') return proof
    // A denied access says nothing about the activation.
    const isDenied = outcome.kind === 'unavailable' && outcome.cause === 'access-denied'
    const isRefusedItself = isRefusedByService(outcome) && !isDenied
    return { kind: 'unclear', cause: doubtOf(outcome, proof), isRefused: isRefusedItself }
  }

  function evidenceOf(isPersonAsking: boolean): Evidence {
    return {
      service: service.name,
      listsActivations: capabilities.listsActivations,
      isIdempotent: capabilities.idempotentByFingerprint,
      isPersonAsking,
      isEntitled: record.state.entitled,
      lists: new Map(),
      rejected: new Set(),
      refusal: null,
      sent: null,
      stopped: null,
      tried: [],
      isConfirmed: false,
    }
  }

  async function reconcile(isPersonAsking: boolean): Promise<Reconciled> {
    let evidence = evidenceOf(isPersonAsking)
    let wanted: WantedOutcome | null = null
    let owedCause: ProblemCause | null = null
    const learn = (more: Partial<Evidence>): void => {
      evidence = { ...evidence, ...more }
    }
    const withList = (licenseKey: string, reading: ListReading | undefined): Evidence['lists'] => {
      const others = [...evidence.lists].filter(([key]) => !isSameId(key, licenseKey))
      return new Map(reading === undefined ? others : [...others, [licenseKey, reading]])
    }
    const stop = (cause: ProblemCause): void => {
      wanted = { isActivated: false, cause }
      learn({ stopped: cause })
    }
    const tried = (entry: Owed): void => learn({ tried: [...evidence.tried, entry] })
    const taken = (outcome: WantedOutcome): void => {
      wanted = outcome
      if (!outcome.isActivated && outcome.cause !== null) learn({ stopped: outcome.cause })
    }

    for (;;) {
      const step: Step = plan(record.current, evidence, record.time.nowMs())
      switch (step.do) {
        case 'nothing':
          return { wanted, owedCause }
        case 'wait':
          stop(step.cause)
          break
        case 'list': {
          const reading = await list(step.licenseKey)
          learn({ lists: withList(step.licenseKey, reading) })
          // A person who waits for it is told. In the background, nothing shows that there is such a seat.
          const isOwed =
            record.current.wanted === null && unknownOwed(record.current, step.licenseKey) !== null
          if (isOwed && isPersonAsking && reading.kind !== 'read') owedCause = reading.cause
          break
        }
        case 'adopt': {
          const { licenseKey, activationId } = step
          const listed = evidence.lists.get(licenseKey)
          const read = listed?.kind === 'read' ? listed : null
          const found = await adopt(licenseKey, activationId, read, evidence.rejected)
          if (found.kind === 'taken') taken(found.outcome)
          else if (found.kind === 'stop') {
            // A request that went unanswered before matters more to the person than why this one failed.
            const isOpen = read === null && record.current.wanted?.askedAtMs != null
            stop(isOpen ? openCause(listed ?? null, found.cause) : found.cause)
          } else
            learn({
              rejected: new Set([...evidence.rejected, activationId]),
              refusal: evidence.refusal ?? found.refusal,
            })
          break
        }
        case 'activate': {
          const { licenseKey } = step
          const listed = evidence.lists.get(licenseKey) ?? null
          const outcome = await activate(licenseKey, listed)
          if (outcome.kind === 'taken') taken(outcome.outcome)
          else if (outcome.kind === 'sent') learn({ sent: outcome.sent })
          else stop(outcome.cause)
          // It shows what a lost answer, or a copy of a refused request, has left.
          learn({ lists: withList(licenseKey, undefined) })
          break
        }
        case 'explain':
          stop(await explain(step.licenseKey, step.list, step.sent))
          break
        case 'deactivate': {
          const isForAdoption = record.current.wanted !== null && evidence.stopped === null && wanted === null
          const cause = await giveBack(step.entry)
          // Nobody waits for it for longer than a day.
          const isFresh = record.time.nowMs() - step.entry.sinceMs < proofAfterMs
          if (cause !== null && !isForAdoption && (isFresh || isPersonAsking)) owedCause = cause
          tried(step.entry)
          if (cause !== null && isForAdoption && evidence.listsActivations)
            stop({ ...cause, code: 'activation-unconfirmed' })
          learn({ lists: withList(step.entry.licenseKey, undefined) })
          break
        }
        case 'search': {
          const cause = await search(step.entry, step.list)
          tried(step.entry)
          if (cause !== null && isPersonAsking) owedCause = cause
          break
        }
        case 'forget':
          await record.change((now) => changeOwed(now, step.entry, null))
          break
        case 'confirm':
          await confirm(step.list)
          learn({ isConfirmed: true })
          break
      }
    }
  }

  /** Leaves a seat to the device list if the service has answered for 30 days without freeing it. */
  function left(entry: Owed, nowMs: number): boolean {
    if (nowMs - entry.sinceMs <= longestOwedMs) return false
    logger.warn('A seat could not be freed for 30 days. The device list of its license shows it.')
    return true
  }

  type Adopted =
    | { readonly kind: 'taken'; readonly outcome: WantedOutcome }
    | { readonly kind: 'stop'; readonly cause: ProblemCause }
    | { readonly kind: 'rejected'; readonly refusal: ProblemCause | null }

  /** Takes an activation into use, if the service confirms it. */
  async function adopt(
    licenseKey: string,
    activationId: string,
    listed: ReadList | null,
    rejected: ReadonlySet<string>,
  ): Promise<Adopted> {
    const found = await read(licenseKey, activationId)
    const isOther = (id: string): boolean => !isSameId(id, activationId) && !rejected.has(id)
    const others = (listed?.own ?? []).map(({ id }) => id).filter(isOther)
    switch (found.kind) {
      case 'licensed': {
        // A refusal is about the license. It doesn't prove that this activation exists and belongs to it.
        const isProven = found.isAnswer || listed !== null || isHeld(licenseKey, activationId)
        if (!isProven) return { kind: 'rejected', refusal: null }
        return {
          kind: 'taken',
          outcome: await take(licenseKey, activationId, found.reading, others, listed !== null),
        }
      }
      case 'gone':
      case 'unknown':
        return { kind: 'rejected', refusal: null }
      case 'unclear':
        if (found.isRefused) return { kind: 'rejected', refusal: found.cause }
        if (listed === null && !isHeld(licenseKey, activationId) && found.cause.code === 'wrong-product')
          return { kind: 'rejected', refusal: null }
        // It exists, and nothing definite is known about it. Taking another seat would not change that.
        return { kind: 'stop', cause: found.cause }
    }
  }

  function isHeld(licenseKey: string, activationId: string): boolean {
    const { activation } = record.current
    return (
      activation !== null &&
      isSameId(activation.activationId, activationId) &&
      isSameId(activation.licenseKey, licenseKey)
    )
  }

  /** Records an activation as this device's, unless it would replace a license that works with one that doesn't. */
  async function take(
    licenseKey: string,
    activationId: string,
    reading: LicensedReading,
    otherIds: readonly string[],
    isListed: boolean,
    sentFrom: LicenseRecord | null = null,
  ): Promise<WantedOutcome> {
    /** The request was answered. In one change with what it brought, so that no seat is forgotten in between. */
    const answered = (now: LicenseRecord): LicenseRecord =>
      sentFrom === null ? now : withoutRequest(now, licenseKey, sentFrom)
    const { activation: before } = record.current
    const identity = await record.identity()
    const isSameSeat = before !== null && isSameId(before.activationId, activationId)
    const nowMs = record.time.nowMs()
    const fresh: ActivationRecord = {
      licenseKey,
      activationId,
      service: service.name,
      // A lease is signed for the name that the activation was made with.
      fingerprint: isSameSeat ? before.fingerprint : identity.fingerprint,
      license: reading.license,
      activatedAtMs: nowMs,
      verdict: reading.verdict,
      decidedAtMs: nowMs,
      validAtMs: nowMs,
      isListed: isListed || (isSameSeat && before.isListed),
      unknown: null,
      lease: null,
      offline: null,
    }
    const isSameLicense = before !== null && isSameId(before.licenseKey, licenseKey)
    // Activating the license on record again moves neither its end nor the last answer that found it valid.
    const known = isSameLicense ? { ...fresh, license: before.license, validAtMs: before.validAtMs } : fresh
    const made = withReading(known, reading, nowMs)
    const code = isCovered(made) ? null : problemOfVerdict(reading.verdict)
    const works = before?.verdict === 'valid' || record.state.entitled
    if (code !== null && before !== null && works && !isSameLicense && !isSameSeat) {
      const refusedIds = [activationId, ...otherIds]
      await record.change((now, atMs) =>
        withAllOwed(withoutWanted(answered(now), licenseKey), licenseKey, refusedIds, atMs, isListed),
      )
      return { isActivated: false, cause: { code } }
    }
    await record.change(
      (now, atMs) => withActivation(answered(now), service, made, otherIds, atMs),
      'activated',
    )
    if (lacksLease(made, reading)) return { isActivated: false, cause: { code: 'untrusted-answer' } }
    return { isActivated: code === null, cause: code === null ? null : { code } }
  }

  function isCovered(made: ActivationRecord): boolean {
    return made.verdict === 'expired' && coversBuild(made, releasedAtMs)
  }

  /** Whether a valid license came without the required lease for this device, because its activation has another name. */
  function lacksLease({ fingerprint }: ActivationRecord, { verdict, lease }: LicensedReading): boolean {
    return leases !== undefined && verdict === 'valid' && storedLease(lease, fingerprint, verdict) === null
  }

  type Sent =
    | { readonly kind: 'taken'; readonly outcome: WantedOutcome }
    | { readonly kind: 'failed'; readonly cause: ProblemCause }
    /** No seat yet. The list shows whether the request left one. */
    | { readonly kind: 'sent'; readonly sent: SentRequest }

  /** Asks for a seat. It is on disk before the request is sent, so that a seat is never forgotten. */
  async function activate(licenseKey: string, listed: ListReading | null): Promise<Sent> {
    const { fingerprint, label } = await record.identity()
    const before = record.current
    await record.change((now, nowMs) => withRequest(now, licenseKey, nowMs), 'sent')
    const undo = (): Promise<void> => record.change((now) => withoutRequest(now, licenseKey, before))
    // Without the list, a seat that no record shows after a restart is lost.
    const mayLoseSeat = listed?.kind !== 'read' && !capabilities.idempotentByFingerprint
    const unsaved = mayLoseSeat ? record.whyUnsaved('sent') : null
    if (unsaved !== null) {
      await undo()
      return { kind: 'failed', cause: unsaved }
    }
    const outcome = await ask(
      () => service.activate({ licenseKey, deviceName: label, fingerprint }, call),
      true,
    )
    if (outcome.kind === 'answer') {
      const { id } = outcome.value.activation
      const reading = await readAnswer(outcome, licenseKey)
      const taken = await take(licenseKey, id, reading, [], false, before)
      const isUnlisted = listed?.kind === 'refused' && taken.isActivated
      return {
        kind: 'taken',
        outcome: isUnlisted ? { ...taken, cause: { code: 'adoption-unavailable' } } : taken,
      }
    }
    const wasAsked = before.wanted?.askedAtMs != null
    const cause = causeOf(outcome)
    if (outcome.kind === 'refusal') {
      const { leftoverActivationId } = outcome
      await record.change((now, nowMs) => {
        const next = withoutRequest(now, licenseKey, before)
        return leftoverActivationId === null ? next : withOwed(next, licenseKey, leftoverActivationId, nowMs)
      })
      // A load balancer may have sent the request twice: the first copy took the last seat, and the second was refused.
      if (listed?.kind === 'read' && leftoverActivationId === null)
        return sentWith(listed, cause, true, before)
      // Without a list, an earlier request may have taken the seat that is missing now.
      return refused(licenseKey, cause, listed === null && wasAsked && mayPass(outcome))
    }
    // A limit may have stopped a second copy of the request. The list shows the first one.
    const isLimited = listed?.kind === 'read' && outcome.cause === 'rate-limited'
    if (!outcome.mayHaveActed && !isRefusedByService(outcome) && !isLimited) {
      await undo()
      return { kind: 'failed', cause: wasAsked && listed?.kind !== 'read' ? openCause(listed, cause) : cause }
    }
    const refusal = refusalCause(outcome, listed)
    // The computer may have slept during the request, so the waiting time starts now.
    if (refusal === null) await record.change((now, nowMs) => withRequest(now, licenseKey, nowMs), 'sent')
    if (listed?.kind === 'read') return sentWith(listed, refusal ?? cause, refusal !== null, before)
    if (refusal === null) return { kind: 'failed', cause: openCause(listed, cause) }
    // A proxy that denies access may have let the request through before.
    if (refusal.code !== 'unauthorized') await undo()
    const isOpen = wasAsked && refusal.code === 'activation-refused'
    return refused(
      licenseKey,
      isOpen ? { ...refusal, code: 'seat-may-be-taken' } : refusal,
      wasAsked && (listed === null || isOpen),
    )
  }

  function sentWith(list: ReadList, cause: ProblemCause, isRefused: boolean, from: LicenseRecord): Sent {
    return { kind: 'sent', sent: { cause, isRefused, list, from } }
  }

  /** @param mayStay whether an earlier request may have taken a seat, so that only the person can give the license up. */
  async function refused(licenseKey: string, cause: ProblemCause, mayStay: boolean): Promise<Sent> {
    if (!mayStay) await record.change((now) => withoutWanted(now, licenseKey))
    return { kind: 'failed', cause }
  }

  /** Returns why no seat was given. What is wanted ends with a refusal, and waits if nobody knows. */
  async function explain(
    licenseKey: string,
    listed: ReadList,
    { cause, isRefused: isDefinite, list: before, from }: SentRequest,
  ): Promise<ProblemCause> {
    const reason = await reasonOfRefusal(licenseKey, listed)
    const isListedAgain = listed !== before
    if (reason === null && !isDefinite) {
      return isListedAgain ? cause : { ...cause, code: 'activation-unconfirmed' }
    }
    // Only a list proves that the request took no seat, and only if it shows none of this device.
    const isUnlisted = isDefinite && isListedAgain && listed.own.length === 0
    const isProven = isUnlisted && (await isReliable({ licenseKey, wasListed: false }, listed))
    // A copy of a refused request may have taken a seat.
    const wasThere = (id: string): boolean => before.own.some((one) => isSameId(one.id, id))
    const copies = isDefinite ? listed.own.map(({ id }) => id).filter((id) => !wasThere(id)) : []
    await record.change((now, nowMs) => {
      const ended = withoutWanted(isProven ? withoutRequest(now, licenseKey, from) : now, licenseKey)
      return withAllOwed(ended, licenseKey, copies, nowMs, true)
    })
    return reason ?? cause
  }

  /** Validating any activation shows the license and its facts. `null` if they don't explain a refusal. */
  async function reasonOfRefusal(
    licenseKey: string,
    { activations }: ReadList,
  ): Promise<ProblemCause | null> {
    for (const { id } of activations.slice(0, mostAsked)) {
      const found = await read(licenseKey, id)
      // A service may list what it has deactivated. Another activation may still show the license.
      if (found.kind === 'unclear' && found.isRefused) continue
      if (found.kind !== 'licensed') return null
      await noteReading(id, found.reading)
      const { activationLimit, activationUsage } = found.reading.license
      const isFull = activationLimit !== null && (activationUsage ?? activations.length) >= activationLimit
      const code = problemOfVerdict(found.reading.verdict) ?? (isFull ? 'no-seat-left' : null)
      return code === null ? null : { code }
    }
    return null
  }

  /** Gives a seat back. `null` when it is free. It is on disk before the request that a deactivation is on its way. */
  async function giveBack(entry: Owed & { readonly activationId: string }): Promise<ProblemCause | null> {
    const { licenseKey, activationId } = entry
    await record.change((now, nowMs) =>
      changeOwed(now, entry, { ...entry, untilMs: nowMs + longestDeliveryMs }),
    )
    // Another process may have freed this seat meanwhile, or have taken it into use.
    if (!record.current.owed.some((other) => isSameOwed(other, entry))) return null
    const freed = await deactivate(licenseKey, activationId, entry.wasListed, entry.releaseLink)
    if (freed.kind === 'free') {
      await record.change((now) => changeOwed(now, entry, null))
      return null
    }
    const unknown =
      freed.unknownReason === null
        ? entry.unknown
        : readUnknown(entry.unknown, freed.unknownReason, record.time.nowMs())
    if (unknown === 'proven' || (freed.isAnswered && left(entry, record.time.nowMs()))) {
      await record.change((now) => changeOwed(now, entry, null))
      return null
    }
    await record.change((now, nowMs) =>
      changeOwed(now, entry, {
        ...entry,
        unknown,
        untilMs: freed.mayHaveActed ? nowMs + longestDeliveryMs : entry.untilMs,
      }),
    )
    return freed.cause
  }

  type Freed =
    | { readonly kind: 'free'; readonly isFreedNow: boolean }
    | {
        readonly kind: 'taken'
        readonly cause: ProblemCause
        readonly mayHaveActed: boolean
        /** Whether the service answered. */
        readonly isAnswered: boolean
        readonly unknownReason: string | null
      }

  async function deactivate(
    licenseKey: string,
    activationId: string,
    wasListed: boolean,
    releaseLink: string | null = null,
  ): Promise<Freed> {
    const subject = await subjectOf(licenseKey, activationId)
    // A gateway doesn't free the seat of a device that may run without internet, unless the device gives up its answer.
    const code = releaseLink?.split('#')[1]
    const headers = code === undefined ? undefined : { 'latchkey-release-code': code }
    const outcome = await ask(() => service.deactivate(subject, { ...call, headers }))
    if (outcome.kind === 'answer') {
      const doubt = await doubtOfSuccess(licenseKey, activationId)
      if (doubt === null) return { kind: 'free', isFreedNow: true }
      return { kind: 'taken', cause: doubt, mayHaveActed: true, isAnswered: true, unknownReason: null }
    }
    const cause = causeOf(outcome)
    const isUnknown = outcome.kind === 'refusal' && readUnknownReason(outcome) !== null
    if (isUnknown && !capabilities.listsActivations) {
      return {
        kind: 'taken',
        cause: unconfirmed,
        mayHaveActed: false,
        isAnswered: true,
        unknownReason: outcome.reason,
      }
    }
    if (isRefused(outcome) && capabilities.listsActivations) {
      const proof = await findProof(licenseKey, activationId, outcome, wasListed)
      if (proof.kind === 'gone') return { kind: 'free', isFreedNow: false }
      const why = doubtOf(outcome, proof)
      return { kind: 'taken', cause: why, mayHaveActed: false, isAnswered: true, unknownReason: null }
    }
    // We or a proxy stopped waiting. A lost connection delivers nothing later. Without a list, it would take a day to prove
    // that it did.
    const isUnderWay =
      !capabilities.listsActivations ||
      (outcome.kind === 'unavailable' && ['timeout', 'server-error'].includes(outcome.cause))
    const mayHaveActed = outcome.kind === 'unavailable' && outcome.mayHaveActed && isUnderWay
    return { kind: 'taken', cause, mayHaveActed, isAnswered: isRefused(outcome), unknownReason: null }
  }

  /**
   * Why a seat may still be taken after a success: a proxy may answer so to everything. The service refuses to show what is
   * gone. Some services keep showing it, but they don't validate it anymore.
   */
  async function doubtOfSuccess(licenseKey: string, activationId: string): Promise<ProblemCause | null> {
    if (show === undefined) return null
    const subject = await subjectOf(licenseKey, activationId)
    const shown = await ask(() => show(subject, call))
    if (shown.kind === 'answer') {
      const validated = await ask(() => service.validate(subject, call))
      return isRefused(validated) ? null : unconfirmed
    }
    // With leases, an unsigned refusal is too little to revoke a device, but enough to confirm a success.
    const isUnsigned = shown.kind === 'unavailable' && shown.cause === 'unsigned-answer'
    return isRefused(shown) || isUnsigned ? null : causeOf(shown)
  }

  /** Owes by ID what an unanswered request left behind. Two users of a computer share its fingerprint. */
  async function search(entry: Owed, listed: ReadList): Promise<ProblemCause | null> {
    const { licenseKey, sinceMs, untilMs } = entry
    const since = sinceMs - longestDeliveryMs
    const found = listed.own.filter(({ id, createdAtMs }) => {
      const { activation } = record.current
      const isInUse = activation !== null && isSameId(activation.activationId, id)
      return !isInUse && (createdAtMs === null || createdAtMs >= since)
    })
    const nowMs = record.time.nowMs()
    const isOver = untilMs === null || nowMs >= untilMs
    const isEmpty = isOver && found.length === 0
    const isDone = isEmpty && ((await isReliable(entry, listed)) || left(entry, nowMs))
    await record.change((now, atMs) => {
      const ids = found.map(({ id }) => id)
      const owing = withAllOwed(now, licenseKey, ids, atMs)
      if (isDone) return changeOwed(owing, entry, null)
      return found.length === 0 ? owing : changeOwed(owing, entry, { ...entry, wasListed: true })
    })
    return isDone || found.length > 0 || !isOver ? null : unconfirmed
  }

  /**
   * Whether a list proves that an unknown activation doesn't exist: the host has to refuse one that can't exist. An empty
   * list may be a proxy's, unless an activation was found in it before.
   */
  async function isReliable(
    { licenseKey, wasListed }: Pick<Owed, 'licenseKey' | 'wasListed'>,
    listed: ReadList,
  ): Promise<boolean> {
    if (!listed.isWhole || (listed.activations.length === 0 && !wasListed)) return false
    if (show === undefined) return true
    return isRefused(await ask(async () => show(await subjectOf(licenseKey, noActivationId), call)))
  }

  /** Notes that this license's list was seen, and keeps the oldest of this device's activations. */
  async function confirm(listed: ReadList): Promise<void> {
    const { activation: held } = record.current
    if (held === null || listed.activations.length === 0) return
    const isMine = (id: string): boolean => isSameId(id, held.activationId)
    const isListed = listed.activations.some(({ id }) => isMine(id))
    // The list may come from a cache that is older than the activation in use.
    if (!isListed) return
    // The service may list what is gone: then it refuses it, while it accepts the one in use.
    const dead = new Set<string>()
    const others = (): readonly string[] => listed.own.map(({ id }) => id).filter((id) => !dead.has(id))
    for (const { id } of listed.own) {
      if (isMine(id)) break
      const found = await read(held.licenseKey, id)
      if (found.kind === 'licensed' && found.isAnswer && found.reading.verdict === 'valid') {
        const rest = others().filter((other) => other !== id)
        await take(held.licenseKey, id, found.reading, rest, true)
        return
      }
      if (found.kind === 'unclear' && !found.isRefused) return
      dead.add(id)
    }
    // The person doesn't wait for this write: the next list would show the same.
    void record.note((now, nowMs) => {
      const { activation } = now
      if (activation === null || !isMine(activation.activationId)) return now
      const seen: LicenseRecord = { ...now, activation: { ...activation, isListed: true } }
      return withAllOwed(seen, activation.licenseKey, others(), nowMs, true)
    })
  }

  /** Notes an answer about the activation in use. */
  function noteReading(activationId: string, reading: LicensedReading): Promise<void> {
    return record.note((now, nowMs) => {
      const { activation } = now
      if (activation === null || !isSameId(activation.activationId, activationId)) return now
      const { name } = service
      return {
        ...now,
        service: name,
        activation: { ...withReading(activation, reading, nowMs), service: name },
      }
    })
  }

  async function check(
    alone: <Outcome>(task: () => Promise<Outcome>) => Promise<Outcome>,
  ): Promise<Checked | null> {
    const { activation: held } = record.current
    if (held === null) return null
    const isOther = held.service !== service.name
    if (isOther && !mayKnow(service, held)) return leftElsewhere(held, null)
    const found = await read(held.licenseKey, held.activationId)
    const isHeldNow = (): boolean => record.current.activation?.activationId === held.activationId
    const mine =
      (change: (activation: ActivationRecord, nowMs: number) => ActivationRecord) =>
      (now: LicenseRecord, nowMs: number): LicenseRecord =>
        now.activation?.activationId === held.activationId
          ? { ...now, activation: change(now.activation, nowMs) }
          : now
    switch (found.kind) {
      case 'licensed': {
        const { reading } = found
        // The computer may sleep while the record is read below, and what the answer grants counts from now.
        await noteReading(held.activationId, reading)
        await record.refresh()
        if (!isHeldNow()) return null
        if (lacksLease(held, reading)) return definite({ code: 'untrusted-answer' }, true)
        const code = record.state.entitled ? null : problemOfVerdict(reading.verdict)
        return definite(code && { code }, false)
      }
      case 'gone': {
        const [replacement] = found.own.filter(({ id }) => !isSameId(id, held.activationId))
        if (isOther) return leftElsewhere(held, null)
        if (replacement !== undefined && !record.isSealedAway) return alone(() => replace(held, found.own))
        if (held.verdict !== 'revoked') {
          await record.note(
            mine((activation, nowMs) => ({
              ...activation,
              verdict: 'revoked',
              decidedAtMs: nowMs,
              unknown: null,
            })),
          )
        }
        await record.refresh()
        return isHeldNow() ? definite({ code: 'moved-to-another-device' }, false) : null
      }
      case 'unknown': {
        const isProvenAlready = held.verdict === found.verdict && !isOther
        if (isProvenAlready) {
          await record.refresh()
          const code = problemOfVerdict(found.verdict)
          return isHeldNow() ? definite(code && { code }, false) : null
        }
        const nowMs = record.time.nowMs()
        const unknown = readUnknown(held.unknown, found.reason, nowMs)
        if (unknown !== 'proven') {
          await record.note(mine((activation) => ({ ...activation, unknown })))
          return undecided(unconfirmed)
        }
        if (isOther) return leftElsewhere(held, null)
        const { verdict } = found
        await record.note(
          mine((activation) => ({ ...activation, verdict, decidedAtMs: nowMs, unknown: null })),
        )
        const code = problemOfVerdict(verdict)
        return definite(code && { code }, false)
      }
      case 'unclear':
        await record.refresh()
        if (!isHeldNow()) return null
        return isOther && found.cause.code === 'unconfirmed'
          ? leftElsewhere(held, found.cause)
          : undecided(found.cause)
    }
  }

  function definite(problem: ProblemCause | null, isUntrusted: boolean): Checked {
    record.noteOutcome('validate', problem)
    return { cause: isUntrusted ? problem : null, problem }
  }

  function undecided(cause: ProblemCause): Checked {
    const isClockToBlame = cause.code === 'offline' && record.time.isBehind()
    record.noteOutcome('validate', cause)
    record.setUnreachable()
    // Save the mark even without an answer, so that time offline counts after a restart.
    void record.saveTime()
    record.publish()
    if (isClockToBlame) return { cause, problem: { ...cause, code: 'clock-behind' } }
    // A computer that was activated without internet isn't expected to have it.
    return { cause, problem: 'validUntilMs' in record.entitlement() ? null : cause }
  }

  /** Grace continues for another service's activation. The service in use can't know it. */
  function leftElsewhere(held: ActivationRecord, cause: ProblemCause | null): Checked {
    // What the other service had ended is ended behind its gateway too, and its license key may still work.
    if (held.verdict === 'revoked' && mayKnow(service, held)) {
      return definite({ code: 'moved-to-another-device' }, false)
    }
    const problem: ProblemCause = { code: 'license-of-other-service' }
    logMove(held)
    record.noteOutcome('validate', problem)
    record.setUnreachable()
    void record.saveTime()
    record.publish()
    return { cause: cause === null ? problem : null, problem }
  }

  /** If a wrong setting is the reason, nothing else shows it: the user is asked for a new key that doesn't exist. */
  function logMove({ service: before, licenseKey }: ActivationRecord): void {
    if (hasLoggedMove) return
    hasLoggedMove = true
    const record = `The license record is of ${before}, and the service in use`
    if (service.findLicenseKey(licenseKey).ok || service.name !== gatewayWire) {
      logger.info(`${record} is ${service.name}. The user is asked for a new license key.`)
    } else {
      logger.warn(
        `${record} takes only UUIDs. If it is a gateway in front of that service, set service.licenseKeys to 'any'. This warning is logged once.`,
      )
    }
  }

  /** Another user of this computer may have deactivated and activated again. Its activation takes no further seat. */
  async function replace(held: ActivationRecord, own: readonly Activation[]): Promise<Checked | null> {
    if (record.current.activation?.activationId !== held.activationId) return null
    for (const { id } of own) {
      if (isSameId(id, held.activationId)) continue
      const found = await read(held.licenseKey, id)
      if (found.kind === 'licensed') {
        await take(held.licenseKey, id, found.reading, [], true)
        const code = record.state.entitled ? null : problemOfVerdict(found.reading.verdict)
        return definite(code && { code }, false)
      }
      if (found.kind === 'unclear') return undecided(found.cause)
    }
    return undecided(unconfirmed)
  }

  async function release(licenseKey: string, activationId: string): Promise<Released> {
    const freed = await deactivate(licenseKey, activationId, false)
    return freed.kind === 'free'
      ? { cause: null, isFreedNow: freed.isFreedNow }
      : { cause: freed.cause, isFreedNow: false }
  }

  return { reconcile, check, list, release, end: () => ending.abort() }
}

const notRead: ListReading = { kind: 'unavailable', cause: unconfirmed }
const notProven: GoneReading = { kind: 'unclear', cause: null }

/** The reading of a refusal that says that the service doesn't know this; `null` for other reasons. */
function readUnknownReason({ reason, mayBeUnknown }: Refusal): Extract<Reading, { kind: 'unknown' }> | null {
  if (reason === 'unknown-license' || reason === 'unknown-activation') {
    return { kind: 'unknown', reason, verdict: 'revoked' }
  }
  if (mayBeUnknown !== true) return null
  const verdict = reason === 'expired' || reason === 'suspended' ? reason : 'inactive'
  return { kind: 'unknown', reason: 'unknown-license', verdict }
}

/** Whether a refusal may end, or may not have applied to an earlier request: a license can be renewed. */
function mayPass({ reason }: Refusal): boolean {
  return reason !== 'wrong-product' && reason !== 'test-license'
}

/** Why nothing definite is known after a refusal that proves nothing. A denied access is nobody's fault here. */
function doubtOf(refused: Failure, proof: GoneReading): ProblemCause {
  const cause = causeOf(refused)
  if (refused.kind === 'unavailable' && refused.cause === 'access-denied') return cause
  return proof.kind === 'unclear' && proof.cause !== null ? proof.cause : { ...cause, code: 'unconfirmed' }
}

/**
 * Why a seat was refused, by the refusal itself; `null` if its outcome is unknown. The service states no reason, but a host
 * that doesn't list the license either doesn't know it.
 */
function refusalCause(failure: Failure, listed: ListReading | null): ProblemCause | null {
  const cause = causeOf(failure)
  const isOfService = isRefusedByService(failure)
  if (failure.kind === 'refusal' || !isRefused(failure)) return null
  // A proxy's page stands in place of an answer, and no list can show whether the service acted before.
  if (!isOfService && listed === null) return null
  if (failure.cause === 'access-denied') return cause
  const isUnknown = listed?.kind === 'refused' && listed.mayBeUnknown
  const isPage = failure.cause === 'not-found' && !isOfService
  if (isPage && !isUnknown) return null
  const isListedEmpty = listed?.kind !== 'read' || listed.activations.length === 0
  const mayBeMistyped = isUnknown || (failure.cause === 'not-found' && isListedEmpty)
  return { ...cause, code: mayBeMistyped ? 'license-not-found' : 'activation-refused' }
}

/** Oldest first. Activations of the same age are ordered by ID, so that every process picks the same one. */
function byAge(one: Activation, other: Activation): number {
  const ageMs = ({ createdAtMs }: Activation): number => createdAtMs ?? 0
  return ageMs(one) - ageMs(other) || (one.id.toLowerCase() < other.id.toLowerCase() ? -1 : 1)
}
