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
  test.each([
    ['before the end', '2026-02-01T10:00:00.000Z', true],
    ['at the end', '2026-03-01T00:00:00.000Z', true],
    ['after the end', '2026-03-01T00:00:00.001Z', false],
    ['at an unknown time, which counts as now', undefined, false],
    ['at a time that can’t be read', 'soon', false],
  ])('released %s is offered, or the app is told', async (_when, releaseDate, isOffered) => {
    const { offers, refused } = guarded()
    const release = { version: '3.0.0', releaseDate }
    expect(await offers(release)).toBe(isOffered)
    expect(refused).toEqual(isOffered ? [] : [release])
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

describe('the lease', () => {
  test('is sent only if the app wants it, always the latest one, with the app’s own headers', () => {
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
})

test('an updater that would ignore the guard is refused at once', () => {
  const updater: GuardedUpdater = Object({ requestHeaders: null })
  expect(() => guardUpdates(createFakeLicensing(), updater)).toThrow('electron-updater 6.6 or later')
  const withoutUpdater = () => Reflect.apply(guardUpdates, undefined, [createFakeLicensing()])
  expect(withoutUpdater).toThrow('electron-updater 6.6 or later')
})

test('swapped arguments are named', () => {
  const updater: GuardedUpdater = { isUpdateSupported: () => true, requestHeaders: null }
  const swapped = () => Reflect.apply(guardUpdates, undefined, [updater, createFakeLicensing()])
  expect(swapped).toThrow('Call guardUpdates(licensing, autoUpdater).')
})

test.each([
  ['nothing', undefined],
  ['an object', {}],
  ['a module with the licensing', { licensing: createFakeLicensing() }],
])('%s in place of the licensing is named at once', (_what, licensing) => {
  const updater: GuardedUpdater = { isUpdateSupported: () => true, requestHeaders: null }
  const wrong = () => Reflect.apply(guardUpdates, undefined, [licensing, updater])
  expect(wrong).toThrow('its first argument must be the result of createLicensing')
})

describe('options', () => {
  const updater = (): GuardedUpdater => ({ isUpdateSupported: () => true, requestHeaders: null })

  test.each([
    [{ sendLease: true }, 'sendLease is not an option (did you mean "sendsLease"?)'],
    [{ whenNotCovered: 'x' }, 'whenNotCovered must be a function'],
    [{ sendsLease: 'true' }, 'sendsLease must be true or false'],
    [{ quantumFlux: 1 }, 'quantumFlux is not an option: the options are whenNotCovered, sendsLease'],
  ])('of other names are refused: %j', (options, message) => {
    const given = updater()
    const { isUpdateSupported } = given
    expect(() => guardUpdates(createFakeLicensing(), given, Object(options))).toThrow(message)
    expect(given.isUpdateSupported).toBe(isUpdateSupported)
  })

  test.each([() => {}, 'sendsLease'])('that are no object are refused: %s', (options) => {
    const guard = () => Reflect.apply(guardUpdates, undefined, [createFakeLicensing(), updater(), options])
    expect(guard).toThrow('guardUpdates: the argument must be an object')
  })

  test('that send a lease are refused without lease keys', () => {
    const guard = (has: boolean) => () =>
      guardUpdates(Object.assign(createFakeLicensing(ended), { [hasLeaseKeys]: has }), updater(), {
        sendsLease: true,
      })
    expect(guard(false)).toThrow('sendsLease needs the option leaseKeys of createLicensing')
    expect(guard(true)).not.toThrow()
  })
})
