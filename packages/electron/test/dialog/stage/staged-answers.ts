import type { ActivationScreen } from '../../../src/shared/activation-screen.ts'
import type { LicenseReleaseCode, LicensingState, ReleaseCode } from '../../../src/shared/licensing-state.ts'
import { offlineProblemMessages } from '../../../src/shared/offline-problem.ts'
import type { FakeAnswers } from './fake-bridge.ts'
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

/** Answers of a main process that knows no license, with what a test wants different. */
export function stagedAnswers(state: LicensingState, answers: Partial<FakeAnswers> = {}): FakeAnswers {
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
