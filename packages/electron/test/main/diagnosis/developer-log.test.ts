import { commerce } from '@latchkey/services/commerce'
import { lemonSqueezy } from '@latchkey/services/lemon-squeezy'
import { polar } from '@latchkey/services/polar'
import { describe, expect, test } from 'vitest'
import { createConnectionFacts, logRequests, routeOf } from '../../../src/main/adapters/app-service.ts'
import { createServiceHint, secretWarnings } from '../../../src/main/diagnosis/developer-hints.ts'
import { createMaskedLogger, maskSecrets } from '../../../src/main/diagnosis/masked-logger.ts'
import type { ProblemCode } from '../../../src/shared/problem.ts'
import { licensingState } from '../../../src/testing/fake-state.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'

const licenseKey = '1f0a0000-0000-4000-8000-000000009c1d'

describe('lines in the developer’s log', () => {
  test.each<[string, readonly string[], readonly string[], string]>([
    [`${licenseKey} and ${licenseKey.toUpperCase()}`, [], [], '1f0a••••9c1d and 1f0a••••9c1d'],
    [
      `https://example.com/licenses/${licenseKey}/keys`,
      [''],
      [],
      'https://example.com/licenses/1f0a••••9c1d/keys',
    ],
    ['Bearer token-1', ['token-1'], [], 'Bearer ••••'],
    ['x token-1-and-more y', ['token-1', 'token-1-and-more'], [], 'x •••• y'],
    ...['$&', "$'", '$`', '$$'].map((start): [string, readonly string[], readonly string[], string] => {
      const key = `${start}kW-8831-QQTR-7723-zz9P`
      return [`bad key ${key} pasted`, [], [key], `bad key ${start}kW••••zz9P pasted`]
    }),
    ['INKW-1C28-04DA and lki_7c2d9e40', [], ['INKW-1C28-04DA', 'lki_7c2d9e40'], 'IN••••DA and lk••••40'],
  ])('show no license key, no ID and no secret: %s', (text, secrets, sentKeys, shown) => {
    expect(maskSecrets(text, secrets, new Set(sentKeys))).toBe(shown)
  })

  test('go to the level they belong to, and say where they come from', () => {
    const logger = createRecordingLogger()
    const masked = createMaskedLogger(logger, ['token-1'])
    for (const level of ['debug', 'info', 'warn', 'error'] as const) masked[level](`${licenseKey} token-1`)
    expect(logger.lines).toEqual(
      ['debug', 'info', 'warn', 'error'].map((level) => `${level} [latchkey] 1f0a••••9c1d ••••`),
    )
  })

  test('do no harm if the logger throws, and console fits as it is', () => {
    const throwing = () => {
      throw new Error('disk is full')
    }
    const logger = { debug: throwing, info: throwing, warn: throwing, error: throwing }
    expect(() => createMaskedLogger(logger, []).warn('w')).not.toThrow()
    expect(() => createMaskedLogger(console, []).debug('fits')).not.toThrow()
  })
})

describe('a request', () => {
  const id = '11111111-2222-4333-8444-555555555555'

  /** Sends a request that ends like this. @returns the line about it, and the code that is kept for the report */
  async function logged(end: Response | Error) {
    const logger = createRecordingLogger()
    const connection = { ...createConnectionFacts(), networkError: 'ERR_OF_THE_REQUEST_BEFORE' }
    const fetch = logRequests(
      () => (end instanceof Error ? Promise.reject(end) : Promise.resolve(end)),
      logger,
      connection,
    )
    const request = new Request(`https://example.com/v1/licenses/${id}/activate`, { method: 'POST' })
    const sent = await fetch(request).catch((error: unknown) => error)
    return { sent, line: logger.lines.join('\n'), code: connection.networkError }
  }

  test.each([
    [new Response('{}', { status: 201 }), 'status 201 after 0 ms', null],
    [new Error(`no way to ${id}`), 'no answer after 0 ms', null],
    [
      new Error('net::ERR_CONNECTION_REFUSED'),
      'no answer after 0 ms, ERR_CONNECTION_REFUSED',
      'ERR_CONNECTION_REFUSED',
    ],
    [
      new Error('net::ERR_SSL_PROTOCOL_ERROR'),
      'no answer after 0 ms, ERR_SSL_PROTOCOL_ERROR (does the service use http:// instead of https://?)',
      'ERR_SSL_PROTOCOL_ERROR',
    ],
  ])(
    'is a line at debug, with its method, route, outcome and duration: %s',
    async (end, outcome, networkError) => {
      const { sent, line, code } = await logged(end)
      expect(sent).toBe(end)
      expect(line.replace(/\d+ ms/u, '0 ms')).toBe(`debug POST /v1/licenses/*/activate: ${outcome}`)
      expect(code).toBe(networkError)
    },
  )

  test.each([
    [`https://example.com/v1/licenses/${id}/keys/${id}?token=secret#part`, '/v1/licenses/*/keys/*'],
    ['https://example.com/api/v2/licenses/plain-words/validate', '/api/v2/licenses/*/validate'],
    ['https://example.com/v1/licenses/ABCD-1234/keys', '/v1/licenses/*/keys'],
    ['https://example.com/', '/'],
  ])('has no ID in the route of %s', (url, route) => {
    expect(routeOf(url)).toBe(route)
  })
})

describe('settings that look wrong', () => {
  const baseUrl = 'http://127.0.0.1:4010/v1'
  const adapter = polar({
    organizationId: 'fda84e25-7b55-4d67-916d-60ead04ff72f',
    baseUrl: 'https://polar.example',
  })

  /** What the developer reads about these problems, one after another. */
  function hear(
    codes: readonly (ProblemCode | null)[],
    isAdapter = false,
    source?: string,
  ): readonly string[] {
    const logger = createRecordingLogger()
    const service = isAdapter ? adapter : commerce({ baseUrl })
    const tell = createServiceHint(logger, { service, isAdapter }, { networkError: 'ERR_CONNECTION_REFUSED' })
    for (const code of codes)
      tell(licensingState({ problem: code && { code, httpStatus: 404, ...(source && { source }) } }))
    return logger.lines
  }

  test.each([
    ['offline', `Nothing answered at ${baseUrl} (ERR_CONNECTION_REFUSED). Does`],
    ['unexpected-answer', `answered at ${baseUrl} (status 404). Does the address include`],
    [
      'license-not-found',
      `no such license at ${baseUrl} (status 404). If the key is right, does the address`,
    ],
  ] as const)('as an address, by %s, are named once', (code, text) => {
    const lines = hear([code, null, 'unexpected-answer', 'offline'])
    expect(lines).toEqual([expect.stringContaining(text)])
    expect(lines[0]).toMatch(/Check service\.baseUrl\.$/u)
  })

  test.each([
    ['license-not-found', 'If the key is right, it belongs to another organization, store or account'],
    ['wrong-product', 'The license key is for another product at https://polar.example'],
    ['test-license-key', 'The license key is one of the test mode'],
    ['untrusted-answer', 'No public key in this app verifies'],
    ['misconfigured', 'Apps may not use the service'],
  ] as const)('of an adapter, by %s, are named', (code, text) => {
    const lines = hear([code], true)
    expect(lines).toEqual([expect.stringContaining(text)])
    expect(lines[0]).toMatch(/Check the settings of the polar adapter\.$/u)
  })

  test.each([true, false])(
    'are no matter of an administrator, who reads which license key to compare (adapter: %s)',
    (isAdapter) => {
      const lines = hear(['license-not-found'], isAdapter, '/etc/notes/license.json')
      expect(lines).toEqual([expect.stringContaining('Compare the license key from /etc/notes/license.json')])
      expect(lines[0]).not.toMatch(/baseUrl|settings of|LATCHKEY/u)
    },
  )

  test('aren’t what other problems are about', () => {
    expect(hear([null, 'no-seat-left', 'license-expired', 'disk-full'])).toEqual([])
  })

  test('are a vendor’s secret, but not one for the emulator', () => {
    const service = { storeId: 1, productId: 2, apiKey: 'secret' }
    expect(secretWarnings(lemonSqueezy(service))).toEqual([
      expect.stringContaining('service contains apiKey'),
    ])
    expect(secretWarnings(lemonSqueezy({ ...service, baseUrl: 'http://127.0.0.1:4321' }))).toEqual([])
    expect(secretWarnings({ baseUrl: 'https://licensing.example.com/v1' })).toEqual([])
  })
})
