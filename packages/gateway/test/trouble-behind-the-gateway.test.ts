import { createCommerceClient } from '@latchkey/commerce'
import type { FaultRule } from '@latchkey/emulator'
import { afterAll, describe, expect, test } from 'vitest'
import { createPooledFetch } from '../src/node/pooled-fetch.ts'
import { gatewayOf, keyName, startGateway, startService } from './gateway-fixture.ts'

/** What ends only when nobody waits any longer. */
const endless = new Set(['timeout', 'slow-drip'])

const pool = createPooledFetch()
afterAll(pool.close)

describe.each([
  ['the platform’s fetch', undefined],
  ['the Node start’s own', pool.fetch],
])('trouble behind the gateway, reached by %s', (_name, fetch) => {
  const via = fetch === undefined ? {} : { fetch }

  test.each<[string, FaultRule, number, string]>([
    ['a captive portal’s page', { fault: 'html' }, 502, 'upstream-unexpected-answer'],
    ['nothing at all', { fault: 'empty' }, 502, 'upstream-unexpected-answer'],
    ['204', { fault: 'no-content' }, 502, 'upstream-unexpected-answer'],
    ['half an answer', { fault: 'truncated' }, 502, 'upstream-unexpected-answer'],
    [
      'a field of another type',
      { fault: 'wrong-types', fields: ['license.status'] },
      502,
      'upstream-unexpected-answer',
    ],
    ['a redirect', { fault: 'redirect', to: 'http://127.0.0.1:1' }, 502, 'upstream-unexpected-answer'],
    ['100 MB', { fault: 'huge-body', bytes: 100_000_000 }, 502, 'upstream-unexpected-answer'],
    ['a gzip bomb', { fault: 'gzip-bomb', bytes: 100_000_000 }, 502, 'upstream-unexpected-answer'],
    [
      'another license',
      { fault: 'set-fields', fields: { 'license.id': '11111111-2222-4333-8444-555555555555' } },
      502,
      'upstream-unexpected-answer',
    ],
    [
      'another key',
      { fault: 'set-fields', fields: { 'key.id': '11111111-2222-4333-8444-555555555555' } },
      502,
      'upstream-unexpected-answer',
    ],
    ['a broken connection', { fault: 'reset' }, 502, 'upstream-unreachable'],
    ['an answer cut off', { fault: 'cut' }, 502, 'upstream-unreachable'],
    ['silence', { fault: 'timeout' }, 504, 'upstream-timeout'],
    ['a drip', { fault: 'slow-drip' }, 504, 'upstream-timeout'],
    ['500', { fault: 'status', status: 500 }, 503, 'upstream-busy'],
    ['503', { fault: 'status', status: 503, body: 'html' }, 503, 'upstream-busy'],
    ['429', { fault: 'status', status: 429 }, 503, 'upstream-busy'],
    ['408', { fault: 'status', status: 408 }, 503, 'upstream-busy'],
    ['401', { fault: 'status', status: 401 }, 502, 'upstream-unauthorized'],
    ['403', { fault: 'status', status: 403, body: 'html' }, 502, 'upstream-unauthorized'],
    ['400', { fault: 'status', status: 400 }, 400, 'rejected'],
    ['409', { fault: 'status', status: 409 }, 409, 'rejected'],
    ['422', { fault: 'status', status: 422, body: 'text' }, 422, 'rejected'],
    ['402', { fault: 'status', status: 402 }, 422, 'rejected'],
    ['404', { fault: 'status', status: 404 }, 404, 'not-found'],
    ['410', { fault: 'status', status: 410 }, 410, 'gone'],
  ])('%s reaches the app as status and code alone', async (_what, fault, status, code) => {
    const emulator = await startService()
    const { call, lines, licenseId } = gatewayOf(emulator, {
      upstream: {
        ...via,
        timeoutMs: endless.has(fault.fault) ? 300 : 20_000,
      },
    })
    const key = emulator.control.addKey(licenseId, keyName).id
    emulator.control.faults.inject(fault)
    const answer = await call('POST', `/licenses/${licenseId}/validate`, { json: { key } })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toEqual({ error: code })
    expect([...answer.headers.keys()].sort()).toEqual([
      'cache-control',
      'content-type',
      'date',
      'x-content-type-options',
      'x-request-id',
    ])
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      status,
      code,
      level: code === 'upstream-unauthorized' ? 'error' : expect.any(String),
    })
    expect(emulator.control.requests()).toHaveLength(1)
  })

  test('a service that is down is a 502', async () => {
    const { emulator, call, licenseId } = await startGateway({ upstream: via })
    await emulator.control.pause()
    expect((await call('GET', `/licenses/${licenseId}/keys`)).status).toBe(502)
  })

  test.each([404, 410])(
    'a %i that is no JSON is passed on without JSON, so that it revokes nobody',
    async (status) => {
      const { emulator, call, licenseId } = await startGateway({ upstream: via })
      const key = emulator.control.addKey(licenseId, keyName).id
      emulator.control.faults.inject({ fault: 'status', status, body: 'html' })
      const answer = await call('GET', `/licenses/${licenseId}/keys/${key}`)
      expect(answer.status).toBe(status)
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(await answer.text()).toBe('Not found\n')
    },
  )

  test('a list whose next page lies elsewhere is not followed there with the token', async () => {
    const { emulator, call, licenseId } = await startGateway({ upstream: via }, { dialect: 'strict' })
    for (let index = 0; index < 30; index += 1) emulator.control.addKey(licenseId, `Device ${index}`)
    const elsewhere = await startService()
    const next = `${elsewhere.baseUrl}/licenses/${licenseId}/keys?page=2`
    emulator.control.faults.inject({ fault: 'set-fields', fields: { 'links.next': next }, times: 1 })
    const answer = await call('GET', `/licenses/${licenseId}/keys`)
    expect((await answer.json()).data).toHaveLength(30)
    expect(elsewhere.control.requests()).toEqual([])
  })

  test('407, which a fetch may take for a broken connection, is a 502 either way', async () => {
    const { emulator, call, licenseId } = await startGateway({ upstream: via })
    emulator.control.faults.inject({ fault: 'status', status: 407 })
    expect((await call('GET', `/licenses/${licenseId}/keys`)).status).toBe(502)
  })

  test.each<[string, FaultRule, string]>([
    ['seconds', { fault: 'status', status: 503, retryAfterSeconds: 30 }, '30'],
    ['a year', { fault: 'status', status: 429, retryAfterSeconds: 31_536_000 }, '3600'],
    ['at once', { fault: 'status', status: 503, retryAfterSeconds: 0 }, '1'],
  ])('the service’s wish to wait %s is passed on within a bound', async (_what, fault, expected) => {
    const { emulator, call, licenseId } = await startGateway({ upstream: via })
    emulator.control.faults.inject(fault)
    const answer = await call('GET', `/licenses/${licenseId}/keys`)
    expect(answer.headers.get('retry-after')).toBe(expected)
  })

  test.each<[string, FaultRule, string, boolean | null]>([
    ['404 in JSON', { fault: 'status', status: 404 }, 'not-found', true],
    ['404 in HTML', { fault: 'status', status: 404, body: 'html' }, 'not-found', false],
    ['410 in JSON', { fault: 'status', status: 410 }, 'not-found', true],
    ['422', { fault: 'status', status: 422 }, 'rejected', true],
    ['500', { fault: 'status', status: 500 }, 'unreachable', true],
    ['429', { fault: 'status', status: 429 }, 'unreachable', true],
    ['a portal', { fault: 'html' }, 'unreachable', true],
  ])(
    '%s means to an app behind the gateway what it means to one in front of the service',
    async (_what, fault, code, bodyIsJson) => {
      const { emulator, gateway, licenseId } = await startGateway({ upstream: via })
      const app = createCommerceClient({ baseUrl: 'https://licenses.vendor.example/v1', fetch: gateway })
      const key = emulator.control.addKey(licenseId, keyName).id
      emulator.control.faults.inject(fault)
      await expect(app.licenses.key(licenseId, key)).rejects.toMatchObject({ code, bodyIsJson })
    },
  )

  test('a wrong token is the vendor’s business: loud in the log, a 502 for the app', async () => {
    const emulator = await startService()
    const { call, lines, licenseId } = gatewayOf(emulator, {
      upstream: { ...via, accessToken: 'an-old-token' },
    })
    expect((await call('GET', `/licenses/${licenseId}/keys`)).status).toBe(502)
    expect(lines).toMatchObject([{ level: 'error', code: 'upstream-unauthorized', upstreamStatus: 401 }])
    expect(JSON.stringify(lines)).not.toContain('an-old-token')
  })
})
