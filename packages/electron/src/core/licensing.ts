import { isSameId } from '@latchkey/commerce'
import { maskLicenseKey } from '../shared/license-key-text.ts'
import type { LicensingState } from '../shared/licensing-state.ts'
import { isUncertain, type Problem, type ProblemCode } from '../shared/problem.ts'
import type {
  ActivationResult,
  DeactivationResult,
  Device,
  DevicesResult,
  OfflineActivationResult,
  OfflineRequestResult,
  ReleaseResult,
} from '../shared/results.ts'
import { formatTimestamp } from '../shared/timestamp.ts'
import { describeRecord } from './describe.ts'
import { createDeviceRecord, type RecordRules } from './device-record.ts'
import { coversBuild } from './entitlement.ts'
import { type AnswerOutcome, createOfflineVerbs, withReleaseLink } from './offline.ts'
import type { LicensingPorts } from './ports.ts'
import { describeProblem, nameError, type ProblemCause, seatNotFreed } from './problem.ts'
import { createOperationQueue, isSameOperation, type OperationKey } from './queue.ts'
import { createReconciler, type Reconciled } from './reconcile.ts'
import {
  heldAs,
  isWorthKeeping,
  type LicenseRecord,
  mayKnow,
  type Wanted,
  withoutLicense,
  withoutWanted,
  withProvided,
  withProvidedDeclined,
  withRefusal,
  withWanted,
} from './record.ts'
import { type CheckTrigger, createCheckSchedule, keepTime, pauseBeforeCheckMs } from './schedule.ts'
import type { LicensingListener } from './state.ts'

/** The state machine. It makes all decisions and does its I/O through ports. */
export interface LicensingCore {
  readonly state: LicensingState
  start(): Promise<LicensingState>
  /** Reads the state from disk. No trial begins, and nothing is sent. */
  read(): Promise<LicensingState>
  subscribe(listener: LicensingListener): () => void
  activate(licenseKeyText: string): Promise<ActivationResult>
  /** Activates the license on record again. Use it when this device was released from another one. */
  reactivate(): Promise<ActivationResult>
  createOfflineRequest(licenseKeyText: string): Promise<OfflineRequestResult>
  activateOffline(text: string): Promise<OfflineActivationResult>
  validate(): Promise<LicensingState>
  /** Drops the activation that is wanted. A license in use stays. */
  cancelActivation(): Promise<LicensingState>
  /**
   * @param isForGood whether the license key that an administrator provides must not activate this device again. @default
   * `true`
   */
  deactivate(isForGood?: boolean): Promise<DeactivationResult>
  devices(): Promise<DevicesResult>
  /**
   * Whether a build could be used with the license on record: none while a record waits to be opened.
   * @param releasedAtMs `null` if it isn't known: as of now.
   */
  covers(releasedAtMs: number | null): boolean
  /** The signed lease for this device; `null` if there is none. */
  lease(): string | null
  releaseDevice(activationId: string): Promise<ReleaseResult>
  /** Requests an automatic check: at most one per five minutes, except at launch and at an end. */
  check(trigger: CheckTrigger): void
  /** Reads the record again if another process of the app wrote it. Sends nothing. */
  refresh(): void
  /** Returns lines for the support report. */
  diagnose(): readonly string[]
  /**
   * Stops timers, cancels pending requests and saves the high-water mark. Later calls return the last state.
   */
  dispose(): Promise<void>
  /** Writes what isn't on disk yet synchronously, because the process is about to exit. Never throws. */
  finish(): void
}

const unexpected: ProblemCause = { code: 'unexpected' }

/** Many computers may be switched on at once, so the first request for a provided key waits for up to this long. */
const provisioningJitterMs = 5_000

/** What an administrator provides: a license key, or why there is none in the text. */
type Provided = { readonly source: string } & (
  | { readonly licenseKey: string }
  | { readonly licenseKey?: undefined; readonly code: ProblemCode }
)

/** The last activation that failed in this run. A refusal drops what is wanted, and its user may try again. */
interface FailedAttempt {
  readonly licenseKey: string
  /** Whether its user was told that it may have taken a seat. A later refusal may have replaced that problem. */
  readonly isTold?: boolean
  /** Whether the license had no free seat: its devices are listed. */
  readonly isFull?: boolean
  /** Whether one of them was released since, so that `reactivate` tries this license first. */
  readonly hasReleased?: boolean
}

/** The status shows what the service refuses about the license in use. Only the problem shows what became of another one. */
const shownByStatus: ReadonlySet<ProblemCode> = new Set([
  'license-expired',
  'license-suspended',
  'license-inactive',
  'moved-to-another-device',
])

/** Creates the state machine. It does nothing until `start`. */
export function createLicensingCore(ports: LicensingPorts, rules: RecordRules): LicensingCore {
  const { clock, findProvided, logger, secrets, service, whenPainted } = ports
  const { listsActivations } = service.capabilities
  const record = createDeviceRecord(ports, rules)
  const reconciler = createReconciler(record, ports, rules.releasedAtMs)
  const offline = createOfflineVerbs(record, ports)
  // Operations that take or free a seat run one at a time. A check only reads, so it never blocks a user's request.
  const seats = createOperationQueue()
  const checks = createOperationQueue()
  const lists = createOperationQueue()
  const schedule = createCheckSchedule(clock, rules.recheckMs, () => void check())
  const timeKeeper = keepTime(record, clock, schedule.request)
  let started: Promise<void> | null = null
  let isDisposed = false
  let failed: FailedAttempt | null = null
  // The license of each listed device: the current license may have changed by the time the device is released.
  const licenseOfDevice = new Map<string, string>()

  function ready(): Promise<void> {
    // A launch that failed is tried again at the next call.
    started ??= launch().catch((error: unknown) => {
      started = null
      throw error
    })
    return started
  }

  async function open(): Promise<void> {
    await record.open()
    // Without a keychain a copied folder opens here too, so check which device it belongs to before the app opens. What
    // another computer's keychain sealed opens nowhere else, but this device may have a record of its own.
    const isUnsealed = !record.isSealedByKeychain && record.current.activation !== null
    if (isUnsealed || record.isSealedAway) await record.identity().catch(() => {})
    record.publish()
  }

  async function launch(): Promise<void> {
    await open()
    const { activation, trial, wanted } = record.current
    const isNewHere = activation === null && trial === null && !record.isSealedAway
    if (rules.trialMs > 0 && isNewHere) {
      void record.note((now, nowMs) => (now.trial === null ? { ...now, trial: { startedAtMs: nowMs } } : now))
    }
    if (isDisposed) return
    timeKeeper.start()
    secrets.onAnswer?.(() => void openLate())
    // Someone may be waiting for the service's answer. Otherwise, the check doesn't slow down the app's first window.
    const isAwaited = wanted !== null || (activation !== null && !record.state.entitled)
    const request = (): void => schedule.request('launch')
    if (activation === null && findProvided !== undefined) {
      clock.after(clock.random() * provisioningJitterMs, request)
    } else if (isAwaited || whenPainted === undefined) request()
    else void whenPainted().then(request)
  }

  /** Reads the record again after the keychain opened late. */
  async function openLate(): Promise<void> {
    if (isDisposed) return
    await record.refresh()
    if (isDisposed || !isWorthKeeping(record.current)) return
    void record.saveTime()
    schedule.request('timer')
  }

  /** Publishes which operation is running, now and again when this one ends. */
  function showActivity(): void {
    const running = seats.keys()[0]?.kind
    if (running === 'activate') record.setActivity('activating')
    else if (running !== undefined && running !== 'settle') record.setActivity('deactivating')
    else record.setActivity(checks.keys().length > 0 ? 'validating' : 'idle')
  }

  async function shown<Outcome>(outcome: Promise<Outcome>): Promise<Outcome> {
    showActivity()
    return outcome.finally(showActivity)
  }

  /** Runs an operation from the latest record on disk. Bugs become problems, never rejections. */
  function safely<Outcome>(
    operation: () => Promise<Outcome>,
    onDefect: (cause: ProblemCause) => Outcome,
  ): () => Promise<Outcome> {
    const isTooLate = isDisposed
    return async () => {
      try {
        if (isTooLate) return onDefect(unexpected)
        await ready()
        await record.refresh()
        return await operation()
      } catch (error) {
        logger.error(`Licensing failed unexpectedly: ${nameError(error)}`)
        return onDefect(unexpected)
      }
    }
  }

  /**
   * Runs an operation that takes or frees a seat, and publishes it. No other process of this app does so at the same time.
   */
  function perform<Outcome>(
    key: OperationKey,
    operation: () => Promise<Outcome>,
    onDefect: (cause: ProblemCause) => Outcome,
  ): Promise<Outcome> {
    const safe = safely(operation, onDefect)
    return shown(seats.run(key, () => record.exclusively(safe)))
  }

  function fail(cause: ProblemCause): { ok: false; problem: Problem } {
    return { ok: false, problem: describeProblem(cause, clock.now()) }
  }

  function refuse(cause: ProblemCause): { ok: false; problem: Problem; state: LicensingState } {
    return { ...fail(cause), state: record.state }
  }

  function report(operation: string, cause: ProblemCause | null): void {
    record.noteOutcome(operation, cause)
    record.setProblem(cause)
  }

  async function check(): Promise<void> {
    if (isDisposed) return
    const cause = await shown(
      checks.run(
        { kind: 'check' },
        safely(checkEverything, (defect): ProblemCause | null => defect),
      ),
    )
    planNextCheck(cause)
  }

  /** First finishes what is wanted and owed, then asks about the activation. A normal launch sends exactly one request. */
  async function checkEverything(): Promise<ProblemCause | null> {
    await record.identity()
    const provided = await readProvided()
    const mayWant = withProvidedKey(record.current, provided, record.time.nowMs()) !== record.current
    const settled = reconciler.isSettled() && !mayWant ? null : await settle(provided)
    const settledProblem = settled === null ? null : problemOfSettled(settled)
    // The user may click before the license in use has been checked.
    if (isUncertain(settledProblem)) record.setProblem(settledProblem)
    // Nothing else saves the mark during a trial. The days that passed must count after the clock is set back.
    const saving = record.current.activation === null ? record.saveTime() : null
    const checked =
      settled?.wanted?.isActivated === true
        ? null
        : await reconciler.check((task) =>
            seats.run({ kind: 'settle', subject: 'replacement' }, () => record.exclusively(task)),
          )
    if (settled !== null || checked !== null) {
      const isLeftOverFirst =
        checked?.problem == null ||
        (settledProblem !== null && (isUncertain(settledProblem) || shownByStatus.has(checked.problem.code)))
      record.setProblem(isLeftOverFirst ? settledProblem : checked.problem)
    }
    const shown = record.state.problem
    const refusal =
      settled === null && (shown === null || shown.code === 'trial-over') ? refusalOf(provided) : null
    if (refusal !== null) record.setProblem(refusal)
    await saving
    const wantedCause = settled?.wanted?.isActivated === false ? settled.wanted.cause : null
    return checked?.cause ?? wantedCause ?? settled?.owedCause ?? null
  }

  /** `null` if another process wrote a record that can't be opened now, or if it was deleted: nothing may write it back. */
  function settle(provided: Provided | null): Promise<Reconciled | null> {
    const operation = async (): Promise<Reconciled | null> => {
      if (record.isSealedAway || record.hasVanished()) return null
      await record.change((now, nowMs) => withProvidedKey(now, provided, nowMs))
      const { wanted: asked, owed } = record.current
      const settled = await reconciler.reconcile(false)
      const { wanted, owedCause } = settled
      if (owed.length > 0) record.noteOutcome('free a seat', owedCause)
      if (asked === null || wanted === null) return settled
      record.noteOutcome('finish activation', wanted.cause)
      if (wanted.isActivated) return settled
      const { licenseKey } = asked
      const { cause } = wanted
      if (cause.code === 'no-seat-left') failed = { licenseKey, isFull: true }
      if (provided?.licenseKey !== licenseKey) return settled
      // The next launch shows the refusal, and doesn't ask again.
      if (record.current.wanted === null)
        await record.change((now) => withRefusal(now, licenseKey, cause.code))
      return { owedCause, wanted: { isActivated: false, cause: { ...cause, source: provided.source } } }
    }
    const onDefect = (cause: ProblemCause): Reconciled => ({
      wanted: { isActivated: false, cause },
      owedCause: null,
    })
    return perform({ kind: 'settle' }, operation, onDefect)
  }

  /** Reads what an administrator provides now; `null` if there is no key, or nothing to look for. */
  async function readProvided(): Promise<Provided | null> {
    const found = await findProvided?.()
    if (found == null) return null
    const { source } = found
    const key = findLicenseKey(found.text)
    return key.ok ? { source, licenseKey: key.licenseKey } : { source, code: key.code }
  }

  function withProvidedKey(now: LicenseRecord, provided: Provided | null, nowMs: number): LicenseRecord {
    const licenseKey = provided?.licenseKey
    return licenseKey === undefined ? now : withProvided(now, licenseKey, service.name, nowMs)
  }

  /** Why the key that an administrator provides isn't in use; `null` if it needs no problem of its own. */
  function refusalOf(provided: Provided | null): ProblemCause | null {
    const { activation, wanted, provisioned } = record.current
    if (provided === null || activation !== null || wanted !== null) return null
    const { source, licenseKey } = provided
    if (licenseKey === undefined) return { code: provided.code, source }
    const isIt = provisioned?.licenseKey === licenseKey && provisioned.refusal !== null
    return isIt ? { code: provisioned.refusal, source } : null
  }

  function problemOfSettled({ wanted, owedCause }: Reconciled): ProblemCause | null {
    const isSignedOut = record.current.activation === null
    const { problem } = record.state
    // The user was deactivated while a request was unanswered, and has to look for its seat.
    const isLost = wanted === null && isSignedOut && problem?.code === 'seat-may-be-taken'
    const waiting = owedCause !== null && isSignedOut ? seatNotFreed(owedCause) : null
    return isLost ? { code: 'seat-may-be-taken' } : (wanted?.cause ?? waiting)
  }

  /** Plans an earlier check while a seat waits to be freed, a record waits to be opened or an answer may change soon. */
  function planNextCheck(cause: ProblemCause | null, hasChecked = true): void {
    const { activation, owed } = record.current
    const isAwaitingRecord = record.isSealedAway && !isWorthKeeping(record.current)
    const nowMs = record.time.nowMs()
    // What can't be found is looked for with each usual check.
    const isOwing = owed.some(({ activationId, untilMs }) => activationId !== null || (untilMs ?? 0) > nowMs)
    const isWaiting = isOwing || isAwaitingRecord
    const pauseMs = pauseBeforeCheckMs(activation, record.entitlement(), nowMs, rules)
    schedule.settled(cause ?? (isWaiting ? unexpected : null), pauseMs, hasChecked)
  }

  function findLicenseKey(text: string): ReturnType<typeof service.findLicenseKey> {
    // Plain JavaScript may pass undefined, such as the value of a field that isn't there.
    if (typeof text !== 'string')
      logger.warn('activate() and createOfflineRequest() take the license key as a text.')
    return service.findLicenseKey(String(text ?? ''))
  }

  async function activate(licenseKeyText: string): Promise<ActivationResult> {
    const found = findLicenseKey(licenseKeyText)
    if (!found.ok) return refuse(found)
    const { licenseKey } = found
    const key: OperationKey = { kind: 'activate', subject: licenseKey }
    const isOtherUnderWay = seats
      .keys()
      .some((other) => other.kind === 'activate' && !isSameOperation(other, key))
    if (isOtherUnderWay) return refuse({ code: 'busy' })
    const wasTold = failed?.licenseKey === licenseKey && failed.isTold === true
    const isTold = wasTold || isUncertain(record.state.problem)
    const cause = await perform(
      key,
      () => activateLicense(licenseKey, isTold),
      (defect): ProblemCause | null => defect,
    )
    return cause === null ? { ok: true, state: record.state } : refuse(cause)
  }

  /**
   * @param isTold whether the person could read, before the click, that an earlier request may have taken a seat. Only
   * then may the click risk a second one.
   * @returns why it failed; `null` if this device is activated.
   */
  async function activateLicense(licenseKey: string, isTold: boolean): Promise<ProblemCause | null> {
    await record.identity()
    const { wanted: before } = record.current
    const isOpen = mayHaveLostSeat(before)
    const isLost = isOpen && !isSameId(before.licenseKey, licenseKey)
    const isUntold = !isTold && !isLost && (isOpen || isUncertain(record.state.problem))
    await record.change((now, nowMs) => withWanted(now, licenseKey, service.name, nowMs, isUntold))
    const { wanted } = await reconciler.reconcile(!isUntold)
    const { isActivated, cause } = wanted ?? { isActivated: false, cause: unexpected }
    failed = isActivated
      ? null
      : { licenseKey, isTold: isTold || isUncertain(cause), isFull: cause?.code === 'no-seat-left' }
    report('activate', cause ?? (isLost ? { code: 'seat-may-be-taken' } : null))
    planNextCheck(isActivated ? null : cause, isActivated)
    return isActivated ? null : (cause ?? unexpected)
  }

  /** Whether a request for it went unanswered that may have taken a seat, which no list can show. */
  function mayHaveLostSeat(wanted: Wanted | null): wanted is Wanted {
    return wanted !== null && wanted.askedAtMs !== null && !listsActivations
  }

  /** What was given up can be tried again as long as its problem is shown, which says so. */
  function giveUp(wanted: Wanted | null): void {
    if (mayHaveLostSeat(wanted)) failed = { licenseKey: wanted.licenseKey, isTold: true }
    else if (wanted !== null || record.state.problem?.code !== 'seat-may-be-taken') failed = null
  }

  async function deactivate(isForGood = true): Promise<DeactivationResult> {
    const result = await perform({ kind: 'deactivate' }, () => deactivateDevice(isForGood), refuse)
    return { ...result, state: record.state }
  }

  async function deactivateDevice(isForGood: boolean): Promise<DeactivationResult> {
    await record.identity()
    const { activation, wanted } = record.current
    giveUp(wanted)
    if (activation === null && wanted === null) return refuse({ code: 'not-activated' })
    const link = await offline.releaseLink(activation)
    const isElsewhere = activation !== null && !mayKnow(service, activation)
    const declined = (await readProvided())?.licenseKey ?? null
    const unsaved = await record.change((now, nowMs) => {
      const left = withoutLicense(now, service, { activation, wanted }, nowMs)
      const next = isForGood ? withProvidedDeclined(left, declined, nowMs) : { ...left, provisioned: null }
      return activation === null ? next : withReleaseLink(next, activation.activationId, link)
    })
    const { owedCause } = await reconciler.reconcile(true)
    planNextCheck(owedCause, false)
    const isLost = mayHaveLostSeat(wanted)
    report('deactivate', isLost ? { code: 'seat-may-be-taken' } : owedCause && seatNotFreed(owedCause))
    // The next launch finds the license again, which matters more. The state shows why it couldn't be saved.
    if (unsaved !== null) record.setProblem(null)
    const isKept = isLost || (isElsewhere && owedCause === null)
    const seat = isKept ? 'not-freed' : owedCause === null ? 'freed' : 'freed-later'
    return { ok: true, seat, state: record.state }
  }

  /** A license in use stays: the window that asked may not know yet that the activation succeeded elsewhere. */
  async function dropWanted(): Promise<void> {
    await record.identity()
    const { wanted } = record.current
    giveUp(wanted)
    if (wanted === null) return
    const declined = (await readProvided())?.licenseKey ?? null
    await record.change((now, nowMs) => {
      const left = withoutWanted(now, wanted.licenseKey)
      return left.activation === null ? withProvidedDeclined(left, declined, nowMs) : left
    })
    const { activation, owed } = record.current
    const { owedCause } = owed.length > 0 ? await reconciler.reconcile(true) : { owedCause: null }
    if (owed.length > 0) planNextCheck(owedCause, false)
    const isLost = mayHaveLostSeat(wanted)
    const waiting = owedCause !== null && activation === null ? seatNotFreed(owedCause) : owedCause
    report('cancel the activation', isLost ? { code: 'seat-may-be-taken' } : waiting)
    // A license in use may have a problem of its own.
    if (activation !== null) schedule.request('timer')
  }

  function currentLicenseKey(): string | null {
    const { activation, wanted } = record.current
    const fullLicenseKey = failed?.isFull === true ? failed.licenseKey : null
    return fullLicenseKey ?? activation?.licenseKey ?? wanted?.licenseKey ?? null
  }

  /** Lists the devices of a license, oldest first. */
  async function listDevices(licenseKey: string): Promise<DevicesResult> {
    const listed = await reconciler.list(licenseKey)
    if (listed.kind !== 'read') return fail(listed.cause)
    const { fingerprint } = await record.identity()
    const isOwnOnly = rules.devices === 'own'
    const all = listed.activations.map((one): Device => {
      const activatedAt = one.createdAtMs === null ? null : formatTimestamp(one.createdAtMs)
      const isThisDevice = one.fingerprint === fingerprint || heldAs(record.current, one.id) !== null
      return { id: one.id, label: one.deviceName ?? '', activatedAt, isThisDevice }
    })
    const devices = all.filter(({ isThisDevice }) => isThisDevice || !isOwnOnly)
    if (isOwnOnly && devices.length === 0) return fail({ code: 'other-device' })
    devices.sort((one, other) => ((one.activatedAt ?? '') < (other.activatedAt ?? '') ? -1 : 1))
    for (const { id } of devices) licenseOfDevice.set(id, licenseKey)
    return { ok: true, devices }
  }

  function devices(): Promise<DevicesResult> {
    return lists.run(
      // The key includes the license, so that a running list of another license isn't shared with this call.
      { kind: 'devices', subject: currentLicenseKey() },
      safely<DevicesResult>(async () => {
        const licenseKey = currentLicenseKey()
        return licenseKey === null ? fail({ code: 'not-activated' }) : listDevices(licenseKey)
      }, fail),
    )
  }

  async function releaseDevice(activationId: string): Promise<ReleaseResult> {
    if (typeof activationId !== 'string' || activationId === '') {
      logger.warn('releaseDevice() needs the id of a device, as a text.')
      return fail({ code: 'device-not-found' })
    }
    const release = async (): Promise<ReleaseResult> => {
      if (heldAs(record.current, activationId) !== null) {
        await deactivateDevice(true)
        return { ok: true }
      }
      // With `devices: 'own'`, only this device's activations are ever listed.
      if (rules.devices === 'own' && !licenseOfDevice.has(activationId)) return fail({ code: 'other-device' })
      const licenseKey = licenseOfDevice.get(activationId) ?? currentLicenseKey()
      if (licenseKey === null) return fail({ code: 'not-activated' })
      const { cause, isFreedNow } = await reconciler.release(licenseKey, activationId)
      if (cause !== null) return fail(cause)
      logger.info(`Released a device of license ${maskLicenseKey(licenseKey)}`)
      if (failed?.isFull && failed.licenseKey === licenseKey) failed = { ...failed, hasReleased: true }
      await record.change((now) => {
        const { activation: held } = now
        if (!isFreedNow || held === null || !isSameId(held.licenseKey, licenseKey)) return now
        const { activationUsage: used } = held.license
        const license = { ...held.license, activationUsage: used === null ? null : Math.max(0, used - 1) }
        return { ...now, activation: { ...held, license } }
      })
      return { ok: true }
    }
    return perform({ kind: 'release', subject: activationId }, release, fail)
  }

  return {
    get state() {
      return record.state
    },
    async start() {
      await ready()
      return record.state
    },
    async read() {
      await (started ?? open())
      const refusal =
        started === null && record.state.problem === null ? refusalOf(await readProvided()) : null
      if (refusal !== null) record.setProblem(refusal)
      return record.state
    },
    subscribe: record.subscribe,
    activate,
    async reactivate() {
      await ready()
      const { activation, wanted } = record.current
      // The license that a device was just released for comes first, and then the most recent request.
      const again = failed?.hasReleased ? failed : (wanted ?? activation ?? failed)
      return again === null ? refuse({ code: 'not-activated' }) : activate(again.licenseKey)
    },
    async createOfflineRequest(licenseKeyText) {
      const found = findLicenseKey(licenseKeyText)
      if (!found.ok && ports.offline !== undefined) return fail(found)
      const licenseKey = found.ok ? found.licenseKey : ''
      const key: OperationKey = { kind: 'activate', subject: `request\n${licenseKey}` }
      return perform<OfflineRequestResult>(key, () => offline.createRequest(licenseKey), fail)
    },
    async activateOffline(text) {
      if (typeof text !== 'string') logger.warn('activateOffline() takes the answer as a text.')
      const given = String(text ?? '')
      const outcome = await perform<AnswerOutcome>(
        { kind: 'activate', subject: `answer\n${given}` },
        async () => {
          const answered = await offline.activate(given)
          if (answered.ok) report('activate without internet', null)
          return answered
        },
        fail,
      )
      // Read after the operation has ended: until then, the state shows it as running.
      return { ...outcome, state: record.state }
    },
    async validate() {
      await check()
      return record.state
    },
    async cancelActivation() {
      await perform({ kind: 'cancel' }, dropWanted, () => {})
      return record.state
    },
    deactivate,
    devices,
    covers(releasedAtMs) {
      const { activation } = record.current
      if (rules.releasedAtMs === undefined) return true
      // Only an update opens the record of a newer version. Any other record may still open, and show what it covers.
      if (activation === null)
        return !record.isSealedAway || record.state.problem?.code === 'store-newer-version'
      const current = record.entitlement()
      // The service has called the license valid after its end, and the service's answer counts.
      if ('isEndInDoubt' in current && current.isEndInDoubt) return true
      return coversBuild(activation, releasedAtMs ?? record.time.nowMs())
    },
    lease() {
      const lease = record.current.activation?.lease ?? null
      return lease !== null && lease.expiresAtMs > 0 ? lease.jws : null
    },
    releaseDevice,
    check(trigger) {
      // A long time may have passed while the computer slept. Publish what changed without waiting for the check.
      record.publish()
      schedule.request(trigger)
    },
    refresh() {
      if (started !== null && !isDisposed) void started.then(record.refresh)
    },
    diagnose: () => describeRecord(record, clock.now()),
    finish: record.finish,
    async dispose() {
      isDisposed = true
      schedule.stop()
      timeKeeper.stop()
      record.end()
      reconciler.end()
      await Promise.all([started, seats.idle(), checks.idle()])
      await record.saveTime()
    },
  }
}
