import type { LicenseService } from '@latchkey/services'
import { dodo } from '@latchkey/services/dodo'
import { keygen } from '@latchkey/services/keygen'
import { lemonSqueezy } from '@latchkey/services/lemon-squeezy'
import { polar } from '@latchkey/services/polar'
import { expect, test } from 'vitest'
import { createAppService } from '../../../src/main/adapters/app-service.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'

const adapters = [
  polar({ organizationId: 'fda84e25-7b55-4d67-916d-60ead04ff72f' }),
  dodo({ productId: 'pdt_1234' }),
  keygen({ account: 'inkwell', product: 'inkwell' }),
  lemonSqueezy({ storeId: 1, productId: 2 }),
  lemonSqueezy({ storeId: 1, productId: 2, baseUrl: 'http://127.0.0.1:4021' }),
]

/** Asks twice, and returns what is logged. */
async function warningsOf(service: LicenseService): Promise<readonly string[]> {
  const logger = createRecordingLogger()
  const noAnswer = (): Promise<Response> => Promise.reject(new TypeError('Failed to fetch'))
  const app = createAppService(service, {
    fetch: noAnswer,
    logger,
    isPackaged: false,
    onServerDate() {},
    onNetworkError() {},
    onSecret() {},
  })
  const request = { licenseKey: 'some-key', activationId: 'some-id', fingerprint: '0123456789abcdef' }
  for (const _time of [1, 2]) expect(await app.validate(request)).toMatchObject({ kind: 'unavailable' })
  return logger.lines.filter((line) => line.startsWith('warn '))
}

test.each(adapters)('$name at its own address is fine', async (service) => {
  expect(await warningsOf(service)).toEqual([])
})

test('a copy with another address is warned of once, because it asks the first one', async () => {
  const copy = { ...lemonSqueezy({ storeId: 1, productId: 2 }), baseUrl: 'http://127.0.0.1:4021' }
  expect(await warningsOf(copy)).toEqual([
    'warn The lemon-squeezy adapter asks https://api.lemonsqueezy.com, not its baseUrl, http://127.0.0.1:4021. If it is a copy with another baseUrl, pass baseUrl to the function that creates the adapter.',
  ])
})
