import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { firstView, type SessionView } from '../../src/dialog/session/session-view.ts'
import { decideSituation, type SituationKind } from '../../src/dialog/situation/decide-situation.ts'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import type { ProblemCode } from '../../src/shared/problem.ts'
import { situations } from './stage/situations.ts'
import { active, devices, grace, license, locked, problem, trial, unlicensed } from './stage/states.ts'

function look(input: Partial<SessionView>): ReturnType<typeof decideSituation> {
  return decideSituation({ ...firstView, state: unlicensed(), ...input })
}
const failed = (code: ProblemCode): SessionView['attempt'] => ({ isRunning: false, problem: problem(code) })
const running = (code: ProblemCode): SessionView['attempt'] => ({ isRunning: true, problem: problem(code) })

describe('the state alone', () => {
  const without = (code: ProblemCode): LicensingState => unlicensed({ problem: problem(code) })
  const inGrace = (code: ProblemCode): LicensingState => grace({ problem: problem(code) })
  const table: [string, LicensingState | null, SituationKind, ProblemCode | null][] = [
    ['nothing yet', null, 'starting', null],
    ['no license', unlicensed(), 'enter-key', null],
    ['an activation that waits for a connection', without('offline'), 'no-network', null],
    ['no license, wrong key earlier', without('license-not-found'), 'enter-key', null],
    ['signed out, seat not free yet', without('deactivation-pending'), 'enter-key', 'deactivation-pending'],
    ['an activation to be confirmed', without('activation-unconfirmed'), 'no-network', null],
    ['an activation that may have taken a seat', without('seat-may-be-taken'), 'no-seat-left', null],
    ['a damaged record', without('store-unreadable'), 'storage-trouble', null],
    ['a copied record', without('record-of-another-device'), 'storage-trouble', null],
    ['a full disk', without('disk-full'), 'storage-trouble', null],
    ['a developer’s mistake', without('misconfigured'), 'misconfigured', null],
    ['a trial', trial(), 'trial', null],
    ['a trial that is over', without('trial-over'), 'trial-over', null],
    ['a valid license', active(), 'activated', null],
    ['a license that wasn’t saved', active({ problem: problem('disk-full') }), 'activated', 'disk-full'],
    ['grace', inGrace('offline'), 'grace', null],
    ['grace, clock behind', inGrace('clock-behind'), 'grace', 'clock-behind'],
    ['grace, a portal in the way', inGrace('unexpected-answer'), 'grace', 'unexpected-answer'],
    [
      'grace, the app moved to another service',
      inGrace('license-of-other-service'),
      'enter-key',
      'license-of-other-service',
    ],
    [
      'grace over, the app moved to another service',
      locked('unverified', 'license-of-other-service'),
      'enter-key',
      'license-of-other-service',
    ],
    ['grace over', locked('unverified', 'offline'), 'grace-over', null],
    [
      'grace over, a portal in the way',
      locked('unverified', 'unexpected-answer'),
      'grace-over',
      'unexpected-answer',
    ],
    ['an expired license', locked('expired', 'license-expired'), 'expired', null],
    ['an expired license, offline', locked('expired', 'offline'), 'expired', 'offline'],
    ['a version that is not covered', locked('not-covered', 'license-expired'), 'not-covered', null],
    ['a suspended license', locked('suspended', 'license-suspended'), 'suspended', null],
    ['an inactive license', locked('inactive', 'license-inactive'), 'inactive', null],
    ['a device that was released', locked('revoked', 'moved-to-another-device'), 'moved', null],
    ['a computer set up from another one', locked('revoked', 'record-of-another-device'), 'moved', null],
  ]
  test.for(table)('%s', ([, state, kind, notice]) => {
    const situation = look({ state })
    expect([situation.kind, situation.notice?.code ?? null]).toEqual([kind, notice])
  })
})

describe('the result of an activation', () => {
  const table: [SituationKind, ...ProblemCode[]][] = [
    ['key-trouble', 'empty-text', 'no-license-key', 'several-license-keys', 'text-too-long'],
    ['key-trouble', 'license-not-found', 'activation-refused', 'test-license-key', 'unexpected'],
    ['expired', 'license-expired'],
    ['suspended', 'license-suspended'],
    ['inactive', 'license-inactive'],
    ['no-seat-left', 'no-seat-left', 'seat-may-be-taken'],
    ['no-network', 'offline', 'timeout', 'service-error', 'rate-limited'],
    ['no-network', 'unexpected-answer', 'untrusted-answer', 'activation-unconfirmed'],
    ['misconfigured', 'unauthorized', 'misconfigured'],
    ['storage-trouble', 'store-not-writable', 'disk-full'],
  ]
  test.for(table.flatMap(([kind, ...codes]) => codes.map((code) => [kind, code] as const)))(
    '%s: %s',
    ([kind, code]) => {
      expect(look({ attempt: failed(code) })).toMatchObject({ kind, isChecking: false })
    },
  )

  test.for([
    ['without a network stays there', 'no-network', 'offline', {}],
    [
      'without a seat stays there',
      'no-seat-left',
      'no-seat-left',
      { devices: { devices, isLoading: false, problem: null } },
    ],
    ['of a wrong key keeps the words the form had', 'trial', 'license-not-found', { state: trial() }],
  ] as const)('a try after one %s', ([, kind, code, view]) => {
    expect(look({ ...view, attempt: running(code) })).toMatchObject({ kind, isChecking: true })
  })

  test('shows the record’s facts only if it is about that license', () => {
    const expired = { state: locked('revoked', 'offline'), attempt: failed('license-expired') }
    expect(look(expired)).toMatchObject({ state: { license } })
    expect(look({ ...expired, triedKey: license.maskedKey })).toMatchObject({ state: { license } })
    expect(look({ ...expired, triedKey: '2f0a••••9c1d' }).state).toBeNull()
    const inactive = { state: locked('inactive'), attempt: failed('license-inactive') }
    expect(look(inactive)).toMatchObject({ state: { rawStatus: 'REFUNDED' } })
  })
})

test.for([
  ['activating', unlicensed({ activity: 'activating' }), true],
  ['validating without a license', unlicensed({ activity: 'validating' }), false],
  ['validating a locked license', locked('expired', 'license-expired', { activity: 'validating' }), true],
  ['validating in grace', grace({ activity: 'validating' }), true],
  ['validating a valid license', active({ activity: 'validating' }), false],
] as const)('%s is a wait: %j', ([, state, isChecking]) => {
  expect(look({ state }).isChecking).toBe(isChecking)
  expect(look({ state, isOverdue: true }).isChecking).toBe(false)
})

test('the question whether to deactivate ends with the license', () => {
  const asked = { intent: 'deactivate' } as const
  expect(look({ ...asked, state: active() })).toMatchObject({ kind: 'deactivate', isChecking: false })
  expect(look({ ...asked, state: active({ activity: 'deactivating' }) }).isChecking).toBe(true)
  expect(look(asked).kind).toBe('enter-key')
})

test('a window that can’t reach the main process shows that first', () => {
  expect(look({ state: active(), fault: 'bridge-missing' })).toMatchObject({
    kind: 'misconfigured',
    isChecking: false,
    problem: null,
    notice: null,
  })
})

const docs = path.join(import.meta.dirname, '../../../../docs')

test('the guide shows every situation, light and dark, and no picture of something else', () => {
  const wanted = Object.keys(situations).flatMap((name) => [`${name}-dark.png`, `${name}-light.png`])
  expect(readdirSync(path.join(docs, 'public/activation-screen')).sort()).toEqual(wanted.sort())
  const guide = readFileSync(path.join(docs, 'activation-screen.md'), 'utf8')
  for (const file of wanted) expect(guide).toContain(`activation-screen/${file}`)
})

test('each kind of situation is among them, except the blank page before the first state arrives', () => {
  // The compiler reports a kind that is missing here.
  const kinds: Record<SituationKind, boolean> = {
    starting: false,
    misconfigured: true,
    'enter-key': true,
    'key-trouble': true,
    'choose-key': true,
    'no-network': true,
    'no-seat-left': true,
    activated: true,
    deactivate: true,
    offline: true,
    'offline-request': true,
    'offline-answer': true,
    'offline-release': true,
    expired: true,
    'not-covered': true,
    suspended: true,
    inactive: true,
    moved: true,
    grace: true,
    'grace-over': true,
    trial: true,
    'trial-over': true,
    'storage-trouble': true,
  }
  const pictured = new Set<string>(Object.values(situations).map(({ kind }) => kind))
  expect(Object.fromEntries(Object.keys(kinds).map((kind) => [kind, pictured.has(kind)]))).toEqual(kinds)
})
