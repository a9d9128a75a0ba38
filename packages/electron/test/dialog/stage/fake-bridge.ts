import type { ActivationScreen } from '../../../src/shared/activation-screen.ts'
import {
  type LicensingBridge,
  type LicensingVerbs,
  licensingVerbs,
} from '../../../src/shared/licensing-bridge.ts'
import type { LicenseReleaseCode, LicensingState, ReleaseCode } from '../../../src/shared/licensing-state.ts'
import { offlineProblemMessages } from '../../../src/shared/offline-problem.ts'
import { maskedKey, problem } from './states.ts'

/** What a main process says about the looks of an app called Inkpad. */
export const screen: ActivationScreen = {
  title: 'Inkpad',
  logo: null,
  accent: null,
  serviceHost: 'licensing.inkpad.example',
  links: ['buy', 'renew', 'coveredVersion', 'support', 'devices'],
  locale: 'en',
  strings: {},
  prefilledText: null,
}

/** A request as it is in a file, and the link of its QR code. */
export const offlineRequest: string = `latchkey-request-1.${'WyJjb20uZXhhbXBsZS5pbmtwYWQiLCJTdHVkaW8gTWFj'.repeat(6)}.5d2c91aa`
const offlineLink = `https://licensing.inkpad.example/v1/offline#${offlineRequest}`
const releaseText = `latchkey-release-1.toP5axlr.${'INY-c1XmzjWkftwLu7hJ4KrzGVdbApE6n11cn8e00u2G'.repeat(9)}.ee734cd5`

/** The release code of a device that was deactivated without internet. */
export const releaseCode: ReleaseCode = {
  text: releaseText,
  link: `https://licensing.inkpad.example/v1/offline#${releaseText}`,
}
/** That code and an earlier one, of another license. */
export const releaseCodes: readonly LicenseReleaseCode[] = [
  { ...releaseCode, maskedKey },
  {
    text: releaseText.replace('INY-', 'JOZ-'),
    link: releaseCode.link.replace('INY-', 'JOZ-'),
    maskedKey: '7c2d••••b830',
  },
]
const offlineProblem = {
  code: 'offline-answer-torn',
  message: offlineProblemMessages['offline-answer-torn'],
  isRetryable: false,
  occurredAt: '2030-06-01T09:30:00.000Z',
} as const

type Silent = 'getState' | 'screen' | 'openActivationWindow' | 'closeActivationWindow' | 'copyDiagnosis'

/** What the main process would answer. Each can be replaced at any time. */
export type FakeAnswers = {
  -readonly [Verb in keyof Omit<LicensingVerbs, Silent>]: LicensingVerbs[Verb]
} & { state: LicensingState; screen: ActivationScreen }

/** A bridge without a main process. It gives the set answers and records the calls. */
export interface FakeBridge {
  readonly bridge: LicensingBridge
  readonly answers: FakeAnswers
  /** Every call, as `verb(argument)`. */
  readonly calls: string[]
  /** Sets the current state and sends it to the window. */
  push(state: LicensingState): void
}

/** Makes the bridge of a main process with this state, and with other answers where a test wants them. */
export function createFakeBridge(state: LicensingState, wanted: Partial<FakeAnswers> = {}): FakeBridge {
  const answers = stagedAnswers(state, wanted)
  const listeners = new Set<(state: LicensingState) => void>()
  const calls: string[] = []
  const answerTo = (verb: string, message: readonly unknown[]): unknown => {
    if (verb === 'getState') return structuredClone(answers.state)
    const answer: unknown = Reflect.get(answers, verb)
    return typeof answer === 'function' ? Reflect.apply(answer, undefined, message) : answer
  }
  const verbs = Object.keys(licensingVerbs).map((verb) => [
    verb,
    async (...message: unknown[]) => {
      calls.push(message.length === 0 ? verb : `${verb}(${message.join()})`)
      return answerTo(verb, message)
    },
  ])
  return {
    answers,
    calls,
    push: (next) => {
      answers.state = next
      // What crosses the context bridge is a copy.
      for (const listener of listeners) listener(structuredClone(next))
    },
    bridge: {
      ...(Object.fromEntries(verbs) as LicensingVerbs),
      onState: (listener) => {
        listeners.add(listener)
        return () => {
          listeners.delete(listener)
        }
      },
    },
  }
}

/** Answers of a main process that knows no license, with what a test wants different. */
function stagedAnswers(state: LicensingState, answers: Partial<FakeAnswers>): FakeAnswers {
  const unknown = async () =>
    ({ ok: false, problem: problem('license-not-found'), state: staged.state }) as const
  const staged: FakeAnswers = {
    state,
    screen,
    activate: unknown,
    activateFromClipboard: unknown,
    reactivate: unknown,
    createOfflineRequest: async () => ({ ok: true, text: offlineRequest, link: offlineLink }),
    activateOffline: async () => ({ ok: false, problem: offlineProblem, state: staged.state }),
    validate: async () => staged.state,
    cancelActivation: async () => staged.state,
    deactivate: async () => ({ ok: false, problem: problem('not-activated'), state: staged.state }),
    devices: async () => ({ ok: true, devices: [] }),
    releaseDevice: async () => ({ ok: true }),
    openLink: async () => ({ ok: true }),
    clipboardKey: async () => null,
    ...answers,
  }
  return staged
}
