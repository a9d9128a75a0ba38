import { describe, expect, it } from 'vitest'
import { createCommerceClient } from '../../src/index.ts'
import { drain, errorOf } from '../error-of.ts'
import { customer, page } from '../samples.ts'
import { type Answer, json, startService, text } from '../service.ts'

/** Gives these answers in order and then repeats the last one. */
function inTurn(...answers: [Answer, ...Answer[]]): Answer {
  let count = 0
  return (request, response) =>
    (answers[Math.min(count++, answers.length - 1)] ?? answers[0])(request, response)
}

const good = json(page('/v1/customers', [customer(1)], 1, 1))
const later = json({}, 503, { 'retry-after': '0' })
const broken: Answer = (_request, response) => {
  response.writeHead(200, { 'content-length': '100' })
  response.write('{', () => response.destroy())
}

describe('retry of a list', () => {
  it('happens only on request', async () => {
    const service = await startService(inTurn(later, good))
    const { customers } = createCommerceClient({ baseUrl: service.baseUrl })
    await errorOf(customers.list())
    expect(service.requests).toHaveLength(1)
  })

  it.each([
    ['a status that says "later"', later],
    ['a body that breaks off', broken],
  ])('succeeds after %s', async (_what, trouble) => {
    const service = await startService(inTurn(trouble, good))
    const { customers } = createCommerceClient({ baseUrl: service.baseUrl })
    expect((await customers.list({ retry: 1 })).data).toEqual([customer(1)])
  })

  it('stops after the requested number of retries', async () => {
    const service = await startService(later)
    const { customers } = createCommerceClient({ baseUrl: service.baseUrl })
    const { error } = await drain(customers.all({ retry: 2 }))
    expect(error).toMatchObject({ code: 'unreachable', status: 503 })
    expect(service.requests).toHaveLength(3)
  })

  it.each([
    ['a refusal', json({}, 401)],
    ['a portal page', text('<html>')],
    ['a field that is wrong', json({ ...page('/v1/customers', [{ id: 7 }], 1, 1) })],
  ])('does not repeat %s', async (_what, answer) => {
    const service = await startService(answer)
    const { customers } = createCommerceClient({ baseUrl: service.baseUrl })
    await errorOf(customers.list({ retry: 3 }))
    expect(service.requests).toHaveLength(1)
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
