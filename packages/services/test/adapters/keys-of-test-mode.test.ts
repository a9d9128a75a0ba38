import { expect, test } from 'vitest'
import { dodo } from '../../src/dodo.ts'
import { lemonSqueezy } from '../../src/lemon-squeezy.ts'

test('an adapter says whether its options accept license keys of test mode', () => {
  const options = { storeId: 12345, productId: 67890 }
  expect(lemonSqueezy(options).testMode).toBe(false)
  expect(lemonSqueezy({ ...options, testMode: true }).testMode).toBe(true)
  // Its test mode has an address of its own.
  expect(dodo({ productId: 'pdt_1', testMode: true }).testMode).toBeUndefined()
})
