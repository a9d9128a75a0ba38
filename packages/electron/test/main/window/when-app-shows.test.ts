import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { whenAppShows } from '../../../src/main/window/gate.ts'
import { createFakeClock } from '../../doubles/fake-clock.ts'

function makeWindow(isVisible = false) {
  return Object.assign(new EventEmitter(), { isVisible: () => isVisible, close: () => {} })
}

/** Whether the waiting is over, asked at any time. */
function wait(...windows: ReturnType<typeof makeWindow>[]) {
  const clock = createFakeClock()
  let isOver = false
  void whenAppShows(windows, clock.after).then(() => {
    isOver = true
  })
  return { clock, isOver: () => clock.advance(0).then(() => isOver) }
}

test('an app that shows a window, or has none, is not waited for', async () => {
  expect(await wait().isOver()).toBe(true)
  expect(await wait(makeWindow(), makeWindow(true)).isOver()).toBe(true)
})

test.each(['show', 'closed'])('a hidden window is waited for until its %s', async (event) => {
  const [first, second] = [makeWindow(), makeWindow()]
  const { clock, isOver } = wait(first, second)
  expect(await isOver()).toBe(false)
  second.emit(event)
  expect(await isOver()).toBe(true)
  expect(clock.waiting).toEqual([])
})

test('the wait for a window that stays hidden ends', async () => {
  const { clock, isOver } = wait(makeWindow())
  await clock.advance(2_999)
  expect(await isOver()).toBe(false)
  await clock.advance(1)
  expect(await isOver()).toBe(true)
})
