import type { LicensingBridgeError, LicensingClient } from '../../renderer/licensing-client.ts'
import type { ActivationLink } from '../../shared/activation-screen.ts'
import {
  findLicenseKeys,
  foreignCharacterIn,
  maskLicenseKey,
  readLicenseKeyText,
} from '../../shared/license-key-text.ts'
import type { LicensingState, ReleaseCode } from '../../shared/licensing-state.ts'
import type { OfflineProblem } from '../../shared/offline-problem.ts'
import { isUncertain } from '../../shared/problem.ts'
import type { LinkResult } from '../../shared/results.ts'
import { decideSituation, obstacleOf } from '../situation/decide-situation.ts'
import {
  firstView,
  isUnsettled,
  nothingTried,
  nothingUnderWay,
  type OfflineProgress,
  releaseCodesOf,
  type SessionView,
  type ShownProblem,
  unexpected,
} from './session-view.ts'

/** The exchange between one activation window and the main process: what the user does, as state. It draws nothing. */
export interface ActivationSession {
  readonly view: SessionView
  /** The text of the last attempt, for the user to correct; empty after an activation. */
  readonly heldText: string
  start(): void
  stop(): void
  /**
   * Activates with the entered text. A text without a key is refused at once; if it has several, the user chooses one.
   *
   * @param takesAny whether license keys can be any text, so that only the main process can find one.
   */
  activate(licenseKeyText: string, takesAny?: boolean): void
  /** Lets the user choose one of the keys in a text. */
  offerKeys(licenseKeyText: string): void
  /** Activates with a key of `keyChoices`. */
  activateChoice(id: string): void
  /** Activates with the key that `clipboardKey` offers. Later attempts use the same key. */
  activateFromClipboard(): void
  /** Activates the license this device had before. */
  reactivate(): void
  /** Looks for a license key on the clipboard to offer. */
  lookAtClipboard(): void
  /** Withdraws the offer of the key on the clipboard. That key isn't offered again. */
  dismissClipboardKey(): void
  /** Repeats the last attempt, or the one that an earlier run of the app left open. Asks for a check if there is none. */
  retry(): void
  /** Retries automatically. If the last attempt may have taken a seat, it only asks for a check. */
  retryByItself(): void
  /** Stops waiting for an answer. The operation in the main process continues. */
  stopWaiting(): void
  /** Shows the form. */
  enterKey(): void
  /** Shows the form and drops an unanswered first activation, so that it isn't retried automatically. */
  changeKey(): void
  /**
   * Starts an activation without internet, with the entered text or that of the last attempt. Waiting and retries stop
   * until the user is back.
   */
  openOffline(licenseKeyText: string): void
  /** Creates the request for a license key. */
  requestOffline(licenseKeyText: string): void
  /** Shows the field for the answer. */
  enterAnswer(): void
  /** Shows the request again, or asks for the license key if there is none. */
  showRequest(): void
  /** Activates with the text of an answer. */
  activateOffline(answer: Promise<string>): void
  /** Shows the release codes of licenses that were activated without internet. */
  showReleaseCode(): void
  /** Turns to the next release code, or to what the state says. */
  nextReleaseCode(): void
  /** Asks whether to deactivate this device. */
  askDeactivation(): void
  deactivate(): void
  /** Opens a link in the system's browser, or shows its address if the system doesn't. */
  openLink(link: ActivationLink): void
  /** Copies the details for support. */
  copyDetails(): void
  /** Says for a moment what was copied. */
  showCopied(copied: SessionView['copied']): void
  /** Returns to what the state says. */
  back(): void
  /** Forgets the last attempt, and returns to what the state says. */
  finish(): void
  loadDevices(): void
  /** Releases a device's seat, then continues the activation. */
  release(deviceId: string): void
}

/** Timers that tests can replace. All times are in milliseconds. */
export interface SessionTimers {
  /** Milliseconds since the epoch. */
  nowMs(): number
  /** Calls back once. @returns a function that cancels it. */
  after(delayMs: number, callback: () => void): () => void
}

/** The window's own timers. */
export const windowTimers: SessionTimers = {
  nowMs: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}

/** The result of an activation, or the state after a check. */
interface AttemptOutcome {
  readonly ok?: boolean
  readonly problem?: ShownProblem | null
}

/** An activation that is retried until it succeeds or is refused. */
interface Tried {
  readonly ask: () => Promise<AttemptOutcome>
  /** The license key, masked; `null` for the recorded one. */
  readonly maskedKey: string | null
  /** The entered text; empty if none was entered. */
  readonly text: string
}

/** The service refused an activation. The situation has texts of its own. */
const noSeatLeft: ShownProblem = { code: 'no-seat-left' }

/** After this long without a first state, the main process counts as silent, in milliseconds. */
const silenceMs = 10_000
/** After this long without an answer, the window mentions it, in milliseconds. */
const slowMs = 8_000
/** After this long, the window stops waiting and offers to try again, in milliseconds. */
const patienceMs = 60_000
/** How long the window says that something was copied, in milliseconds. */
const copiedMs = 3_000
/** How long to wait if another operation is running, in milliseconds. */
const busyRetryMs = 2_000
const shortestRetryMs = 5_000
const longestRetryMs = 60_000
/** The longest pause that a service can ask for, in milliseconds. The user can retry at any time. */
const longestAskedMs = 15 * 60_000

const noop = (): void => {}

/** Creates the session of one window. Nothing happens before `start`. */
export function createActivationSession(
  client: LicensingClient,
  timers: SessionTimers,
  onChange: () => void,
): ActivationSession {
  let view = firstView
  let tried: Tried | null = null
  // Whether a request since the window opened may have taken a seat, even if the last one found no network.
  let isOpen = false
  // What was answered `busy`: nothing was sent.
  let postponed: Tried['ask'] | null = null
  let stateBefore: LicensingState | null = null
  // Increased whenever the pending answer no longer matters, so that a late one is ignored.
  let round = 0
  let waits = 0
  let cancelRetry = noop
  let stopListening = noop
  let stopWaitClock: (() => void) | null = null
  // The full keys of `view.keyChoices`, by id.
  let choices: ReadonlyMap<string, string> = new Map()
  let dismissedClipboardKey: string | null = null

  /** Watches a pending answer, so that no wait is endless. Repeated calls have no effect. */
  const watchWait = (isWaiting: boolean): void => {
    if (isWaiting === (stopWaitClock !== null)) return
    stopWaitClock?.()
    if (!isWaiting) {
      stopWaitClock = null
      return
    }
    const cancelSlow = timers.after(slowMs, () => show({ isSlow: true }))
    const cancelOverdue = timers.after(patienceMs, giveUp)
    stopWaitClock = () => {
      cancelSlow()
      cancelOverdue()
    }
  }

  const show = (change: Partial<SessionView>): void => {
    const next = { ...view, ...change }
    isOpen ||= isUncertain(next.state?.problem) || isUncertain(next.attempt?.problem)
    const isBusy = next.state !== null && next.state.activity !== 'idle'
    const isOverdue = isBusy && next.isOverdue
    const isWaiting = next.attempt?.isRunning === true || (isBusy && !isOverdue)
    view = { ...next, isOverdue, isSlow: isWaiting && next.isSlow }
    watchWait(isWaiting)
    retryIfStopped()
    onChange()
  }

  /** Schedules a retry while only something between here and the service is in the way, also for what an earlier run of the app left open. */
  const retryIfStopped = (): void => {
    const facts = decideSituation(view)
    const obstacle = facts.isChecking ? null : obstacleOf(facts)
    const isStopped = obstacle !== null
    if (isStopped === (view.retryAtMs !== null)) return
    cancelRetry()
    view = { ...view, retryAtMs: null }
    if (!isStopped) return
    const delayMs = retryDelayMs(obstacle, waits++, timers.nowMs())
    cancelRetry = timers.after(delayMs, retryByItself)
    view = { ...view, retryAtMs: timers.nowMs() + delayMs }
  }

  /** Starts a new round. Earlier pending answers and scheduled retries no longer matter. */
  const turnTo = (change: Partial<SessionView>): number => {
    cancelRetry()
    // An attempt that takes turns with another operation is one wait.
    const isSameWait = view.attempt?.isRunning === true && change.attempt?.isRunning === true
    if (!isSameWait) watchWait(false)
    round += 1
    show({ ...nothingUnderWay, isSlow: isSameWait && view.isSlow, ...change })
    return round
  }

  /** Shows the outcome of an answer, unless the user has moved on. */
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
    const isAttempt = view.attempt?.isRunning === true
    isOpen ||= isAttempt && postponed === null
    if (isAttempt) fail({ code: 'timeout' })
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
      attempt: { isRunning: true, problem: view.attempt?.problem ?? null },
      triedKey: how.maskedKey,
      clipboardKey: how.maskedKey === view.clipboardKey && how.text === '' ? how.maskedKey : null,
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
      turnTo({ attempt: { isRunning: true, problem: view.attempt?.problem ?? null } })
      cancelRetry = timers.after(busyRetryMs, retryByItself)
    } else {
      turnTo({ attempt: { isRunning: false, problem: withCharacter(problem, tried?.text ?? '') } })
      if (problem.code === 'no-seat-left') loadDevices()
    }
  }

  /** Forgets the attempt. */
  const finish = (): void => {
    tried = null
    choices = new Map()
    turnTo({ ...nothingTried, intent: null, freedSeat: null })
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
    choices = new Map()
    // What the main process still does doesn't lock the form.
    turnTo({ ...nothingTried, intent: 'enter-key', isOverdue: true })
  }

  const offerKeys = (text: string): void => {
    const found = findLicenseKeys(text).map((key, index) => ({ ...key, id: `key-${index}` }))
    choices = new Map(found.map(({ id, licenseKey }) => [id, licenseKey]))
    const keyChoices = found.map(({ id, licenseKey, label }) => ({
      id,
      maskedKey: maskLicenseKey(licenseKey),
      label,
    }))
    turnTo({ attempt: null, clipboardKey: null, keyChoices })
  }

  const activateKey = (licenseKey: string): void =>
    attempt({
      ask: () => client.activate(licenseKey),
      maskedKey: maskLicenseKey(licenseKey),
      text: licenseKey,
    })

  const reactivate = (): void => attempt({ ask: client.reactivate, maskedKey: null, text: '' })

  const loadDevices = (): void => {
    const fail = (problem: ShownProblem): void =>
      show({ devices: { devices: null, isLoading: false, problem } })
    const { devices } = view
    show({
      devices: {
        devices: null,
        isLoading: true,
        problem: devices?.devices ? null : (devices?.problem ?? null),
      },
    })
    answer(
      round,
      client.devices(),
      (result) =>
        result.ok
          ? show({ devices: { devices: result.devices, isLoading: false, problem: null } })
          : fail(result.problem),
      () => fail(unexpected),
    )
  }

  const release = (deviceId: string): void => {
    const mine = turnTo({ attempt: { isRunning: true, problem: noSeatLeft } })
    const stay = (problem: ShownProblem): void => {
      const { devices } = view
      turnTo({
        attempt: { isRunning: false, problem: noSeatLeft },
        devices: devices && { ...devices, problem },
      })
    }
    answer(
      mine,
      client.releaseDevice(deviceId),
      (result) => (result.ok ? retry() : stay(result.problem)),
      () => stay(unexpected),
    )
  }

  const openOffline = (licenseKeyText: string): void => {
    const problem = view.attempt?.problem
    stateBefore = view.state
    const attempt = problem ? { isRunning: false, problem } : null
    // The answer of a running attempt is ignored from here on. If it succeeds, the state shows it.
    turnTo({ intent: 'offline', clipboardKey: null, attempt, offline: firstView.offline })
    const text = licenseKeyText || tried?.text
    if (text?.trim()) requestOffline(text)
  }

  const turnOffline = (change: Partial<OfflineProgress>): void => {
    turnTo({ copied: null, offline: { ...view.offline, isBusy: false, problem: null, ...change } })
  }

  /** Waits for a result of an activation without internet, and shows why if there is none. */
  const askOffline = <Done extends { readonly ok: true }>(
    promise: Promise<Done | { readonly ok: false; readonly problem: OfflineProblem }>,
    use: (result: Done) => void,
  ): void => {
    turnOffline({ isBusy: true })
    answer(
      round,
      promise,
      (result) => (result.ok ? use(result) : turnOffline({ problem: result.problem })),
      () => turnOffline({ problem: unexpected }),
    )
  }

  const requestOffline = (licenseKeyText: string): void =>
    askOffline<ReleaseCode & { readonly ok: true }>(client.createOfflineRequest(licenseKeyText), (request) =>
      turnOffline({ request }),
    )

  const leaveOffline = (): void => {
    show({ intent: null })
    // An activation or a renewal of the same license made the attempt obsolete.
    if (view.state?.status === 'active' && stateBefore?.status !== 'active') finish()
  }

  const showCopied = (copied: SessionView['copied']): void => {
    show({ copied })
    timers.after(copiedMs, () => show({ copied: null }))
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
      let isSilent = true
      const accept = (): void => {
        isSilent = false
        const before = view.state
        const state = client.getSnapshot()
        const known = releaseCodesOf(before).map(({ text }) => text)
        // A code that was just made is shown without asking.
        const isNew = before !== null && releaseCodesOf(state).some(({ text }) => !known.includes(text))
        show({ state, fault: null, ...(isNew && { releaseIndex: 0 }) })
        if (!view.attempt?.isRunning && isActivation(before, state)) finish()
      }
      const cancelSilence = timers.after(silenceMs, () => isSilent && show({ fault: 'bridge-silent' }))
      client.ready.then(accept, (error: Partial<LicensingBridgeError> | undefined) => {
        // biome-ignore lint/suspicious/noConsole: the window shows only the code.
        console.error(error)
        show({ fault: error?.code ?? 'bridge-silent' })
      })
      let unsubscribe = noop
      try {
        unsubscribe = client.subscribe(accept)
        if (client.getSnapshot() !== null) accept()
      } catch {
        // `ready` rejected with the same error.
      }
      stopListening = () => {
        cancelSilence()
        unsubscribe()
      }
    },
    stop: () => {
      stopListening()
      cancelRetry()
      watchWait(false)
      round += 1
      tried = null
      choices = new Map()
    },
    activate: (text, takesAny) => {
      if (takesAny && text.trim()) return activateKey(text.trim())
      const read = readLicenseKeyText(text)
      if (read.ok) activateKey(read.licenseKey)
      else if (read.code === 'several-license-keys') offerKeys(text)
      else {
        const problem = withCharacter({ code: read.code }, text)
        turnTo({ attempt: { isRunning: false, problem }, clipboardKey: null })
      }
    },
    offerKeys,
    activateChoice: (id) => {
      const licenseKey = choices.get(id)
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
      answer(
        round,
        client.clipboardKey(),
        (offer) =>
          show({
            clipboardKey: offer?.maskedKey === dismissedClipboardKey ? null : (offer?.maskedKey ?? null),
          }),
        () => show({ clipboardKey: null }),
      )
    },
    dismissClipboardKey: () => {
      if (view.clipboardKey === null) return
      dismissedClipboardKey = view.clipboardKey
      show({ clipboardKey: null })
    },
    retry,
    retryByItself,
    stopWaiting: () => {
      if (view.intent === 'offline') turnOffline({})
      else if (view.attempt === null) turnTo({ isOverdue: true })
      else enterKey()
    },
    enterKey,
    changeKey: () => {
      client.cancelActivation().catch(noop)
      enterKey()
    },
    openOffline,
    requestOffline,
    enterAnswer: () => turnOffline({ isAnswering: true }),
    showRequest: () => turnOffline({ isAnswering: false }),
    activateOffline: (text) => {
      turnOffline({ isAnswering: true })
      // A folder that was dropped, or a drive that was unplugged, contains no answer.
      askOffline(text.catch(() => '').then(client.activateOffline), finish)
    },
    showReleaseCode: () => show({ releaseIndex: 0, copied: null }),
    nextReleaseCode: () => {
      const next = (view.releaseIndex ?? 0) + 1
      show({ releaseIndex: next < releaseCodesOf(view.state).length ? next : null, copied: null })
    },
    askDeactivation: () => show({ intent: 'deactivate' }),
    deactivate,
    openLink: (link) => {
      // An app's own bridge may return nothing.
      const shown = (result: LinkResult | undefined): void =>
        show({ unopenedAddress: result?.ok === false ? result.address : null })
      client.openLink(link).then(shown, noop)
    },
    copyDetails: () => {
      client.copyDiagnosis().then(() => showCopied('details'), noop)
    },
    showCopied,
    back: () => (view.intent === 'offline' ? leaveOffline() : finish()),
    finish,
    loadDevices,
    release,
  }
}

/** Whether a license became active between two states. Confirming a valid license doesn't count. */
function isActivation(before: LicensingState | null, now: LicensingState | null): boolean {
  if (before === null || now?.status !== 'active') return false
  return !before.entitled || before.license?.maskedKey !== now.license?.maskedKey
}

/**
 * Returns how long the window waits before an automatic retry: 5, 10, 20, 40, then 60 seconds, or as long as the service
 * asked to wait.
 *
 * @param waits earlier waits for the same activation.
 */
function retryDelayMs({ retryAt }: ShownProblem, waits: number, nowMs: number): number {
  const askedMs = Date.parse(retryAt ?? '') - nowMs || 0
  return Math.max(Math.min(shortestRetryMs * 2 ** waits, longestRetryMs), Math.min(askedMs, longestAskedMs))
}

/** Names the character that can't be part of a license key. The main process only reports the code. */
function withCharacter(problem: ShownProblem, text: string): ShownProblem {
  const character = problem.code === 'foreign-character' ? foreignCharacterIn(text) : null
  return character === null ? problem : { ...problem, character }
}
