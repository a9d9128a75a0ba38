import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayMs, minuteMs } from '../../core/fixture.ts'
import { type Action, type Story, type StoryOptions, stories } from '../../core/properties/actions.ts'
import { playStory } from '../../core/properties/play-story.ts'
import { type AdapterName, adapterNames, unlistedNames } from '../faces.ts'
import { createFaceModel } from './face-model.ts'

const isLong = process.env['LATCHKEY_LONG'] === '1'
const seed = Number(process.env['LATCHKEY_SEED'] ?? 20_261_122)
const numRuns = isLong ? 4_000 : 30

const optionsOf = (name: AdapterName): StoryOptions => ({
  // Each user of a computer has an own record. Where nothing can be listed, each takes an own seat.
  processes: unlistedNames.includes(name) ? ['one'] : ['one', 'two'],
  diskFails: false,
  listingMayBeRefused: false,
  clockMayBeSet: true,
})

describe.each(adapterNames)('an app with the adapter of %s', (name) => {
  const options = optionsOf(name)

  test('keeps the five rules, whatever is lost, repeated, killed or set back', async () => {
    const property = fc.asyncProperty(stories(options), async (story) => {
      expect(await playStory(story, options, (nowMs) => createFaceModel(name, nowMs))).toEqual([])
    })
    await fc.assert(property, { numRuns, seed, endOnFailure: false })
  })
})

/** An action, and how far running operations get before the next one. */
const step = (action: Action, turns = 99): Story['steps'][number] => ({ action, turns })
const one = (what: 'deactivate' | 'validate'): Action => ({ do: what, who: 'one' })
const activate = (license: 0 | 1 | 2): Action => ({ do: 'activate', who: 'one', license })

/** Failures that random runs once found with one service, shortened and named after what went wrong. */
const findings: readonly (readonly [AdapterName, string, Partial<Story> & Pick<Story, 'steps'>])[] = [
  [
    'dodo',
    'a license that is suspended during its check keeps working until a second check a day later',
    {
      isActivated: true,
      steps: [step(one('validate'), 0), step({ do: 'vendor', license: 0, change: 'suspend' }, 8)],
    },
  ],
  [
    'dodo',
    'a clock that is set a day ahead between two checks makes no suspended license inactive at once',
    {
      isActivated: true,
      steps: [
        step({ do: 'vendor', license: 0, change: 'suspend' }, 0),
        step({ do: 'launch', who: 'one' }),
        step({ do: 'set-clock', who: 'one', ms: dayMs }),
        step({ do: 'launch', who: 'one' }),
      ],
    },
  ],
  [
    'dodo',
    'a suspended license is inactive a day after the first check, not after an earlier activation',
    {
      isActivated: true,
      steps: [
        step({ do: 'vendor', license: 0, change: 'suspend' }, 0),
        step(activate(0), 3),
        step({ do: 'elapse', ms: minuteMs }, 3),
        step({ do: 'elapse', ms: dayMs }),
      ],
    },
  ],
  [
    'keygen',
    'a seat taken late behind a proxy that refused the list is freed after two deactivations',
    {
      steps: [step(activate(0), 0), step(one('deactivate')), step(one('deactivate'), 0)],
      fates: [{ kind: 'status', status: 400, isJson: true }, { kind: 'served' }, { kind: 'late' }],
    },
  ],
  [
    'keygen',
    'a clock that was set ahead and back takes the license until the service answers',
    {
      isActivated: true,
      steps: [
        step(activate(0)),
        step({ do: 'set-clock', who: 'one', ms: 20 * dayMs }),
        step({ do: 'set-clock', who: 'one', ms: -400 * dayMs }, 0),
        step(activate(0)),
        step({ do: 'launch', who: 'one' }, 0),
      ],
    },
  ],
  [
    'lemon-squeezy',
    'the time that comes with the number of seats in use corrects a clock that was set ahead',
    {
      isActivated: true,
      steps: [step({ do: 'set-clock', who: 'one', ms: 400 * dayMs }, 0), step(activate(1))],
    },
  ],
]

describe('earlier random findings with a service do not come back', () => {
  test.each(findings)('%s: %s', async (name, _what, story) => {
    const whole: Story = { isActivated: false, fates: [], turns: [], ...story }
    expect(await playStory(whole, optionsOf(name), (nowMs) => createFaceModel(name, nowMs))).toEqual([])
  })
})
