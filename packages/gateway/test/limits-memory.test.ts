import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createInProcessRateLimiter } from '../src/index.ts'
import { addressKey } from '../src/limits/request-limits.ts'
import { makeRoom } from '../src/make-room.ts'
import { forwardedAddress } from '../src/node/caller-address.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const keyCount = 2_000
const socket = { remoteAddress: '127.0.0.1' }

/** How many bytes a limiter keeps for each of many different keys. */
async function bytesPerKey(keyOf: (index: number) => string): Promise<number> {
  const limiter = createInProcessRateLimiter({ max: 600, windowMs: 60_000, clock: () => 0 })
  collectGarbage()
  const beforeBytes = process.memoryUsage().heapUsed
  for (let index = 0; index < keyCount; index += 1) await limiter.take(keyOf(index))
  collectGarbage()
  const keptBytes = process.memoryUsage().heapUsed - beforeBytes
  expect(await limiter.take(keyOf(0))).toEqual({ allowed: true })
  return keptBytes / keyCount
}

test('addresses with a long X-Forwarded-For header in front of them take no more memory than others', async () => {
  const address = (index: number): string => `203.0.${100 + Math.floor(index / 100)}.${100 + (index % 100)}`
  const header = (index: number): string =>
    Buffer.from(`${'9'.repeat(7_000)}, ${address(index)}`).toString('latin1')
  const keyOf = (index: number): string =>
    addressKey(forwardedAddress({ socket, headers: { 'x-forwarded-for': header(index) } }, 1) ?? '')
  expect(keyOf(7)).toBe(address(7))
  expect(await bytesPerKey(keyOf)).toBeLessThan(1_000)
})

test('made-up license keys of two thousand characters take little memory', async () => {
  const keyOf = (index: number): string => Buffer.from(`${index}${'x'.repeat(2_000)}`).toString('latin1')
  expect(await bytesPerKey(keyOf)).toBeLessThan(1_000)
})

test('license keys that differ only at their end are counted separately', async () => {
  const limiter = createInProcessRateLimiter({ max: 1, windowMs: 60_000, clock: () => 0 })
  const start = 'x'.repeat(100)
  expect(await limiter.take(`${start}1`)).toEqual({ allowed: true })
  expect(await limiter.take(`${start}2`)).toEqual({ allowed: true })
  expect(await limiter.take(`${start}1`)).toMatchObject({ allowed: false })
})

test('a full map or set forgets its oldest entry, and no other', () => {
  const entries = new Set(['first', 'second'])
  makeRoom(entries, 3)
  expect([...entries]).toEqual(['first', 'second'])
  makeRoom(entries.add('third'), 3)
  expect([...entries]).toEqual(['second', 'third'])
  const empty = new Map<string, number>()
  makeRoom(empty, 0)
  expect(empty.size).toBe(0)
})
