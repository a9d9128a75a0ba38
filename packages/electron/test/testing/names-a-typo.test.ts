import { expect, test } from 'vitest'
import { createFakeClient, createFakeLicensing, licensingState } from '../../src/testing/index.ts'

/** A test in JavaScript has no type check. */
type Unchecked = (...given: readonly unknown[]) => unknown
const untyped = (call: unknown): Unchecked => call as Unchecked

const isDate = "must be an ISO 8601 text, such as '2030-01-15T00:00:00.000000Z'"

const states: readonly (readonly [string, unknown, string])[] = [
  ['a mistyped status', { status: 'activ' }, 'status must be a documented value (did you mean "active"?)'],
  ['a status from elsewhere', { status: 'lapsed' }, 'status must be "unlicensed" or "trial" or '],
  ['a status that is no text', { status: 1 }, 'status must be "unlicensed" or '],
  ['a name of every object', { status: 'constructor' }, 'status must be "unlicensed" or '],
  ['a mistyped field', { lisence: null }, 'lisence is not an option (did you mean "license"?)'],
  [
    'a mistyped field of the license',
    { status: 'active', license: { expiresAtt: null } },
    'license.expiresAtt is not an option (did you mean "expiresAt"?)',
  ],
  ['a mistyped problem', { problem: 'no-seats-left' }, '(did you mean "no-seat-left"?)'],
  ['a mistyped code', { problem: { code: 'no-seats-left' } }, 'problem.code must be a documented value (did'],
  ['a problem without a code', { problem: { message: 'No.' } }, 'problem.code is missing'],
  [
    'a mistyped field of the problem',
    { problem: { code: 'offline', isRetriable: true } },
    'problem.isRetriable is not an option (did you mean "isRetryable"?)',
  ],
  ['a mistyped activity', { activity: 'ativating' }, '(did you mean "activating"?)'],
  ['a mistyped storage', { storage: 'keychian' }, '(did you mean "keychain"?)'],
  ['features that are no array', { license: { features: 'export' } }, 'license.features must be a list'],
  ['features beside the license', { features: ['export'] }, 'it belongs in license: { features }'],
  ['a plan beside the license', { plan: 'Pro' }, 'it belongs in license: { plan }'],
  ['a plan that is no text', { license: { plan: 1 } }, 'license.plan must be text'],
  ['a number as masked key', { license: { maskedKey: 1 } }, 'license.maskedKey must be text'],
  ['a text as a limit', { license: { activationLimit: '3' } }, 'license.activationLimit must be a number'],
  ['a text as a usage', { license: { activationUsage: '1' } }, 'license.activationUsage must be a number'],
  ['a text as endsSoon', { license: { endsSoon: 'yes' } }, 'license.endsSoon must be true or false'],
  ['a date that is no text', { status: 'grace', graceEndsAt: new Date(0) }, `graceEndsAt ${isDate}`],
  ['a text that is no date', { status: 'trial', trialEndsAt: 'next week' }, `trialEndsAt ${isDate}`],
  ['a date in words', { checkedAt: 'March 1, 2027' }, `checkedAt ${isDate}`],
  ['a day that no month has', { license: { validUntil: '2027-13-01' } }, `license.validUntil ${isDate}`],
  ['an end that is no date', { license: { expiresAt: 'soon' } }, `license.expiresAt ${isDate}`],
  ['a number as a time', { problem: { code: 'offline', retryAt: 0 } }, `problem.retryAt ${isDate}`],
  ['entitled alone', { entitled: true }, 'entitled follows from the status: pass one, such as'],
  ['only a status', 'active', 'the argument must be an object'],
]

test.each(states)('licensingState refuses %s', (_mistake, state, message) => {
  expect(() => untyped(licensingState)(state)).toThrow(TypeError)
  expect(() => untyped(licensingState)(state)).toThrow(message)
})

test.each([
  ['createFakeLicensing', untyped(createFakeLicensing)],
  ['createFakeClient', untyped(createFakeClient)],
  ['setState', untyped(createFakeLicensing().setState)],
  ['setState', untyped(createFakeClient().setState)],
  ['script of validate', (state: unknown) => untyped(createFakeLicensing().script)('validate', state)],
])('%s refuses a mistyped status', (name, call) => {
  expect(() => call({ status: 'activ' })).toThrow(`${name}: status must be a documented value`)
})

const scripts: readonly (readonly [string, unknown, string])[] = [
  ['deactivat', 'freed', '(did you mean "deactivate"?)'],
  ['cancelActivation', 'canceled', 'must be "activate" or "reactivate" or '],
  ['toString', 'freed', 'must be "activate" or "reactivate" or '],
  ['deactivate', 'freed-soon', 'script of deactivate: the argument must be "freed" or "freed-later" or '],
  ['deactivate', 'freed-late', '(did you mean "freed-later"?)'],
  ['activate', 'no-seats-left', '(did you mean "no-seat-left"?)'],
  ['activate', 'offline-answer-torn', 'must be "activated" or '],
  ['activateOffline', 'offline-answer-tron', '(did you mean "offline-answer-torn"?)'],
  ['activate', '', 'must be "activated" or '],
  ['releaseDevice', undefined, 'must be "released" or '],
  ['devices', 'ofline', '(did you mean "offline"?)'],
  ['devices', ['Studio'], '[0] must be an object'],
  ['devices', [{ name: 'Studio' }], '[0].name is not an option'],
  ['devices', [{ label: 'Studio' }], '[0].id is missing: it must be text'],
  ['devices', [{ id: 1, label: 'Studio' }], '[0].id must be text'],
  ['devices', [{ id: '1', label: 'Studio', activatedAt: 'today' }], `[0].activatedAt ${isDate}`],
  ['diagnose', {}, 'must be text'],
]

test.each(scripts)('script refuses %s with %j', (method, outcome, message) => {
  const { script } = createFakeLicensing()
  expect(() => untyped(script)(method, outcome)).toThrow(TypeError)
  expect(() => untyped(script)(method, outcome)).toThrow(message)
})

test.each([
  ['createFakeLicensing', createFakeLicensing],
  ['createFakeClient', createFakeClient],
])('subscribe of %s refuses what is no function', (_name, create) => {
  expect(() => untyped(create().subscribe)()).toThrow(TypeError)
  expect(() => untyped(create().subscribe)('changed')).toThrow('subscribe: pass a function')
})

test('a link that no window has is refused', async () => {
  const client = createFakeClient()
  const opened = untyped(client.openLink)('shop')
  await expect(opened).rejects.toThrow('openLink: the argument must be "buy" or "renew" or ')
  expect(client.calls).toEqual([])
})

test('what was refused changes nothing', async () => {
  const fake = createFakeLicensing({ status: 'active' })
  expect(() => untyped(fake.setState)({ status: 'lapsed' })).toThrow(TypeError)
  expect(fake.state.status).toBe('active')
  expect(() => untyped(fake.script)('deactivate', 'freed-soon')).toThrow(TypeError)
  expect(await fake.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
})

test('a state can be another one with changes, and every field can be left undefined', () => {
  const active = licensingState({ status: 'active' })
  expect(licensingState({ ...active, status: 'revoked' })).toEqual({
    ...active,
    status: 'revoked',
    entitled: false,
  })
  expect(untyped(licensingState)({ status: undefined, license: undefined })).toEqual(licensingState())
  expect(licensingState({ releaseCodes: [], license: { validUntil: undefined } }).releaseCodes).toEqual([])
})

test('a license may have no limit, usage or plan', () => {
  const nothing = { activationLimit: null, activationUsage: null, plan: null }
  expect(licensingState({ status: 'active', license: nothing }).license).toMatchObject(nothing)
})

test('a date may be a day or a time in any zone, or null', () => {
  for (const expiresAt of ['2027-03-01', '2027-03-01T08:00:00Z', '2027-03-01T08:00:00+01:00', null])
    expect(licensingState({ status: 'active', license: { expiresAt } }).license?.expiresAt).toBe(expiresAt)
})

test('a problem needs only its code, and gets the message of the real one', () => {
  const full = {
    code: 'offline',
    message: 'We couldn’t reach the license service. Check your internet connection and try again.',
    isRetryable: true,
    occurredAt: '2030-01-01T00:00:00.000Z',
  } as const
  expect(licensingState({ problem: 'offline' }).problem).toEqual(full)
  expect(licensingState({ problem: { code: 'offline', message: 'No network.' } }).problem).toEqual({
    ...full,
    message: 'No network.',
  })
  expect(licensingState({ problem: null }).problem).toBeNull()
  expect(untyped(licensingState)({ problem: undefined })).toEqual(licensingState())
  const state = licensingState({ status: 'grace', problem: 'offline' })
  expect(licensingState(state)).toEqual(state)
})

test('every code and every way to succeed can be an outcome', async () => {
  const fake = createFakeLicensing({ status: 'active' })
  fake.script('activateOffline', 'offline-answer-torn')
  fake.script('activateOffline', 'store-restored')
  expect(await fake.activateOffline('')).toMatchObject({ problem: { code: 'offline-answer-torn' } })
  expect(await fake.activateOffline('')).toMatchObject({ problem: { code: 'store-restored' } })
  fake.script('createOfflineRequest', 'created')
  expect(await fake.createOfflineRequest('')).toMatchObject({ ok: true })
  fake.script('reactivate', 'activated')
  fake.script('releaseDevice', 'released')
  expect(await fake.releaseDevice('this-device')).toEqual({ ok: true })
  fake.script('deactivate', 'not-freed')
  expect(await fake.deactivate()).toMatchObject({ ok: true, seat: 'not-freed' })
})
