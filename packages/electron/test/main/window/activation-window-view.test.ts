import { EventEmitter } from 'node:events'
import type { BrowserWindow, BrowserWindowConstructorOptions } from 'electron'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  createActivationWindowView,
  fitContent,
  titleBarOf,
} from '../../../src/main/window/activation-window-view.ts'
import { eventChannels } from '../../../src/shared/licensing-bridge.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'

/** A hidden window whose page loads at once. It notes what it was told. */
class WindowDouble extends EventEmitter {
  readonly overlays: unknown[] = []
  readonly edits: string[] = []
  hasMenu = true
  shows = 0
  readonly webContents = Object.assign(new EventEmitter(), {
    ipc: new EventEmitter(),
    isDestroyed: () => false,
    setWindowOpenHandler: () => {},
    ...Object.fromEntries(
      ['paste', 'copy', 'cut', 'selectAll'].map((edit) => [edit, () => this.edits.push(edit)]),
    ),
  })
  isVisible = () => this.shows > 0
  show = () => {
    this.shows += 1
  }
  isDestroyed = () => false
  setTitleBarOverlay = (overlay: unknown) => this.overlays.push(overlay)
  removeMenu = () => {
    this.hasMenu = false
  }
  getBounds = () => ({ x: 0, y: 0, width: 464, height: 428 })
  getContentBounds = () => this.getBounds()
  setContentSize = () => {}
  center = () => {}
  loadURL = async () => void this.webContents.emit('did-finish-load')
}

function isWindow(double: unknown): double is BrowserWindow {
  return double instanceof WindowDouble
}

/** Creates the window as it is on a platform, in a system with a light theme. */
function openOn(platform: NodeJS.Platform) {
  const window = new WindowDouble()
  const theme = new EventEmitter()
  let isDark = false
  let options: BrowserWindowConstructorOptions = {}
  const view = createActivationWindowView({
    createWindow(given) {
      options = given
      if (!isWindow(window)) throw new Error('never')
      return window
    },
    titleBar: titleBarOf(platform),
    isDark: () => isDark,
    onThemeChange(listener) {
      theme.on('change', listener)
      return () => theme.off('change', listener)
    },
    workAreaOf: () => ({ x: 0, y: 0, width: 1920, height: 1080 }),
    isAnimated: () => false,
    logger: createRecordingLogger(),
  })
  const created = view.create({ title: 'Notes', parent: undefined, isNews: false })
  return {
    window,
    options,
    theme,
    show: () => view.show(created),
    turnDark() {
      isDark = true
      theme.emit('change')
    },
  }
}

describe('the activation window appears once', () => {
  test.each([
    // The events, and how long it waits after them, in milliseconds.
    ['its page is painted and measured', ['measured', 'painted'], 0],
    ['it is measured, where Electron never reports that a hidden window is painted', ['measured'], 400],
    ['it was painted, although its page never reports its height', ['painted'], 1_000],
    ['its page has loaded, although nothing is ever reported', [], 1_400],
  ])('%s', async (_when, events, waitMs) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { window, show } = openOn('linux')
    const shown = show()
    for (const event of events) {
      expect(window.shows).toBe(0)
      if (event === 'painted') window.emit('ready-to-show')
      else window.webContents.ipc.emit(eventChannels.pageHeight, {}, 500)
    }
    await vi.advanceTimersByTimeAsync(waitMs)
    await shown
    await vi.advanceTimersByTimeAsync(10_000)
    expect(window.shows).toBe(1)
  })
})

test('macOS shows no title bar, but its three buttons, and keeps the Edit menu for pasting', () => {
  const { options, window, theme } = openOn('darwin')
  expect(options).toMatchObject({ titleBarStyle: 'hidden', trafficLightPosition: { x: 14, y: 14 } })
  expect(options).not.toHaveProperty('titleBarOverlay')
  expect(window.hasMenu).toBe(true)
  // Without that menu, the keys for editing still work, with any keyboard.
  const press = (key: string, code: string, meta = true): void => {
    const event = { preventDefault: () => window.edits.push('prevented') }
    window.webContents.emit('before-input-event', event, { type: 'keyDown', key, code, meta })
  }
  press('v', 'KeyV')
  press('a', 'KeyQ')
  press('с', 'KeyC')
  press('X', 'KeyX')
  press('v', 'KeyV', false)
  press('q', 'KeyA')
  const edits = window.edits.filter((edit) => edit !== 'prevented')
  expect(edits).toEqual(['paste', 'selectAll', 'copy', 'cut'])
  expect(window.edits).toHaveLength(8)
  expect(theme.listenerCount('change')).toBe(0)
})

test('Windows lays its buttons over the page, in the color of the text, which follows the theme', () => {
  const { options, window, theme, turnDark } = openOn('win32')
  expect(options).toMatchObject({
    titleBarStyle: 'hidden',
    titleBarOverlay: { color: '#00000000', symbolColor: '#1b1b1f', height: 32 },
  })
  expect(options).not.toHaveProperty('trafficLightPosition')
  expect(window.hasMenu).toBe(false)
  turnDark()
  expect(window.overlays).toEqual([{ color: '#00000000', symbolColor: '#f4f4f6', height: 32 }])
  window.emit('closed')
  expect(theme.listenerCount('change')).toBe(0)
})

test('Linux keeps its own frame', () => {
  const { options, window } = openOn('linux')
  expect(Object.keys(options).filter((name) => /title[A-Z]|traffic|frame/u.test(name))).toEqual([])
  expect(window.hasMenu).toBe(false)
})

describe('a window that becomes as high as its page', () => {
  const area = { x: 0, y: 25, width: 1440, height: 875 }

  test.each([
    ['keeps its top edge', { y: 200, height: 630, frameHeight: 0 }, { y: 200, height: 630 }],
    [
      'moves up as far as it has to, near the lower edge',
      { y: 400, height: 630, frameHeight: 28 },
      { y: 270, height: 630 },
    ],
    [
      'is cut to the display, below its frame',
      { y: 400, height: 2_000, frameHeight: 28 },
      { y: 53, height: 847 },
    ],
  ])('%s', (_what, { y, height, frameHeight }, fitted) => {
    const content = { x: 488, y, width: 464, height: 436 }
    expect(fitContent(content, height, frameHeight, area)).toEqual({ ...content, ...fitted })
  })

  test('never leaves the display, wherever it was', () => {
    const number = fc.integer({ min: 0, max: 3_000 })
    fc.assert(
      fc.property(number, number, fc.integer({ min: 0, max: 60 }), (y, height, frameHeight) => {
        const fitted = fitContent({ x: 0, y, width: 464, height: 436 }, height, frameHeight, area)
        expect(fitted.y - frameHeight).toBeGreaterThanOrEqual(area.y)
        expect(fitted.y + fitted.height).toBeLessThanOrEqual(area.y + area.height)
      }),
    )
  })
})
