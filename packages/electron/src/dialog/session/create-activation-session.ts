import type { LicensingClient } from '../../renderer/licensing-client.ts'
import { maskLicenseKey, readLicenseKeyText } from '../../shared/license-key-text.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import { createKeyChoices } from '../scene/key-choices.ts'
import { firstView, nothingTried, nothingUnderWay, type SessionView } from '../scene/session-view.ts'
import { isConnectionProblem, type ShownProblem } from '../scene/shown-problem.ts'
import type { ActivationSession } from './activation-session.ts'
import { isActivation } from './is-activation.ts'
import { listenForState } from './listen-for-state.ts'
import { askedDelayMs, retryDelayMs } from './retry-delay.ts'
import type { Tried } from './tried-activation.ts'
import { createWaitClock, type SessionTimers } from './wait-clock.ts'

/** How long the screen says that the details for support were copied. */
const copiedMs = 3_000
/** How long to wait if another operation is running. */
const busyRetryMs = 2_000

const unexpected: ShownProblem = { code: 'unexpected' }
// The situation has texts of its own.
const noSeatLeft: ShownProblem = { code: 'no-seat-left', message: '' }

/** Creates the session of one screen. Nothing happens before `start`. */
export function createActivationSession(
  client: LicensingClient,
  timers: SessionTimers,
  onChange: () => void,
): ActivationSession {
  let view = firstView
  let tried: Tried | null = null
  let stateBefore: LicensingState | null = null
  let failures = 0
  // Increased whenever the pending answer no longer matters, so that a late one is ignored.
  let round = 0
  let cancelRetry = noop
  let stopListening = noop
  let dismissedKey: string | null = null
  const choices = createKeyChoices()

  const clock = createWaitClock(
    timers,
    () => show({ isSlow: true }),
    () => giveUp(),
  )

  const show = (change: Partial<SessionView>): void => {
    view = { ...view, ...change }
    const isBusy = view.state !== null && view.state.activity !== 'idle'
    if (!isBusy && view.isOverdue) view = { ...view, isOverdue: false }
    const isWaiting = view.attempt?.phase === 'running' || (isBusy && !view.isOverdue)
    clock.set(isWaiting)
    if (!isWaiting && view.isSlow) view = { ...view, isSlow: false }
    onChange()
  }

  /** Starts a new round. Earlier pending answers and scheduled retries no longer matter. */
  const turnTo = (change: Partial<SessionView>): number => {
    cancelRetry()
    clock.set(false)
    round += 1
    show({ ...nothingUnderWay, ...change })
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
    if (view.attempt?.phase === 'running') fail({ code: 'timeout' })
    else show({ isOverdue: true })
  }

  const attempt = (how: Tried): void => {
    if (how !== tried) failures = 0
    tried = how
    stateBefore = view.state
    const after = view.attempt?.phase === 'running' ? view.attempt.after : (view.attempt?.problem ?? null)
    const mine = turnTo({
      attempt: { phase: 'running', after },
      triedKey: how.maskedKey,
      clipboardKey: how.maskedKey === view.clipboardKey && how.text === '' ? how.maskedKey : null,
      isSignedOut: false,
    })
    answer(
      mine,
      how.ask(),
      (result) => (result.ok ? finish() : fail(result.problem)),
      () => fail(unexpected),
    )
  }

  const fail = (problem: ShownProblem): void => {
    // Whatever the outcome of this attempt, there is a valid license.
    if (isActivation(stateBefore, view.state)) {
      finish()
      return
    }
    failures += 1
    if (problem.code === 'busy') {
      turnTo({ attempt: { phase: 'running', after: null } })
      cancelRetry = timers.after(busyRetryMs, retry)
      return
    }
    const delayMs = isConnectionProblem(problem)
      ? retryDelayMs(failures, askedDelayMs(problem, timers.nowMs()))
      : null
    const retryAtMs = delayMs === null ? null : timers.nowMs() + delayMs
    turnTo({ attempt: { phase: 'failed', problem }, retryAtMs })
    if (delayMs !== null) cancelRetry = timers.after(delayMs, retryByItself)
    if (problem.code === 'no-seat-left') loadDevices()
  }

  /** Forgets the attempt. */
  const finish = (): void => {
    tried = null
    failures = 0
    choices.clear()
    turnTo({ ...nothingTried, intent: null })
  }

  const retry = (): void => {
    if (tried === null) client.validate().catch(noop)
    else attempt(tried)
  }

  /** A check looks for a request that was sent but not answered. Only the user may ask for another seat. */
  const retryByItself = (): void => {
    const last = view.attempt?.phase === 'failed' ? view.attempt.problem : null
    if (last?.code !== 'activation-unconfirmed') {
      retry()
      return
    }
    stateBefore = view.state
    answer(
      turnTo({ attempt: { phase: 'running', after: last } }),
      client.validate(),
      ({ problem }) => (problem === null ? finish() : fail(problem)),
      () => fail(last),
    )
  }

  const enterKey = (): void => {
    failures = 0
    choices.clear()
    turnTo({ ...nothingTried, intent: 'enter-key' })
  }

  const offerKeys = (text: string): unknown =>
    turnTo({ attempt: null, clipboardKey: null, keyChoices: choices.take(text) })

  const activateKey = (licenseKey: string): void =>
    attempt({
      ask: () => client.activate(licenseKey),
      maskedKey: maskLicenseKey(licenseKey),
      text: licenseKey,
    })

  const loadDevices = (): void => {
    show({ devices: { phase: 'loading' } })
    answer(
      round,
      client.devices(),
      (result) =>
        show({
          devices: result.ok
            ? { phase: 'ready', devices: result.devices, problem: null }
            : { phase: 'failed', problem: result.problem },
        }),
      () => show({ devices: { phase: 'failed', problem: unexpected } }),
    )
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

  const deactivate = (): void => {
    answer(
      turnTo({}),
      client.deactivate(),
      (result) => {
        if (result.ok) turnTo({ intent: null, isSignedOut: result.seat === 'freed' })
        else show({ problem: result.problem })
      },
      () => show({ problem: unexpected }),
    )
  }

  const listen = (): void => {
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
  }

  return {
    get view() {
      return view
    },
    get heldText() {
      return tried?.text ?? ''
    },
    start: listen,
    stop: () => {
      stopListening()
      cancelRetry()
      clock.set(false)
      round += 1
      tried = null
      choices.clear()
    },
    activate: (text, takesAny) => {
      const key = text.trim()
      if (takesAny && key) return activateKey(key)
      const read = readLicenseKeyText(text)
      if (read.ok) activateKey(read.licenseKey)
      else if (read.code === 'several-license-keys') offerKeys(text)
      else turnTo({ attempt: { phase: 'failed', problem: read }, clipboardKey: null })
    },
    offerKeys,
    activateChoice: (id) => {
      const licenseKey = choices.licenseKeyOf(id)
      if (licenseKey !== undefined) activateKey(licenseKey)
    },
    activateFromClipboard: () => {
      const { clipboardKey } = view
      if (clipboardKey !== null)
        attempt({ ask: () => client.activateFromClipboard(clipboardKey), maskedKey: clipboardKey, text: '' })
    },
    reactivate: () => attempt({ ask: client.reactivate, maskedKey: null, text: '' }),
    lookAtClipboard: () => {
      // A request has to contain the whole key, which the window doesn't know.
      if (view.intent === 'offline') return
      answer(
        round,
        client.clipboardKey(),
        (offer) =>
          show({ clipboardKey: offer?.maskedKey === dismissedKey ? null : (offer?.maskedKey ?? null) }),
        () => show({ clipboardKey: null }),
      )
    },
    dismissClipboardKey: () => {
      if (view.clipboardKey === null) return
      dismissedKey = view.clipboardKey
      show({ clipboardKey: null })
    },
    retry,
    retryByItself,
    stopWaiting: () => (view.attempt === null ? show({ isOverdue: true }) : enterKey()),
    enterKey,
    changeKey: () => {
      // This also releases a seat that a lost answer may have taken.
      if (view.state?.license === null) client.deactivate().catch(noop)
      enterKey()
    },
    openOffline: () => turnTo({ intent: 'offline', clipboardKey: null }),
    askDeactivation: () => show({ intent: 'deactivate' }),
    deactivate,
    copyDetails: () => {
      client.copyDiagnosis().then(() => {
        show({ isCopied: true })
        timers.after(copiedMs, () => show({ isCopied: false }))
      }, noop)
    },
    back: () => (view.intent === 'offline' ? turnTo({ intent: null }) : finish()),
    loadDevices,
    release,
  }
}

function noop(): void {}
