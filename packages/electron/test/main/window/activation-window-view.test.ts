import { EventEmitter } from 'node:events'
import type { BrowserWindow, BrowserWindowConstructorOptions } from 'electron'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createActivationWindowView, titleBarOf } from '../../../src/main/window/activation-window-view.ts'
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

function shownWindow() {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { window, show } = openOn('linux')
  const shown = show()
  const reportHeight = () => window.webContents.ipc.emit(eventChannels.pageHeight, {}, 500)
  return { double: window, shown, reportHeight }
}

describe('the activation window', () => {
  test('appears once its page is painted and measured', async () => {
    const { double, shown, reportHeight } = shownWindow()
    reportHeight()
    expect(double.shows).toBe(0)
    double.emit('ready-to-show')
    await shown
    await vi.advanceTimersByTimeAsync(10_000)
    expect(double.shows).toBe(1)
  })

  test('appears where Electron never reports that a hidden window is painted', async () => {
    const { double, shown, reportHeight } = shownWindow()
    reportHeight()
    await vi.advanceTimersByTimeAsync(400)
    expect(double.shows).toBe(1)
    await shown
  })

  test('appears although its page never reports its height', async () => {
    const { double, shown } = shownWindow()
    await vi.advanceTimersByTimeAsync(1_400)
    expect(double.shows).toBe(1)
    await shown
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

test('Windows lays its buttons over the page, in the color of the text', () => {
  const { options, window } = openOn('win32')
  expect(options).toMatchObject({
    titleBarStyle: 'hidden',
    titleBarOverlay: { color: '#00000000', symbolColor: '#1b1b1f', height: 32 },
  })
  expect(options).not.toHaveProperty('trafficLightPosition')
  expect(window.hasMenu).toBe(false)
})

test('the buttons of Windows follow the theme until the window is closed', () => {
  const { window, theme, turnDark } = openOn('win32')
  turnDark()
  expect(window.overlays).toEqual([{ color: '#00000000', symbolColor: '#f4f4f6', height: 32 }])
  window.emit('closed')
  expect(theme.listenerCount('change')).toBe(0)
})

test.each(['linux', 'freebsd'] as const)('%s keeps its own frame', (platform) => {
  const { options, window } = openOn(platform)
  expect(Object.keys(options).filter((name) => /title[A-Z]|traffic|frame/u.test(name))).toEqual([])
  expect(window.hasMenu).toBe(false)
})

test.each(['darwin', 'win32', 'linux'] as const)('on %s the window has one size', (platform) => {
  const { options } = openOn(platform)
  expect(options).toMatchObject({
    title: 'Notes',
    resizable: false,
    maximizable: false,
    fullscreenable: false,
    show: false,
  })
})
