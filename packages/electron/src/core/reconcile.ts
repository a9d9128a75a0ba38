import { isSameId } from '@latchkey/commerce'
import type { Refusal } from '@latchkey/services'
import {
  causeOf,
  type Failure,
  isRefused,
  isRefusedByService,
  type LicensedReading,
  problemOfVerdict,
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
import type { LicensingPorts } from './ports.ts'
import { type ProblemCause, unconfirmed } from './problem.ts'
import { createQuestions, readUnknown, readUnknownReason } from './questions.ts'
import {
  type ActivationRecord,
  changeOwed,
  heldAs,
  heldOf,
  isSameOwed,
  type LicenseRecord,
  longestDeliveryMs,
  longestOwedMs,
  mayKnow,
  newOwed,
  type Owed,
  type OwedId,
  proofAfterMs,
  type UnknownSince,
  unknownOwed,
  type Verdict,
  withActivation,
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
export type WantedOutcome =
  | { readonly isActivated: true; readonly cause: ProblemCause | null }
  | { readonly isActivated: false; readonly cause: ProblemCause }

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
  release(licenseKey: string, activationId: string): Promise<Freed>
  /** Whether nothing is left to do but to check the held activation. */
  isSettled(): boolean
  /** Cancels all requests, because the app is about to quit. */
  end(): void
}

/** What became of a seat that was to be freed. */
export interface Freed {
  /** Why it may still be taken; `null` if it is free. What is gone already is free, too. */
  readonly cause: ProblemCause | null
  /** Whether this request freed it. */
  readonly isFreedNow?: boolean
  /** Whether a request that didn't free it was answered. */
  readonly isAnswered?: boolean
  /** Whether the request may still take effect. */
  readonly mayHaveActed?: boolean
  /** Since when the service, which has no list, says that it doesn't know this activation. */
  readonly unknown?: UnknownSince
}

/** How many listed activations are asked about to learn why a license takes no more devices. */
const mostAsked = 3

/** Creates the executor of the plan. */
export function createReconciler(
  record: DeviceRecord,
  ports: LicensingPorts,
  releasedAtMs: number | undefined,
): Reconciler {
  const { service, leases, logger } = ports
  const { capabilities } = service
  const questions = createQuestions(record, ports)
  const { ask, isReliable, list, read } = questions
  let hasLoggedMove = false

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
    const evidence = evidenceOf(isPersonAsking)
    let wanted: WantedOutcome | null = null
    let owedCause: ProblemCause | null = null
    const settle = (outcome: WantedOutcome | null): void => {
      if (outcome === null) return
      wanted = outcome
      if (!outcome.isActivated) evidence.stopped = outcome.cause
    }

    for (;;) {
      const step: Step = plan(record.current, evidence, record.time.nowMs())
      const isPursuing = record.current.wanted !== null && evidence.stopped === null
      switch (step.do) {
        case 'nothing':
          return { wanted, owedCause }
        case 'wait':
          settle(failed(step.cause))
          break
        case 'list': {
          const reading = await list(step.licenseKey)
          evidence.lists.set(step.licenseKey, reading)
          // A person who waits for it is told. In the background, nothing shows that there is such a seat.
          const isOwed = !isPursuing && unknownOwed(record.current, step.licenseKey) !== null
          if (isOwed && isPersonAsking && reading.kind !== 'read') owedCause = reading.cause
          break
        }
        case 'adopt': {
          const outcome = await adopt(step.licenseKey, step.activationId, evidence, !isPursuing)
          if (isPursuing) settle(outcome)
          else evidence.isConfirmed ||= outcome !== null
          break
        }
        case 'activate':
          settle(await activate(step.licenseKey, evidence))
          // The next list shows what a lost answer, or a copy of a refused request, has left.
          evidence.lists.delete(step.licenseKey)
          break
        case 'explain':
          settle(failed(await explain(step.licenseKey, step.list, step.sent)))
          break
        case 'deactivate': {
          const { entry } = step
          const cause = await giveBack(entry)
          // Nobody waits for it for longer than a day.
          const isFresh = record.time.nowMs() - entry.sinceMs < proofAfterMs
          if (cause !== null && !isPursuing && (isFresh || isPersonAsking)) owedCause = cause
          evidence.tried.push(entry)
          if (cause !== null && isPursuing && evidence.listsActivations)
            settle(failed({ ...cause, code: 'activation-unconfirmed' }))
          evidence.lists.delete(entry.licenseKey)
          break
        }
        case 'search':
          await search(step.entry, step.list)
          evidence.tried.push(step.entry)
          break
        case 'forget':
          await record.change((now) => changeOwed(now, step.entry, null))
          break
        case 'confirm':
          confirm(step.list, evidence)
          break
      }
    }
  }

  /** After 30 days, an answer that doesn't free a seat leaves it to the device list. */
  function isOwedForTooLong(entry: Owed): boolean {
    if (record.time.nowMs() - entry.sinceMs <= longestOwedMs) return false
    logger.warn('A seat could not be freed for 30 days. The device list of its license shows it.')
    return true
  }

  /**
   * Takes an activation into use, if the service confirms it.
   *
   * @param mustWork whether its license has to be valid, because the activation in use may be. @default false
   * @returns `null` if it can't be used.
   */
  async function adopt(
    licenseKey: string,
    activationId: string,
    evidence: Evidence,
    mustWork = false,
  ): Promise<WantedOutcome | null> {
    const reading = evidence.lists.get(licenseKey)
    const listed = reading?.kind === 'read' ? reading : null
    const isKnown =
      listed !== null ||
      (heldOf(record.current, licenseKey) !== null && heldAs(record.current, activationId) !== null)
    const found = await read(licenseKey, activationId)
    const works = found.kind === 'licensed' && found.isAnswer && found.reading.verdict === 'valid'
    // A refusal is about the license. It doesn't prove that this activation exists and belongs to it.
    if (found.kind === 'licensed' && (works || (!mustWork && (found.isAnswer || isKnown)))) {
      const listedIds = listed?.own.map(({ id }) => id).filter((id) => !evidence.rejected.has(id))
      return take(licenseKey, activationId, found.reading, listedIds ?? null)
    }
    if (found.kind === 'unclear' && !found.isRefused && (isKnown || found.cause.code !== 'wrong-product')) {
      // It exists, and nothing definite is known about it. Taking another seat would not change that. An earlier request
      // that went unanswered matters more to the person than why this one failed.
      const isOpen = listed === null && record.current.wanted?.askedAtMs != null
      return failed(isOpen ? openCause(reading ?? null, found.cause) : found.cause)
    }
    evidence.rejected.add(activationId)
    if (found.kind === 'unclear' && found.isRefused) evidence.refusal ??= found.cause
    return null
  }

  /**
   * Records an activation as this device's, unless it would replace a license that works with one that doesn't.
   *
   * @param listedIds what a list shows of this device, this one among them; `null` if it was not in a list.
   */
  async function take(
    licenseKey: string,
    activationId: string,
    reading: LicensedReading,
    listedIds: readonly string[] | null,
    sentFrom: LicenseRecord | null = null,
  ): Promise<WantedOutcome> {
    /** The request was answered. In one change with what it brought, so that no seat is forgotten in between. */
    const answered = (now: LicenseRecord): LicenseRecord =>
      sentFrom === null ? now : withoutRequest(now, licenseKey, sentFrom)
    // A lease is signed for the name that the activation was made with.
    const { fingerprint } = await questions.subjectOf(licenseKey, activationId)
    const { activation: before } = record.current
    const sameSeat = heldAs(record.current, activationId)
    const sameLicense = heldOf(record.current, licenseKey)
    const nowMs = record.time.nowMs()
    const fresh: ActivationRecord = {
      licenseKey,
      activationId,
      service: service.name,
      fingerprint,
      // Activating the license on record again moves neither its end nor the last answer that found it valid.
      license: sameLicense?.license ?? reading.license,
      validAtMs: sameLicense?.validAtMs ?? nowMs,
      activatedAtMs: nowMs,
      verdict: reading.verdict,
      decidedAtMs: nowMs,
      isListed: listedIds !== null || sameSeat?.isListed === true,
      unknown: null,
      lease: null,
      offline: null,
    }
    const made = withReading(fresh, reading, nowMs)
    const isCovered = made.verdict === 'expired' && coversBuild(made, releasedAtMs)
    const code = isCovered ? null : problemOfVerdict(reading.verdict)
    const works = before?.verdict === 'valid' || record.state.entitled
    if (code !== null && before !== null && works && sameLicense === null && sameSeat === null) {
      const ids = listedIds ?? [activationId]
      await record.change((now, atMs) =>
        withOwed(withoutWanted(answered(now), licenseKey), licenseKey, ids, atMs, listedIds !== null),
      )
      return failed({ code })
    }
    await record.change((now, atMs) => withActivation(answered(now), service, made, listedIds ?? [], atMs))
    if (lacksLease(made, reading)) return failed({ code: 'untrusted-answer' })
    return code === null ? { isActivated: true, cause: null } : failed({ code })
  }

  /** Whether a valid license came without the required lease for this device, because its activation has another name. */
  function lacksLease({ fingerprint }: ActivationRecord, { verdict, lease }: LicensedReading): boolean {
    return leases !== undefined && verdict === 'valid' && storedLease(lease, fingerprint, verdict) === null
  }

  /**
   * Asks for a seat. It is on disk before the request is sent, so that a seat is never forgotten.
   *
   * @returns `null` if it brought no seat, and the list shows whether it left one.
   */
  async function activate(licenseKey: string, evidence: Evidence): Promise<WantedOutcome | null> {
    const reading = evidence.lists.get(licenseKey) ?? null
    const listed = reading?.kind === 'read' ? reading : null
    const { fingerprint, label } = await record.identity()
    const before = record.current
    const request = () => record.change((now, nowMs) => withRequest(now, licenseKey, nowMs))
    const undo = () => record.change((now) => withoutRequest(now, licenseKey, before))
    const unsaved = await request()
    // Without the list, a seat that no record shows after a restart is lost.
    const mayLoseSeat = listed === null && !capabilities.idempotentByFingerprint
    if (unsaved !== null && mayLoseSeat) {
      await undo()
      return failed(unsaved)
    }
    const outcome = await ask(
      (call) => service.activate({ licenseKey, deviceName: label, fingerprint }, call),
      true,
    )
    if (outcome.kind === 'answer') {
      const made = await questions.readAnswer(outcome, licenseKey)
      const taken = await take(licenseKey, outcome.value.activation.id, made, null, before)
      return reading?.kind === 'refused' && taken.isActivated
        ? { ...taken, cause: { code: 'adoption-unavailable' } }
        : taken
    }
    const wasAsked = before.wanted?.askedAtMs != null
    const cause = causeOf(outcome)
    const isDocumented = outcome.kind === 'refusal'
    const mayHaveActed = outcome.kind === 'unavailable' && outcome.mayHaveActed
    // A limit may have stopped a second copy of the request. The list shows the first one.
    const isLimited = listed !== null && outcome.kind === 'unavailable' && outcome.cause === 'rate-limited'
    if (!mayHaveActed && !isRefusedByService(outcome) && !isLimited) {
      await undo()
      return failed(wasAsked && listed === null ? openCause(reading, cause) : cause)
    }
    const refusal = refusalCause(outcome, reading)
    const leftoverId = isDocumented ? outcome.leftoverActivationId : null
    if (leftoverId !== null) {
      await record.change((now, nowMs) => withOwed(now, licenseKey, [leftoverId], nowMs))
    }
    // The computer may have slept during the request, so the waiting time starts now.
    if (refusal === null) await request()
    // A proxy that denies access may have let the request through before.
    else if (isDocumented || (listed === null && refusal.code !== 'unauthorized')) await undo()
    if (listed !== null && leftoverId === null) {
      // Also after a refusal: a load balancer may have sent the request twice, and the first copy took the last seat.
      evidence.sent = { cause: refusal ?? cause, isRefused: refusal !== null, list: listed, from: before }
      return null
    }
    if (refusal === null) return failed(openCause(reading, cause))
    const isOpen = wasAsked && refusal.code === 'activation-refused'
    // Without a list, an earlier request may have taken the seat that is missing now: only the person can give it up.
    const mayStay = wasAsked && reading === null && (!isDocumented || mayPass(outcome))
    if (!mayStay && !isOpen) await record.change((now) => withoutWanted(now, licenseKey))
    return failed(isOpen ? { ...refusal, code: 'seat-may-be-taken' } : refusal)
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
    await record.change((now) =>
      withoutWanted(isProven ? withoutRequest(now, licenseKey, from) : now, licenseKey),
    )
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
  async function giveBack(entry: OwedId): Promise<ProblemCause | null> {
    await record.change((now, nowMs) =>
      changeOwed(now, entry, { ...entry, untilMs: nowMs + longestDeliveryMs }),
    )
    // Another process may have freed this seat meanwhile, or have taken it into use.
    if (!record.current.owed.some((other) => isSameOwed(other, entry))) return null
    const freed = await deactivate(entry)
    const nowMs = record.time.nowMs()
    const isDone = freed.cause === null || (freed.isAnswered === true && isOwedForTooLong(entry))
    const untilMs = freed.mayHaveActed ? nowMs + longestDeliveryMs : entry.untilMs
    const unknown = freed.unknown ?? entry.unknown
    await record.change((now) => changeOwed(now, entry, isDone ? null : { ...entry, unknown, untilMs }))
    return isDone ? null : freed.cause
  }

  async function deactivate(entry: OwedId): Promise<Freed> {
    const { licenseKey, activationId } = entry
    const subject = await questions.subjectOf(licenseKey, activationId)
    // A gateway doesn't free the seat of a device that may run without internet, unless the device gives up its answer.
    const code = entry.releaseLink?.split('#')[1]
    const headers = code === undefined ? undefined : { 'latchkey-release-code': code }
    const outcome = await ask((call) => service.deactivate(subject, { ...call, headers }))
    if (outcome.kind === 'answer') {
      const cause = await questions.doubtSuccess(licenseKey, activationId)
      return { cause, isFreedNow: true, isAnswered: true, mayHaveActed: true }
    }
    if (isRefused(outcome) && capabilities.listsActivations) {
      const proof = await questions.findProof(licenseKey, activationId, outcome, entry.wasListed)
      return { cause: proof.kind === 'gone' ? null : proof.cause, isAnswered: true }
    }
    if (outcome.kind === 'refusal') {
      if (readUnknownReason(outcome) === null) return { cause: causeOf(outcome), isAnswered: true }
      const unknown = readUnknown(entry.unknown, outcome.reason, record.time.nowMs())
      return unknown === 'proven' ? { cause: null } : { cause: unconfirmed, isAnswered: true, unknown }
    }
    // We or a proxy stopped waiting. A lost connection delivers nothing later. Without a list, it would take a day to prove
    // that it did.
    const isUnderWay =
      !capabilities.listsActivations || outcome.cause === 'timeout' || outcome.cause === 'server-error'
    return {
      cause: causeOf(outcome),
      isAnswered: isRefused(outcome),
      mayHaveActed: outcome.mayHaveActed && isUnderWay,
    }
  }

  /** Owes by ID what an unanswered request left behind. Two users of a computer share its fingerprint. */
  async function search(entry: Owed, listed: ReadList): Promise<void> {
    const { licenseKey, sinceMs, untilMs } = entry
    const since = sinceMs - longestDeliveryMs
    const found = listed.own.filter(
      ({ id, createdAtMs }) =>
        heldAs(record.current, id) === null && (createdAtMs === null || createdAtMs >= since),
    )
    const isOver = untilMs === null || record.time.nowMs() >= untilMs
    const isEmpty = isOver && found.length === 0
    const isDone = isEmpty && ((await isReliable(entry, listed)) || isOwedForTooLong(entry))
    await record.change((now, atMs) => {
      const ids = found.map(({ id }) => id)
      const owing = withOwed(now, licenseKey, ids, atMs)
      if (isDone) return changeOwed(owing, entry, null)
      return found.length === 0 ? owing : changeOwed(owing, entry, { ...entry, wasListed: true })
    })
  }

  /**
   * Notes that this license's list was seen. The other activations of this device are owed, but not those that the service
   * lists and refuses: they are gone.
   */
  function confirm(listed: ReadList, evidence: Evidence): void {
    evidence.isConfirmed = true
    const ids = listed.own.map(({ id }) => id).filter((id) => !evidence.rejected.has(id))
    // The person doesn't wait for this write: the next list would show the same.
    void record.note((now, nowMs) => {
      const { activation } = now
      if (activation === null || !listed.activations.some(({ id }) => heldAs(now, id) !== null)) return now
      const seen: LicenseRecord = { ...now, activation: { ...activation, isListed: true } }
      return withOwed(seen, activation.licenseKey, ids, nowMs, true)
    })
  }

  /** Changes the activation in use, if it still is this one. */
  function noteHeld(
    activationId: string,
    change: (activation: ActivationRecord, nowMs: number) => ActivationRecord,
  ): Promise<void> {
    return record.note((now, nowMs) => {
      const held = heldAs(now, activationId)
      return held === null ? now : { ...now, service: service.name, activation: change(held, nowMs) }
    })
  }

  /** Notes an answer about the activation in use. */
  function noteReading(activationId: string, reading: LicensedReading): Promise<void> {
    return noteHeld(activationId, (activation, nowMs) => ({
      ...withReading(activation, reading, nowMs),
      service: service.name,
    }))
  }

  async function check(
    alone: <Outcome>(task: () => Promise<Outcome>) => Promise<Outcome>,
  ): Promise<Checked | null> {
    const { activation: held } = record.current
    if (held === null) return null
    const { licenseKey, activationId } = held
    // Another computer's seat is no concern of this one.
    if (held.verdict === 'copied') return definite({ code: 'record-of-another-device' })
    const isOther = held.service !== service.name
    if (isOther && !mayKnow(service, held)) return leftElsewhere(held)
    const found = await read(licenseKey, activationId)
    const isUnconfirmed = found.kind === 'unclear' && found.cause.code === 'unconfirmed'
    if (isOther && (isUnconfirmed || found.kind === 'gone' || found.kind === 'unknown'))
      return leftElsewhere(held)

    /** Another process may have written meanwhile. */
    const unlessReplaced = async (conclude: () => Checked): Promise<Checked | null> => {
      await record.refresh()
      return record.current.activation?.activationId === activationId ? conclude() : null
    }
    const end = async (verdict: Verdict): Promise<Checked | null> => {
      if (held.verdict !== verdict) {
        await noteHeld(activationId, (activation, nowMs) => ({
          ...activation,
          verdict,
          decidedAtMs: nowMs,
          unknown: null,
        }))
      }
      const code = problemOfVerdict(verdict)
      return unlessReplaced(() => definite(code && { code }))
    }
    switch (found.kind) {
      case 'licensed': {
        const { reading } = found
        // The computer may sleep while the record is read below, and what the answer grants counts from now.
        await noteReading(activationId, reading)
        const isUntrusted = lacksLease(held, reading)
        return unlessReplaced(() =>
          isUntrusted ? definite({ code: 'untrusted-answer' }, true) : definite(problemOfReading(reading)),
        )
      }
      case 'gone': {
        const { list: listed } = found
        const isReplaced = listed?.own.some(({ id }) => !isSameId(id, activationId))
        if (listed === null || !isReplaced || record.isSealedAway) return end('revoked')
        return alone(() => replace(held, listed))
      }
      case 'unknown': {
        const { reason, verdict } = found
        const unknown = readUnknown(held.unknown, reason, record.time.nowMs())
        if (unknown === 'proven' || held.verdict === verdict) return end(verdict)
        await noteHeld(activationId, (activation) => ({ ...activation, unknown }))
        return undecided(unconfirmed)
      }
      case 'unclear':
        return unlessReplaced(() => undecided(found.cause))
    }
  }

  /** The status shows what an answer says about the license, unless the app may still run. */
  function problemOfReading({ verdict }: LicensedReading): ProblemCause | null {
    const code = record.state.entitled ? null : problemOfVerdict(verdict)
    return code && { code }
  }

  function definite(problem: ProblemCause | null, isUntrusted = false): Checked {
    record.noteOutcome('validate', problem)
    return { cause: isUntrusted ? problem : null, problem }
  }

  function noteUnreachable(problem: ProblemCause): void {
    record.noteOutcome('validate', problem)
    record.setUnreachable()
    // Save the mark even without an answer, so that time offline counts after a restart.
    void record.saveTime()
    record.publish()
  }

  function undecided(cause: ProblemCause): Checked {
    const isClockToBlame = cause.code === 'offline' && record.time.isBehind()
    noteUnreachable(cause)
    if (isClockToBlame) return { cause, problem: { ...cause, code: 'clock-behind' } }
    // A computer that was activated without internet, or with a key that needs none, isn't expected to have it.
    const isExpected = 'validUntilMs' in record.entitlement() || capabilities.answersOffline === true
    return { cause, problem: isExpected ? null : cause }
  }

  /** Grace continues for another service's activation. The service in use can't know it. */
  function leftElsewhere(held: ActivationRecord): Checked {
    // What the other service had ended is ended behind its gateway too, and its license key may still work.
    if (held.verdict === 'revoked' && mayKnow(service, held)) {
      return definite({ code: 'moved-to-another-device' })
    }
    const problem: ProblemCause = { code: 'license-of-other-service' }
    if (!hasLoggedMove) {
      hasLoggedMove = true
      // If a wrong setting is the reason, nothing else shows it: the user is asked for a new key that doesn't exist.
      logger.warn(
        `The license record is of ${held.service}, and the service in use is ${service.name}, so the user needs a new license key. If it is a gateway in front of ${held.service}, set service.licenseKeys to 'any'.`,
      )
    }
    noteUnreachable(problem)
    return { cause: problem, problem }
  }

  /** Another user of this computer may have deactivated and activated again. Its activation takes no further seat. */
  async function replace(held: ActivationRecord, listed: ReadList): Promise<Checked | null> {
    if (record.current.activation?.activationId !== held.activationId) return null
    const evidence = evidenceOf(false)
    evidence.lists.set(held.licenseKey, listed)
    for (const { id } of listed.own) {
      const outcome = await adopt(held.licenseKey, id, evidence)
      if (outcome === null) continue
      const isTaken = heldAs(record.current, id) !== null
      return outcome.isActivated || isTaken ? definite(outcome.cause) : undecided(outcome.cause)
    }
    return undecided(unconfirmed)
  }

  function isSettled(): boolean {
    return plan(record.current, evidenceOf(false), record.time.nowMs()).do === 'nothing'
  }

  return {
    reconcile,
    check,
    list,
    release: (licenseKey, activationId) => deactivate(newOwed(licenseKey, activationId, 0, null)),
    isSettled,
    end: questions.end,
  }
}

function failed(cause: ProblemCause): WantedOutcome {
  return { isActivated: false, cause }
}

/** Whether a refusal may end, or may not have applied to an earlier request: a license can be renewed. */
function mayPass({ reason }: Refusal): boolean {
  return reason !== 'wrong-product' && reason !== 'test-license'
}

/**
 * Why a seat was refused, by the refusal itself; `null` if its outcome is unknown. The service states no reason, but a host
 * that doesn't list the license either doesn't know it.
 */
function refusalCause(failure: Failure, listed: ListReading | null): ProblemCause | null {
  const cause = causeOf(failure)
  if (failure.kind === 'refusal') return cause
  if (!isRefused(failure)) return null
  const isOfService = isRefusedByService(failure)
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
