import { expect, test } from 'vitest'
import { createFakeClient, createFakeLicensing, licensingState } from '../../src/testing/index.ts'

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('a test contains only what it is about', () => {
  expect(licensingState({ status: 'grace' })).toMatchObject({
    status: 'grace',
    entitled: true,
    graceEndsAt: '2030-01-15T00:00:00.000000Z',
    license: { activationLimit: 3 },
  })
  expect(licensingState({ status: 'trial' })).toMatchObject({ entitled: true, license: null })
  expect(licensingState({ status: 'inactive', rawStatus: 'ON_HOLD' })).toMatchObject({ rawStatus: 'ON_HOLD' })
  expect(licensingState({ status: 'active', license: null }).license).toBeNull()
})

test('each verb returns the scripted result once, and then its default', async () => {
  const licensing = createFakeLicensing()
  licensing.script('activate', 'no-seat-left')
  licensing.script('activate', 'offline')
  expect(await licensing.activate('KEY')).toMatchObject({ ok: false, problem: { code: 'no-seat-left' } })
  expect(await licensing.activate('KEY')).toMatchObject({
    ok: false,
    problem: { code: 'offline', isRetryable: true },
  })
  expect(await licensing.activate('KEY')).toMatchObject({ ok: true })
  licensing.script('validate', { status: 'suspended' })
  expect(await licensing.validate()).toMatchObject({ status: 'suspended' })
  licensing.script('diagnose', 'all is well')
  expect(await licensing.diagnose()).toBe('all is well')
  expect(await licensing.reactivate()).toMatchObject({ ok: true })
  licensing.script('deactivate', 'freed-later')
  expect(await licensing.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
  licensing.script('deactivate', 'unexpected')
  expect(await licensing.deactivate()).toMatchObject({ ok: false, problem: { code: 'unexpected' } })
  licensing.script('activateOffline', 'offline-answer-torn')
  licensing.script('activateOffline', 'store-restored')
  expect(await licensing.activateOffline('')).toMatchObject({ problem: { code: 'offline-answer-torn' } })
  expect(await licensing.activateOffline('')).toMatchObject({ problem: { code: 'store-restored' } })
  licensing.script('createOfflineRequest', 'created')
  expect(await licensing.createOfflineRequest('')).toMatchObject({ ok: true })
  licensing.script('releaseDevice', 'released')
  expect(await licensing.releaseDevice('this-device')).toEqual({ ok: true })
})

test('a chosen list of devices can be released one by one', async () => {
  const licensing = createFakeLicensing()
  const device = {
    id: 'a',
    label: 'Old laptop',
    activatedAt: '2030-01-01T00:00:00.000000Z',
    isThisDevice: false,
  }
  licensing.script('devices', [device])
  expect(await licensing.devices()).toEqual({ ok: true, devices: [device] })
  expect(await licensing.releaseDevice('b')).toMatchObject({
    ok: false,
    problem: { code: 'device-not-found' },
  })
  expect(await licensing.releaseDevice('a')).toEqual({ ok: true })
  expect(await licensing.devices()).toEqual({ ok: true, devices: [] })
  licensing.script('devices', 'offline')
  expect(await licensing.devices()).toMatchObject({ ok: false, problem: { code: 'offline' } })
})

test('calls are kept in order, with their arguments', async () => {
  const licensing = createFakeLicensing()
  await licensing.start()
  await licensing.activate('KEY')
  await licensing.openActivationWindow({ prefilledText: 'KEY' })
  expect(licensing.calls).toEqual([
    { method: 'start', args: [] },
    { method: 'activate', args: ['KEY'] },
    { method: 'openActivationWindow', args: [{ prefilledText: 'KEY' }] },
  ])
  expect(licensing.isActivationWindowOpen).toBe(true)
  licensing.closeActivationWindow()
  expect(licensing.isActivationWindowOpen).toBe(false)
})

test('the gate opens the activation window, then the app, and asks again when the license is lost', async () => {
  const licensing = createFakeLicensing()
  const events: string[] = []
  licensing.gate({
    whenEntitled: () => void events.push('open'),
    whenDismissed: () => void events.push('dismissed'),
  })
  await settled()
  expect(licensing.isActivationWindowOpen).toBe(true)
  licensing.dismissActivationWindow()
  await settled()
  expect(events).toEqual(['dismissed'])
  licensing.setState({ status: 'active' })
  await settled()
  expect(events).toEqual(['dismissed', 'open'])
  expect(licensing.isActivationWindowOpen).toBe(false)
  licensing.setState({ status: 'revoked' })
  await settled()
  expect(licensing.isActivationWindowOpen).toBe(true)
  await licensing.dispose()
  expect(licensing.isActivationWindowOpen).toBe(false)
})

test.each([
  ['no options', undefined, 'gate: whenEntitled is missing'],
  ['a mistyped name', { onEntitled: () => {} }, 'did you mean "whenEntitled"?'],
  ['a mistyped optional name', { whenEntitled: () => {}, whenDismised: () => {} }, 'gate: whenDismised'],
  ['no function', { whenEntitled: () => {}, whenLost: 'quit' }, 'gate: whenLost'],
])('a gate with %s is refused when it is created', (_mistake, options, message) => {
  const licensing = createFakeLicensing({ status: 'unlicensed' })
  // @ts-expect-error: an app in JavaScript has no type check.
  expect(() => licensing.gate(options)).toThrow(message)
})

test('an app that fails to open at the gate is noted as an error', async () => {
  const licensing = createFakeLicensing({ status: 'active' })
  licensing.gate({
    whenEntitled: () => {
      throw new Error('no such page')
    },
  })
  await settled()
  expect(licensing.calls.at(-1)).toMatchObject({
    method: 'error',
    args: [expect.stringContaining('no such page')],
  })
})

test('a page reads the snapshot at once and is notified of a new state', async () => {
  const client = createFakeClient({ status: 'active' })
  const heard: string[] = []
  client.subscribe((state) => heard.push(state.status))
  expect(client.getSnapshot()).toMatchObject({ status: 'active', entitled: true })
  expect(await client.ready).toMatchObject({ status: 'active' })
  client.setState({ status: 'grace' })
  expect(client.getSnapshot()?.status).toBe('grace')
  await client.deactivate()
  expect(heard).toEqual(['grace', 'unlicensed'])
  client.script('activate', 'license-expired')
  expect(await client.activateFromClipboard('1f0a••••9c1d')).toMatchObject({ ok: false })
  await client.cancelActivation()
  await client.openLink('buy')
  await client.copyDiagnosis()
  await client.openActivationWindow()
  expect(client.isActivationWindowOpen).toBe(true)
  expect(client.calls.map(({ method }) => method)).toEqual([
    'deactivate',
    'activate',
    'cancelActivation',
    'openLink',
    'copyDiagnosis',
    'openActivationWindow',
  ])
})

test('a fake covers builds up to the end of its license, and everything without one', () => {
  const licensing = createFakeLicensing({
    status: 'active',
    license: { expiresAt: '2026-03-01T00:00:00.000000Z' },
  })
  expect(licensing.covers('2026-03-01T00:00:00Z')).toBe(true)
  expect(licensing.covers(new Date('2026-03-01T00:00:00.001Z'))).toBe(false)
  // An unknown date counts as now.
  expect([licensing.covers(null), licensing.covers('soon')]).toEqual([false, false])
  licensing.setState({ status: 'active' })
  expect(licensing.covers(null)).toBe(true)
  expect(licensing.lease()).toBeNull()
})

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

test('a license may have no limit, usage, plan or end, and a date may be a day or a time in any zone', () => {
  const nothing = { activationLimit: null, activationUsage: null, plan: null }
  for (const expiresAt of ['2027-03-01', '2027-03-01T08:00:00Z', '2027-03-01T08:00:00+01:00', null]) {
    const { license } = licensingState({ status: 'active', license: { ...nothing, expiresAt } })
    expect(license).toMatchObject({ ...nothing, expiresAt })
  }
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
