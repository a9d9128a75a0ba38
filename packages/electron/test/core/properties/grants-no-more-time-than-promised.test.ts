import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { playUse, useStories } from './use.ts'

const numRuns = process.env['LATCHKEY_LONG'] === '1' ? 2_000 : 40
const seed = Number(process.env['LATCHKEY_SEED'] ?? 20_261_101)

// Known and accepted, see docs/security.md: setting the clock hides time in which the app was closed or asleep, and
// killing it hides the time since the record was last saved. All other time of use counts.
test('no clock setting lets the app run longer without a response than allowed', async () => {
  const property = fc.asyncProperty(useStories, async (story) => {
    expect(await playUse(story)).toEqual([])
  })
  await fc.assert(property, { numRuns, seed, endOnFailure: true })
})
