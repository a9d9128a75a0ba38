import { expect, test } from 'vitest'
import { describeProblem, nameCause } from '../../../src/core/problem.ts'
import { type ProblemCode, problemMessages } from '../../../src/shared/problem.ts'

const codes = Object.keys(problemMessages) as ProblemCode[]
const passing: readonly ProblemCode[] = [
  'activation-refused',
  'activation-unconfirmed',
  'seat-may-be-taken',
  'unconfirmed',
  'deactivation-pending',
  'offline',
  'timeout',
  'service-error',
  'rate-limited',
  'unexpected-answer',
  'incomplete-answer',
  'unauthorized',
  'untrusted-answer',
  'store-not-writable',
  'disk-full',
  'clock-behind',
  'busy',
  'unexpected',
]

test.each(codes)('%s says whether the same may succeed later', (code) => {
  expect(describeProblem({ code }, 0).isRetryable).toBe(passing.includes(code))
})

test('has the HTTP status only if there was a response', () => {
  expect(describeProblem({ code: 'service-error', httpStatus: 503 }, 0)).toHaveProperty('httpStatus', 503)
  expect(describeProblem({ code: 'offline' }, 0)).not.toHaveProperty('httpStatus')
  expect(describeProblem({ code: 'offline' }, 0)).not.toHaveProperty('retryAt')
  expect(nameCause({ code: 'service-error', httpStatus: 503 })).toBe('service-error (status 503)')
  expect(nameCause({ code: 'offline' })).toBe('offline')
})
