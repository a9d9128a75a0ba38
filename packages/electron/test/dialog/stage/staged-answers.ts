import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import type { FakeAnswers } from './fake-bridge.ts'
import { screen } from './staged-screen.ts'
import { problem } from './states.ts'

/** Answers of a main process that knows no license, with what a test wants different. */
export function stagedAnswers(state: LicensingState, answers: Partial<FakeAnswers> = {}): FakeAnswers {
  const staged: FakeAnswers = {
    state,
    screen,
    activate: async () => ({ ok: false, problem: problem('license-not-found'), state: staged.state }),
    activateFromClipboard: async () => ({
      ok: false,
      problem: problem('license-not-found'),
      state: staged.state,
    }),
    reactivate: async () => ({ ok: false, problem: problem('license-not-found'), state: staged.state }),
    validate: async () => staged.state,
    deactivate: async () => ({ ok: false, problem: problem('not-activated'), state: staged.state }),
    devices: async () => ({ ok: true, devices: [] }),
    releaseDevice: async () => ({ ok: true }),
    clipboardKey: async () => null,
    ...answers,
  }
  return staged
}
