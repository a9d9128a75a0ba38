import { expect, it } from 'vitest'
import { json } from '../../src/answer.ts'
import { createServiceData } from '../../src/data/service-data.ts'
import { resolveDialect } from '../../src/formats/dialect.ts'
import { formats, withRateLimit } from '../../src/formats/formats.ts'
import { createServiceClock } from '../../src/timestamps.ts'
import { useService } from './format-under-test.ts'

const polar = '/v1/customer-portal/license-keys/validate'
const lemonSqueezy = '/v1/licenses/validate'

/** The statuses of `count` requests at each of these times, and the last `Retry-After`. */
function answersOf(name: 'polar' | 'lemon-squeezy', path: string, count: number, times: readonly number[]) {
  let nowMs = 0
  const clock = createServiceClock(() => nowMs)
  const format = withRateLimit({ ...formats[name], answer: () => json(200, {}) }, clock.nowMs)
  const state = { accessToken: null, dialect: resolveDialect({}), clock, data: createServiceData(clock) }
  const url = new URL(path, 'http://localhost')
  const request = { operation: 'validate', method: 'POST', url, bodyText: null } as const
  return times.flatMap((time) => {
    nowMs = time
    const answers = Array.from({ length: count }, () =>
      format.answer(state, { ...request, header: () => undefined, param: () => '', refuseToken: () => {} }),
    )
    const answered = answers.filter(({ status }) => status === 200).length
    return [[answered, answers.at(-1)?.headers?.['retry-after']]]
  })
}

// https://github.com/polarsource/polar/blob/c6c3645e639ee8eeaa05aa0835cf8e39e330382f/server/polar/rate_limit.py
it('blocks an address for a minute after its fourth request within a second at Polar', () => {
  expect(answersOf('polar', polar, 4, [0, 1_500, 59_999, 60_000])).toEqual([
    [3, '60'],
    [0, '59'],
    [0, '1'],
    [3, '60'],
  ])
})

it('has no such limit for a server at Polar', () => {
  expect(answersOf('polar', '/v1/license-keys/validate', 20, [0])).toEqual([[20, undefined]])
})

// https://docs.lemonsqueezy.com/api/license-api
it('answers 60 requests a minute at Lemon Squeezy', () => {
  expect(answersOf('lemon-squeezy', lemonSqueezy, 61, [0, 59_000, 60_000])).toEqual([
    [60, '60'],
    [0, '1'],
    [60, '60'],
  ])
})

const service = useService({ face: 'polar', rateLimits: true })

it('is applied with the option rateLimits', async () => {
  const { licenseKey: key, settings } = service.emulator
  const fields = { key, organization_id: settings['organizationId'] }
  // On a busy machine, the first requests may arrive too slowly.
  const burst = async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.ask(polar, fields)))
    return answers.map(({ status }) => status)
  }
  await expect.poll(burst).toContain(429)
})
