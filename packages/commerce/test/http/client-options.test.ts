import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type CommerceClientOptions, CommerceError, createCommerceClient } from '../../src/index.ts'
import { accessToken, licenseId } from '../samples.ts'
import { json, startService } from '../service.ts'

/** The error of creating a client with these options. */
function refusal(options: CommerceClientOptions): CommerceError {
  try {
    createCommerceClient(options)
  } catch (error) {
    if (error instanceof CommerceError) return error
    throw error
  }
  throw new Error('Was not refused')
}

describe('the base URL', () => {
  it.each([
    ['commerce.example/v1', 'https://'],
    ['localhost:4010/v1', 'https://'],
    ['ftp://commerce.example/v1', 'https://'],
    ['file:///v1', 'https://'],
    ['javascript:alert(1)', 'https://'],
    ['', 'is empty'],
    ['https://', 'not a URL'],
    ['/v1', 'not a URL'],
    ['https://commerce.example/v1?team=1', 'query'],
    ['https://commerce.example/v1?', 'query'],
    ['https://commerce.example/v1#top', 'fragment'],
    ['https://ada:pa55w0rd@commerce.example/v1', 'password'],
    ['https://ada@commerce.example/v1', 'user name'],
    ['https://:pa55w0rd@commerce.example/v1', 'password'],
  ])('%j is refused and the message says what is wrong', (baseUrl, word) => {
    const error = refusal({ baseUrl })
    expect(error).toMatchObject({ code: 'invalid-argument', operation: null, isRetryable: false })
    expect(error.message).toContain(word)
    expect(inspect(error)).not.toContain('pa55w0rd')
  })

  it.each(['', '/', '///'])('a trailing %j makes no difference', async (slashes) => {
    const service = await startService(json({ data: [] }))
    await createCommerceClient({ baseUrl: `${service.baseUrl}${slashes}` }).licenses.keys(licenseId)
    expect(service.requests[0]?.url).toBe(`/v1/licenses/${licenseId}/keys`)
  })

  it.each([
    ['', ''],
    ['/', ''],
    ['/licensing', '/licensing'],
    ['/a%20b/v1/', '/a%20b/v1'],
  ])('a gateway can have the path %j, without v1', async (path, sent) => {
    const service = await startService(json({ data: [] }))
    await createCommerceClient({ baseUrl: new URL(`${service.origin}${path}`) }).licenses.keys(licenseId)
    expect(service.requests[0]?.url).toBe(`${sent}/licenses/${licenseId}/keys`)
  })
})

describe('the access token', () => {
  it.each([
    [`${accessToken}\n`, 'line break'],
    [`${accessToken}\r\nx-evil: 1`, 'line break'],
    [`Bearer ${accessToken}`, 'Bearer'],
    [`${accessToken}é`, 'character'],
    [`${accessToken}\u0000`, 'character'],
    ['', 'empty'],
  ])('%j is refused without being shown', (token, word) => {
    const error = refusal({ baseUrl: 'https://commerce.example/v1', accessToken: token })
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
  ])('isn’t sent unencrypted to %s unless explicitly allowed', (baseUrl) => {
    expect(refusal({ baseUrl, accessToken }).message).toContain('allowInsecure')
    createCommerceClient({ baseUrl, accessToken, allowInsecure: true })
    createCommerceClient({ baseUrl })
  })

  it.each([
    'http://localhost:4010/v1',
    'http://app.localhost/v1',
    'http://127.0.0.1/v1',
    'http://127.1.2.3/v1',
    'http://127.101.102.103/v1',
    'http://[::1]:80/v1',
  ])('may go to %s, which is this machine', (baseUrl) => {
    createCommerceClient({ baseUrl, accessToken })
  })

  it('can’t be read from the client', () => {
    const commerce = createCommerceClient({ baseUrl: 'https://commerce.example/v1', accessToken })
    expect(inspect(commerce, { depth: 10, showHidden: true })).not.toContain(accessToken)
    expect(JSON.stringify(commerce)).not.toContain(accessToken)
  })
})

it.each<[option: string, values: readonly unknown[]]>([
  ['timeout', [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31]],
  ['maxAnswerBytes', [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]],
  ['userAgent', ['', 'a\nb', 'Müller']],
])('%s can’t be one of %j', (option, values) => {
  const baseUrl = 'https://commerce.example/v1'
  for (const value of values) expect(refusal({ baseUrl, [option]: value }).message).toContain(option)
  createCommerceClient({ baseUrl, timeout: 2 ** 31 - 1 })
})

it('an unknown option is refused by name, without its value', () => {
  const error = refusal({ baseUrl: 'https://commerce.example/v1', ...{ accesstoken: accessToken } })
  expect(error.message).toContain('accesstoken is not an option (did you mean "accessToken"?)')
  expect(inspect(error, { depth: 10 })).not.toContain(accessToken)
})
