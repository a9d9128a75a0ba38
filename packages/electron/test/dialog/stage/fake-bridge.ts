import type { ActivationScreen } from '../../../src/shared/activation-screen.ts'
import {
  type LicensingBridge,
  type LicensingVerbs,
  licensingVerbs,
} from '../../../src/shared/licensing-bridge.ts'
import type { LicensingState } from '../../../src/shared/licensing-state.ts'

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

/** Makes the bridge. */
export function createFakeBridge(answers: FakeAnswers): FakeBridge {
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
    push: (state) => {
      answers.state = state
      // What crosses the context bridge is a copy.
      for (const listener of listeners) listener(structuredClone(state))
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
