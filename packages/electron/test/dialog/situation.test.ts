import { describe, expect, test } from 'vitest'
import { firstView, type SessionView } from '../../src/dialog/session/session-view.ts'
import { decideSituation, type SituationKind } from '../../src/dialog/situation/decide-situation.ts'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import type { ProblemCode } from '../../src/shared/problem.ts'
import { active, devices, license, problem, stateBase, unlicensed } from './stage/states.ts'

const trial: LicensingState = {
  ...stateBase(),
  status: 'trial',
  entitled: true,
  trialEndsAt: '2030-06-12T00:00:00Z',
}
const grace: LicensingState = {
  ...stateBase({ license, problem: problem('offline') }),
  status: 'grace',
  entitled: true,
  graceEndsAt: '2030-06-12T00:00:00Z',
}
const locked = (
  status: 'unverified' | 'expired' | 'not-covered' | 'suspended' | 'revoked',
  code: ProblemCode,
): LicensingState => ({
  ...stateBase({ license, problem: problem(code) }),
  status,
  entitled: false,
})
const inactive: LicensingState = {
  ...stateBase({ license, problem: problem('license-inactive') }),
  status: 'inactive',
  entitled: false,
  rawStatus: 'REFUNDED',
}

function look(input: Partial<SessionView>): ReturnType<typeof decideSituation> {
  return decideSituation({ ...firstView, state: unlicensed(), ...input })
}
const failed = (code: ProblemCode): SessionView['attempt'] => ({ isRunning: false, problem: problem(code) })
const running = (code: ProblemCode | null): SessionView['attempt'] => ({
  isRunning: true,
  problem: code === null ? null : problem(code),
})

describe('the state alone', () => {
  const table: [string, LicensingState | null, SituationKind, ProblemCode | null][] = [
    ['nothing yet', null, 'starting', null],
    ['no license', unlicensed(), 'enter-key', null],
    [
      'an activation that waits for a connection',
      unlicensed({ problem: problem('offline') }),
      'no-network',
      null,
    ],
    [
      'no license, wrong key earlier',
      unlicensed({ problem: problem('license-not-found') }),
      'enter-key',
      null,
    ],
    [
      'signed out, seat not free yet',
      unlicensed({ problem: problem('deactivation-pending') }),
      'enter-key',
      'deactivation-pending',
    ],
    [
      'an activation to be confirmed',
      unlicensed({ problem: problem('activation-unconfirmed') }),
      'no-network',
      null,
    ],
    [
      'an activation that may have taken a seat',
      unlicensed({ problem: problem('seat-may-be-taken') }),
      'no-seat-left',
      null,
    ],
    ['a damaged record', unlicensed({ problem: problem('store-unreadable') }), 'storage-trouble', null],
    [
      'a copied record',
      unlicensed({ problem: problem('record-of-another-device') }),
      'storage-trouble',
      null,
    ],
    ['a full disk', unlicensed({ problem: problem('disk-full') }), 'storage-trouble', null],
    ['a developer’s mistake', unlicensed({ problem: problem('misconfigured') }), 'misconfigured', null],
    ['a trial', trial, 'trial', null],
    ['a trial that is over', unlicensed({ problem: problem('trial-over') }), 'trial-over', null],
    ['a valid license', active(), 'activated', null],
    [
      'a valid license that could not be saved',
      active({ problem: problem('disk-full') }),
      'activated',
      'disk-full',
    ],
    ['grace', grace, 'grace', null],
    ['grace, clock behind', { ...grace, problem: problem('clock-behind') }, 'grace', 'clock-behind'],
    [
      'grace, a portal in the way',
      { ...grace, problem: problem('unexpected-answer') },
      'grace',
      'unexpected-answer',
    ],
    [
      'grace, the app moved to another service',
      { ...grace, problem: problem('license-of-other-service') },
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
    ['an inactive license', inactive, 'inactive', null],
    ['a device that was released', locked('revoked', 'moved-to-another-device'), 'moved', null],
    ['a computer set up from another one', locked('revoked', 'record-of-another-device'), 'moved', null],
  ]
  test.for(table)('%s', ([, state, kind, notice]) => {
    const situation = look({ state })
    expect(situation.kind).toBe(kind)
    expect(situation.notice?.code ?? null).toBe(notice)
  })
})

describe('the result of an activation', () => {
  const table: [ProblemCode, SituationKind][] = [
    ['empty-text', 'key-trouble'],
    ['no-license-key', 'key-trouble'],
    ['several-license-keys', 'key-trouble'],
    ['text-too-long', 'key-trouble'],
    ['license-not-found', 'key-trouble'],
    ['activation-refused', 'key-trouble'],
    ['unexpected', 'key-trouble'],
    ['license-expired', 'expired'],
    ['license-suspended', 'suspended'],
    ['license-inactive', 'inactive'],
    ['no-seat-left', 'no-seat-left'],
    ['seat-may-be-taken', 'no-seat-left'],
    ['test-license-key', 'key-trouble'],
    ['offline', 'no-network'],
    ['timeout', 'no-network'],
    ['service-error', 'no-network'],
    ['rate-limited', 'no-network'],
    ['unexpected-answer', 'no-network'],
    ['untrusted-answer', 'no-network'],
    ['activation-unconfirmed', 'no-network'],
    ['unauthorized', 'misconfigured'],
    ['misconfigured', 'misconfigured'],
    ['store-not-writable', 'storage-trouble'],
    ['disk-full', 'storage-trouble'],
  ]
  test.for(table)('%s: %s', ([code, kind]) => {
    expect(look({ attempt: failed(code) })).toMatchObject({ kind, isChecking: false })
  })

  test('a try after problem with the network or the seats stays where it is', () => {
    expect(look({ attempt: running('offline') })).toMatchObject({ kind: 'no-network', isChecking: true })
    const list = { devices, isLoading: false, problem: null }
    expect(look({ attempt: running('no-seat-left'), devices: list })).toMatchObject({
      kind: 'no-seat-left',
      isChecking: true,
    })
  })

  test('a try after a wrong key keeps the words the form had', () => {
    expect(look({ state: trial, attempt: running('license-not-found') })).toMatchObject({
      kind: 'trial',
      isChecking: true,
    })
  })

  test('an expired license shows its end, an inactive one its status', () => {
    expect(
      look({ state: locked('expired', 'license-expired'), attempt: failed('license-expired') }),
    ).toMatchObject({ state: { license } })
    expect(look({ state: inactive, attempt: failed('license-inactive') })).toMatchObject({
      state: { rawStatus: 'REFUNDED' },
    })
  })

  test('the record’s facts are shown only for that license', () => {
    const expired = { state: locked('revoked', 'offline'), attempt: failed('license-expired') }
    expect(look({ ...expired, triedKey: license.maskedKey })).toMatchObject({ state: { license } })
    expect(look({ ...expired, triedKey: '2f0a••••9c1d' }).state).toBeNull()
  })
})

describe('waiting', () => {
  test.for([
    ['activating', unlicensed({ activity: 'activating' }), true],
    ['validating without a license', unlicensed({ activity: 'validating' }), false],
    [
      'validating a locked license',
      { ...locked('expired', 'license-expired'), activity: 'validating' },
      true,
    ],
    ['validating in grace', { ...grace, activity: 'validating' }, true],
    ['validating a valid license', active({ activity: 'validating' }), false],
  ] as const)('%s', ([, state, isChecking]) => {
    expect(look({ state }).isChecking).toBe(isChecking)
    expect(look({ state, isOverdue: true }).isChecking).toBe(false)
  })
})

describe('where the user went', () => {
  test('to the question whether to deactivate, which ends with the license', () => {
    expect(look({ state: active(), intent: 'deactivate' })).toMatchObject({
      kind: 'deactivate',
      isChecking: false,
    })
    expect(look({ state: active({ activity: 'deactivating' }), intent: 'deactivate' }).isChecking).toBe(true)
    expect(look({ state: unlicensed(), intent: 'deactivate' }).kind).toBe('enter-key')
  })
})

test('a window that can’t reach the main process shows that first', () => {
  expect(look({ state: active(), fault: 'bridge-missing' })).toMatchObject({
    kind: 'misconfigured',
    isChecking: false,
    problem: null,
    notice: null,
  })
})
