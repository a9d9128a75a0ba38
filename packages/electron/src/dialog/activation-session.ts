import { isLicensingBridgeError } from '../renderer/licensing-bridge-error.ts'
import type { LicensingClient } from '../renderer/licensing-client.ts'
import { findLicenseKeys, maskLicenseKey, readLicenseKeyText } from '../shared/license-key-text.ts'
import type { LicensingState } from '../shared/licensing-state.ts'
import type { ActivationResult } from '../shared/results.ts'
import { parseTimestamp } from '../shared/timestamp.ts'
import { retryDelayMs } from './retry-delay.ts'
import { isConnectionProblem, type ShownProblem } from './shown-problem.ts'
import type { SituationInput } from './situation.ts'
import { createWaitClock, type SessionTimers } from './wait-clock.ts'

/** What the screen knows at one moment. A new object after every change. */
export interface SessionView extends SituationInput {
  /** Whether the answer takes longer than one expects. */
  readonly isSlow: boolean
  /** When the next try starts by itself; `null` when none is due. */
  readonly retryAtMs: number | null
  /** The license key on the clipboard, masked; `null` when none is offered. */
  readonly clipboardKey: string | null
  /** Whether this device was just signed out here, its seat being free again. */
  readonly isSignedOut: boolean
}

/** The conversation between one activation screen and the main process. It draws nothing. */
export interface ActivationSession {
  readonly view: SessionView
  /** What the user tried last, to be corrected; empty after an activation. */
  readonly heldText: string
  start(): void
  stop(): void
  /** Activates with what was entered; a text without a key is refused on the spot, of several the user chooses. */
  activate(licenseKeyText: string): void
  /** Lets the user choose one of the keys in a text. */
  offerKeys(licenseKeyText: string): void
  /** Activates with a key of `keyChoices`. */
  activateChoice(id: string): void
  /** Activates with the key that `clipboardKey` offers, and with no other one at later tries. */
  activateFromClipboard(): void
  /** Activates the license this device had before. */
  reactivate(): void
  /** Looks for a license key on the clipboard, to be offered. */
  lookAtClipboard(): void
  /** Takes back the offer of the key on the clipboard; that one is not offered again. */
  dismissClipboardKey(): void
  /** Tries again what was tried last; asks for a check when nothing was. */
  retry(): void
  /** The same without a click: it never asks for a seat that may have been taken already. */
  retryByItself(): void
  /** Stops waiting for an answer; what runs in the main process goes on. */
  stopWaiting(): void
  /** Goes to the form. */
  enterKey(): void
  /** Goes to the form, and drops a first activation that was not answered: it is not tried again by itself. */
  changeKey(): void
  /** Asks whether this device shall be deactivated. */
  askDeactivation(): void
  deactivate(): void
  /** Back to what the state says. */
  back(): void
  loadDevices(): void
  /** Frees a device's seat, then goes on with the activation. */
  release(deviceId: string): void
}

/** An activation, to be tried as often as it takes. */
interface Tried {
  readonly ask: () => Promise<ActivationResult>
  /** The license key, masked; `null` for the one on record. */
  readonly maskedKey: string | null
  /** What was entered; empty for what was not. */
  readonly text: string
}

/** After this long without a first state the main process counts as silent. */
const silenceMs = 10_000
/** Another operation is under way: it takes a moment. */
const busyRetryMs = 2_000

const nothingUnderWay = { isOverdue: false, isSlow: false, retryAtMs: null, problem: null } as const
/** What a screen knows before it was told anything. */
export const firstView: SessionView = {
  state: null,
  fault: null,
  attempt: null,
  triedKey: null,
  devices: null,
  keyChoices: [],
  intent: null,
  clipboardKey: null,
  isSignedOut: false,
  ...nothingUnderWay,
}
const unexpected: ShownProblem = { code: 'unexpected' }
const noSeatLeft: ShownProblem = { code: 'no-seat-left' }

/** Makes the session of one screen. Nothing happens before `start`. */
export function createActivationSession(
  client: LicensingClient,
  timers: SessionTimers,
  onChange: () => void,
): ActivationSession {
  let view = firstView
  let tried: Tried | null = null
  let stateBefore: LicensingState | null = null
  let failures = 0
  // Raised whenever an answer under way stops mattering; a late one finds its number gone.
  let round = 0
  let cancelRetry = (): void => {}
  let stops: (() => void)[] = []
  let dismissedKey: string | null = null
  // The whole keys behind the choices, by their ids. They stay in here.
  let choices: ReadonlyMap<string, string> = new Map()

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

  /** Starts a new round: whatever was awaited or due before no longer matters. */
  const turnTo = (change: Partial<SessionView>): number => {
    cancelRetry()
    clock.set(false)
    round += 1
    show({ ...nothingUnderWay, ...change })
    return round
  }

  /** Shows what comes of an answer, unless the screen went on to something else meanwhile. */
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
    // Whatever became of this try: there is a license that works.
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
    const delayMs = isConnectionProblem(problem) ? retryDelayMs(failures, askedMs(problem)) : null
    const retryAtMs = delayMs === null ? null : timers.nowMs() + delayMs
    turnTo({ attempt: { phase: 'failed', problem }, retryAtMs })
    if (delayMs !== null) cancelRetry = timers.after(delayMs, retryByItself)
    if (problem.code === 'no-seat-left') loadDevices()
  }

  const askedMs = ({ retryAt }: ShownProblem): number => {
    const atMs = retryAt === undefined ? null : parseTimestamp(retryAt)
    return atMs === null ? 0 : atMs - timers.nowMs()
  }

  /** Back to what the state alone says; what was tried is forgotten. */
  const finish = (): void => {
    tried = null
    failures = 0
    choices = new Map()
    turnTo({ attempt: null, devices: null, intent: null, keyChoices: [], clipboardKey: null })
  }

  const retry = (): void => {
    if (tried === null) client.validate().catch(() => {})
    else attempt(tried)
  }

  /** What was sent and not answered is looked for by a check; only a person asks for a seat once more. */
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
    choices = new Map()
    turnTo({ attempt: null, devices: null, intent: 'enter-key', keyChoices: [], clipboardKey: null })
  }

  const offerKeys = (text: string): void => {
    const found = findLicenseKeys(text).map((key, index) => ({ ...key, id: `key-${index}` }))
    choices = new Map(found.map(({ id, licenseKey }) => [id, licenseKey]))
    turnTo({
      attempt: null,
      clipboardKey: null,
      keyChoices: found.map(({ id, licenseKey, label }) => ({
        id,
        maskedKey: maskLicenseKey(licenseKey),
        label,
      })),
    })
  }

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
    const accept = (): void => {
      const before = view.state
      show({ state: client.getSnapshot(), fault: null })
      if (view.attempt?.phase !== 'running' && isActivation(before, view.state)) finish()
    }
    const cancelSilence = timers.after(silenceMs, () => {
      if (view.state === null) show({ fault: 'bridge-silent' })
    })
    stops = [cancelSilence]
    client.ready.then(accept, (error: unknown) =>
      show({ fault: isLicensingBridgeError(error) ? error.code : 'bridge-silent' }),
    )
    try {
      stops.push(client.subscribe(accept))
      if (client.getSnapshot() !== null) accept()
    } catch {
      // `ready` rejected with the same error.
    }
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
      for (const stop of [...stops, cancelRetry]) stop()
      clock.set(false)
      round += 1
      tried = null
      choices = new Map()
    },
    activate: (text) => {
      const read = readLicenseKeyText(text)
      if (read.ok) activateKey(read.licenseKey)
      else if (read.code === 'several-license-keys') offerKeys(text)
      else turnTo({ attempt: { phase: 'failed', problem: read }, clipboardKey: null })
    },
    offerKeys,
    activateChoice: (id) => {
      const licenseKey = choices.get(id)
      if (licenseKey !== undefined) activateKey(licenseKey)
    },
    activateFromClipboard: () => {
      const { clipboardKey } = view
      if (clipboardKey !== null)
        attempt({ ask: () => client.activateFromClipboard(clipboardKey), maskedKey: clipboardKey, text: '' })
    },
    reactivate: () => attempt({ ask: client.reactivate, maskedKey: null, text: '' }),
    lookAtClipboard: () =>
      answer(
        round,
        client.clipboardKey(),
        (offer) =>
          show({ clipboardKey: offer?.maskedKey === dismissedKey ? null : (offer?.maskedKey ?? null) }),
        () => show({ clipboardKey: null }),
      ),
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
      // It also frees the seat that a lost answer may have taken.
      if (view.state?.license === null) client.deactivate().catch(() => {})
      enterKey()
    },
    askDeactivation: () => show({ intent: 'deactivate' }),
    deactivate,
    back: finish,
    loadDevices,
    release,
  }
}

/** Whether a license became active from one state to the next, beyond one that worked being confirmed. */
function isActivation(before: LicensingState | null, now: LicensingState | null): boolean {
  if (before === null || now?.status !== 'active') return false
  return !before.entitled || before.license?.maskedKey !== now.license?.maskedKey
}
