import { expect, test } from 'vitest'
import { type AppWindow, askWhenLost, type GateOptions } from '../../../src/main/window/gate.ts'
import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import { bareStates } from '../../doubles/bare-states.ts'
import { createFakeClock } from '../../doubles/fake-clock.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'

const { revoked: lost, active: entitled } = bareStates
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** An app that was let in, and what happens to it, in order. */
function runningApp(options: Partial<GateOptions> = {}, hasAppWindow = true) {
  const events: string[] = []
  const logger = createRecordingLogger()
  const clock = createFakeClock()
  const stateListeners = new Set<(state: LicensingState, previous: LicensingState) => void>()
  const closedListeners = new Set<() => void>()
  const appWindow: AppWindow = {
    isVisible: () => true,
    once() {},
    close: () => void events.push('close the app’s windows'),
  }
  let current = entitled
  const stop = askWhenLost(
    { whenEntitled: () => void events.push('whenEntitled'), ...options },
    {
      start: async () => current,
      subscribe: (listener) => {
        stateListeners.add(listener)
        return () => void stateListeners.delete(listener)
      },
      openWindow: async () => void events.push('open'),
      window: {
        close: () => void events.push('close'),
        hold: () => () => {},
        isOpen: false,
        isShown: false,
        onClosed: (listener) => {
          closedListeners.add(listener)
          return () => void closedListeners.delete(listener)
        },
      },
      appWindows: () => (hasAppWindow ? [appWindow] : []),
      after: clock.after,
      onSummoned: () => () => {},
      quit: () => void events.push('quit'),
      showWindowError: async () => {},
      logger,
    },
  )
  return {
    events,
    logger,
    stop,
    become: async (next: LicensingState) => {
      const previous = current
      current = next
      for (const listener of [...stateListeners]) listener(next, previous)
      await settled()
    },
    userCloses: async () => {
      for (const listener of [...closedListeners]) listener()
      await settled()
    },
    listeners: () => stateListeners.size + closedListeners.size,
  }
}

test('a lost license opens the activation window beside the app, and its return closes it', async () => {
  const app = runningApp()
  await app.become(lost)
  expect(app.events).toEqual(['open'])
  await app.become(entitled)
  expect(app.events).toEqual(['open', 'close'])
})

test('a computer that was set up from another one loses the app’s windows behind the activation window', async () => {
  const app = runningApp()
  const problem = {
    code: 'record-of-another-device',
    message: '',
    isRetryable: false,
    occurredAt: '',
  } as const
  await app.become({ ...lost, problem })
  expect(app.events.slice(0, 2)).toEqual(['open', 'close the app’s windows'])
})

test('closing the question does not quit the app', async () => {
  const app = runningApp()
  await app.become(lost)
  await app.userCloses()
  expect(app.events).toEqual(['open'])
})

test('an app without a window left opens again with its license', async () => {
  const app = runningApp({}, false)
  await app.become(lost)
  await app.become(entitled)
  expect(app.events).toEqual(['open', 'whenEntitled', 'close'])
})

test('a license that is lost twice opens the window twice', async () => {
  const app = runningApp()
  await app.become(lost)
  await app.become(entitled)
  await app.become(lost)
  expect(app.events).toEqual(['open', 'close', 'open'])
})

test('an app with a whenLost of its own decides for itself', async () => {
  const app = runningApp({ whenLost: (state) => void app.events.push(`lost: ${state.status}`) })
  await app.become(lost)
  expect(app.events).toEqual(['lost: revoked'])
})

test('a whenLost gets the problem, once the operation that noticed the loss has ended', async () => {
  const app = runningApp({
    whenLost: ({ status, problem }) => void app.events.push(`lost: ${status}, ${problem?.code}`),
  })
  const checking = { ...lost, activity: 'validating' as const }
  const problem = {
    code: 'moved-to-another-device',
    message: '',
    isRetryable: false,
    occurredAt: '',
  } as const
  await app.become(checking)
  await app.become({ ...checking, problem })
  expect(app.events).toEqual([])
  await app.become({ ...lost, problem })
  await app.become({ ...lost, problem: null })
  expect(app.events).toEqual(['lost: revoked, moved-to-another-device'])
})

test('a license that is back before the operation has ended was not lost', async () => {
  const app = runningApp({ whenLost: () => void app.events.push('lost') })
  await app.become({ ...lost, activity: 'validating' })
  await app.become(entitled)
  expect(app.events).toEqual([])
})

test('a whenLost that fails is written to the log and does not stop the app', async () => {
  const app = runningApp({
    whenLost: () => {
      throw new Error('no such window')
    },
  })
  await app.become(lost)
  expect(app.logger.lines.join()).toMatch(/error whenLost failed at the gate: Error: no such window/)
})

test('a gate that was removed no longer asks', async () => {
  const app = runningApp()
  await app.become(lost)
  app.stop()
  expect(app.listeners()).toBe(0)
  await app.become(entitled)
  await app.become(lost)
  expect(app.events).toEqual(['open'])
})
