import { EventEmitter } from 'node:events'
import type { BrowserWindow } from 'electron'
import { describe, expect, test } from 'vitest'
import {
  type ActivationWindowView,
  createActivationWindow,
} from '../../../src/main/window/activation-window.ts'

const appearance = { title: 'Notes', parent: undefined, isNews: false }

/** A window that can be seen at once. */
class WindowDouble extends EventEmitter {
  readonly webContents = { id: 7 }
  isVisible = () => true
  isMinimized = () => false
  focus = () => {}
  destroy = () => this.emit('closed')
}

function isWindow(double: unknown): double is BrowserWindow {
  return double instanceof WindowDouble
}

function appWithWindow() {
  const created: WindowDouble[] = []
  /** What showing does. @default nothing */
  const loads: { finish: () => void; fail: (error: Error) => void }[] = []
  const view: ActivationWindowView = {
    create() {
      const double = new WindowDouble()
      created.push(double)
      if (!isWindow(double)) throw new Error('never')
      return double
    },
    show: async () => {},
  }
  const window = createActivationWindow({
    isQuitting: () => false,
    whenStaying: async () => {},
    loadView: () =>
      new Promise((resolve, reject) => loads.push({ finish: () => resolve(view), fail: reject })),
  })
  const open = () => window.open(() => appearance)
  return { window, created, loads, open }
}

describe('an activation window that is opened', () => {
  test('is loaded and created once, even if two callers open it at the same time', async () => {
    const { window, created, loads, open } = appWithWindow()
    expect(loads).toHaveLength(0)
    const both = Promise.all([open(), open()])
    expect(window.isOpen).toBe(false)
    loads[0]?.finish()
    await both
    expect(loads).toHaveLength(1)
    expect(created).toHaveLength(1)
    expect([window.isOpen, window.isShown, window.owns(7)]).toEqual([true, true, true])
  })

  test.each(['close', 'leave'] as const)('and gets a %s while it loads never appears', async (verb) => {
    const { window, created, loads, open } = appWithWindow()
    const opened = open()
    window[verb]()
    loads[0]?.finish()
    await opened
    expect(created).toHaveLength(0)
    await open()
    expect(created).toHaveLength(1)
  })

  test('can be opened again after it failed to load', async () => {
    const { created, loads, open } = appWithWindow()
    const opened = open()
    loads[0]?.fail(new Error('no such file'))
    await expect(opened).rejects.toThrow('no such file')
    const again = open()
    loads[1]?.finish()
    await again
    expect(created).toHaveLength(1)
  })
})
