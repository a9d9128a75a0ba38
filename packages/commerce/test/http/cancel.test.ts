import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createCommerceClient } from '../../src/index.ts'
import { errorOf } from '../error-of.ts'
import { licenseId } from '../samples.ts'
import { json, signalOnce, startService } from '../service.ts'
import { transports } from '../transports.ts'

const nowhere = 'https://commerce.example/v1'

describe.each(transports)('cancelling over %s', (_name, transport) => {
  it('sends nothing if the signal is already aborted', async () => {
    const service = await startService(json({ data: [] }))
    const { licenses, customers } = createCommerceClient({ baseUrl: service.baseUrl, ...transport() })
    const signal = AbortSignal.abort()
    for (const [operation, call] of [
      ['licenses.keys', licenses.keys(licenseId, { signal })],
      ['customers.list', customers.all({ signal }).next()],
    ] as const) {
      expect(await errorOf(call)).toMatchObject({ code: 'cancelled', isRetryable: false, operation })
    }
    expect(service.requests).toHaveLength(0)
  })

  it('ends a call that waits for an answer, and closes its connection', async () => {
    const cancel = new AbortController()
    const closed = signalOnce()
    const service = await startService((_request, response) => {
      response.on('close', closed.give)
      cancel.abort(new Error(`because of ${licenseId}`))
    })
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl, ...transport() })
    const error = await errorOf(licenses.keys(licenseId, { signal: cancel.signal }))
    expect(error).toMatchObject({ code: 'cancelled', status: null })
    expect(error.cause).toBeUndefined()
    await closed.given
  })

  it('ends a call in the middle of a body', async () => {
    const cancel = new AbortController()
    const service = await startService((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"data":', () => cancel.abort())
    })
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl, ...transport() })
    const call = licenses.keys(licenseId, { signal: cancel.signal })
    expect(await errorOf(call)).toMatchObject({ code: 'cancelled' })
  })

  it('leaves no listener on a signal that is used longer than the call', async () => {
    const service = await startService((request, response) =>
      (request.url.endsWith('/keys') ? json({ data: [] }) : json({}, 503, { 'retry-after': '0' }))(
        request,
        response,
      ),
    )
    const { licenses, customers } = createCommerceClient({ baseUrl: service.baseUrl, ...transport() })
    const { signal } = new AbortController()
    await licenses.keys(licenseId, { signal })
    await errorOf(customers.list({ signal, retry: 1 }))
    await errorOf(customers.all({ signal }).next())
    expect(service.requests).toHaveLength(4)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('cancelling', () => {
  it('before the call calls no fetch, not even one that ignores its signal', async () => {
    let calls = 0
    const fetch = async () => {
      calls++
      return Response.json({ data: [] })
    }
    const { licenses } = createCommerceClient({ baseUrl: nowhere, fetch })
    await licenses.keys(licenseId)
    expect((await errorOf(licenses.keys(licenseId, { signal: AbortSignal.abort() }))).code).toBe('cancelled')
    expect(calls).toBe(1)
  })
})
