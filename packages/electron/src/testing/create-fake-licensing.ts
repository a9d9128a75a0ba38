import { describeOfflineProblem } from '../core/offline.ts'
import { describeProblem } from '../core/problem.ts'
import { type Licensing, readReleaseDate } from '../main/licensing.ts'
import { processTerminal, runCommand } from '../main/run-command.ts'
import { takeCommand } from '../main/take-command.ts'
import { createGates } from '../main/window/gate.ts'
import { hasFeature, type LicensingState } from '../shared/licensing-state.ts'
import type { Problem, ProblemCode } from '../shared/problem.ts'
import type { ActivationResult, Device } from '../shared/results.ts'
import { parseTimestamp } from '../shared/timestamp.ts'
import { createFakeScript, type FakeOutcomes, type FakeVerb, isFreedSeat } from './fake-outcomes.ts'
import { type FakeState, fakeState, licensingState } from './fake-state.ts'

/** Controls that a test has over a fake. */
export interface FakeControls {
  /** All calls so far, oldest first. */
  readonly calls: readonly FakeCall[]
  /**
   * Replaces the whole state, `status` included, and notifies the listeners, as a background check would. Without a
   * status, it is `unlicensed`. To change one field, pass the others too: `{ ...licensing.state, activity: 'validating' }`,
   * or `licensing.getSnapshot()` of a client.
   *
   * @throws TypeError if there is no such status, field, problem code, activity or storage.
   */
  setState(state: FakeState): void
  /**
   * Sets the outcome of the next call of a method. If called several times, the outcomes are used in order. Every
   * problem code works, whether or not the real method can fail with it.
   *
   * @param verb the method's name, such as `activate`.
   * @param outcome what its next call returns, or the code of the problem it fails with.
   * @throws TypeError if there is no such method or outcome.
   */
  script<Verb extends FakeVerb>(verb: Verb, outcome: FakeOutcomes[Verb]): void
  /** Whether the activation window is open. */
  readonly isActivationWindowOpen: boolean
  /** Closes the activation window, as a user would. */
  dismissActivationWindow(): void
}

/** An in-memory {@link Licensing}, without Electron, service or files. */
export interface FakeLicensing extends Licensing, FakeControls {}

/**
 * Creates a `Licensing` for tests of your own code. Its methods behave like the real ones: `activate` makes the state
 * `active`, `deactivate` makes it `unlicensed`, and `gate` calls back as it does in an app, without delays.
 *
 * @param state the initial state; `unlicensed` if you leave it out.
 * @throws TypeError if there is no such status, field, problem code, activity or storage.
 * @example
 * const licensing = createFakeLicensing({ status: 'active' })
 * licensing.script('deactivate', 'freed-later')
 */
export function createFakeLicensing(state: FakeState = {}): FakeLicensing {
  return fakeLicensingWith('createFakeLicensing', createFakeCalls(), state)
}

/** Creates a fake that records its calls in `calls`. @param caller the function that got the state, for errors. */
export function fakeLicensingWith(
  caller: string,
  { calls, note }: FakeCalls,
  state: FakeState,
): FakeLicensing {
  const script = createFakeScript()
  const listeners = new Set<(state: LicensingState, previous: LicensingState) => void>()
  const closedListeners = new Set<() => void>()
  let current = fakeState(caller, state)
  let listed: readonly Device[] | null = null
  let isWindowOpen = false
  let stops: (() => void)[] = []

  function become(next: LicensingState): LicensingState {
    const previous = current
    current = next
    for (const listener of [...listeners]) listener(next, previous)
    return next
  }

  function fail(code: ProblemCode): { readonly ok: false; readonly problem: Problem } {
    return { ok: false, problem: describeProblem({ code }, Date.now()) }
  }

  function activated(outcome: 'activated' | ProblemCode): ActivationResult {
    if (outcome !== 'activated') return { ...fail(outcome), state: current }
    return { ok: true, state: become(licensingState({ status: 'active' })) }
  }

  function ownDevices(): readonly Device[] {
    const { label = 'This computer' } = current.device ?? {}
    return [{ id: 'this-device', label, activatedAt: '2030-01-01T00:00:00.000000Z', isThisDevice: true }]
  }

  function subscribe(listener: (state: LicensingState, previous: LicensingState) => void): () => void {
    checkListener(listener)
    const entry: typeof listener = (next, previous) => listener(next, previous)
    listeners.add(entry)
    return () => void listeners.delete(entry)
  }

  const openGate = createGates({
    start: async () => current,
    subscribe,
    openWindow: async () => {
      isWindowOpen = true
    },
    window: {
      close: () => {
        isWindowOpen = false
      },
      hold: () => () => {},
      isOpen: false,
      // The success screen is not shown in a test, so it doesn't delay the app.
      isShown: false,
      onClosed: (listener) => {
        closedListeners.add(listener)
        return () => void closedListeners.delete(listener)
      },
    },
    appWindows: () => [{ isVisible: () => true, once() {}, close() {} }],
    after: () => () => {},
    onSummoned: () => () => {},
    quit: () => note('quit'),
    showWindowError: async () => {},
    logger: { debug() {}, info() {}, warn() {}, error: (line) => note('error', line) },
  })

  const licensing: FakeLicensing = {
    calls,
    get state() {
      return current
    },
    get isActivationWindowOpen() {
      return isWindowOpen
    },
    setState: (next) => void become(fakeState('setState', next)),
    script: script.add,
    dismissActivationWindow() {
      isWindowOpen = false
      for (const listener of [...closedListeners]) listener()
    },
    async start() {
      note('start')
      return current
    },
    subscribe,
    covers: (releasedAt) => isCovered(current, releasedAt),
    lease: () => null,
    has: (feature) => hasFeature(current, feature),
    async activate(licenseKeyText) {
      note('activate', licenseKeyText)
      const usual = faultOf(licenseKeyText) ?? 'activated'
      return activated(script.take('activate') ?? usual)
    },
    async reactivate() {
      note('reactivate')
      const usual = current.license === null ? 'not-activated' : 'activated'
      return activated(script.take('reactivate') ?? usual)
    },
    async createOfflineRequest(licenseKeyText) {
      note('createOfflineRequest', licenseKeyText)
      const usual = faultOf(licenseKeyText) ?? 'created'
      const outcome = script.take('createOfflineRequest') ?? usual
      const link = 'https://licensing.example.com/v1/offline#request'
      return outcome === 'created' ? { ok: true, text: 'request', link } : fail(outcome)
    },
    async activateOffline(text) {
      note('activateOffline', text)
      const outcome = script.take('activateOffline') ?? 'activated'
      if (outcome === 'activated') return { ok: true, state: become(licensingState({ status: 'active' })) }
      return { ok: false, problem: describeOfflineProblem({ code: outcome }, Date.now()), state: current }
    },
    async validate() {
      note('validate')
      const outcome = script.take('validate')
      return outcome === undefined ? current : become(licensingState(outcome))
    },
    async cancelActivation() {
      note('cancelActivation')
      return current
    },
    async deactivate() {
      note('deactivate')
      const usual = current.license === null ? 'not-activated' : 'freed'
      const outcome = script.take('deactivate') ?? usual
      if (!isFreedSeat(outcome)) return { ...fail(outcome), state: current }
      return { ok: true, seat: outcome, state: become(licensingState({ status: 'unlicensed' })) }
    },
    async devices() {
      note('devices')
      const scripted = script.take('devices')
      if (typeof scripted === 'string') return fail(scripted)
      listed = scripted ?? listed
      if (listed === null && current.license === null) return fail('not-activated')
      return { ok: true, devices: listed ?? ownDevices() }
    },
    async releaseDevice(deviceId) {
      note('releaseDevice', deviceId)
      const known = listed ?? ownDevices()
      const usual = known.some(({ id }) => id === deviceId) ? 'released' : 'device-not-found'
      const outcome = script.take('releaseDevice') ?? usual
      if (outcome !== 'released') return fail(outcome)
      listed = known.filter(({ id }) => id !== deviceId)
      const isThisDevice = known.find(({ id }) => id === deviceId)?.isThisDevice ?? false
      if (isThisDevice) become(licensingState({ status: 'unlicensed' }))
      return { ok: true }
    },
    async runCommand(argv) {
      note('runCommand', [...argv])
      const command = takeCommand(argv)
      return command === null
        ? null
        : runCommand(command, { ...licensing, readState: licensing.start }, processTerminal)
    },
    async openActivationWindow(options) {
      note('openActivationWindow', ...(options === undefined ? [] : [options]))
      isWindowOpen = true
    },
    closeActivationWindow() {
      note('closeActivationWindow')
      isWindowOpen = false
    },
    gate(options) {
      note('gate', options)
      const leave = openGate(options)
      stops.push(leave)
      return leave
    },
    async diagnose() {
      note('diagnose')
      return script.take('diagnose') ?? 'A report of a fake Licensing.'
    },
    async dispose() {
      note('dispose')
      for (const stop of stops) stop()
      stops = []
      isWindowOpen = false
    },
  }
  return licensing
}

/** Returns the problem of a text without a license key. In plain JavaScript, it may be any value, as for the real methods. */
function faultOf(licenseKeyText: unknown): 'empty-text' | 'no-license-key' | null {
  if (typeof licenseKeyText === 'string') return licenseKeyText.trim() === '' ? 'empty-text' : null
  return licenseKeyText == null ? 'empty-text' : 'no-license-key'
}

/** Checks the listener of a `subscribe`. @throws TypeError if it isn't a function. */
export function checkListener(listener: unknown): void {
  if (typeof listener !== 'function')
    throw new TypeError('subscribe: pass a function that is called after every change')
}

/** One call of a method of a fake. */
export interface FakeCall {
  /** The method's name, such as `activate`; `quit` for the app's end by a gate. */
  readonly method: string
  /** Its arguments. */
  readonly args: readonly unknown[]
}

/** The calls of a fake so far, and a function to add one. */
export interface FakeCalls {
  readonly calls: readonly FakeCall[]
  note(method: string, ...args: readonly unknown[]): void
}

export function createFakeCalls(): FakeCalls {
  const calls: FakeCall[] = []
  return { calls, note: (method, ...args) => void calls.push({ method, args }) }
}

/** Whether a fake's license covers a build, by its `expiresAt` alone. */
export function isCovered(
  { license }: LicensingState,
  releasedAt: string | Date | null | undefined,
): boolean {
  const endMs = parseTimestamp(license?.expiresAt ?? '')
  return endMs === null || (readReleaseDate(releasedAt) ?? Date.now()) <= endMs
}
