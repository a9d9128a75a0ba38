import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type StoryOptions, stories } from '../../core/properties/actions.ts'
import { playStory } from '../../core/properties/play-story.ts'
import { adapterNames, unlistedNames } from '../faces.ts'
import { createFaceModel } from './face-model.ts'

const isLong = process.env['LATCHKEY_LONG'] === '1'
const seed = Number(process.env['LATCHKEY_SEED'] ?? 20_261_122)
const numRuns = isLong ? 4_000 : 30

describe.each(adapterNames)('an app with the adapter of %s', (name) => {
  const hasList = !unlistedNames.includes(name)
  const options: StoryOptions = {
    // Each user of a computer has an own record. Where nothing can be listed, each takes an own seat.
    processes: hasList ? ['one', 'two'] : ['one'],
    diskFails: false,
    listingMayBeRefused: false,
    clockMayBeSet: true,
  }

  test('keeps the five rules, whatever is lost, repeated, killed or set back', async () => {
    const property = fc.asyncProperty(stories(options), async (story) => {
      expect(await playStory(story, options, (nowMs) => createFaceModel(name, nowMs))).toEqual([])
    })
    await fc.assert(property, { numRuns, seed, endOnFailure: false })
  })
})
