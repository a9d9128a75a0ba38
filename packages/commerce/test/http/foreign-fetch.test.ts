import { describe, expect, it } from 'vitest'
import { createCommerceClient, type Fetch } from '../../src/index.ts'
import { errorOf } from '../error-of.ts'
import { licenseId } from '../samples.ts'

const baseUrl = 'https://commerce.example/v1'

/** Imitates only the platform: how Electron's `net.fetch` and others differ from Node's fetch. */
function withFetch(fetch: Fetch, timeout = 50): Promise<unknown> {
  return createCommerceClient({ baseUrl, fetch, timeout }).licenses.keys(licenseId)
}

describe('an injected fetch', () => {
  it.each(['net::ERR_INTERNET_DISCONNECTED', 'net::ERR_CERT_AUTHORITY_INVALID', 'Redirect was cancelled'])(
    'that rejects with a plain Error, %s, makes the service unreachable',
    async (message) => {
      const error = await errorOf(withFetch(() => Promise.reject(new Error(message))))
      expect(error).toMatchObject({ code: 'unreachable', reason: 'network', cause: { message } })
    },
  )

  it('that throws at once, or throws something that isn’t an Error, makes the service unreachable', async () => {
    const throwing: Fetch = () => {
      throw new Error('at once')
    }
    expect(await errorOf(withFetch(throwing))).toMatchObject({ code: 'unreachable', reason: 'network' })
    const rejecting: Fetch = () => Promise.reject('a string')
    expect(await errorOf(withFetch(rejecting))).toMatchObject({ code: 'unreachable', reason: 'network' })
  })

  it('that never settles and ignores its signal times out', async () => {
    const error = await errorOf(withFetch(() => new Promise(() => {})))
    expect(error).toMatchObject({ code: 'unreachable', reason: 'timeout' })
  })

  it('that fails after the timeout causes no unhandled rejection', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    let late: (error: Error) => void = () => {}
    const fetch: Fetch = () =>
      new Promise((_, reject) => {
        late = reject
      })
    await errorOf(withFetch(fetch))
    late(new Error('too late'))
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })

  it('whose body never ends and ignores its signal times out', async () => {
    const error = await errorOf(
      withFetch(async () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }))),
    )
    expect(error).toMatchObject({ code: 'unreachable', reason: 'timeout', status: 200 })
  })

  it('that hides a redirect, as browsers do, gives an unexpected answer', async () => {
    const hidden = Object.defineProperties(Response.error(), { type: { value: 'opaqueredirect' } })
    expect(await errorOf(withFetch(async () => hidden))).toMatchObject({
      code: 'unexpected-answer',
      status: null,
    })
  })

  it('that returns an error status gives an unexpected answer, even with a valid body', async () => {
    const good = Object.defineProperty(Response.json({ data: [] }), 'status', { value: 0 })
    expect(await errorOf(withFetch(async () => good))).toMatchObject({ code: 'unexpected-answer' })
  })

  it('gets options that prevent redirects and caching', async () => {
    let seen: Request | undefined
    await withFetch(async (request) => {
      seen = request
      return Response.json({ data: [] })
    })
    expect(seen).toMatchObject({ redirect: 'manual', cache: 'no-store', method: 'GET' })
  })

  it.each([
    [407, 'unauthorized', false],
    [403, 'unreachable', true],
  ])('whose answer with status %i breaks off is %s', async (status, code, bodyIsCut) => {
    const body = () =>
      new ReadableStream({
        pull: (controller) => controller.error(new Error('net::ERR_TUNNEL_CONNECTION_FAILED')),
      })
    const error = await errorOf(withFetch(async () => new Response(body(), { status })))
    expect(error).toMatchObject({ code, status, bodyIsCut })
  })
})
