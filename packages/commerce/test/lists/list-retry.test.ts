import { describe, expect, it } from 'vitest'
import { createCommerceClient } from '../../src/index.ts'
import { drain, errorOf } from '../error-of.ts'
import { json, startService } from '../service.ts'

const later = json({}, 503, { 'retry-after': '0' })

describe('retry of a list', () => {
  it('happens only on request', async () => {
    const service = await startService(later)
    const { customers } = createCommerceClient({ baseUrl: service.baseUrl })
    await errorOf(customers.list())
    expect(service.requests).toHaveLength(1)
  })

  it('stops after the requested number of retries', async () => {
    const service = await startService(later)
    const { customers } = createCommerceClient({ baseUrl: service.baseUrl })
    const { error } = await drain(customers.all({ retry: 2 }))
    expect(error).toMatchObject({ code: 'unreachable', status: 503 })
    expect(service.requests).toHaveLength(3)
  })

  it.each([true, false])(
    'stops waiting when it is cancelled (while reading all pages: %s)',
    async (isWalk) => {
      const cancel = new AbortController()
      const service = await startService(json({}, 503, { 'retry-after': '60' }))
      const { customers } = createCommerceClient({ baseUrl: service.baseUrl })
      const onRetry = (): void => void setImmediate(() => cancel.abort())
      const options = { retry: 5, signal: cancel.signal, onRetry }
      const error = await errorOf(isWalk ? customers.all(options).next() : customers.list(options))
      expect(error.code).toBe('cancelled')
      expect(service.requests).toHaveLength(1)
    },
  )

  it('doesn’t wait at all when the caller cancels at the failed answer', async () => {
    const cancel = new AbortController()
    const service = await startService(json({}, 503, { 'retry-after': '60' }))
    const { customers } = createCommerceClient({ baseUrl: service.baseUrl })
    const onAnswer = () => cancel.abort()
    const error = await errorOf(customers.list({ retry: 5, signal: cancel.signal, onAnswer }))
    expect(error).toMatchObject({ code: 'cancelled', operation: 'customers.list' })
    expect(service.requests).toHaveLength(1)
  })
})
