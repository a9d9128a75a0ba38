import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import type { Problem, ProblemCode } from '../../../src/shared/problem.ts'
import type { ActivationResult, DevicesResult } from '../../../src/shared/results.ts'
import { type FakeAnswers, releaseCode, releaseCodes } from './fake-bridge.ts'
import {
  active,
  dayMs,
  devices,
  grace,
  license,
  licenseKey,
  locked,
  manyDevices,
  maskedKey,
  otherKey,
  problem,
  trial,
  unlicensed,
} from './states.ts'

/** How a situation comes about on the screen. */
export interface StagedSituation {
  /** What the element's `situation` attribute says in the end. */
  readonly kind: string
  /** @default without a license */
  readonly state?: LicensingState
  readonly answers?: Partial<FakeAnswers>
  /** What the user enters and sends; nothing when left out. */
  readonly enters?: string
  /** Actions of the buttons the user clicks, one after the other. */
  readonly clicks?: readonly string[]
  /** The state that the main process sends at the end. */
  readonly ends?: LicensingState
  /** Whether the app offers activation without internet. */
  readonly isOffline?: boolean
  /** What appears last, as a selector. */
  readonly waitsFor?: string
  /** A key that a link brought. */
  readonly prefilled?: string
}

/** A license key was entered, and its activation was answered like this. */
function tried(kind: string, code: ProblemCode, more: Partial<Problem> = {}): StagedSituation {
  const answer: ActivationResult = { ok: false, problem: problem(code, more), state: unlicensed() }
  return { kind, enters: licenseKey, answers: { activate: async () => answer } }
}

/** A license without a free seat, and its devices. */
function full(listed: DevicesResult): StagedSituation {
  const { answers, ...entered } = tried('no-seat-left', 'no-seat-left')
  return { ...entered, answers: { ...answers, devices: async () => listed } }
}

/** A key that there is no network for, in an app that offers activation without internet. */
function offline(kind: string, ...clicks: readonly string[]): StagedSituation {
  return { ...tried(kind, 'offline'), isOffline: true, clicks }
}

const inDays = (days: number): string => new Date(Date.now() + days * dayMs - 3_600_000).toISOString()
const past = { ...license, expiresAt: '2026-03-14T12:00:00.000000Z' }
const ended = { license: { ...license, expiresAt: '2029-03-14T12:00:00.000000Z' } }
const withoutInternet = (validUntil: string, expiresAt: string | null = null): LicensingState =>
  active({ license: { ...license, expiresAt, validUntil } })
const in2031 = '2031-03-14T12:00:00.000000Z'
const deactivatedOffline = unlicensed({
  problem: problem('deactivation-pending'),
  releaseCode,
  releaseCodes: releaseCodes.slice(0, 1),
})
const showsCode = { kind: 'offline-release', isOffline: true, waitsFor: '.scan' } as const

/** Every situation of the activation window, by a name for its picture. */
export const situations: Readonly<Record<string, StagedSituation>> = {
  'enter-key': { kind: 'enter-key' },
  'key-from-a-link': { kind: 'enter-key', state: active(), prefilled: otherKey },
  'activation-paused': {
    kind: 'enter-key',
    state: unlicensed({ problem: problem('activation-paused') }),
  },
  'several-keys': { kind: 'choose-key', enters: `Order ${otherKey}, reference ${licenseKey}` },
  'clipboard-offer': { kind: 'enter-key', answers: { clipboardKey: async () => ({ maskedKey }) } },
  checking: { kind: 'enter-key', enters: licenseKey, answers: { activate: () => new Promise(() => {}) } },
  activated: {
    kind: 'activated',
    state: active({
      license: { ...license, licensee: 'Anna Berg', plan: 'Studio', features: ['export', 'sync'] },
    }),
  },
  'key-not-recognised': tried('key-trouble', 'license-not-found'),
  'no-network': tried('no-network', 'offline'),
  'address-blocked': tried('no-network', 'offline', { networkError: 'ERR_NAME_NOT_RESOLVED' }),
  'wrong-date': tried('no-network', 'offline', { networkError: 'ERR_CERT_DATE_INVALID' }),
  'captive-portal': { ...tried('no-network', 'unexpected-answer'), state: trial(inDays(4)) },
  'answer-lost': tried('no-network', 'activation-unconfirmed'),
  'seat-may-be-taken': tried('no-seat-left', 'seat-may-be-taken'),
  'no-seat-left': full({ ok: true, devices }),
  'many-devices': full({ ok: true, devices: manyDevices }),
  'devices-unavailable': full({ ok: false, problem: problem('service-error') }),
  expired: { kind: 'expired', state: locked('expired', null, ended) },
  'ends-soon': { kind: 'activated', state: active({ license: { ...license, endsSoon: true } }) },
  'updates-ended': { kind: 'activated', state: active({ license: past }) },
  'not-covered': { kind: 'not-covered', state: locked('not-covered', null, ended) },
  suspended: { kind: 'suspended', state: locked('suspended') },
  inactive: { kind: 'inactive', state: locked('inactive') },
  'moved-to-another-device': { kind: 'moved', state: locked('revoked', 'moved-to-another-device') },
  'set-up-from-another-computer': { kind: 'moved', state: locked('revoked', 'record-of-another-device') },
  grace: { kind: 'grace', state: grace({ problem: null }, inDays(9)) },
  'grace-after-the-end': { kind: 'grace', state: grace({ problem: null, license: past }, inDays(2)) },
  'grace-over': { kind: 'grace-over', state: locked('unverified', 'offline') },
  'moved-to-another-service': {
    kind: 'enter-key',
    state: grace({ problem: problem('license-of-other-service') }, inDays(9)),
  },
  trial: { kind: 'trial', state: trial(inDays(12)) },
  'trial-over': { kind: 'trial-over', state: unlicensed({ problem: problem('trial-over') }) },
  'storage-trouble': {
    kind: 'storage-trouble',
    state: unlicensed({ problem: problem('store-unreadable') }),
  },
  'not-saved': {
    kind: 'activated',
    state: active({ storage: 'memory', problem: problem('store-not-writable') }),
  },
  unauthorized: tried('misconfigured', 'unauthorized'),
  misconfigured: { kind: 'misconfigured', state: unlicensed({ problem: problem('misconfigured') }) },
  'key-declined': tried('key-trouble', 'activation-refused'),
  deactivated: {
    kind: 'enter-key',
    state: active(),
    clicks: ['askDeactivation', 'deactivate'],
    ends: unlicensed(),
    answers: { deactivate: async () => ({ ok: true, seat: 'freed', state: unlicensed() }) },
  },
  'offline-offered': { kind: 'enter-key', isOffline: true },
  'offline-suggested': offline('no-network'),
  'offline-key': { kind: 'offline', isOffline: true, clicks: ['offline'] },
  'offline-request': offline('offline-request', 'offline'),
  'offline-answer': offline('offline-answer', 'offline', 'enterAnswer'),
  'offline-answer-refused': {
    ...offline('offline-answer', 'offline', 'enterAnswer', 'activate-offline'),
    waitsFor: '[part=error]',
  },
  'offline-active': {
    kind: 'activated',
    state: withoutInternet(in2031),
    isOffline: true,
    waitsFor: '[data-action=offline]',
  },
  'offline-ends-soon': {
    kind: 'activated',
    state: withoutInternet(inDays(6)),
    isOffline: true,
    waitsFor: '.notice',
  },
  'offline-release': {
    ...showsCode,
    state: withoutInternet(in2031),
    clicks: ['askDeactivation', 'deactivate'],
    ends: deactivatedOffline,
    answers: { deactivate: async () => ({ ok: true, seat: 'freed-later', state: deactivatedOffline }) },
  },
  'offline-release-offered': {
    kind: 'enter-key',
    state: deactivatedOffline,
    isOffline: true,
    waitsFor: '[data-action=showReleaseCode]',
  },
  'offline-release-of-two': {
    ...showsCode,
    state: unlicensed({ problem: problem('deactivation-pending'), releaseCode, releaseCodes }),
    clicks: ['showReleaseCode'],
  },
  'offline-release-of-replaced': {
    ...showsCode,
    state: { ...withoutInternet(in2031, license.expiresAt), releaseCodes: releaseCodes.slice(1) },
    clicks: ['showReleaseCode'],
  },
  'link-not-opened': {
    kind: 'enter-key',
    clicks: ['buy'],
    answers: { openLink: async () => ({ ok: false, address: 'https://inkpad.example/buy' }) },
    waitsFor: '.address',
  },
  'deactivate-question': { kind: 'deactivate', state: active(), clicks: ['askDeactivation'] },
}
