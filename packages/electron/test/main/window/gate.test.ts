import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { describeProblem } from '../../../src/core/problem.ts'
import { type AppWindow, openGate } from '../../../src/main/window/gate.ts'
import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import { bareStates } from '../../doubles/bare-states.ts'
import { createFakeClock } from '../../doubles/fake-clock.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'

const { unlicensed: locked, active: entitled } = bareStates
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function appWindow(isVisible = false) {
  return Object.assign(new EventEmitter(), { isVisible: () => isVisible, close: () => {} })
}

/** An app at its gate: what happened is kept in order. */
function appAtGate(
  first: LicensingState,
  options: {
    whenEntitled?: () => unknown
    whenDismissed?: () => unknown
    openWindow?: () => unknown
    /** @default one that is visible */
    appWindows?: () => readonly AppWindow[]
    start?: () => Promise<void>
  } = {},
) {
  const events: string[] = []
  const stateListeners = new Set<(state: LicensingState, previous: LicensingState) => void>()
  const closedListeners = new Set<() => void>()
  const summonedListeners = new Set<() => void>()
  const logger = createRecordingLogger()
  const clock = createFakeClock()
  let current = first
  let isShown = false
  let held: (() => void) | null = null
  const listen =
    <Listener>(listeners: Set<Listener>) =>
    (listener: Listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    }
  const leave = openGate(
    {
      whenEntitled() {
        events.push('whenEntitled')
        return options.whenEntitled?.()
      },
      ...(options.whenDismissed === undefined ? {} : { whenDismissed: options.whenDismissed }),
    },
    {
      start: async () => {
        await options.start?.()
        return current
      },
      subscribe: listen(stateListeners),
      openWindow: async () => {
        options.openWindow?.()
        isShown = true
        events.push('open')
      },
      window: {
        close: () => void events.push('close'),
        isOpen: true,
        get isShown() {
          return isShown
        },
        hold(onLeft) {
          held = onLeft
          return () => {
            held = null
          }
        },
        onClosed: listen(closedListeners),
      },
      appWindows: options.appWindows ?? (() => [appWindow(true)]),
      onEntered: () => void events.push('entered'),
      after: clock.after,
      onSummoned: listen(summonedListeners),
      quit: () => void events.push('quit'),
      showWindowError: async (error) => void events.push(`told of ${String(error)}`),
      logger,
    },
  )
  const pass = async (durationMs: number): Promise<void> => {
    await clock.advance(durationMs)
    await settled()
  }
  return {
    events,
    logger,
    leave,
    tell: async (state: LicensingState) => {
      current = state
      for (const listener of [...stateListeners]) listener(state, state)
      await settled()
    },
    /** Clicks Continue, or closes the window. */
    userGoesOn: async () => {
      held?.()
      await settled()
    },
    /** Looks at the words for as long as they stay. */
    userLooksOn: () => pass(2_500),
    pass,
    isHeld: () => held !== null,
    minimise: () => {
      isShown = false
    },
    userCloses: async () => {
      isShown = false
      for (const listener of [...closedListeners]) listener()
      await settled()
    },
    summon: async () => {
      for (const listener of [...summonedListeners]) listener()
      await settled()
    },
    listeners: () =>
      clock.waiting.length + stateListeners.size + closedListeners.size + summonedListeners.size,
  }
}

describe('an app that is entitled at launch', () => {
  test('opens at once, and no activation window is ever opened', async () => {
    const app = appAtGate(entitled)
    await settled()
    expect(app.events).toEqual(['whenEntitled', 'entered'])
    expect(app.listeners()).toBe(0)
  })

  test('counts as open once whenEntitled has settled', async () => {
    let isMainWindowReady = () => {}
    const whenEntitled = () => new Promise<void>((resolve) => (isMainWindowReady = resolve))
    const app = appAtGate(entitled, { whenEntitled })
    await settled()
    expect(app.events).toEqual(['whenEntitled'])
    isMainWindowReady()
    await settled()
    expect(app.events).toEqual(['whenEntitled', 'entered'])
  })
})

describe('an app that is not', () => {
  test.each([
    [false, [expect.stringMatching(/^warn whenEntitled opened no window/u)]],
    [true, []],
  ])('says in the log if the app has no window then (has one: %s)', async (hasAppWindow, lines) => {
    const app = appAtGate(locked, { appWindows: () => (hasAppWindow ? [appWindow(true)] : []) })
    await settled()
    await app.tell(entitled)
    await app.userGoesOn()
    expect(app.logger.lines).toEqual(lines)
    expect(app.events).toEqual(['open', 'whenEntitled', 'close'])
  })

  test('says nothing if the app closes its window before it is visible', async () => {
    const windows = [appWindow()]
    const app = appAtGate(locked, { appWindows: () => [...windows] })
    await settled()
    await app.tell(entitled)
    await app.userGoesOn()
    windows.pop()?.emit('closed')
    await settled()
    expect(app.logger.lines).toEqual([])
  })

  test('asks for activation, then opens, and only then closes the activation window', async () => {
    let isMainWindowReady = () => {}
    const whenEntitled = () => new Promise<void>((resolve) => (isMainWindowReady = resolve))
    const app = appAtGate(locked, { whenEntitled })
    await settled()
    expect(app.events).toEqual(['open'])
    await app.tell(entitled)
    await app.userGoesOn()
    expect(app.events).toEqual(['open', 'whenEntitled'])
    isMainWindowReady()
    await settled()
    expect(app.events).toEqual(['open', 'whenEntitled', 'close'])
  })

  test('keeps the activation window until the window of the app can be seen', async () => {
    const window = appWindow()
    const app = appAtGate(locked, { appWindows: () => [window] })
    await settled()
    await app.tell(entitled)
    await app.userGoesOn()
    expect(app.events).toEqual(['open', 'whenEntitled'])
    window.emit('show')
    await settled()
    expect(app.events).toEqual(['open', 'whenEntitled', 'close'])
  })

  test('closes the activation window although the app’s own stays hidden', async () => {
    const app = appAtGate(locked, { appWindows: () => [appWindow(), appWindow()] })
    await settled()
    await app.tell(entitled)
    await app.userGoesOn()
    await app.pass(2_999)
    expect(app.events).toEqual(['open', 'whenEntitled'])
    await app.pass(1)
    expect(app.events).toEqual(['open', 'whenEntitled', 'close'])
  })

  test('keeps it if the user continues twice or closes it, and drops it if the app never opens', async () => {
    const app = appAtGate(locked, { whenEntitled: () => new Promise(() => {}) })
    await settled()
    await app.tell(entitled)
    await app.userGoesOn()
    expect(app.isHeld()).toBe(true)
    await app.userGoesOn()
    expect(app.events).toEqual(['open', 'whenEntitled'])
    await app.pass(10_000)
    expect(app.isHeld()).toBe(false)
    expect(app.events).toEqual(['open', 'whenEntitled'])
  })

  test('keeps the activation window for a user who is signed out while the app opens', async () => {
    let isMainWindowReady = () => {}
    const whenEntitled = () => new Promise<void>((resolve) => (isMainWindowReady = resolve))
    const app = appAtGate(locked, { whenEntitled })
    await settled()
    await app.tell(entitled)
    await app.userGoesOn()
    await app.tell(locked)
    isMainWindowReady()
    await settled()
    expect(app.events).toEqual(['open', 'whenEntitled'])
    expect(app.isHeld()).toBe(false)
  })

  test('opens once, however often it is called', async () => {
    const app = appAtGate(locked)
    await settled()
    await Promise.all([app.tell(entitled), app.tell(entitled)])
    await app.userLooksOn()
    await app.tell(locked)
    await app.tell(entitled)
    await app.userLooksOn()
    expect(app.events.filter((event) => event === 'whenEntitled')).toHaveLength(1)
  })

  test('stays shut while news brings no entitlement', async () => {
    const app = appAtGate(locked)
    await settled()
    await app.tell({ ...locked, activity: 'activating' })
    expect(app.events).toEqual(['open'])
  })

  test('quits when the user closes the activation window', async () => {
    const app = appAtGate(locked)
    await settled()
    await app.userCloses()
    expect(app.events).toEqual(['open', 'quit'])
  })

  test('does what the developer wants instead, and still opens when an activation arrives late', async () => {
    const dismissed: string[] = []
    const app = appAtGate(locked, { whenDismissed: () => dismissed.push('dismissed') })
    await settled()
    await app.userCloses()
    expect(dismissed).toEqual(['dismissed'])
    expect(app.events).toEqual(['open'])
    await app.tell(entitled)
    expect(app.events).toContain('whenEntitled')
  })

  test('is notified if no activation window can be opened, and doesn’t keep running invisibly', async () => {
    const app = appAtGate(locked, {
      openWindow: () => {
        throw new Error('no space left')
      },
    })
    await settled()
    expect(app.events).toEqual(['told of Error: no space left', 'quit'])
    expect(app.logger.lines.join()).toMatch(/error Opening the activation window failed at the gate: Error/)
  })

  test('called to the front it shows the activation window again', async () => {
    const app = appAtGate(locked, { whenDismissed: () => {} })
    await settled()
    await app.userCloses()
    await app.summon()
    expect(app.events).toEqual(['open', 'open'])
  })
})

describe('licensing that cannot start', () => {
  const failing = (times: number) => {
    let left = times
    return async () => {
      left -= 1
      if (left >= 0) throw new Error('no such file')
    }
  }

  test('tells the user and quits, instead of leaving an app without any window', async () => {
    const app = appAtGate(entitled, { start: failing(1) })
    await settled()
    expect(app.events).toEqual(['told of Error: no such file', 'quit'])
    expect(app.logger.lines.join()).toMatch(/error Starting licensing failed at the gate: Error/)
  })

  test('is tried again when the user comes back to an app that stays open', async () => {
    const app = appAtGate(entitled, { start: failing(2), whenDismissed: () => {} })
    await settled()
    await app.summon()
    expect(app.events).toEqual(['told of Error: no such file', 'told of Error: no such file'])
    await app.summon()
    expect(app.events.slice(2)).toEqual(['whenEntitled', 'entered'])
    expect(app.listeners()).toBe(0)
  })

  test('does nothing once the gate was removed', async () => {
    const app = appAtGate(entitled, { start: failing(1) })
    app.leave()
    await settled()
    expect(app.events).toEqual([])
    expect(app.listeners()).toBe(0)
  })
})

describe('the success screen', () => {
  test('stays until the user continues, and nothing else opens', async () => {
    const app = appAtGate(locked)
    await settled()
    await app.tell(entitled)
    expect(app.events).toEqual(['open'])
    expect(app.isHeld()).toBe(true)
    await app.userGoesOn()
    expect(app.events).toEqual(['open', 'whenEntitled', 'close'])
    expect(app.isHeld()).toBe(false)
    await app.userLooksOn()
    expect(app.events).toEqual(['open', 'whenEntitled', 'close'])
  })

  test('closes by itself after a moment, counted from when it appeared', async () => {
    const app = appAtGate(locked)
    await settled()
    await app.tell(entitled)
    await app.tell({ ...entitled, activity: 'validating' })
    await app.userLooksOn()
    expect(app.events).toEqual(['open', 'whenEntitled', 'close'])
  })

  test('stays while it shows a release code, which may come a moment later', async () => {
    const code = { maskedKey: '1f0a••••9c1d', text: 'code', link: 'https://licensing.example.com/#code' }
    for (const states of [[{ releaseCodes: [code] }], [{}, { releaseCodes: [code] }]]) {
      const app = appAtGate(locked)
      await settled()
      for (const more of states) await app.tell({ ...entitled, ...more })
      await app.pass(600_000)
      expect(app.events).toEqual(['open'])
      await app.userGoesOn()
      expect(app.events).toEqual(['open', 'whenEntitled', 'close'])
      expect(app.listeners()).toBe(0)
    }
  })

  test('goes on by itself once the seat of a shown release code has been freed', async () => {
    const code = { maskedKey: '1f0a••••9c1d', text: 'code', link: 'https://licensing.example.com/#code' }
    const app = appAtGate(locked)
    await settled()
    await app.tell({ ...entitled, releaseCodes: [code] })
    await app.pass(600_000)
    await app.tell(entitled)
    expect(app.events).toEqual(['open'])
    await app.pass(2_500)
    expect(app.events).toEqual(['open', 'whenEntitled', 'close'])
  })

  test.each(['seat-may-be-taken', 'store-not-writable', 'disk-full'] as const)(
    'stays while it says what the user can do something about: %s',
    async (code) => {
      const problem = describeProblem({ code }, 0)
      const app = appAtGate(locked)
      await settled()
      await app.tell({ ...entitled, problem })
      await app.pass(600_000)
      expect(app.events).toEqual(['open'])
      await app.userGoesOn()
      expect(app.events).toEqual(['open', 'whenEntitled', 'close'])
    },
  )

  test('doesn’t delay the app if it isn’t visible', async () => {
    const app = appAtGate(locked)
    await settled()
    app.minimise()
    await app.tell(entitled)
    expect(app.events).toEqual(['open', 'whenEntitled', 'close'])
  })

  test('doesn’t open the app if the user deactivates there, and the window stays open', async () => {
    const app = appAtGate(locked)
    await settled()
    await app.tell(entitled)
    await app.tell(locked)
    expect(app.isHeld()).toBe(false)
    await app.userLooksOn()
    expect(app.events).toEqual(['open'])
    await app.userCloses()
    expect(app.events).toEqual(['open', 'quit'])
  })

  test('ends with the app: quitting isn’t a dismissal, and removing the gate releases the window', async () => {
    const app = appAtGate(locked)
    await settled()
    await app.tell(entitled)
    await app.userCloses()
    expect(app.events).toEqual(['open'])
    app.leave()
    expect(app.isHeld()).toBe(false)
    expect(app.listeners()).toBe(0)
  })
})

describe('once the app is open', () => {
  test('losing the license closes and opens nothing, and no listener is left', async () => {
    const app = appAtGate(locked)
    await settled()
    await app.tell(entitled)
    await app.userLooksOn()
    const before = [...app.events]
    await app.tell(locked)
    await app.userCloses()
    await app.summon()
    expect(app.events).toEqual(before)
    expect(app.listeners()).toBe(0)
  })
})

describe('a gate that is removed', () => {
  test('doesn’t open the app, and keeps the window', async () => {
    const app = appAtGate(locked)
    await settled()
    app.leave()
    await app.tell(entitled)
    await app.userCloses()
    expect(app.events).toEqual(['open'])
  })

  test('before licensing has started does nothing at all', async () => {
    const app = appAtGate(entitled)
    app.leave()
    await settled()
    expect(app.events).toEqual([])
  })
})

test('an app that fails to open logs it, and its activation window closes eventually', async () => {
  const app = appAtGate(locked, {
    whenEntitled: () => {
      throw new Error('no such page')
    },
  })
  await settled()
  await app.tell(entitled)
  await app.userGoesOn()
  expect(app.events).toEqual(['open', 'whenEntitled', 'close'])
  expect(app.logger.lines.join()).toMatch(/error whenEntitled failed at the gate: Error: no such page/)
})
