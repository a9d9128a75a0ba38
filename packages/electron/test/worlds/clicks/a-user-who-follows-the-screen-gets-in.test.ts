import * as fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { skipWaitsBeforeRetries } from '../../doubles/skip-waits.ts'
import { stories } from './stories.ts'
import { walk } from './walk.ts'

const isLong = process.env['LATCHKEY_LONG'] === '1'
const seed = Number(process.env['LATCHKEY_SEED'] ?? 20_261_121)

beforeEach(skipWaitsBeforeRetries)

test('after any clicks and faults, a user who follows the screen gets in and has one seat', async () => {
  const property = fc.asyncProperty(stories, async (story) => {
    expect(await walk(story)).toEqual([])
  })
  await fc.assert(property, { numRuns: isLong ? 5_000 : 60, seed, endOnFailure: false })
}, 3_600_000)
