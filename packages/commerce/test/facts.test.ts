import { describe, expect, it } from 'vitest'
import { isDiscountOpen, isLicenseUsable, remainingSeats, toDate, toEndDate } from '../src/index.ts'
import { discount, license } from './samples.ts'

const now = new Date('2026-06-15T12:00:00.000Z')

describe('isLicenseUsable', () => {
  it.each([
    ['active, with an end ahead', {}, true],
    ['without an end', { expires_at: null }, true],
    ['expired', { expires_at: '2026-06-15T11:59:59.999999Z' }, false],
    ['expiring at this very moment', { expires_at: '2026-06-15T12:00:00.000000Z' }, false],
    ['expiring a moment later', { expires_at: '2026-06-15T12:00:00.001000Z' }, true],
    ['suspended', { suspended_at: '2026-01-01T00:00:00.000000Z' }, false],
    [
      'suspended from tomorrow on, which is undocumented',
      { suspended_at: '2026-06-16T00:00:00.000000Z' },
      false,
    ],
    ['of another status', { status: 'DISABLED' }, false],
    ['of a status in small letters', { status: 'active' }, false],
    ['with an end that isn’t a timestamp', { expires_at: 'soon' }, false],
    ['which ends today, a bare day', { expires_at: '2026-06-15' }, true],
    ['which ended yesterday, a bare day', { expires_at: '2026-06-14' }, false],
    ['full', { activation_usage: 3 }, true],
  ])('%s: %j is %s', (_what, change, usable) => {
    expect(isLicenseUsable({ ...license, ...change }, now)).toBe(usable)
    expect(isLicenseUsable({ ...license, ...change }, now.getTime())).toBe(usable)
  })
})

describe('remainingSeats', () => {
  it.each([
    [3, 0, 3],
    [3, 3, 0],
    [3, 5, 0],
    [0, 0, 0],
    [null, 1, null],
    [3, null, null],
  ])('of %d with %d in use are %d', (activation_limit, activation_usage, seats) => {
    expect(remainingSeats({ activation_limit, activation_usage })).toBe(seats)
  })
})

describe('isDiscountOpen', () => {
  const open = { ...discount, starts_at: null, ends_at: null, max_redemptions: null }
  it.each([
    ['published, without bounds', {}, true],
    ['not published', { published: false }, false],
    ['with no redemption at all', { max_redemptions: 0 }, false],
    ['with redemptions, used up or not', { max_redemptions: 1 }, true],
    ['started', { starts_at: '2026-06-15T12:00:00.000000Z' }, true],
    ['not started', { starts_at: '2026-06-15T12:00:00.001000Z' }, false],
    ['not over', { ends_at: '2026-06-15T12:00:00.001000Z' }, true],
    ['over', { ends_at: '2026-06-15T12:00:00.000000Z' }, false],
    ['with an unreadable start', { starts_at: '1 March' }, null],
    ['with an end that is a bare day: today', { ends_at: '2026-06-15' }, true],
    ['with an end that is a bare day: yesterday', { ends_at: '2026-06-14' }, false],
    ['with an unreadable end', { ends_at: '15 June' }, null],
    ['over, with an unreadable start', { starts_at: '?', ends_at: '2026-01-01T00:00:00Z' }, false],
    ['not started, with an unreadable end', { starts_at: '2026-12-01T00:00:00Z', ends_at: '?' }, false],
    ['not published, with an unreadable end', { published: false, ends_at: '?' }, false],
    ['with an undocumented status', { status: 'Whatever' }, true],
  ])('%s: %j is %s', (_what, change, answer) => {
    expect(isDiscountOpen({ ...open, ...change }, now)).toBe(answer)
    expect(isDiscountOpen({ ...open, ...change }, now.getTime())).toBe(answer)
  })
})

describe('toDate', () => {
  it.each([
    ['2026-01-02T03:04:05.678901Z', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02T03:04:05.999999Z', '2026-01-02T03:04:05.999Z'],
    ['2026-01-02T03:04:05.6Z', '2026-01-02T03:04:05.600Z'],
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02t03:04z', '2026-01-02T03:04:00.000Z'],
    ['2026-01-02 03:04:05', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
    ['2026-01-02T03:04:05-0530', '2026-01-02T08:34:05.000Z'],
    ['2024-02-29T00:00:00.000000Z', '2024-02-29T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999Z'],
    ['2026-01-02', '2026-01-02T00:00:00.000Z'],
  ])('%s is %s', (timestamp, iso) => {
    expect(toDate(timestamp)?.toISOString()).toBe(iso)
  })

  it.each([
    '',
    'soon',
    '0000-00-00',
    '0000-00-00 00:00:00',
    '2026-02-30',
    '2026-01-02Z',
    '2026-02-30T00:00:00.000000Z',
    '2023-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00.1234567890Z',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
    '1767225600',
    'at 2026-01-02T03:04:05Z',
    '2026-01-02T03:04:05.Z',
    '2026-01-02T03:04:05+000',
  ])('%j is none', (text) => {
    expect(toDate(text)).toBeNull()
  })
})

describe('toEndDate', () => {
  it.each([
    ['2026-12-31', '2027-01-01T00:00:00.000Z'],
    ['2026-12-31T00:00:00Z', '2026-12-31T00:00:00.000Z'],
    ['2026-12-31 10:00:00', '2026-12-31T10:00:00.000Z'],
  ])('%s ends at %s: a date without a time includes the whole day', (timestamp, iso) => {
    expect(toEndDate(timestamp)?.toISOString()).toBe(iso)
  })

  it.each(['soon', '2026-02-30', '0000-00-00 00:00:00'])('%j is none', (text) => {
    expect(toEndDate(text)).toBeNull()
  })
})
