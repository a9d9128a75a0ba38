import { describe, expect, test } from 'vitest'
import { readFeatures, readPlan } from '../../src/index.ts'
import { licenseSchema } from '../../src/licenses/license-and-key.ts'

const license = { id: '4b11e191-a34e-424c-b391-d18776ed66b8', status: 'ACTIVE' }

describe('a plan', () => {
  test.each([
    ['a short text is kept', 'Pro', 'Pro'],
    ['of the greatest length is kept', 'x'.repeat(100), 'x'.repeat(100)],
    ['null is no plan', null, null],
    ['of 10 kB is ignored', 'x'.repeat(10_000), undefined],
    ['longer by one is ignored', 'x'.repeat(101), undefined],
    ['an empty text is ignored', '', undefined],
    ['a number is ignored', 3, undefined],
    ['a missing value is ignored', undefined, undefined],
  ])('%s', (_what, given, read) => {
    expect(readPlan(given)).toBe(read)
    expect(licenseSchema.parse({ ...license, plan: given }).plan).toBe(read)
  })
})

describe('features', () => {
  const thousand = Array.from({ length: 1_000 }, (_, index) => `feature-${index}`)
  test.each([
    ['texts are kept', ['export', 'sync'], ['export', 'sync']],
    ['other values are left out', ['export', 3, null, {}, ['sync'], ''], ['export']],
    ['a text that is too long is left out', ['x'.repeat(101), 'x'.repeat(100)], ['x'.repeat(100)]],
    ['the same text counts once', ['export', 'export'], ['export']],
    ['of a thousand, the first hundred count', thousand, thousand.slice(0, 100)],
    ['an empty list has no features', [], []],
    ['a text is ignored', 'export', undefined],
    ['an object is ignored', { export: true }, undefined],
    ['null is ignored', null, undefined],
    ['a missing value is ignored', undefined, undefined],
  ])('%s', (_what, given, read) => {
    expect(readFeatures(given)).toEqual(read)
    expect(licenseSchema.parse({ ...license, features: given }).features).toEqual(read)
  })
})

test('a license of the service itself has neither', () => {
  expect(Object.keys(licenseSchema.parse(license))).not.toContain('plan')
  expect(Object.keys(licenseSchema.parse(license))).not.toContain('features')
})
