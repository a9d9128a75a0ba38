import { createFakeLicensing, licensingState } from '@latchkey/electron/testing'
import { expect, test } from 'vitest'
import { renewalText, seatsText, statusText } from '../src/renderer/license-texts.ts'

const dayMs = 86_400_000
const nowMs = Date.parse('2030-06-01T12:00:00Z')
const endingIn = (days: number) =>
  licensingState({
    status: 'active',
    license: { validUntil: new Date(nowMs + days * dayMs).toISOString() },
  })

test('an activation without internet says in its last ten days how to renew it', () => {
  expect(renewalText(endingIn(11), nowMs)).toBeNull()
  expect(renewalText(endingIn(9), nowMs)).toMatch(/ends on .*2030.*Connect to the internet once/u)
  expect(renewalText(licensingState({ status: 'active' }), nowMs)).toBeNull()
  expect(renewalText(licensingState(), nowMs)).toBeNull()
})

test('the status line shows until when the app is licensed without internet', () => {
  expect(statusText(endingIn(30))).toMatch(/^Licensed without internet until .*2030/u)
  expect(statusText(licensingState({ status: 'active' }))).toBe('Licensed')
})

test.each([
  { activationUsage: 2, activationLimit: 3, text: '2 of 3 in use' },
  { activationUsage: 2, activationLimit: null, text: '2 in use' },
  { activationUsage: null, activationLimit: 3, text: 'up to 3' },
  { activationUsage: null, activationLimit: null, text: null },
])('the panel shows the numbers of devices that the service states: $text', ({ text, ...license }) => {
  expect(seatsText(licensingState({ status: 'active', license }))).toBe(text)
})

test('a feature that Inkwell doesn’t have is a compile error', () => {
  const licensing = createFakeLicensing({ status: 'active', license: { features: ['export'] } })
  expect(licensing.has('export')).toBe(true)
  // @ts-expect-error
  expect(licensing.has('exprot')).toBe(false)
})
