import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { type CommerceClientOptions, CommerceError, createCommerceClient } from '../src/index.ts'
import { baseUrlOption, checkOptions, OptionsError, secretOption } from '../src/options.ts'
import { accessToken, licenseId } from './samples.ts'
import { json, startService } from './service.ts'

/** The error of this class that a function throws. */
function thrownBy<E extends Error>(kind: new (...args: never[]) => E, run: () => unknown): E {
  try {
    run()
  } catch (error) {
    if (error instanceof kind) return error
    throw error
  }
  throw new Error('Was accepted')
}

describe('checkOptions', () => {
  const upstream = z.strictObject({ baseUrl: baseUrlOption, accessToken: z.optional(secretOption) })
  const schema = z.strictObject({
    appId: z.string('must name your app'),
    service: z.union([z.custom<() => void>((value) => typeof value === 'function'), upstream]),
    upstreams: z.optional(z.array(upstream)),
    graceDays: z.optional(z.number().check(z.gte(0))),
    expiry: z.optional(z.enum(['lock', 'updates'])),
    hidden: z.optional(z.boolean()),
    window: z.optional(z.lazy(() => z.strictObject({ title: z.optional(z.string().check(z.maxLength(3))) }))),
  })
  const service = { baseUrl: 'https://licensing.example/v1' }
  const check = (given: unknown) =>
    checkOptions('createThing', schema, given, { hints: { token: ': use service.accessToken' } })
  const errorOf = (given: unknown): OptionsError => thrownBy(OptionsError, () => check(given))

  it('returns the options as the schema reads them', () => {
    const given = { appId: 'notes', service: { baseUrl: new URL('https://licensing.example/v1//') } }
    expect(check(given)).toEqual({ appId: 'notes', service })
  })

  it.each<[given: object, problem: string]>([
    [{ graceDay: 3 }, 'graceDay is not an option (did you mean "graceDays"?)'],
    [{ GraceDays: 3 }, 'GraceDays is not an option (did you mean "graceDays"?)'],
    [{ grace: 3 }, 'grace is not an option (did you mean "graceDays"?)'],
    [{ window: { titel: 'x' } }, 'window.titel is not an option (did you mean "title"?)'],
    [
      { upstreams: [service, { ...service, accesstoken: 'x' }] },
      'upstreams[1].accesstoken is not an option (did you mean "accessToken"?)',
    ],
    [{ service: { ...service, baseURL: 'x' } }, 'service.baseURL is not an option (did you mean "baseUrl"?)'],
    [{ title: 'x' }, 'title is not an option: it belongs in window: { title }'],
    [{ accessToken: 'x' }, 'accessToken is not an option: it belongs in service: { accessToken }'],
    [{ window: { appId: 'x' } }, 'window.appId is not an option: it belongs at the top level: { appId }'],
    [{ token: 'x' }, 'token is not an option: use service.accessToken'],
    [
      { toString: 1 },
      'toString is not an option: the options are appId, service, upstreams, graceDays, expiry',
    ],
    [{ appId: undefined }, 'appId is missing: it must name your app'],
    [{ service: {} }, 'service.baseUrl is missing: it must be a URL'],
    [{ service: 'x' }, 'service must be'],
    [{ graceDays: '3' }, 'graceDays must be a number'],
    [{ graceDays: -1 }, 'graceDays must be at least 0'],
    [{ expiry: 'never' }, 'expiry must be "lock" or "updates"'],
    [{ hidden: 'false' }, 'hidden must be true or false'],
    [{ window: { title: 'long' } }, 'window.title must have at most 3 characters'],
    [{ window: [] }, 'window must be an object'],
  ])('says what is wrong with %j', (given, problem) => {
    expect(errorOf({ appId: 'notes', service, ...given }).message).toContain(`createThing: ${problem}`)
  })

  it.each([null, undefined, 'text', 3, []])('refuses %j in place of the options', (given) => {
    expect(errorOf(given).message).toMatch(
      /^createThing: (?:the argument must be an object|2 options are unusable)/u,
    )
  })

  it('lists everything that is wrong in one error, unknown names first', () => {
    const error = errorOf({ appID: 'notes', service, graceDays: '3' })
    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toBe(
      'createThing: 3 options are unusable:\n- appID is not an option (did you mean "appId"?)\n- appId is missing: it must name your app\n- graceDays must be a number',
    )
    expect(error.problems.map(({ option }) => option)).toEqual(['appID', 'appId', 'graceDays'])
  })

  it('never shows a value', () => {
    const { message } = errorOf({
      appId: 0xc0ffee,
      service: { baseUrl: 'https://me:s3cr3t@licensing.example', accessToken: 's3cr3t token' },
      expiry: 's3cr3t',
      graceDays: 's3cr3t',
      s3cr: 's3cr3t',
    })
    expect(message).toContain('service.accessToken contains a space')
    expect(message).toContain('service.baseUrl must not contain a user name or password')
    expect(message).not.toContain('s3cr3t')
  })
})

describe('a client', () => {
  const baseUrl = 'https://commerce.example/v1'
  const refusal = (options: Partial<CommerceClientOptions>): CommerceError =>
    thrownBy(CommerceError, () => createCommerceClient({ baseUrl, ...options }))

  it.each([
    ['https://', ['commerce.example/v1', 'localhost:4010/v1', 'ftp://commerce.example/v1', 'file:///v1']],
    ['https://', ['javascript:alert(1)']],
    ['is empty', ['']],
    ['not a URL', ['https://', '/v1']],
    ['query', ['https://commerce.example/v1?team=1', 'https://commerce.example/v1?']],
    ['fragment', ['https://commerce.example/v1#top']],
    ['user name', ['https://ada@commerce.example/v1']],
    ['password', ['https://ada:pa55w0rd@commerce.example/v1', 'https://:pa55w0rd@commerce.example/v1']],
  ])('says %j of the base URLs %j', (word, urls) => {
    for (const url of urls) {
      const error = refusal({ baseUrl: url })
      expect(error).toMatchObject({ code: 'invalid-argument', operation: null, isRetryable: false })
      expect(error.message).toContain(word)
      expect(inspect(error)).not.toContain('pa55w0rd')
    }
  })

  it.each([
    ['/v1', '/v1'],
    ['/v1/', '/v1'],
    ['/v1///', '/v1'],
    ['', ''],
    ['/', ''],
    ['/licensing', '/licensing'],
    ['/a%20b/v1/', '/a%20b/v1'],
  ])('accepts a base URL with the path %j', async (path, sent) => {
    const service = await startService(json({ data: [] }))
    for (const url of [`${service.origin}${path}`, new URL(`${service.origin}${path}`)])
      await createCommerceClient({ baseUrl: url }).licenses.keys(licenseId)
    const url = `${sent}/licenses/${licenseId}/keys`
    expect(service.requests).toMatchObject([{ url }, { url }])
  })

  it.each([
    [`${accessToken}\n`, 'line break'],
    [`${accessToken}\r\nx-evil: 1`, 'line break'],
    [`Bearer ${accessToken}`, 'Bearer'],
    [`${accessToken}é`, 'character'],
    [`${accessToken}\u0000`, 'character'],
    ['', 'empty'],
  ])('refuses the access token %j without showing it', (token, word) => {
    const error = refusal({ accessToken: token })
    expect(error.code).toBe('invalid-argument')
    expect(error.message).toContain(word)
    expect(`${inspect(error, { depth: 10 })}${error.stack}`).not.toContain('s3cr3t')
  })

  it.each([
    'http://commerce.example/v1',
    'http://192.168.1.2:4010/v1',
    'http://localhost.evil.example/v1',
    'http://127.evil.example',
    'http://127.0.0.1.evil.example',
  ])('sends no access token unencrypted to %s unless explicitly allowed', (url) => {
    expect(refusal({ baseUrl: url, accessToken }).message).toContain('allowInsecure')
    createCommerceClient({ baseUrl: url, accessToken, allowInsecure: true })
    createCommerceClient({ baseUrl: url })
  })

  it.each([
    ...['http://localhost:4010/v1', 'http://app.localhost/v1', 'http://127.0.0.1/v1'],
    ...['http://127.1.2.3/v1', 'http://127.101.102.103/v1', 'http://[::1]:80/v1'],
  ])('may send its access token to %s, which is this machine', (url) => {
    createCommerceClient({ baseUrl: url, accessToken })
  })

  it('doesn’t show its access token', () => {
    const commerce = createCommerceClient({ baseUrl, accessToken })
    expect(inspect(commerce, { depth: 10, showHidden: true })).not.toContain(accessToken)
    expect(JSON.stringify(commerce)).not.toContain(accessToken)
    const error = refusal({ baseUrl, ...{ accesstoken: accessToken } })
    expect(error.message).toContain('accesstoken is not an option (did you mean "accessToken"?)')
    expect(inspect(error, { depth: 10 })).not.toContain(accessToken)
  })

  it.each<[option: string, values: readonly unknown[]]>([
    ['timeout', [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31]],
    ['maxAnswerBytes', [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]],
    ['userAgent', ['', 'a\nb', 'Müller']],
  ])('refuses a %s of %j', (option, values) => {
    for (const value of values) expect(refusal({ [option]: value }).message).toContain(option)
    createCommerceClient({ baseUrl, timeout: 2 ** 31 - 1 })
  })
})
