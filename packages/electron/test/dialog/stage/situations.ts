import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import type { ProblemCode } from '../../../src/shared/problem.ts'
import type { ActivationResult } from '../../../src/shared/results.ts'
import type { FakeAnswers } from './fake-bridge.ts'
import {
  active,
  dayMs,
  devices,
  license,
  licenseKey,
  maskedKey,
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
  /** Action of a button the user clicks. */
  readonly clicks?: string
}

const never = <Value>(): Promise<Value> => new Promise(() => {})
const refused =
  (code: ProblemCode, state: LicensingState = unlicensed()) =>
  async (): Promise<ActivationResult> => ({ ok: false, problem: problem(code), state })
const inDays = (days: number): string => new Date(Date.now() + days * dayMs - 3_600_000).toISOString()
const ended = { ...license, expiresAt: '2029-03-14T12:00:00.000000Z' }

/** Every situation of the activation screen, by a name for its picture. */
export const situations: Readonly<Record<string, StagedSituation>> = {
  'enter-key': { kind: 'enter-key', state: unlicensed() },
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
  activated: { kind: 'activated', state: active() },
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
  'captive-portal': {
    kind: 'no-network',
    state: { ...stateBase(), status: 'trial', entitled: true, trialEndsAt: inDays(4) },
    enters: licenseKey,
    answers: { activate: refused('unexpected-answer') },
  },
  'no-seat-left': {
    kind: 'no-seat-left',
    state: unlicensed(),
    enters: licenseKey,
    answers: { activate: refused('no-seat-left'), devices: async () => ({ ok: true, devices }) },
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
  grace: {
    kind: 'grace',
    state: { ...stateBase({ license }), status: 'grace', entitled: true, graceEndsAt: inDays(9) },
  },
  'grace-over': {
    kind: 'grace-over',
    state: { ...stateBase({ license, problem: problem('offline') }), status: 'unverified', entitled: false },
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
  'deactivate-question': { kind: 'deactivate', state: active(), clicks: 'ask-deactivation' },
}
