import { describe, expect, test } from 'vitest'
import { type FoundRelease, type GuardedUpdater, guardUpdates } from '../../src/main/guard-updates.ts'
import { hasLeaseKeys } from '../../src/main/licensing.ts'
import { createFakeLicensing } from '../../src/testing/create-fake-licensing.ts'

const end = '2026-03-01T00:00:00.000000Z'
const ended = { status: 'active', license: { expiresAt: end } } as const

function guarded(options: { sendsLease?: boolean; lease?: () => string | null; supports?: boolean } = {}) {
  const refused: FoundRelease[] = []
  const fake = createFakeLicensing(ended)
  const licensing = { ...fake, lease: options.lease ?? fake.lease }
  const updater: GuardedUpdater = {
    isUpdateSupported: () => options.supports ?? true,
    requestHeaders: { 'x-channel': 'beta' },
  }
  guardUpdates(licensing, updater, {
    whenNotCovered: (release) => refused.push(release),
    sendsLease: options.sendsLease,
  })
  return { fake, updater, refused, offers: (release: FoundRelease) => updater.isUpdateSupported(release) }
}

describe('an update', () => {
  test('is offered up to the end, and otherwise, or without a date that can be read, the app is told', async () => {
    const { offers, refused } = guarded()
    expect(await offers({ version: '2.0.0', releaseDate: '2026-03-01T00:00:00.000Z' })).toBe(true)
    const release = { version: '3.0.0', releaseDate: 'soon' }
    expect(await offers(release)).toBe(false)
    expect(refused).toEqual([release])
  })

  test('is offered again as soon as the license is renewed', async () => {
    const { offers, fake } = guarded()
    const release = { version: '3.0.0', releaseDate: '2026-05-01T10:00:00.000Z' }
    expect(await offers(release)).toBe(false)
    fake.setState({ status: 'active', license: { expiresAt: '2027-03-01T00:00:00.000000Z' } })
    expect(await offers(release)).toBe(true)
  })

  test('found before the license is known is not offered, and the app is not told that it is not covered', async () => {
    const refused: FoundRelease[] = []
    const licensing = { ...createFakeLicensing({ status: 'unlicensed' }), covers: () => false }
    const updater: GuardedUpdater = { isUpdateSupported: () => true, requestHeaders: null }
    guardUpdates(licensing, updater, { whenNotCovered: (release) => refused.push(release) })
    expect(await updater.isUpdateSupported({ version: '3.0.0' })).toBe(false)
    expect(refused).toEqual([])
  })

  test('that this system can’t run stays refused, without mentioning the license', async () => {
    const { offers, refused } = guarded({ supports: false })
    expect(await offers({ version: '3.0.0' })).toBe(false)
    expect(refused).toEqual([])
  })
})

test('the lease is sent only if the app wants it, always the latest one, with the app’s own headers', () => {
  let lease: string | null = 'one'
  const { updater, fake } = guarded({ sendsLease: true, lease: () => lease })
  expect(updater.requestHeaders).toEqual({ 'x-channel': 'beta', authorization: 'Bearer one' })
  lease = 'two'
  fake.setState({ ...ended, checkedAt: '2026-03-02T00:00:00.000000Z' })
  expect(updater.requestHeaders).toEqual({ 'x-channel': 'beta', authorization: 'Bearer two' })
  lease = null
  fake.setState({ status: 'unlicensed' })
  expect(updater.requestHeaders).toEqual({ 'x-channel': 'beta' })
  expect(guarded({ lease: () => 'one' }).updater.requestHeaders).toEqual({ 'x-channel': 'beta' })
})

const updater: GuardedUpdater = { isUpdateSupported: () => true, requestHeaders: null }
const noLicensing = 'its first argument must be the result of createLicensing'
const noUpdater = 'needs the autoUpdater of electron-updater 6.6 or later'

test.each<[string, readonly unknown[], string]>([
  ['no updater', [createFakeLicensing()], noUpdater],
  ['an updater that would ignore the guard', [createFakeLicensing(), { requestHeaders: null }], noUpdater],
  ['swapped arguments', [updater, createFakeLicensing()], 'Call guardUpdates(licensing, autoUpdater).'],
  ['nothing in place of the licensing', [undefined, updater], noLicensing],
  ['an object in place of the licensing', [{}, updater], noLicensing],
  ['a module with the licensing', [{ licensing: createFakeLicensing() }, updater], noLicensing],
  [
    'a mistyped option',
    [createFakeLicensing(), updater, { sendLease: true }],
    'sendLease is not an option (did you mean "sendsLease"?)',
  ],
  [
    'no function',
    [createFakeLicensing(), updater, { whenNotCovered: 'x' }],
    'whenNotCovered must be a function',
  ],
  ['a text', [createFakeLicensing(), updater, { sendsLease: 'true' }], 'sendsLease must be true or false'],
  [
    'a function as options',
    [createFakeLicensing(), updater, () => {}],
    'guardUpdates: the argument must be an object',
  ],
  [
    'a text as options',
    [createFakeLicensing(), updater, 'sendsLease'],
    'guardUpdates: the argument must be an object',
  ],
  [
    'a lease to send without lease keys',
    [Object.assign(createFakeLicensing(), { [hasLeaseKeys]: false }), updater, { sendsLease: true }],
    'sendsLease needs the option leaseKeys of createLicensing',
  ],
])('%s is refused at once, and nothing is guarded', (_what, given, message) => {
  const { isUpdateSupported } = updater
  expect(() => Reflect.apply(guardUpdates, undefined, given)).toThrow(message)
  expect(updater.isUpdateSupported).toBe(isUpdateSupported)
})

test('a lease can be sent with lease keys', () => {
  const licensing = Object.assign(createFakeLicensing(ended), { [hasLeaseKeys]: true })
  expect(() => guardUpdates(licensing, { ...updater }, { sendsLease: true })).not.toThrow()
})
