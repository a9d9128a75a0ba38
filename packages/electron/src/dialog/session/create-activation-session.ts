import type { LicensingClient } from '../../renderer/licensing-client.ts'
import { maskLicenseKey, readLicenseKeyText } from '../../shared/license-key-text.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import { isUncertain } from '../../shared/problem.ts'
import { noop } from '../noop.ts'
import { createKeyChoices } from '../scene/key-choices.ts'
import { firstView, nothingTried, nothingUnderWay, type SessionView } from '../scene/session-view.ts'
import { isUnsettled, type ShownProblem } from '../scene/shown-problem.ts'
import { lastProblemOf, situationOf } from '../scene/situation.ts'
import type { ActivationSession } from './activation-session.ts'
import { createClipboardOffers } from './clipboard-offers.ts'
import { copyDetails } from './copy-details.ts'
import { isActivation } from './is-activation.ts'
import { listDevices } from './list-devices.ts'
import { listenForState } from './listen-for-state.ts'
import { noSeatLeft, unexpected } from './own-problems.ts'
import { busyRetryMs, retryDelayMs } from './retry-delay.ts'
import type { Tried } from './tried-activation.ts'
import { createWaitClock, type SessionTimers } from './wait-clock.ts'

/** Creates the session of one screen. Nothing happens before `start`. */
export function createActivationSession(
  client: LicensingClient,
  timers: SessionTimers,
  onChange: () => void,
): ActivationSession {
  let view = firstView
  let tried: Tried | null = null
  // Whether a request since the screen opened may have taken a seat, even if the last one found no network.
  let isOpen = false
  // What was answered `busy`: nothing was sent.
  let postponed: Tried['ask'] | null = null
  let stateBefore: LicensingState | null = null
  // Increased whenever the pending answer no longer matters, so that a late one is ignored.
  let round = 0
  let waits = 0
  let cancelRetry = noop
  let stopListening = noop
  const choices = createKeyChoices()
  const clipboard = createClipboardOffers(client)

  const clock = createWaitClock(
    timers,
    () => show({ isSlow: true }),
    () => giveUp(),
  )

  const show = (change: Partial<SessionView>): void => {
    const next = { ...view, ...change }
    isOpen ||= isUncertain(next.state?.problem) || isUncertain(lastProblemOf(next.attempt))
    const isBusy = next.state !== null && next.state.activity !== 'idle'
    const isOverdue = isBusy && next.isOverdue
    const isWaiting = next.attempt?.phase === 'running' || (isBusy && !isOverdue)
    view = { ...next, isOverdue, isSlow: isWaiting && next.isSlow }
    clock.set(isWaiting)
    retryIfStopped()
    onChange()
  }

  /** Schedules a retry while only the connection is missing, also for what an earlier run of the app left open. */
  const retryIfStopped = (): void => {
    const situation = situationOf(view)
    const isStopped = situation.kind === 'no-network' && !situation.isChecking
    if (isStopped === (view.retryAtMs !== null)) return
    cancelRetry()
    view = { ...view, retryAtMs: null }
    if (!isStopped) return
    const delayMs = retryDelayMs(situation.problem, waits++, timers.nowMs())
    cancelRetry = timers.after(delayMs, retryByItself)
    view = { ...view, retryAtMs: timers.nowMs() + delayMs }
  }

  /** Starts a new round. Earlier pending answers and scheduled retries no longer matter. */
  const turnTo = (change: Partial<SessionView>): number => {
    cancelRetry()
    // An attempt that takes turns with another operation is one wait.
    const isSameWait = view.attempt?.phase === 'running' && change.attempt?.phase === 'running'
    if (!isSameWait) clock.set(false)
    round += 1
    show({ ...nothingUnderWay, isSlow: isSameWait && view.isSlow, ...change })
    return round
  }

  /** Shows the outcome of an answer, unless the screen has moved on. */
  const answer = <Value>(
    mine: number,
    promise: Promise<Value>,
    use: (value: Value) => void,
    onRejected: () => void,
  ): void => {
    promise.then(
      (value) => mine === round && use(value),
      () => mine === round && onRejected(),
    )
  }

  const giveUp = (): void => {
    isOpen ||= view.attempt?.phase === 'running' && postponed === null
    if (view.attempt?.phase === 'running') fail({ code: 'timeout' })
    else show({ isOverdue: true })
  }

  const attempt = (how: Tried, ask: Tried['ask'] = how.ask): void => {
    if (how !== tried) waits = 0
    // An earlier run may have left one open, which the state doesn't say without a network.
    isOpen ||= how !== tried && isUnsettled(view.state?.problem)
    tried = how
    postponed = null
    stateBefore = view.state
    const mine = turnTo({
      attempt: { phase: 'running', after: lastProblemOf(view.attempt) },
      triedKey: how.maskedKey,
      clipboardKey: how.maskedKey === view.clipboardKey && how.text === '' ? how.maskedKey : null,
      freedSeat: null,
    })
    answer(
      mine,
      ask(),
      ({ ok, problem }) => {
        if (problem?.code === 'busy') postponed = ask
        // A check without a problem confirms the license in use. The activation of another one was refused or canceled.
        if (ok ?? (!problem && [null, view.state?.license?.maskedKey].includes(view.triedKey))) finish()
        else fail(problem ?? unexpected)
      },
      () => fail(unexpected),
    )
  }

  const fail = (problem: ShownProblem): void => {
    // Whatever the outcome of this attempt, there is a valid license.
    if (isActivation(stateBefore, view.state)) finish()
    else if (problem.code === 'busy') {
      turnTo({ attempt: { phase: 'running', after: null } })
      cancelRetry = timers.after(busyRetryMs, retryByItself)
    } else {
      turnTo({ attempt: { phase: 'failed', problem } })
      if (problem.code === 'no-seat-left') loadDevices()
    }
  }

  /** Forgets the attempt. */
  const finish = (): void => {
    tried = null
    choices.clear()
    turnTo({ ...nothingTried, intent: null })
  }

  const retry = (): void => {
    const { license, problem } = view.state ?? {}
    if (tried !== null) attempt(tried)
    else if (!isUncertain(problem)) retryByItself()
    else if (license === null) reactivate()
    // A check ends the problem of an activation that was canceled. One that is pending waits for the user.
    else answer(round, client.validate(), (state) => isUncertain(state.problem) && reactivate(), noop)
  }

  const retryByItself = (): void => {
    // A check finishes an activation that is pending. Only the user may ask for another seat.
    const mayBePending = isOpen || view.state?.activity !== 'idle'
    if (tried === null) client.validate().catch(noop)
    else attempt(tried, postponed ?? (mayBePending ? client.validate : tried.ask))
  }

  const enterKey = (): void => {
    choices.clear()
    // What the main process still does doesn't lock the form.
    turnTo({ ...nothingTried, intent: 'enter-key', isOverdue: true })
  }

  const offerKeys = (text: string): unknown =>
    turnTo({ attempt: null, clipboardKey: null, keyChoices: choices.take(text) })

  const activateKey = (licenseKey: string): void =>
    attempt({
      ask: () => client.activate(licenseKey),
      maskedKey: maskLicenseKey(licenseKey),
      text: licenseKey,
    })

  const reactivate = (): void => attempt({ ask: client.reactivate, maskedKey: null, text: '' })

  const loadDevices = (): void => {
    show({ devices: { phase: 'loading' } })
    answer(round, listDevices(client), (devices) => show({ devices }), noop)
  }

  const release = (deviceId: string): void => {
    const mine = turnTo({ attempt: { phase: 'running', after: noSeatLeft } })
    const stay = (problem: ShownProblem): void => {
      const { devices } = view
      turnTo({
        attempt: { phase: 'failed', problem: noSeatLeft },
        devices: devices?.phase === 'ready' ? { ...devices, problem } : devices,
      })
    }
    answer(
      mine,
      client.releaseDevice(deviceId),
      (result) => (result.ok ? retry() : stay(result.problem)),
      () => stay(unexpected),
    )
  }

  const openOffline = (): void => {
    const problem = lastProblemOf(view.attempt)
    stateBefore = view.state
    // The answer of a running attempt is ignored from here on. If it succeeds, the state shows it.
    turnTo({ intent: 'offline', clipboardKey: null, attempt: problem && { phase: 'failed', problem } })
  }

  const leaveOffline = (): void => {
    show({ intent: null })
    // An activation or a renewal of the same license made the attempt obsolete.
    if (view.state?.status === 'active' && stateBefore?.status !== 'active') finish()
  }

  const deactivate = (): void => {
    answer(
      turnTo({}),
      client.deactivate(),
      (result) =>
        result.ok ? turnTo({ intent: null, freedSeat: result.seat }) : show({ problem: result.problem }),
      () => show({ problem: unexpected }),
    )
  }

  return {
    get view() {
      return view
    },
    get heldText() {
      return tried?.text ?? ''
    },
    start: () => {
      stopListening = listenForState(
        client,
        timers,
        (state) => {
          const before = view.state
          show({ state, fault: null })
          if (view.attempt?.phase !== 'running' && isActivation(before, state)) finish()
        },
        (fault) => show({ fault }),
      )
    },
    stop: () => {
      stopListening()
      cancelRetry()
      clock.set(false)
      round += 1
      tried = null
      choices.clear()
    },
    activate: (text, takesAny) => {
      if (takesAny && text.trim()) return activateKey(text.trim())
      const read = readLicenseKeyText(text)
      if (read.ok) activateKey(read.licenseKey)
      else if (read.code === 'several-license-keys') offerKeys(text)
      else turnTo({ attempt: { phase: 'failed', problem: { code: read.code } }, clipboardKey: null })
    },
    offerKeys,
    activateChoice: (id) => {
      const licenseKey = choices.licenseKeyOf(id)
      if (licenseKey !== undefined) activateKey(licenseKey)
    },
    activateFromClipboard: () => {
      const { clipboardKey: key } = view
      if (key !== null) attempt({ ask: () => client.activateFromClipboard(key), maskedKey: key, text: '' })
    },
    reactivate,
    lookAtClipboard: () => {
      // A request has to contain the whole key, which the window doesn't know.
      if (view.intent === 'offline') return
      answer(round, clipboard.look(), (clipboardKey) => show({ clipboardKey }), noop)
    },
    dismissClipboardKey: () => {
      const { clipboardKey } = view
      if (clipboardKey === null) return
      clipboard.dismiss(clipboardKey)
      show({ clipboardKey: null })
    },
    retry,
    retryByItself,
    stopWaiting: () => (view.attempt === null ? turnTo({ isOverdue: true }) : enterKey()),
    enterKey,
    changeKey: () => {
      client.cancelActivation().catch(noop)
      enterKey()
    },
    openOffline,
    showUnexpected: () => show({ problem: unexpected }),
    askDeactivation: () => show({ intent: 'deactivate' }),
    deactivate,
    copyDetails: () => copyDetails(client, timers, (isCopied) => show({ isCopied })),
    back: () => (view.intent === 'offline' ? leaveOffline() : finish()),
    finish,
    loadDevices,
    release,
  }
}
