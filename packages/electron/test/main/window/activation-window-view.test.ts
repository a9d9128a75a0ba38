import { EventEmitter } from 'node:events'
import type { BrowserWindow } from 'electron'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createActivationWindowView } from '../../../src/main/window/activation-window-view.ts'
import { eventChannels } from '../../../src/shared/licensing-bridge.ts'

/** A hidden window whose page loads at once. */
class WindowDouble extends EventEmitter {
  readonly webContents = Object.assign(new EventEmitter(), {
    ipc: new EventEmitter(),
    isDestroyed: () => false,
    setWindowOpenHandler: () => {},
  })
  shows = 0
  isVisible = () => this.shows > 0
  show = () => {
    this.shows += 1
  }
  isDestroyed = () => false
  removeMenu = () => {}
  getBounds = () => ({ x: 0, y: 0, width: 464, height: 428 })
  getContentBounds = () => this.getBounds()
  setContentSize = () => {}
  center = () => {}
  loadURL = async () => void this.webContents.emit('did-finish-load')
}

function isWindow(double: unknown): double is BrowserWindow {
  return double instanceof WindowDouble
}

function shownWindow() {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const double = new WindowDouble()
  const view = createActivationWindowView({
    createWindow() {
      if (!isWindow(double)) throw new Error('never')
      return double
    },
    titleBar: 'native',
    isDark: () => false,
    onThemeChange: () => () => {},
    workAreaOf: () => ({ x: 0, y: 0, width: 1920, height: 1080 }),
    isAnimated: () => false,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const shown = view.show(view.create({ title: 'Notes', parent: undefined, isNews: false }))
  const reportHeight = () => double.webContents.ipc.emit(eventChannels.pageHeight, {}, 500)
  return { double, shown, reportHeight }
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
