import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { skipWaitsBeforeRetries } from '../doubles/skip-waits.ts'
import { boxes } from './box.ts'
import { type BoxStory, boxStories } from './box-stories.ts'
import { live, manyDays } from './random-days.ts'
import type { Path, Place } from './surroundings.ts'

const isLong = process.env['LATCHKEY_LONG'] === '1'
const seed = Number(process.env['LATCHKEY_SEED'] ?? 20_261_121)

const ways: readonly (readonly [way: string, path: Path, place: Place])[] = [
  ['between app and service', 'direct', 'app'],
  ['between app and gateway', 'gateway', 'app'],
  ['between gateway and service', 'gateway', 'upstream'],
  ['between app and gateway, with leases', 'leases', 'app'],
  ['between gateway and service, with leases', 'leases', 'upstream'],
]

/** Proxies that once caused a failure. Every run has each of them, distributed over its tests. */
const worst = [
  '200 an empty list',
  '200 a success message',
  '200 everything at once',
  '404 an error in JSON',
  'an empty list to be read, 404 to the rest',
]
const share = Number(process.env['LATCHKEY_SHARE'] ?? 197)

/** The proxies of this run: all of them, or a few different ones for each test. */
function boxesOf(offset: number): typeof boxes {
  if (isLong) return boxes
  const due = [worst[offset % worst.length], worst[(offset + 2) % worst.length]]
  return boxes.filter(([name], index) => (index + offset * 29) % share === 0 || due.includes(name))
}

async function complaintsOf(story: BoxStory, path: Path, place: Place, offset: number): Promise<string[]> {
  const complaints: string[] = []
  for (const [name, box] of boxesOf(offset)) {
    for (const complaint of await story(path, place, box)) complaints.push(`${name}: ${complaint}`)
  }
  return complaints
}

beforeEach(skipWaitsBeforeRetries)

describe('a proxy that answers everything the same way locks out no device and loses no seat', () => {
  for (const [index, [name, story]] of Object.entries(boxStories).entries()) {
    test.each(ways)(`${name}: %s`, async (way, path, place) => {
      const offset = index * ways.length + ways.findIndex(([name]) => name === way)
      expect(await complaintsOf(story, path, place, offset)).toEqual([])
    })
  }
})

test('with any other faults on those days', async () => {
  const property = fc.asyncProperty(manyDays, async (days) => {
    expect(await live(days)).toEqual([])
  })
  await fc.assert(property, { numRuns: isLong ? 5000 : 15, seed, endOnFailure: false })
})
