import * as fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { skipWaitsBeforeRetries } from '../doubles/skip-waits.ts'
import { dialectNames, singleDialects } from './dialects.ts'
import { liveWith } from './life-of-a-seat.ts'

const isLong = process.env['LATCHKEY_LONG'] === '1'
const seed = Number(process.env['LATCHKEY_SEED'] ?? 20_261_121)

beforeEach(skipWaitsBeforeRetries)

test('with one deviation from the interface, a service still gives, keeps and frees exactly one seat', async () => {
  const complaints: string[] = []
  for (const [name, dialect] of singleDialects) {
    const [first] = await liveWith(dialect, isLong ? 'network' : 'memory')
    if (first !== undefined) complaints.push(`${name}: ${first}`)
  }
  expect(complaints).toEqual([])
}, 3_600_000)

test('with many deviations from the interface, a service still gives, keeps and frees exactly one seat', async () => {
  const property = fc.asyncProperty(dialectNames, async (name) => {
    expect(await liveWith(name, 'network')).toEqual([])
  })
  await fc.assert(property, { numRuns: isLong ? 3000 : 10, seed, endOnFailure: false })
}, 3_600_000)
