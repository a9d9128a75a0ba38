import { createFakeLicensing } from '@latchkey/electron/testing'
import { expect, test } from 'vitest'

test('a feature that Inkwell doesn’t have is a compile error', () => {
  const licensing = createFakeLicensing({ status: 'active', license: { features: ['export'] } })
  expect(licensing.has('export')).toBe(true)
  // @ts-expect-error
  expect(licensing.has('exprot')).toBe(false)
})
