import { EventEmitter } from 'node:events'
import type { BrowserWindow, BrowserWindowConstructorOptions } from 'electron'
import { expect, test } from 'vitest'
import { createActivationWindowView, titleBarOf } from '../../../src/main/window/activation-window-view.ts'

/** A window that notes what it was told. */
class WindowDouble extends EventEmitter {
  readonly overlays: unknown[] = []
  hasMenu = true
  readonly edits: string[] = []
  readonly webContents = Object.assign(new EventEmitter(), {
    setWindowOpenHandler: () => {},
    ...Object.fromEntries(
      ['paste', 'copy', 'cut', 'selectAll'].map((edit) => [edit, () => this.edits.push(edit)]),
    ),
  })
  setTitleBarOverlay = (overlay: unknown) => this.overlays.push(overlay)
  removeMenu = () => {
    this.hasMenu = false
  }
}

function isWindow(double: unknown): double is BrowserWindow {
  return double instanceof WindowDouble
}

/** Opens the window as it is on a platform, in a system with a light theme. */
function openOn(platform: NodeJS.Platform) {
  const window = new WindowDouble()
  const theme = new EventEmitter()
  let isDark = false
  let created: BrowserWindowConstructorOptions = {}
  const view = createActivationWindowView({
    createWindow(options) {
      created = options
      if (!isWindow(window)) throw new Error('never')
      return window
    },
    titleBar: titleBarOf(platform),
    isDark: () => isDark,
    onThemeChange(listener) {
      theme.on('change', listener)
      return () => theme.off('change', listener)
    },
    workAreaOf: (bounds) => bounds,
    isAnimated: () => false,
    logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  })
  view.create({ title: 'Notes', parent: undefined, isNews: false })
  return {
    window,
    options: created,
    theme,
    turnDark() {
      isDark = true
      theme.emit('change')
    },
  }
}

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
