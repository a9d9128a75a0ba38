import { expect, test } from 'vitest'
import { watchNetwork } from '../../../src/main/app-events/watch-network.ts'
import { createFakeClock } from '../../doubles/fake-clock.ts'

function watched() {
  const clock = createFakeClock()
  const world = { isOnline: true, isWaiting: false, looks: 0, backs: 0 }
  const watch = watchNetwork({
    clock,
    isOnline() {
      world.looks += 1
      return world.isOnline
    },
    isWaiting: () => world.isWaiting,
    onBack() {
      world.backs += 1
    },
  })
  return { clock, world, watch }
}

test('doesn’t poll while nothing waits for the network', async () => {
  const { clock, world, watch } = watched()
  watch.look()
  await clock.advance(3_600_000)
  expect(world.looks).toBe(0)
  expect(clock.waiting).toEqual([])
})

test('the network coming back is noticed within seconds, once', async () => {
  const { clock, world, watch } = watched()
  world.isWaiting = true
  world.isOnline = false
  watch.look()
  await clock.advance(60_000)
  expect(world.backs).toBe(0)
  world.isOnline = true
  await clock.advance(10_000)
  expect(world.backs).toBe(1)
  await clock.advance(60_000)
  expect(world.backs).toBe(1)
})

test('a network that is there although the service is not raises no false hope', async () => {
  const { clock, world, watch } = watched()
  world.isWaiting = true
  watch.look()
  await clock.advance(600_000)
  expect(world.backs).toBe(0)
})

test('polling stops as soon as nothing waits, and starts again with the next problem', async () => {
  const { clock, world, watch } = watched()
  world.isWaiting = true
  watch.look()
  world.isWaiting = false
  await clock.advance(20_000)
  expect(clock.waiting).toEqual([])
  world.isWaiting = true
  watch.look()
  watch.look()
  expect(clock.waiting).toHaveLength(1)
  watch.stop()
  expect(clock.waiting).toEqual([])
})
