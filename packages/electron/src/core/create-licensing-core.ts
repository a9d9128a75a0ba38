import { maskLicenseKey, readLicenseKeyText } from '../shared/license-key-text.ts'
import type { Problem } from '../shared/problem.ts'
import type { ActivationResult, DeactivationResult, DevicesResult, ReleaseResult } from '../shared/results.ts'
import { pursueActivation } from './activation.ts'
import type { ActivationOutcome } from './adoption.ts'
import { checkEverything } from './check.ts'
import { createCheckSchedule } from './check-schedule.ts'
import { createDesk } from './desk.ts'
import { listDevices } from './devices.ts'
import { describeStanding } from './diagnosis.ts'
import type { LicensingCore, LicensingPorts, LicensingRules } from './licensing-core.ts'
import { createOpening } from './opening.ts'
import { createOperationLane } from './operation-lane.ts'
import { flushOutbox, releaseKey } from './outbox.ts'
import { describeProblem, type Trouble } from './problem.ts'
import { isInDoubt } from './revocation.ts'
import { isSameId } from './same-id.ts'
import { isWorthKeeping, keepTime } from './time-keeper.ts'

/** Makes the state machine. Nothing happens before `start`. */
export function createLicensingCore(ports: LicensingPorts, rules: LicensingRules): LicensingCore {
  const { clock, logger, secrets, commerce, lock, whenPainted } = ports
  const desk = createDesk(ports, rules)
  // Whatever takes or frees a seat goes one at a time; a check only reads, and never holds up a person.
  const seats = createOperationLane()
  const checks = createOperationLane()
  const lists = createOperationLane()
  const schedule = createCheckSchedule(clock, rules.recheckMs, () => void check())
  const opening = createOpening(desk, rules)
  const timeKeeper = keepTime(desk, () => schedule.request('timer'))
  let started: Promise<void> | null = null
  let isDisposed = false
  // The license last refused here for want of a seat: its devices are what the limit screen shows.
  let fullLicenseId: string | null = null
  // Whose device it is that a list showed: another license may be the current one by the time it is released.
  const licenseOfKey = new Map<string, string>()

  function ready(): Promise<void> {
    started ??= launch()
    return started
  }

  async function launch(): Promise<void> {
    await opening.open()
    if (isDisposed) return
    timeKeeper.start()
    secrets.onAnswer?.(() => void takeOver())
    if (isAnswerAwaited() || whenPainted === undefined) schedule.request('launch')
    else void whenPainted().then(() => schedule.request('launch'))
  }

  /** Whether somebody waits for what the service will say: the app's own start has to share with the check then. */
  function isAnswerAwaited(): boolean {
    const { activation, pending } = desk.vault()
    return pending !== null || (activation !== null && !desk.state.entitled)
  }

  /** The keychain opened after the launch had gone on without it. */
  async function takeOver(): Promise<void> {
    if (isDisposed) return
    await opening.openAgain()
    if (isDisposed || !isWorthKeeping(desk)) return
    // What was written meanwhile was not sealed.
    void desk.saveMark()
    schedule.request('timer')
  }

  /** Makes an operation that answers in any case: a defect is a trouble, never a rejection in somebody's app. */
  function safely<Outcome>(
    operation: () => Promise<Outcome>,
    onDefect: (trouble: Trouble) => Outcome,
  ): () => Promise<Outcome> {
    // What is asked for after the end is not begun.
    const isTooLate = isDisposed
    return async () => {
      try {
        if (isTooLate) return onDefect({ code: 'unexpected' })
        await ready()
        await opening.openAgain()
        return await operation()
      } catch (error) {
        logger.error(`Licensing failed unexpectedly: ${error instanceof Error ? error.name : typeof error}`)
        return onDefect({ code: 'unexpected' })
      }
    }
  }

  /**
   * The same for what takes or frees a seat: no other process of this app does so at the same time, and each starts from
   * the record that the one before has left on disk.
   */
  function alone<Outcome>(
    operation: () => Promise<Outcome>,
    onDefect: (trouble: Trouble) => Outcome,
  ): () => Promise<Outcome> {
    const safe = safely(operation, onDefect)
    return async () => {
      const release = lock === undefined ? null : await lock.acquire()
      try {
        return await safe()
      } finally {
        await release?.()
      }
    }
  }

  /** Shows what runs while it runs. */
  async function shown<Outcome>(outcome: Promise<Outcome>): Promise<Outcome> {
    showActivity()
    return outcome.finally(showActivity)
  }

  function showActivity(): void {
    const running = seats.names()[0]
    if (running?.startsWith('activate')) desk.setActivity('activating')
    else if (running !== undefined && running !== 'settle') desk.setActivity('deactivating')
    else desk.setActivity(checks.names().length > 0 ? 'validating' : 'idle')
  }

  async function check(): Promise<void> {
    if (isDisposed) return
    const trouble = await shown(
      checks.run(
        'check',
        safely(
          () =>
            checkEverything(desk, async (settle) => {
              const onDefect = (trouble: Trouble) => ({ trouble, problem: trouble, isValidated: false })
              const pendingLicenseId = desk.vault().pending?.licenseId ?? null
              const leftOvers = await shown(seats.runInBackground('settle', alone(settle, onDefect)))
              if (leftOvers.problem?.code === 'no-seat-left') fullLicenseId = pendingLicenseId
              return leftOvers
            }),
          (defect) => defect,
        ),
      ),
    )
    planNextCheck(trouble)
  }

  /** A seat that waits to be freed does not wait for tomorrow, nor does a record that waits to be opened. */
  function planNextCheck(trouble: Trouble | null): void {
    const isWaiting = desk.vault().outbox.length > 0 || opening.isWaiting()
    const standing = desk.standing()
    const { activation } = desk.vault()
    const isEndInDoubt = 'isEndInDoubt' in standing && standing.isEndInDoubt
    const isRevokedInDoubt = activation !== null && isInDoubt(activation, desk.nowMs())
    schedule.settled(trouble ?? (isWaiting ? { code: 'unexpected' } : null), isEndInDoubt || isRevokedInDoubt)
  }

  function problemOf(trouble: Trouble): Problem {
    return describeProblem(trouble, clock.now())
  }

  async function activate(licenseKeyText: string): Promise<ActivationResult> {
    const refuse = (trouble: Trouble): ActivationResult => ({
      ok: false,
      problem: problemOf(trouble),
      state: desk.state,
    })
    const read = commerce.findLicenseKey?.(licenseKeyText) ?? readLicenseKeyText(licenseKeyText)
    if (!read.ok) return refuse(read)
    const { licenseKey: licenseId } = read
    const name = `activate ${licenseId}`
    const isOtherUnderWay = seats.names().some((other) => other.startsWith('activate ') && other !== name)
    if (isOtherUnderWay) return refuse({ code: 'busy' })

    const outcome = await shown(
      seats.run(
        name,
        alone(
          () => activateLicense(licenseId),
          (trouble): ActivationOutcome => ({ ok: false, trouble }),
        ),
      ),
    )
    return outcome.ok ? { ok: true, state: desk.state } : refuse(outcome.trouble)
  }

  async function reactivate(): Promise<ActivationResult> {
    await ready()
    const { activation, pending } = desk.vault()
    // What is pending was asked for last.
    const licenseId = (pending ?? activation)?.licenseId
    if (licenseId !== undefined) return activate(licenseId)
    return { ok: false, problem: problemOf({ code: 'not-activated' }), state: desk.state }
  }

  async function activateLicense(licenseId: string): Promise<ActivationOutcome> {
    await desk.identity()
    await desk.record({ type: 'activation-requested', licenseId })
    const outcome = await pursueActivation(desk, licenseId, true)
    fullLicenseId = outcome.trouble?.code === 'no-seat-left' ? licenseId : null
    desk.report('activate', outcome.trouble)
    // While it is pending the service is out of reach, and a person waits.
    if (desk.vault().pending === null) await flushOutbox(desk)
    planNextCheck(outcome.ok ? null : outcome.trouble)
    return outcome
  }

  async function deactivate(): Promise<DeactivationResult> {
    const trouble = await shown(
      seats.run(
        'deactivate',
        alone(
          () => deactivateDevice(),
          (defect) => defect,
        ),
      ),
    )
    if (trouble?.code === 'not-activated' || trouble?.code === 'unexpected') {
      return { ok: false, problem: problemOf(trouble), state: desk.state }
    }
    return { ok: true, seat: trouble === null ? 'freed' : 'freed-later', state: desk.state }
  }

  async function deactivateDevice(): Promise<Trouble | null> {
    await desk.identity()
    const { activation, pending } = desk.vault()
    if (activation === null && pending === null) return { code: 'not-activated' }
    fullLicenseId = null
    await desk.record({ type: 'deactivated' })
    const trouble = await flushOutbox(desk)
    const waiting: Trouble | null = trouble && { ...trouble, code: 'deactivation-pending' }
    desk.report('deactivate', waiting)
    planNextCheck(trouble)
    return waiting
  }

  function currentLicenseId(): string | null {
    const { activation, pending } = desk.vault()
    return fullLicenseId ?? activation?.licenseId ?? pending?.licenseId ?? null
  }

  function devices(): Promise<DevicesResult> {
    const refuse = (trouble: Trouble): DevicesResult => ({ ok: false, problem: problemOf(trouble) })
    return lists.run(
      // Of which license matters: the list of another one, still under way, must not answer for it.
      `devices ${currentLicenseId()}`,
      safely(async () => {
        const licenseId = currentLicenseId()
        if (licenseId === null) return refuse({ code: 'not-activated' })
        const listed = await listDevices(desk, licenseId)
        if (listed.ok) for (const { id } of listed.devices) licenseOfKey.set(id, licenseId)
        return listed.ok ? listed : refuse(listed.trouble)
      }, refuse),
    )
  }

  function releaseDevice(keyId: string): Promise<ReleaseResult> {
    const refuse = (trouble: Trouble): ReleaseResult => ({ ok: false, problem: problemOf(trouble) })
    return shown(
      seats.run(
        `release ${keyId}`,
        alone(async () => {
          const { activation } = desk.vault()
          if (activation !== null && isSameId(activation.keyId, keyId)) {
            await deactivateDevice()
            return { ok: true }
          }
          const licenseId = licenseOfKey.get(keyId) ?? currentLicenseId()
          if (licenseId === null) return refuse({ code: 'not-activated' })
          const { trouble, isFreedNow } = await releaseKey(desk, licenseId, keyId)
          if (trouble !== null) return refuse(trouble)
          logger.info(`Released a device of license ${maskLicenseKey(licenseId)}`)
          if (isFreedNow) await desk.record({ type: 'device-released', licenseId })
          return { ok: true }
        }, refuse),
      ),
    )
  }

  return {
    get state() {
      return desk.state
    },
    async start() {
      await ready()
      return desk.state
    },
    subscribe: desk.subscribe,
    activate,
    reactivate,
    async validate() {
      await check()
      return desk.state
    },
    deactivate,
    devices,
    releaseDevice,
    check(trigger) {
      // Much time may have passed unnoticed: what it changed does not wait for the check.
      desk.publish()
      schedule.request(trigger)
    },
    diagnose: () => describeStanding(desk),
    async dispose() {
      isDisposed = true
      schedule.stop()
      timeKeeper.stop()
      desk.end()
      commerce.end?.()
      lock?.end()
      await Promise.all([started, seats.idle(), checks.idle()])
      if (isWorthKeeping(desk)) await desk.saveMark()
    },
  }
}
