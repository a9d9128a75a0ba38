import type { ActivationLink, ActivationScreen } from '../../../src/shared/activation-screen.ts'
import type { LicensingBridge } from '../../../src/shared/licensing-bridge.ts'
import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import type {
  ActivationResult,
  DeactivationResult,
  DevicesResult,
  LinkResult,
  OfflineActivationResult,
  OfflineRequestResult,
  ReleaseResult,
} from '../../../src/shared/results.ts'

/** What the main process would answer. Each can be replaced at any time. */
export interface FakeAnswers {
  state: LicensingState
  screen: ActivationScreen
  activate: (licenseKeyText: string) => Promise<ActivationResult>
  activateFromClipboard: (maskedKey: string) => Promise<ActivationResult>
  reactivate: () => Promise<ActivationResult>
  createOfflineRequest: (licenseKeyText: string) => Promise<OfflineRequestResult>
  activateOffline: (text: string) => Promise<OfflineActivationResult>
  validate: () => Promise<LicensingState>
  cancelActivation: () => Promise<LicensingState>
  deactivate: () => Promise<DeactivationResult>
  devices: () => Promise<DevicesResult>
  releaseDevice: (deviceId: string) => Promise<ReleaseResult>
  openLink: (link: ActivationLink) => Promise<LinkResult>
  clipboardKey: () => Promise<{ readonly maskedKey: string } | null>
}

/** A bridge without a main process. It gives the set answers and records the calls. */
export interface FakeBridge {
  readonly bridge: LicensingBridge
  readonly answers: FakeAnswers
  /** Every call, as `verb(argument)`. */
  readonly calls: string[]
  /** Sets the current state and sends it to the window. */
  push(state: LicensingState): void
}

/** Makes the bridge. */
export function createFakeBridge(answers: FakeAnswers): FakeBridge {
  const listeners = new Set<(state: LicensingState) => void>()
  const calls: string[] = []
  const noted = <Result>(call: string, result: Result): Result => {
    calls.push(call)
    return result
  }
  return {
    answers,
    calls,
    push: (state) => {
      answers.state = state
      // What crosses the context bridge is a copy.
      for (const listener of listeners) listener(structuredClone(state))
    },
    bridge: {
      getState: async () => noted('getState', structuredClone(answers.state)),
      activate: async (text) => noted(`activate(${text})`, answers.activate(text)),
      reactivate: async () => noted('reactivate', answers.reactivate()),
      validate: async () => noted('validate', answers.validate()),
      createOfflineRequest: async (text) =>
        noted(`createOfflineRequest(${text})`, answers.createOfflineRequest(text)),
      activateOffline: async (text) => noted(`activateOffline(${text})`, answers.activateOffline(text)),
      cancelActivation: async () => noted('cancelActivation', answers.cancelActivation()),
      deactivate: async () => noted('deactivate', answers.deactivate()),
      devices: async () => noted('devices', answers.devices()),
      releaseDevice: async (id) => noted(`releaseDevice(${id})`, answers.releaseDevice(id)),
      openActivationWindow: async () => noted('openActivationWindow', undefined),
      closeActivationWindow: async () => noted('closeActivationWindow', undefined),
      screen: async () => noted('screen', answers.screen),
      openLink: async (link) => noted(`openLink(${link})`, answers.openLink(link)),
      clipboardKey: async () => noted('clipboardKey', answers.clipboardKey()),
      activateFromClipboard: async (maskedKey) =>
        noted(`activateFromClipboard(${maskedKey})`, answers.activateFromClipboard(maskedKey)),
      copyDiagnosis: async () => noted('copyDiagnosis', undefined),
      onState: (listener) => {
        listeners.add(listener)
        return () => {
          listeners.delete(listener)
        }
      },
    },
  }
}
