import { EventEmitter } from 'node:events'
import type { BrowserWindow } from 'electron'
import { describe, expect, test } from 'vitest'
import {
  type ActivationWindowView,
  createActivationWindow,
} from '../../../src/main/window/activation-window.ts'
import { createGates, type GateOptions } from '../../../src/main/window/gate.ts'
import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import { licensingState } from '../../../src/testing/fake-state.ts'
import { createFakeClock } from '../../doubles/fake-clock.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'

const locked = licensingState()
const entitled = licensingState({ status: 'active' })
const lost = licensingState({ status: 'revoked' })
const releaseCode = { maskedKey: '1f0a••••9c1d', text: 'code', link: 'https://licensing.example.com/#code' }
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A window as far as a gate needs it, visible at once. */
class WindowDouble extends EventEmitter {
  isShown = true
  readonly webContents = { id: 7 }
  isVisible = () => this.isShown
  isMinimized = () => false
  focus = () => {}
  destroy = () => void this.emit('closed')
  close = () => {
    let isPrevented = false
    this.emit('close', { preventDefault: () => (isPrevented = true) })
    if (!isPrevented) this.destroy()
  }
}

function isWindow(double: unknown): double is BrowserWindow {
  return double instanceof WindowDouble
}

function hiddenWindow(): WindowDouble {
  return Object.assign(new WindowDouble(), { isShown: false })
}

/** What surrounds an app, each with a default that just works. */
interface Surroundings extends Partial<GateOptions> {
  /** @default one that is visible */
  readonly appWindows?: WindowDouble[]
  /** Runs before licensing has started. */
  readonly start?: () => unknown
  /** Runs before the activation window is loaded. */
  readonly load?: () => unknown
}

/** An app at its gate. What happens is kept in order; `open` and `close` are the activation window's. */
function appAtGate(first: LicensingState, surroundings: Surroundings = {}) {
  const { appWindows = [new WindowDouble()], start, load, whenEntitled, ...options } = surroundings
  const events: string[] = []
  const stateListeners = new Set<(state: LicensingState, previous: LicensingState) => void>()
  const summonedListeners = new Set<() => void>()
  const logger = createRecordingLogger()
  const clock = createFakeClock()
  let current = first
  let isQuitting = false
  let activation = new WindowDouble()
  for (const window of [...appWindows]) {
    window.once('closed', () => {
      appWindows.splice(appWindows.indexOf(window), 1)
      events.push('the app’s window closes')
    })
  }
  const listen =
    <Listener>(listeners: Set<Listener>) =>
    (listener: Listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  const view: ActivationWindowView = {
    create() {
      const created = new WindowDouble()
      activation = created
      events.push('open')
      created.once('closed', () => events.push('close'))
      if (!isWindow(created)) throw new Error('never')
      return created
    },
    show: async () => {},
  }
  const window = createActivationWindow({
    isQuitting: () => isQuitting,
    whenStaying: async () => {},
    async loadView() {
      events.push('load')
      await load?.()
      return view
    },
  })
  const open = () => window.open(() => ({ title: 'Notes', parent: undefined, isNews: false }))
  const gate = createGates({
    async start() {
      await start?.()
      return current
    },
    subscribe: listen(stateListeners),
    openWindow: open,
    window,
    appWindows: () => [...appWindows],
    onEntered: () => void events.push('entered'),
    after: clock.after,
    onSummoned: listen(summonedListeners),
    quit: () => void events.push('quit'),
    showWindowError: async (error) => void events.push(`told of ${String(error)}`),
    logger,
  })
  const leave = gate({
    ...options,
    whenEntitled(state) {
      events.push('whenEntitled')
      return whenEntitled?.(state)
    },
  })
  const then = async (act: () => unknown): Promise<void> => {
    await act()
    await settled()
  }
  return {
    /** What happened, without the loading of the window. */
    happened: () => events.filter((event) => event !== 'load'),
    loads: () => events.filter((event) => event === 'load').length,
    forget: () => void events.splice(0),
    lines: logger.lines,
    window,
    open,
    leave,
    tell: (state: LicensingState) =>
      then(() => {
        const previous = current
        current = state
        for (const listener of [...stateListeners]) listener(state, previous)
      }),
    /** Clicks Continue. */
    userGoesOn: () => then(window.leave),
    userCloses: () => then(() => activation.close()),
    userMinimizes: () => Object.assign(activation, { isShown: false }),
    quit: () =>
      then(() => {
        isQuitting = true
        activation.close()
      }),
    summon: () =>
      then(() => {
        for (const listener of [...summonedListeners]) listener()
      }),
    pass: (durationMs: number) => then(() => clock.advance(durationMs)),
    listeners: () => clock.waiting.length + stateListeners.size + summonedListeners.size,
  }
}

type App = ReturnType<typeof appAtGate>

/** An app that asks for a key, since it isn't entitled. */
async function askingApp(surroundings?: Surroundings): Promise<App> {
  const app = appAtGate(locked, surroundings)
  await settled()
  return app
}

/** An app whose user has activated, and looks at the success screen. */
async function activatedApp(surroundings?: Surroundings): Promise<App> {
  const app = await askingApp(surroundings)
  await app.tell(entitled)
  return app
}

/** An app that was entitled at its launch, and is open. */
async function runningApp(surroundings?: Surroundings): Promise<App> {
  const app = appAtGate(entitled, surroundings)
  await settled()
  app.forget()
  return app
}

/** The app's own window, which is ready when the test says so. */
function slowWindow() {
  let isReady = (): void => {}
  const whenEntitled = () => new Promise<void>((resolve) => (isReady = resolve))
  return {
    whenEntitled,
    async ready() {
      isReady()
      await settled()
    },
  }
}

test('an app that is entitled opens at once, counts as open when whenEntitled has settled, and leaves the activation window alone', async () => {
  const { whenEntitled, ready } = slowWindow()
  const app = appAtGate(entitled, { whenEntitled })
  await settled()
  expect(app.happened()).toEqual(['whenEntitled'])
  await ready()
  expect(app.happened()).toEqual(['whenEntitled', 'entered'])
  expect(app.loads()).toBe(0)
  await app.open()
  await app.tell({ ...entitled, activity: 'validating' })
  expect(app.window.isOpen).toBe(true)
})

describe('an app that is not entitled', () => {
  test('asks for activation, then opens, and only then closes the activation window', async () => {
    const { whenEntitled, ready } = slowWindow()
    const app = await askingApp({ whenEntitled })
    await app.tell({ ...locked, activity: 'activating' })
    expect(app.happened()).toEqual(['open'])
    await app.tell(entitled)
    await app.userGoesOn()
    expect(app.happened()).toEqual(['open', 'whenEntitled'])
    await ready()
    expect(app.happened()).toEqual(['open', 'whenEntitled', 'close'])
  })

  test.each<[string, (window: WindowDouble, app: App) => unknown]>([
    ['can be seen', (window) => window.emit('show')],
    ['has gone', (window) => window.emit('closed')],
    ['has stayed hidden for three seconds', (_window, app) => app.pass(1)],
  ])('keeps the activation window until a window of the app %s', async (_what, act) => {
    const window = hiddenWindow()
    const app = await activatedApp({ appWindows: [window] })
    await app.userGoesOn()
    await app.pass(2_999)
    expect(app.happened()).toEqual(['open', 'whenEntitled'])
    await act(window, app)
    await settled()
    expect(app.happened()).toContain('close')
    expect(app.lines).toEqual([])
  })

  test('that opens no window either says so in the log', async () => {
    const app = await activatedApp({ appWindows: [] })
    await app.userGoesOn()
    expect(app.happened()).toEqual(['open', 'whenEntitled', 'close'])
    expect(app.lines).toEqual([expect.stringMatching(/^warn whenEntitled opened no window/u)])
  })

  test('keeps the activation window if the user continues twice or closes it, but not forever', async () => {
    const app = await activatedApp({ whenEntitled: () => new Promise(() => {}) })
    await app.userGoesOn()
    await app.userGoesOn()
    await app.userCloses()
    expect(app.happened()).toEqual(['open', 'whenEntitled'])
    await app.pass(10_000)
    await app.userCloses()
    expect(app.happened()).toEqual(['open', 'whenEntitled', 'close'])
  })

  test('keeps the activation window for a user who is signed out while the app opens', async () => {
    const { whenEntitled, ready } = slowWindow()
    const app = await activatedApp({ whenEntitled })
    await app.userGoesOn()
    await app.tell(locked)
    await ready()
    expect(app.happened()).not.toContain('close')
    await app.userCloses()
    expect(app.happened()).toContain('close')
  })

  test('opens once, however often it is told', async () => {
    const app = await askingApp()
    await Promise.all([app.tell(entitled), app.tell(entitled)])
    await app.pass(2_500)
    expect(app.happened().filter((event) => event === 'whenEntitled')).toHaveLength(1)
  })

  test('that fails to open logs it, and its activation window closes', async () => {
    const whenEntitled = () => {
      throw new Error('no such page')
    }
    const app = await activatedApp({ whenEntitled })
    await app.userGoesOn()
    expect(app.happened()).toEqual(['open', 'whenEntitled', 'close'])
    expect(app.lines.join()).toMatch(/error whenEntitled failed at the gate: Error: no such page/)
  })

  test('quits when the user closes the activation window', async () => {
    const app = await askingApp()
    await app.userCloses()
    expect(app.happened()).toEqual(['open', 'close', 'quit'])
  })

  test.each([
    ['asks for a key', askingApp],
    ['shows the success screen', activatedApp],
  ])('that quits while it %s was not dismissed', async (_what, make) => {
    const app = await make()
    await app.quit()
    expect(app.happened()).toEqual(['open', 'close'])
  })

  test('does what the developer wants instead, asks again when it is called to the front, and still opens', async () => {
    const app = await askingApp({ whenDismissed: () => {} })
    await app.userCloses()
    expect(app.happened()).toEqual(['open', 'close'])
    await app.summon()
    expect(app.happened()).toEqual(['open', 'close', 'open'])
    await app.userCloses()
    await app.tell(entitled)
    expect(app.happened()).toContain('whenEntitled')
  })
})

describe.each(['start', 'load'] as const)('an app whose licensing fails to %s', (step) => {
  const failing = (times: number) => () => {
    times -= 1
    if (times >= 0) throw new Error('no such file')
  }
  const told = 'told of Error: no such file'

  test('tells the user and quits, instead of staying without any window', async () => {
    const app = await askingApp({ [step]: failing(1) })
    expect(app.happened()).toEqual([told, 'quit'])
    expect(app.lines.join()).toMatch(
      /error (?:Starting licensing|Opening the activation window) failed at the gate: Error/u,
    )
  })

  test('tries again when the user comes back to an app that stays open', async () => {
    const app = await askingApp({ [step]: failing(2), whenDismissed: () => {} })
    await app.summon()
    expect(app.happened()).toEqual([told, told])
    await app.summon()
    expect(app.happened()).toEqual([told, told, 'open'])
  })
})

describe('the success screen', () => {
  test('stays until the user continues', async () => {
    const app = await activatedApp()
    expect(app.happened()).toEqual(['open'])
    await app.userGoesOn()
    expect(app.happened()).toEqual(['open', 'whenEntitled', 'close'])
    await app.pass(2_500)
    expect(app.happened()).toEqual(['open', 'whenEntitled', 'close'])
  })

  test('closes by itself after a moment, counted from when it appeared', async () => {
    const app = await activatedApp()
    await app.pass(1_500)
    await app.tell({ ...entitled, activity: 'validating' })
    await app.pass(1_000)
    expect(app.happened()).toEqual(['open', 'whenEntitled', 'close'])
  })

  const withProblem = (problem: 'seat-may-be-taken' | 'store-not-writable' | 'disk-full') =>
    licensingState({ status: 'active', problem })
  const withCode = { ...entitled, releaseCodes: [releaseCode] }

  test.each([
    ['a release code', [withCode]],
    ['a release code that comes a moment later', [entitled, withCode]],
    ['an earlier seat that may be taken', [withProblem('seat-may-be-taken')]],
    ['a folder that is not writable', [withProblem('store-not-writable')]],
    ['a full disk', [withProblem('disk-full')]],
  ])('stays while it shows %s', async (_what, states) => {
    const app = await askingApp()
    for (const state of states) await app.tell(state)
    await app.pass(600_000)
    expect(app.happened()).toEqual(['open'])
    await app.userGoesOn()
    expect(app.happened()).toEqual(['open', 'whenEntitled', 'close'])
  })

  test('goes on by itself once the seat of a shown release code has been freed', async () => {
    const app = await askingApp()
    await app.tell(withCode)
    await app.pass(600_000)
    await app.tell(entitled)
    expect(app.happened()).toEqual(['open'])
    await app.pass(2_500)
    expect(app.happened()).toEqual(['open', 'whenEntitled', 'close'])
  })

  test('doesn’t delay the app if it isn’t visible', async () => {
    const app = await askingApp()
    app.userMinimizes()
    await app.tell(entitled)
    expect(app.happened()).toEqual(['open', 'whenEntitled', 'close'])
  })

  test('doesn’t open the app if the user deactivates there, and the window stays open', async () => {
    const app = await activatedApp()
    await app.tell(locked)
    await app.pass(2_500)
    expect(app.happened()).toEqual(['open'])
    await app.userCloses()
    expect(app.happened()).toEqual(['open', 'close', 'quit'])
  })

  test('that the app has destroyed goes on by itself, too', async () => {
    const app = await activatedApp()
    app.window.close()
    await app.pass(2_500)
    expect(app.happened()).toEqual(['open', 'close', 'whenEntitled'])
  })
})

describe('a license that is lost while the app runs', () => {
  test('opens the activation window beside the app each time, and its return closes it', async () => {
    const app = await runningApp()
    for (const _time of [1, 2]) {
      await app.tell(lost)
      expect(app.happened()).toEqual(['open'])
      await app.tell(entitled)
      await app.pass(2_500)
      expect(app.happened()).toEqual(['open', 'close'])
      app.forget()
    }
  })

  test('on a computer that was set up from another one closes the app’s windows behind the activation window', async () => {
    const app = await runningApp()
    await app.tell(licensingState({ status: 'revoked', problem: 'record-of-another-device' }))
    expect(app.happened()).toEqual(['open', 'the app’s window closes'])
  })

  test('doesn’t quit the app when the user closes the question', async () => {
    const app = await runningApp()
    await app.tell(lost)
    await app.userCloses()
    expect(app.happened()).toEqual(['open', 'close'])
  })

  test('opens an app again that has no window left', async () => {
    const app = await runningApp({ appWindows: [] })
    await app.tell(lost)
    await app.tell(entitled)
    await app.pass(2_500)
    expect(app.happened()).toEqual(['open', 'whenEntitled', 'close'])
  })

  test('is left to a whenLost, which gets the problem once the operation that noticed it has ended', async () => {
    const told: string[] = []
    const app = await runningApp({
      whenLost: ({ status, problem }) => void told.push(`${status}, ${problem?.code}`),
    })
    const moved = licensingState({ status: 'revoked', problem: 'moved-to-another-device' })
    await app.tell({ ...lost, activity: 'validating' })
    await app.tell({ ...moved, activity: 'validating' })
    expect(told).toEqual([])
    await app.tell(moved)
    await app.tell(lost)
    expect(told).toEqual(['revoked, moved-to-another-device'])
    expect(app.happened()).toEqual([])
    // One that is back before the operation has ended was not lost.
    await app.tell(entitled)
    await app.tell({ ...lost, activity: 'validating' })
    await app.tell(entitled)
    expect(told).toHaveLength(1)
  })

  test('is logged if whenLost fails', async () => {
    const whenLost = () => {
      throw new Error('no such window')
    }
    const app = await runningApp({ whenLost })
    await app.tell(lost)
    expect(app.lines.join()).toMatch(/error whenLost failed at the gate: Error: no such window/)
  })
})

describe('a gate that is removed does nothing more, and keeps the window', () => {
  test.each<[string, () => Promise<App>]>([
    ['before licensing has started', async () => appAtGate(entitled)],
    [
      'before licensing has failed to start',
      async () => appAtGate(entitled, { start: () => Promise.reject() }),
    ],
    ['while it asks for a key', askingApp],
    ['while it shows the success screen', activatedApp],
    ['while the app runs', runningApp],
    [
      'while it asks for a lost license',
      async () => {
        const app = await runningApp()
        await app.tell(lost)
        return app
      },
    ],
  ])('%s', async (_when, make) => {
    const app = await make()
    const before = app.happened()
    app.leave()
    expect(app.listeners()).toBe(0)
    await app.tell(entitled)
    await app.tell(lost)
    await app.summon()
    expect(app.happened()).toEqual(before)
    expect(app.listeners()).toBe(0)
  })
})

describe('an activation window', () => {
  test('is loaded and created once, even if two callers open it at the same time', async () => {
    const app = await runningApp()
    expect(app.window.isOpen).toBe(false)
    await Promise.all([app.open(), app.open()])
    expect([app.loads(), app.happened()]).toEqual([1, ['open']])
    expect([app.window.isOpen, app.window.isShown, app.window.owns(7)]).toEqual([true, true, true])
  })

  test.each(['close', 'leave'] as const)('that gets a %s while it loads never appears', async (verb) => {
    const app = await runningApp()
    const opened = app.open()
    app.window[verb]()
    await opened
    expect(app.happened()).toEqual([])
    await app.open()
    expect(app.happened()).toEqual(['open'])
  })
})
