import { expect, test } from 'vitest'
import { hasVisibleDisplay } from '../e2e/runtime/display.ts'

test('windows open on an existing X11 or Wayland display', () => {
  expect(hasVisibleDisplay({ DISPLAY: ':0' }, 'linux')).toBe(true)
  expect(hasVisibleDisplay({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toBe(true)
})

test('without a display, or on request, they open on a virtual one', () => {
  expect(hasVisibleDisplay({}, 'linux')).toBe(false)
  expect(hasVisibleDisplay({ DISPLAY: '' }, 'linux')).toBe(false)
  expect(hasVisibleDisplay({ DISPLAY: ':0', LATCHKEY_HEADLESS: '1' }, 'linux')).toBe(false)
})

test('macOS and Windows always have a screen', () => {
  expect(hasVisibleDisplay({}, 'darwin')).toBe(true)
  expect(hasVisibleDisplay({ LATCHKEY_HEADLESS: '1' }, 'win32')).toBe(true)
})
