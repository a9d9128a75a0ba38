import { expect, test } from 'vitest'
import { createFakeClient, createFakeLicensing, licensingState } from '../../src/testing/index.ts'

/** A test in JavaScript has no type check. */
type Unchecked = (...given: readonly unknown[]) => unknown
const untyped = (call: unknown): Unchecked => call as Unchecked

const isText = "is an ISO 8601 text, such as '2030-01-15T00:00:00.000000Z'"

const states: readonly (readonly [string, unknown, string])[] = [
  ['a mistyped status', { status: 'activ' }, '"activ" is not a status (did you mean "active"?)'],
  ['a status from elsewhere', { status: 'lapsed' }, '"lapsed" is not a status (use "unlicensed", "trial", '],
  ['a status that is no text', { status: 1 }, 'this is not a status (use "unlicensed"'],
  ['a name of every object', { status: 'constructor' }, '"constructor" is not a status'],
  [
    'a mistyped field',
    { status: 'active', lisence: null },
    '"lisence" is not a field of the state (did you mean "license"?)',
  ],
  [
    'a mistyped field of the license',
    { status: 'active', license: { expiresAtt: null } },
    '"expiresAtt" is not a field of the license (did you mean "expiresAt"?)',
  ],
  [
    'a mistyped problem',
    { problem: 'no-seats-left' },
    '"no-seats-left" is not a problem code (did you mean "no-seat-left"?)',
  ],
  [
    'a mistyped code of a problem',
    { problem: { code: 'no-seats-left' } },
    '"no-seats-left" is not a problem code (did you mean "no-seat-left"?)',
  ],
  [
    'a problem without a code',
    { problem: { message: 'No.' } },
    'this is not a problem code (use "empty-text"',
  ],
  [
    'a mistyped field of the problem',
    { problem: { code: 'offline', isRetriable: true } },
    '"isRetriable" is not a field of the problem (did you mean "isRetryable"?)',
  ],
  [
    'a mistyped activity',
    { activity: 'ativating' },
    '"ativating" is not an activity (did you mean "activating"?)',
  ],
  ['a mistyped storage', { storage: 'keychian' }, '"keychian" is not a storage (did you mean "keychain"?)'],
  [
    'features that are no array',
    { license: { features: 'export' } },
    "features of the license is an array, such as ['export']",
  ],
  [
    'features beside the license',
    { status: 'active', features: ['export'] },
    '"features" is a field of the license: pass { license: { features } } in the state',
  ],
  ['a plan beside the license', { plan: 'Pro' }, '"plan" is a field of the license'],
  ['a plan that is no text', { license: { plan: 1 } }, 'plan of the license is a text or null'],
  ['a number as masked key', { license: { maskedKey: 1 } }, 'maskedKey of the license is a text'],
  ['a text as a limit', { license: { activationLimit: '3' } }, 'activationLimit of the license is a number'],
  ['a text as a usage', { license: { activationUsage: '1' } }, 'activationUsage of the license is a number'],
  ['a text as endsSoon', { license: { endsSoon: 'yes' } }, 'endsSoon of the license is true or false'],
  ['a date that is no text', { status: 'grace', graceEndsAt: new Date(0) }, `graceEndsAt ${isText}`],
  ['a text that is no date', { status: 'trial', trialEndsAt: 'next week' }, `trialEndsAt ${isText}`],
  ['a date in words', { checkedAt: 'March 1, 2027' }, `checkedAt ${isText}`],
  ['a day that no month has', { license: { validUntil: '2027-13-01' } }, `validUntil ${isText}`],
  ['an end that is no date', { license: { expiresAt: 'soon' } }, `expiresAt ${isText}`],
  ['a number as the time of a problem', { problem: { code: 'offline', retryAt: 0 } }, `retryAt ${isText}`],
  ['entitled alone', { entitled: true }, 'entitled follows from the status: pass one, such as'],
  ['only a status', 'active', "a state is an object, such as { status: 'active' }"],
  ['null', null, "a state is an object, such as { status: 'active' }"],
]

test.each(states)('licensingState refuses %s', (_mistake, state, message) => {
  expect(() => untyped(licensingState)(state)).toThrow(TypeError)
  expect(() => untyped(licensingState)(state)).toThrow(`licensingState: ${message}`)
})

test.each([
  ['createFakeLicensing', untyped(createFakeLicensing)],
  ['createFakeClient', untyped(createFakeClient)],
  ['setState', untyped(createFakeLicensing().setState)],
  ['setState', untyped(createFakeClient().setState)],
  ['script', (state: unknown) => untyped(createFakeLicensing().script)('validate', state)],
])('%s refuses a mistyped status', (name, call) => {
  expect(() => call({ status: 'activ' })).toThrow(`${name}: "activ" is not a status`)
})

const scripts: readonly (readonly [string, unknown, string])[] = [
  ['deactivat', 'freed', '"deactivat" is not one of its methods (did you mean "deactivate"?)'],
  ['cancelActivation', 'canceled', '"cancelActivation" is not one of its methods (use "activate", '],
  ['toString', 'freed', '"toString" is not one of its methods'],
  [
    'deactivate',
    'freed-soon',
    '"freed-soon" is not an outcome of deactivate (use "freed", "freed-later", "not-freed", ',
  ],
  ['deactivate', 'freed-late', '"freed-late" is not an outcome of deactivate (did you mean "freed-later"?)'],
  ['activate', 'no-seats', '"no-seats" is not an outcome of activate (did you mean "no-seat-left"?)'],
  ['activate', 'offline-answer-torn', '"offline-answer-torn" is not an outcome of activate'],
  ['activateOffline', 'offline-answer-tron', '(did you mean "offline-answer-torn"?)'],
  ['activate', '', '"" is not an outcome of activate (use "activated", '],
  ['releaseDevice', undefined, 'this is not an outcome of releaseDevice (use "released", '],
  ['devices', 'ofline', '"ofline" is not an outcome of devices (did you mean "offline"?)'],
  ['devices', ['Studio'], "a device is an object, such as { id: '1', label: 'Studio' }"],
  [
    'devices',
    [{ name: 'Studio' }],
    '"name" is not a field of a device (use "id", "label", "activatedAt", "isThisDevice")',
  ],
  ['devices', [{ label: 'Studio' }], 'id and label of a device are texts'],
  ['devices', [{ id: 1, label: 'Studio' }], 'id and label of a device are texts'],
  ['devices', [{ id: '1', label: 'Studio', activatedAt: 'today' }], `activatedAt ${isText}`],
  ['diagnose', {}, 'the outcome of diagnose is a text'],
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
  await expect(opened).rejects.toThrow('openLink: "shop" is not a link (use "buy", "renew", ')
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
