import { describe, expect, test } from 'vitest'
import type { Action, Story, Who } from './actions.ts'
import { playStory } from './play-story.ts'

const dayMs = 24 * 60 * 60 * 1000

/** An action, and how far running operations get before the next one. */
const step = (action: Action, turns = 99): Story['steps'][number] => ({ action, turns })
const activate = (license: 0 | 1 | 2, who: Who = 'one'): Action => ({ do: 'activate', who, license })

/** Failures that random runs once found, shortened and named after what went wrong. */
const stories: Readonly<Record<string, Partial<Story> & Pick<Story, 'steps'>>> = {
  'a seat taken behind a proxy that refused is not forgotten because its key was not validated': {
    steps: [step(activate(0))],
    fates: [
      { kind: 'served' },
      { kind: 'status-after', status: 403 },
      { kind: 'served' },
      { kind: 'status', status: 400, isJson: true },
    ],
  },
  'a computer that sleeps over its request waits for it from when it wakes': {
    steps: [
      step(activate(0), 4),
      step({ do: 'elapse', ms: 10 * dayMs }, 0),
      step({ do: 'deactivate', who: 'one' }, 2),
    ],
    fates: [{ kind: 'served' }, { kind: 'late' }],
  },
  'two processes of which one sleeps over its request end up with one seat': {
    steps: [step(activate(0, 'two'), 2), step(activate(1), 7), step({ do: 'elapse', ms: dayMs })],
    fates: [{ kind: 'served' }, { kind: 'served' }, { kind: 'served' }, { kind: 'late' }],
    turns: [0, 0, 1],
  },
  'a user of a computer keeps the license when another one deactivates and activates again': {
    isActivated: true,
    steps: [
      step(activate(0, 'two'), 0),
      step({ do: 'deactivate', who: 'two' }),
      step(activate(0, 'two')),
      step({ do: 'kill', who: 'one', survives: 'nothing' }, 0),
    ],
  },
  'a process keeps the license when another one deactivates and activates again while it activates': {
    steps: [
      step(activate(0), 0),
      step(activate(0, 'two'), 0),
      step({ do: 'deactivate', who: 'one' }, 0),
      step(activate(0)),
    ],
  },
  'a computer that sleeps while an answer is being saved grants nothing beyond the end of the license': {
    isActivated: true,
    steps: [
      step({ do: 'vendor', license: 0, change: 'expire-soon' }, 0),
      step({ do: 'launch', who: 'one' }, 0),
      step({ do: 'elapse', ms: dayMs }, 3),
      step({ do: 'elapse', ms: 10 * dayMs }, 0),
      step(activate(0, 'two')),
    ],
  },
  'a computer that sleeps while an answer is being saved keeps its license': {
    steps: [
      step(activate(0)),
      step({ do: 'elapse', ms: 10 * dayMs }, 0),
      step({ do: 'deactivate', who: 'one' }, 3),
      step({ do: 'elapse', ms: 10 * dayMs }, 0),
    ],
    fates: [
      { kind: 'served' },
      { kind: 'served' },
      { kind: 'served' },
      { kind: 'status', status: 400, isJson: true },
    ],
  },
  'a wrong clock that took the license counts from the next write on, within an hour': {
    steps: [
      step(activate(0), 11),
      step(activate(0), 3),
      step({ do: 'set-clock', who: 'one', ms: 20 * dayMs }),
      step({ do: 'kill', who: 'one', survives: 'nothing' }, 0),
      step({ do: 'set-clock', who: 'one', ms: -400 * dayMs }),
      step(activate(0), 0),
    ],
    fates: [
      { kind: 'status', status: 400, isJson: true },
      { kind: 'served' },
      { kind: 'served' },
      { kind: 'portal' },
    ],
  },
  'a computer that sleeps over its check and dies before the answer is saved loses only grace': {
    isActivated: true,
    steps: [
      step({ do: 'elapse', ms: 10 * dayMs }),
      step(activate(0), 3),
      step({ do: 'elapse', ms: 10 * dayMs }, 9),
      step({ do: 'kill', who: 'one', survives: 'nothing' }, 0),
      step({ do: 'set-clock', who: 'one', ms: -400 * dayMs }),
    ],
    fates: [{ kind: 'portal' }, { kind: 'portal' }, { kind: 'served' }, { kind: 'portal' }],
  },
  'a closed license whose end has passed is expired, whatever the clock of the computer says': {
    isActivated: true,
    steps: [
      step({ do: 'vendor', license: 0, change: 'expire' }, 0),
      step({ do: 'vendor', license: 0, change: 'close' }, 0),
      step({ do: 'kill', who: 'one', survives: 'nothing' }),
      step({ do: 'set-clock', who: 'one', ms: -400 * dayMs }, 0),
      step({ do: 'cancel', who: 'one' }),
      step({ do: 'elapse', ms: dayMs }),
    ],
    fates: [{ kind: 'status', status: 400, isJson: true }],
  },
  'seats that were taken while the disk was full become one at the next activation': {
    steps: [step({ do: 'disk', who: 'two', works: false }, 0), step(activate(1, 'two'))],
    fates: [{ kind: 'served' }, { kind: 'late' }],
  },
  'a license that is suspended while it is activated again is suspended at once': {
    isActivated: true,
    steps: [
      step(activate(0), 0),
      step({ do: 'vendor', license: 0, change: 'suspend' }, 7),
      step({ do: 'elapse', ms: 60_000 }, 10),
    ],
    fates: [{ kind: 'served' }, { kind: 'status', status: 400, isJson: true }],
  },
  'a seat taken behind a proxy that refused everything is not forgotten': {
    steps: [
      step(activate(0), 0),
      step({ do: 'launch', who: 'one' }, 3),
      step({ do: 'devices', who: 'one' }, 0),
    ],
    fates: [
      { kind: 'status', status: 400, isJson: true },
      { kind: 'status-after', status: 403 },
    ],
  },
}

describe('earlier random findings do not come back', () => {
  test.each(Object.entries(stories))('%s', async (_name, story) => {
    const whole: Story = { isActivated: false, fates: [], turns: [], ...story }
    expect(
      await playStory(whole, { processes: ['one', 'two'], diskFails: true, listingMayBeRefused: true }),
    ).toEqual([])
  })
})
