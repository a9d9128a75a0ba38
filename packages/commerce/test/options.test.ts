import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { baseUrlOption, checkOptions, OptionsError, secretOption } from '../src/options.ts'

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

const errorOf = (given: unknown): OptionsError => {
  try {
    checkOptions('createThing', schema, given, { hints: { token: ': use service.accessToken' } })
  } catch (error) {
    if (error instanceof OptionsError) return error
    throw error
  }
  throw new Error('Was accepted')
}

it('returns the options as the schema reads them', () => {
  const given = { appId: 'notes', service: { baseUrl: new URL('https://licensing.example/v1//') } }
  expect(checkOptions('createThing', schema, given)).toEqual({ appId: 'notes', service })
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
  const given = {
    appId: 0xc0ffee,
    service: { baseUrl: 'https://me:s3cr3t@licensing.example', accessToken: 's3cr3t token' },
    expiry: 's3cr3t',
    graceDays: 's3cr3t',
    s3cr: 's3cr3t',
  }
  const { message } = errorOf(given)
  expect(message).toContain('service.accessToken contains a space')
  expect(message).toContain('service.baseUrl must not contain a user name or password')
  expect(message).not.toContain('s3cr3t')
})
