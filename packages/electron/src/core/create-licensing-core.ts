import { readLicenseKeyText } from '../shared/license-key-text.ts'
import type { Problem } from '../shared/problem.ts'
import type { ActivationResult, DeactivationResult, DevicesResult, ReleaseResult } from '../shared/results.ts'
import { pursueActivation } from './activation.ts'
import { checkEverything } from './check.ts'
import { createCheckSchedule } from './check-schedule.ts'
import { createDesk } from './desk.ts'
import { listDevices } from './devices.ts'
import { describeStanding } from './diagnosis.ts'
import type { LicensingCore, LicensingPorts, LicensingRules } from './licensing-core.ts'
import { loadVault } from './load-vault.ts'
import { createOperationLane, type OperationLane } from './operation-lane.ts'
import { flushOutbox, releaseKey } from './outbox.ts'
import { describeProblem, type Trouble } from './problem.ts'
import { isWorthKeeping, keepTime } from './time-keeper.ts'

/** Makes the state machine. Nothing happens before `start`. */
export function createLicensingCore(ports: LicensingPorts, rules: LicensingRules): LicensingCore {
  const { clock, logger } = ports
  const desk = createDesk(ports, rules)
  // Whatever takes or frees a seat goes one at a time; a check only reads, and never holds up a person.
  const seats = createOperationLane()
  const checks = createOperationLane()
  const lists = createOperationLane()
  const schedule = createCheckSchedule(clock, rules.recheckMs, () => void check())
  const timeKeeper = keepTime(desk)
  let started: Promise<void> | null = null
  // The license last refused here: its devices are what the limit screen shows.
  let refusedLicenseId: string | null = null

  function ready(): Promise<void> {
    started ??= launch()
    return started
  }

  async function launch(): Promise<void> {
    desk.open(await loadVault(ports.store, ports.secrets))
    const { activation, trialStartedAtMs } = desk.vault()
    if (rules.trialMs > 0 && activation === null && trialStartedAtMs === null) {
      void desk.record({ type: 'trial-started' })
    }
    timeKeeper.start()
    schedule.request('launch')
  }

  /** Runs an operation with its activity shown; a defect becomes a trouble, never a rejection in somebody's app. */
  async function run<Outcome>(
    lane: OperationLane,
    name: string,
    operation: () => Promise<Outcome>,
    onDefect: (trouble: Trouble) => Outcome,
  ): Promise<Outcome> {
    const outcome = lane.run(name, async () => {
      try {
        await ready()
        return await operation()
      } catch (error) {
        logger.error(`Licensing failed unexpectedly: ${error instanceof Error ? error.name : typeof error}`)
        return onDefect({ code: 'unexpected' })
      }
    })
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
    const trouble = await run(
      checks,
      'check',
      () => checkEverything(desk, (settle) => run(seats, 'settle', settle, (defect) => defect)),
      (defect) => defect,
    )
    schedule.settled(trouble)
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
    const read = readLicenseKeyText(licenseKeyText)
    if (!read.ok) return refuse(read)
    const name = `activate ${read.licenseKey}`
    const isOtherUnderWay = seats.names().some((other) => other.startsWith('activate ') && other !== name)
    if (isOtherUnderWay) return refuse({ code: 'busy' })

    return run(
      seats,
      name,
      async () => {
        await desk.identity()
        await desk.record({ type: 'activation-requested', licenseId: read.licenseKey })
        const outcome = await pursueActivation(desk, true)
        refusedLicenseId = outcome.ok ? null : read.licenseKey
        desk.report('activate', outcome.trouble)
        if (outcome.ok) await flushOutbox(desk)
        schedule.settled(outcome.ok ? null : outcome.trouble)
        return outcome.ok ? { ok: true, state: desk.state } : refuse(outcome.trouble)
      },
      refuse,
    )
  }

  function deactivate(): Promise<DeactivationResult> {
    const refuse = (trouble: Trouble): DeactivationResult => ({
      ok: false,
      problem: problemOf(trouble),
      state: desk.state,
    })
    return run(
      seats,
      'deactivate',
      async () => {
        await desk.identity()
        const { activation, pending } = desk.vault()
        if (activation === null && pending === null) return refuse({ code: 'not-activated' })
        refusedLicenseId = null
        await desk.record({ type: 'deactivated' })
        const trouble = await flushOutbox(desk)
        desk.report('deactivate', trouble === null ? null : { ...trouble, code: 'deactivation-pending' })
        schedule.settled(trouble)
        return { ok: true, seat: trouble === null ? 'freed' : 'freed-later', state: desk.state }
      },
      refuse,
    )
  }

  function currentLicenseId(): string | null {
    const { activation, pending } = desk.vault()
    return refusedLicenseId ?? activation?.licenseId ?? pending?.licenseId ?? null
  }

  async function devices(): Promise<DevicesResult> {
    const refuse = (trouble: Trouble): DevicesResult => ({ ok: false, problem: problemOf(trouble) })
    return run(
      lists,
      'devices',
      async () => {
        const licenseId = currentLicenseId()
        if (licenseId === null) return refuse({ code: 'not-activated' })
        const listed = await listDevices(desk, licenseId)
        return listed.ok ? listed : refuse(listed.trouble)
      },
      refuse,
    )
  }

  async function releaseDevice(keyId: string): Promise<ReleaseResult> {
    const refuse = (trouble: Trouble): ReleaseResult => ({ ok: false, problem: problemOf(trouble) })
    if (desk.vault().activation?.keyId === keyId) {
      const outcome = await deactivate()
      return outcome.ok ? { ok: true } : outcome
    }
    return run(
      seats,
      `release ${keyId}`,
      async () => {
        const licenseId = currentLicenseId()
        if (licenseId === null) return refuse({ code: 'not-activated' })
        const trouble = await releaseKey(desk, licenseId, keyId)
        return trouble === null ? { ok: true } : refuse(trouble)
      },
      refuse,
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
    async validate() {
      await check()
      return desk.state
    },
    deactivate,
    devices,
    releaseDevice,
    check: schedule.request,
    diagnose: () => describeStanding(desk),
    async dispose() {
      schedule.stop()
      timeKeeper.stop()
      await Promise.all([seats.idle(), checks.idle()])
      if (isWorthKeeping(desk)) await desk.save()
    },
  }
}
