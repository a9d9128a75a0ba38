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
