import { expect, test } from 'vitest'
import { createFakeLicensing } from '../../src/testing/create-fake-licensing.ts'

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
