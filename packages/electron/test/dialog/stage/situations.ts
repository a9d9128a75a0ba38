import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import type { Problem, ProblemCode } from '../../../src/shared/problem.ts'
import type { ActivationResult } from '../../../src/shared/results.ts'
import type { FakeAnswers } from './fake-bridge.ts'
import { releaseCode, releaseCodes } from './staged-answers.ts'
import {
  active,
  dayMs,
  devices,
  license,
  licenseKey,
  manyDevices,
  maskedKey,
  otherKey,
  problem,
  stateBase,
  unlicensed,
} from './states.ts'

/** How a situation comes about on the screen. */
export interface StagedSituation {
  /** What the element's `situation` attribute says in the end. */
  readonly kind: string
  readonly state: LicensingState
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

const never = <Value>(): Promise<Value> => new Promise(() => {})
const refused =
  (code: ProblemCode, state: LicensingState = unlicensed(), more: Partial<Problem> = {}) =>
  async (): Promise<ActivationResult> => ({ ok: false, problem: problem(code, more), state })
const inDays = (days: number): string => new Date(Date.now() + days * dayMs - 3_600_000).toISOString()
const past = { ...license, expiresAt: '2026-03-14T12:00:00.000000Z' }
const ended = { ...license, expiresAt: '2029-03-14T12:00:00.000000Z' }
const deactivatedOffline = unlicensed({
  problem: problem('deactivation-pending'),
  releaseCode,
  releaseCodes: releaseCodes.slice(0, 1),
})
const twoLeft = unlicensed({ problem: problem('deactivation-pending'), releaseCode, releaseCodes })

/** Every situation of the activation window, by a name for its picture. */
export const situations: Readonly<Record<string, StagedSituation>> = {
  'enter-key': { kind: 'enter-key', state: unlicensed() },
  'key-from-a-link': {
    kind: 'enter-key',
    state: active(),
    prefilled: otherKey,
  },
  'activation-paused': {
    kind: 'enter-key',
    state: unlicensed({ problem: problem('activation-paused') }),
  },
  'several-keys': {
    kind: 'choose-key',
    state: unlicensed(),
    enters: `Order ${otherKey}, reference ${licenseKey}`,
  },
  'clipboard-offer': {
    kind: 'enter-key',
    state: unlicensed(),
    answers: { clipboardKey: async () => ({ maskedKey }) },
  },
  checking: {
    kind: 'enter-key',
    state: unlicensed(),
    enters: licenseKey,
    answers: { activate: () => never() },
  },
  activated: {
    kind: 'activated',
    state: active({
      license: { ...license, licensee: 'Anna Berg', plan: 'Studio', features: ['export', 'sync'] },
    }),
  },
  'key-not-recognised': {
    kind: 'key-trouble',
    state: unlicensed(),
    enters: licenseKey,
    answers: { activate: refused('license-not-found') },
  },
  'no-network': {
    kind: 'no-network',
    state: unlicensed(),
    enters: licenseKey,
    answers: { activate: refused('offline') },
  },
  'address-blocked': {
    kind: 'no-network',
    state: unlicensed(),
    enters: licenseKey,
    answers: { activate: refused('offline', unlicensed(), { networkError: 'ERR_NAME_NOT_RESOLVED' }) },
  },
  'wrong-date': {
    kind: 'no-network',
    state: unlicensed(),
    enters: licenseKey,
    answers: { activate: refused('offline', unlicensed(), { networkError: 'ERR_CERT_DATE_INVALID' }) },
  },
  'captive-portal': {
    kind: 'no-network',
    state: { ...stateBase(), status: 'trial', entitled: true, trialEndsAt: inDays(4) },
    enters: licenseKey,
    answers: { activate: refused('unexpected-answer') },
  },
  'answer-lost': {
    kind: 'no-network',
    state: unlicensed(),
    enters: licenseKey,
    answers: { activate: refused('activation-unconfirmed') },
  },
  'seat-may-be-taken': {
    kind: 'no-seat-left',
    state: unlicensed(),
    enters: licenseKey,
    answers: { activate: refused('seat-may-be-taken') },
  },
  'no-seat-left': {
    kind: 'no-seat-left',
    state: unlicensed(),
    enters: licenseKey,
    answers: { activate: refused('no-seat-left'), devices: async () => ({ ok: true, devices }) },
  },
  'many-devices': {
    kind: 'no-seat-left',
    state: unlicensed(),
    enters: licenseKey,
    answers: { activate: refused('no-seat-left'), devices: async () => ({ ok: true, devices: manyDevices }) },
  },
  'devices-unavailable': {
    kind: 'no-seat-left',
    state: unlicensed(),
    enters: licenseKey,
    answers: {
      activate: refused('no-seat-left'),
      devices: async () => ({ ok: false, problem: problem('service-error') }),
    },
  },
  expired: {
    kind: 'expired',
    state: { ...stateBase({ license: ended }), status: 'expired', entitled: false },
  },
  'ends-soon': {
    kind: 'activated',
    state: active({ license: { ...license, endsSoon: true } }),
  },
  'updates-ended': { kind: 'activated', state: active({ license: past }) },
  'not-covered': {
    kind: 'not-covered',
    state: { ...stateBase({ license: ended }), status: 'not-covered', entitled: false },
  },
  suspended: {
    kind: 'suspended',
    state: { ...stateBase({ license }), status: 'suspended', entitled: false },
  },
  inactive: {
    kind: 'inactive',
    state: { ...stateBase({ license }), status: 'inactive', entitled: false, rawStatus: 'REFUNDED' },
  },
  'moved-to-another-device': {
    kind: 'moved',
    state: {
      ...stateBase({ license, problem: problem('moved-to-another-device') }),
      status: 'revoked',
      entitled: false,
    },
  },
  'set-up-from-another-computer': {
    kind: 'moved',
    state: {
      ...stateBase({ license, problem: problem('record-of-another-device') }),
      status: 'revoked',
      entitled: false,
    },
  },
  grace: {
    kind: 'grace',
    state: { ...stateBase({ license }), status: 'grace', entitled: true, graceEndsAt: inDays(9) },
  },
  'grace-after-the-end': {
    kind: 'grace',
    state: { ...stateBase({ license: past }), status: 'grace', entitled: true, graceEndsAt: inDays(2) },
  },
  'grace-over': {
    kind: 'grace-over',
    state: { ...stateBase({ license, problem: problem('offline') }), status: 'unverified', entitled: false },
  },
  'moved-to-another-service': {
    kind: 'enter-key',
    state: {
      ...stateBase({ license, problem: problem('license-of-other-service') }),
      status: 'grace',
      entitled: true,
      graceEndsAt: inDays(9),
    },
  },
  trial: {
    kind: 'trial',
    state: { ...stateBase(), status: 'trial', entitled: true, trialEndsAt: inDays(12) },
  },
  'trial-over': { kind: 'trial-over', state: unlicensed({ problem: problem('trial-over') }) },
  'storage-trouble': {
    kind: 'storage-trouble',
    state: unlicensed({ problem: problem('store-unreadable') }),
  },
  'not-saved': {
    kind: 'activated',
    state: active({ storage: 'memory', problem: problem('store-not-writable') }),
  },
  unauthorized: {
    kind: 'misconfigured',
    state: unlicensed(),
    enters: licenseKey,
    answers: { activate: refused('unauthorized') },
  },
  misconfigured: { kind: 'misconfigured', state: unlicensed({ problem: problem('misconfigured') }) },
  'key-declined': {
    kind: 'key-trouble',
    state: unlicensed(),
    enters: licenseKey,
    answers: { activate: refused('activation-refused') },
  },
  deactivated: {
    kind: 'enter-key',
    state: active(),
    clicks: ['askDeactivation', 'deactivate'],
    ends: unlicensed(),
    answers: { deactivate: async () => ({ ok: true, seat: 'freed', state: unlicensed() }) },
  },
  'offline-offered': { kind: 'enter-key', state: unlicensed(), isOffline: true },
  'offline-suggested': {
    kind: 'no-network',
    state: unlicensed(),
    isOffline: true,
    enters: licenseKey,
    answers: { activate: refused('offline') },
  },
  'offline-key': { kind: 'offline', state: unlicensed(), isOffline: true, clicks: ['offline'] },
  'offline-request': {
    kind: 'offline-request',
    state: unlicensed(),
    isOffline: true,
    enters: licenseKey,
    answers: { activate: refused('offline') },
    clicks: ['offline'],
  },
  'offline-answer': {
    kind: 'offline-answer',
    state: unlicensed(),
    isOffline: true,
    enters: licenseKey,
    answers: { activate: refused('offline') },
    clicks: ['offline', 'enterAnswer'],
  },
  'offline-answer-refused': {
    kind: 'offline-answer',
    state: unlicensed(),
    isOffline: true,
    enters: licenseKey,
    answers: { activate: refused('offline') },
    clicks: ['offline', 'enterAnswer', 'activate-offline'],
    waitsFor: '[part=error]',
  },
  'offline-active': {
    kind: 'activated',
    state: active({ license: { ...license, expiresAt: null, validUntil: '2031-03-14T12:00:00.000000Z' } }),
    isOffline: true,
    waitsFor: '[data-action=offline]',
  },
  'offline-ends-soon': {
    kind: 'activated',
    state: active({ license: { ...license, expiresAt: null, validUntil: inDays(6) } }),
    isOffline: true,
    waitsFor: '.notice',
  },
  'offline-release': {
    kind: 'offline-release',
    state: active({ license: { ...license, expiresAt: null, validUntil: '2031-03-14T12:00:00.000000Z' } }),
    isOffline: true,
    clicks: ['askDeactivation', 'deactivate'],
    ends: deactivatedOffline,
    answers: { deactivate: async () => ({ ok: true, seat: 'freed-later', state: deactivatedOffline }) },
    waitsFor: '.scan',
  },
  'offline-release-offered': {
    kind: 'enter-key',
    state: deactivatedOffline,
    isOffline: true,
    waitsFor: '[data-action=showReleaseCode]',
  },
  'offline-release-of-two': {
    kind: 'offline-release',
    state: twoLeft,
    isOffline: true,
    clicks: ['showReleaseCode'],
    waitsFor: '.scan',
  },
  'offline-release-of-replaced': {
    kind: 'offline-release',
    state: active({
      license: { ...license, validUntil: '2031-03-14T12:00:00.000000Z' },
      releaseCodes: releaseCodes.slice(1),
    }),
    isOffline: true,
    clicks: ['showReleaseCode'],
    waitsFor: '.scan',
  },
  'link-not-opened': {
    kind: 'enter-key',
    state: unlicensed(),
    clicks: ['buy'],
    answers: { openLink: async () => ({ ok: false, address: 'https://inkpad.example/buy' }) },
    waitsFor: '.address',
  },
  'deactivate-question': { kind: 'deactivate', state: active(), clicks: ['askDeactivation'] },
}
