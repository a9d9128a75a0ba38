import type { LicensingState } from '../shared/licensing-state.ts'
import type { Problem } from '../shared/problem.ts'
import type { ActivationResult, DeactivationResult } from '../shared/results.ts'
import type { LicensingCore, LicensingPorts, LicensingRules } from './licensing-core.ts'
import { createLicensingSession } from './licensing-session.ts'
import { createCheckSchedule } from './operations/check-schedule.ts'
import { createDeviceOperations } from './operations/device-operations.ts'
import { findLicenseKey } from './operations/find-license-key.ts'
import { createLostLicense, type KnownLoss } from './operations/lost-license.ts'
import { createOfflineOnDemand } from './operations/offline-on-demand.ts'
import type { ActivationOutcome } from './operations/online/adoption.ts'
import { onlineOperations } from './operations/online-on-demand.ts'
import { openRecord } from './operations/opening.ts'
import { causeOfDefect, createOperationGuards } from './operations/operation-guards.ts'
import { createOperationQueue, isSameOperation, type OperationKey } from './operations/operation-queue.ts'
import { pauseBeforeCheckMs } from './operations/pause-before-check.ts'
import { createShownActivity } from './operations/shown-activity.ts'
import { keepTime } from './operations/time-keeper.ts'
import { describeProblem, type ProblemCause, seatNotFreed } from './problem.ts'
import { isQuiet } from './record/outbox-entries.ts'
import { isSameId } from './record/same-id.ts'
import { licenseInstead } from './record/seats/revocation.ts'
import { isOfOtherService } from './record/seats/service-of-record.ts'
import { trustedText } from './record/stored-lease.ts'
import { isWorthKeeping } from './record/vault.ts'

/** Creates the state machine. It does nothing until `start`. */
export function createLicensingCore(ports: LicensingPorts, rules: LicensingRules): LicensingCore {
  const { clock, logger, secrets, commerce, lock, recordLock, whenPainted } = ports
  const session = createLicensingSession(ports, rules)
  // Operations that take or free a seat run one at a time. A check only reads, so it never blocks a user's request.
  const seats = createOperationQueue()
  const checks = createOperationQueue()
  const shown = createShownActivity(session.published, seats, checks)
  const schedule = createCheckSchedule(clock, rules.recheckMs, () => void check())
  const timeKeeper = keepTime(session, schedule.request)
  const guards = createOperationGuards({
    logger,
    lock,
    onLock: session.noteLock,
    isDisposed: () => isDisposed,
    async prepare() {
      await ready()
      await session.refresh()
    },
  })
  const { safely, alone } = guards
  const offline = createOfflineOnDemand({
    session,
    ready,
    run: (subject, operation, onDefect) =>
      shown(seats.run({ kind: 'activate', subject }, alone(operation, onDefect))),
    settle: (operation) =>
      seats.runInBackground({ kind: 'settle', subject: 'codes' }, alone(operation, causeOfDefect)),
  })
  const { devices, releaseDevice, setFullLicense, releasedFor } = createDeviceOperations({
    session,
    logger,
    guards,
    problemOf: (cause) => problemOf(cause),
    runRelease: (keyId, operation) => shown(seats.run({ kind: 'release', subject: keyId }, operation)),
    deactivateDevice,
  })
  const lost = createLostLicense(commerce)
  let started: Promise<void> | null = null
  let isDisposed = false
  // What `reactivate` tries if nothing else is there: a refusal ends a pending activation, and its user may try again.
  let reactivatedId: string | null = null

  function ready(): Promise<void> {
    // A launch that failed is tried again at the next call.
    started ??= launch().catch((error: unknown) => {
      started = null
      throw error
    })
    return started
  }

  async function launch(): Promise<void> {
    await openRecord(session, rules)
    if (isDisposed) return
    timeKeeper.start()
    void offline.makeLateCodes()
    secrets.onAnswer?.(() => void takeOver())
    if (isAnswerAwaited() || whenPainted === undefined) schedule.request('launch')
    else void whenPainted().then(() => schedule.request('launch'))
  }

  /** Whether someone is waiting for the service's answer, so that the check can't wait until the app has painted. */
  function isAnswerAwaited(): boolean {
    const { activation, pending } = session.vault()
    return pending !== null || (activation !== null && !session.published.current.entitled)
  }

  /** Reads the record again after the keychain opened late. */
  async function takeOver(): Promise<void> {
    if (isDisposed) return
    await session.refresh()
    if (isDisposed || !isWorthKeeping(session.vault())) return
    // Anything written before the keychain opened was not sealed.
    void session.saveTime()
    schedule.request('timer')
  }

  async function check(): Promise<void> {
    if (isDisposed) return
    const cause = await shown(
      checks.run(
        { kind: 'check' },
        safely(async () => {
          const { checkEverything } = await onlineOperations()
          return checkEverything(session, async (settle) => {
            const onDefect = (cause: ProblemCause) => ({ cause, problem: cause, isValidated: false })
            const pendingLicenseId = session.vault().pending?.licenseId ?? null
            const watched = alone(() => lost.watch(session.vault, settle), onDefect)
            const leftOvers = await shown(seats.runInBackground({ kind: 'settle' }, watched))
            if (leftOvers?.problem?.code === 'no-seat-left') setFullLicense(pendingLicenseId)
            return leftOvers
          })
        }, causeOfDefect),
      ),
    )
    planNextCheck(cause)
  }

  /** Plans an earlier check while a seat waits to be freed, a record waits to be opened or an answer may change soon. */
  function planNextCheck(cause: ProblemCause | null, plan = schedule.settled): void {
    const isAwaitingRecord = session.isSealedAway() && !isWorthKeeping(session.vault())
    const { activation, outbox } = session.vault()
    const nowMs = session.time.nowMs()
    const isWaiting = outbox.some((queued) => !isQuiet(queued, nowMs)) || isAwaitingRecord
    const pauseMs = pauseBeforeCheckMs(activation, session.entitlement(), nowMs, rules)
    plan(cause ?? (isWaiting ? { code: 'unexpected' } : null), pauseMs)
  }

  const problemOf = (cause: ProblemCause): Problem => describeProblem(cause, clock.now())

  function refuse(cause: ProblemCause): { ok: false; problem: Problem; state: LicensingState } {
    return { ok: false, problem: problemOf(cause), state: session.published.current }
  }

  async function activate(licenseKeyText: string): Promise<ActivationResult> {
    const read = findLicenseKey(ports, licenseKeyText)
    if (!read.ok) return refuse(read)
    const { licenseKey: licenseId } = read
    const key: OperationKey = { kind: 'activate', subject: licenseId }
    const isOtherUnderWay = seats
      .keys()
      .some((other) => other.kind === 'activate' && !isSameOperation(other, key))
    if (isOtherUnderWay) return refuse({ code: 'busy' })

    const known = lost.known()
    const outcome = await shown(
      seats.run(
        key,
        alone(
          () => activateLicense(licenseId, known),
          (cause): ActivationOutcome => ({ ok: false, cause }),
        ),
      ),
    )
    return outcome.ok ? { ok: true, state: session.published.current } : refuse(outcome.cause)
  }

  async function reactivate(): Promise<ActivationResult> {
    await ready()
    const { activation, pending } = session.vault()
    // The license that a device was just released for comes first, and then the pending one: the most recent request.
    reactivatedId = releasedFor() ?? (pending ?? activation)?.licenseId ?? lost.id() ?? reactivatedId
    if (reactivatedId === null) return refuse({ code: 'not-activated' })
    const result = await activate(reactivatedId)
    const insteadId = licenseInstead(session.vault(), result, pending?.requestedAtMs)
    return insteadId === null ? result : activate(insteadId)
  }

  async function activateLicense(licenseId: string, known: KnownLoss): Promise<ActivationOutcome> {
    await session.identity()
    // The user asked before anything could say that the previous request may have taken a seat.
    const loss = lost.lossSince(known, licenseId)
    if (loss !== null) return { ok: false, cause: loss }
    const { pending } = session.vault()
    if (pending !== null && !isSameId(pending.licenseId, licenseId)) lost.drop(pending)
    await session.record({ type: 'activation-requested', licenseId })
    const { pursueActivation, flushOutbox } = await onlineOperations()
    const outcome = await pursueActivation(session, licenseId, true)
    if (outcome.ok || licenseId !== reactivatedId) reactivatedId = null
    setFullLicense(outcome.cause?.code === 'no-seat-left' ? licenseId : null)
    const leftOver = lost.settle({ licenseId, isActivated: outcome.ok, before: pending, known })
    session.report('activate', outcome.cause ?? leftOver)
    // A pending activation means the service is unreachable, and the user is waiting.
    if (session.vault().pending === null) await flushOutbox(session)
    if (outcome.ok) planNextCheck(null)
    else planNextCheck(outcome.cause, schedule.attempted)
    return outcome
  }

  async function deactivate(): Promise<DeactivationResult> {
    const result = await shown(seats.run({ kind: 'deactivate' }, alone(deactivateDevice, refuse)))
    return { ...result, state: session.published.current }
  }

  async function deactivateDevice(): Promise<DeactivationResult> {
    await session.identity()
    const { activation, pending } = session.vault()
    reactivatedId = null
    const isLost = lost.drop(pending)
    if (activation === null && pending === null) return refuse({ code: 'not-activated' })
    setFullLicense(null)
    const endedLicenseId = activation === null ? null : activation.licenseId
    await session.record({
      type: 'deactivated',
      endedLicenseId,
      pendingLicenseId: pending === null ? null : pending.licenseId,
      code: await offline.releaseCode(),
    })
    const cause = await freeSeats()
    const waiting = cause && seatNotFreed(cause)
    session.report('deactivate', isLost ? { code: 'seat-may-be-taken' } : waiting)
    const isElsewhere = activation !== null && isOfOtherService(activation)
    const { isSearchHeldBack } = await onlineOperations()
    const isHeldBack = pending !== null && isSearchHeldBack(session, pending.licenseId)
    const isLater = waiting !== null || isHeldBack
    const isKept = isLost || (isElsewhere && !isLater)
    const seat = isKept ? 'not-freed' : isLater ? 'freed-later' : 'freed'
    return { ok: true, seat, state: session.published.current }
  }

  async function freeSeats(): Promise<ProblemCause | null> {
    const { flushOutbox } = await onlineOperations()
    const cause = await flushOutbox(session)
    planNextCheck(cause, schedule.attempted)
    return cause
  }

  async function cancelActivation(): Promise<LicensingState> {
    await shown(seats.run({ kind: 'cancel' }, alone(cancelPending, causeOfDefect)))
    return session.published.current
  }

  /** A license in use stays: the window that asked may not know yet that the activation succeeded elsewhere. */
  async function cancelPending(): Promise<ProblemCause | null> {
    await session.identity()
    const { pending } = session.vault()
    reactivatedId = null
    lost.drop(pending)
    if (pending === null) return null
    setFullLicense(null)
    await session.record({ type: 'activation-canceled', licenseId: pending.licenseId })
    const { activation, outbox } = session.vault()
    const cause = outbox.length > 0 ? await freeSeats() : null
    const waiting = cause && activation === null ? seatNotFreed(cause) : cause
    session.report('cancel the activation', lost.id() !== null ? { code: 'seat-may-be-taken' } : waiting)
    // A license in use may have a problem of its own.
    if (activation !== null) schedule.request('timer')
    return cause
  }

  return {
    get state() {
      return session.published.current
    },
    async start() {
      await ready()
      return session.published.current
    },
    subscribe: session.published.subscribe,
    activate,
    reactivate,
    createOfflineRequest: offline.createOfflineRequest,
    activateOffline: offline.activateOffline,
    async validate() {
      await check()
      return session.published.current
    },
    cancelActivation,
    deactivate,
    devices,
    covers: session.covers,
    lease: () => trustedText(session.vault().activation?.lease),
    releaseDevice,
    check(trigger) {
      // A long time may have passed while the computer slept. Publish what changed without waiting for the check.
      session.published.publish()
      schedule.request(trigger)
    },
    diagnose: (describe) => describe(session),
    finish: session.finish,
    async dispose() {
      isDisposed = true
      schedule.stop()
      timeKeeper.stop()
      session.end()
      commerce.end?.()
      lock?.end()
      recordLock?.end()
      await Promise.all([started, seats.idle(), checks.idle()])
      await session.saveTime()
    },
  }
}
