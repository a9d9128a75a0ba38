import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type StoryOptions, stories } from './actions.ts'
import { playStory } from './play-story.ts'

const isLong = process.env['LATCHKEY_LONG'] === '1'
const seed = Number(process.env['LATCHKEY_SEED'] ?? 20_261_101)

async function holds(options: StoryOptions, shareOfRuns: number): Promise<void> {
  const numRuns = Math.round((isLong ? 10_000 : 250) * shareOfRuns)
  const property = fc.asyncProperty(stories(options), async (story) => {
    expect(await playStory(story, options)).toEqual([])
  })
  await fc.assert(property, { numRuns, seed, endOnFailure: false })
}

const all: StoryOptions = {
  processes: ['one', 'two'],
  diskFails: true,
  listingMayBeRefused: false,
  clockMayBeSet: true,
}

test('the five rules hold for one process with lost and repeated requests, kills and clock changes', () =>
  holds({ ...all, processes: ['one'], diskFails: false }, 0.3))

test('the five rules hold for two processes of one device', () => holds({ ...all, diskFails: false }, 0.3))

test('the five rules hold on a disk that fails and recovers', () => holds(all, 0.2))

// Known and accepted: if the service refuses to list keys (401, 403 and other 4xx), nothing is adopted. Two processes of
// one device, or a device that lost its record, then take a seat each. Not accepted, and never found here:
// one process with a working disk loses track of a seat it took.
test('the five rules hold for one process if keys cannot be listed', () =>
  holds({ ...all, processes: ['one'], diskFails: false, listingMayBeRefused: true }, 0.2))
