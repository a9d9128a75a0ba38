import { lemonSqueezy } from '@latchkey/services/lemon-squeezy'
import { expect, test } from 'vitest'
import { secretWarnings } from '../../../src/main/diagnosis/watch-development.ts'

test('a secret of the vendor is warned of, and one for the emulator isn’t', () => {
  const service = { storeId: 1, productId: 2, apiKey: 'secret' }
  expect(secretWarnings(lemonSqueezy(service))).toEqual([expect.stringContaining('service contains apiKey')])
  expect(secretWarnings(lemonSqueezy({ ...service, baseUrl: 'http://127.0.0.1:4321' }))).toEqual([])
  expect(secretWarnings({ baseUrl: 'https://licensing.example.com/v1' })).toEqual([])
})
