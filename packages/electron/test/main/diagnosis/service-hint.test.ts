import { commerce } from '@latchkey/services/commerce'
import { polar } from '@latchkey/services/polar'
import { expect, test } from 'vitest'
import { createServiceHint } from '../../../src/main/diagnosis/service-hint.ts'
import type { ProblemCode } from '../../../src/shared/problem.ts'
import { problem, unlicensed } from '../../dialog/stage/states.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'

const organizationId = 'fda84e25-7b55-4d67-916d-60ead04ff72f'

interface Settings {
  readonly baseUrl?: string
  readonly isAdapter?: boolean
  readonly source?: string
}

/** What the developer reads about these problems, one after another. */
function hear(
  codes: readonly (ProblemCode | null)[],
  { baseUrl = 'http://127.0.0.1:4010/v1', isAdapter = false, ...facts }: Settings = {},
): readonly string[] {
  const logger = createRecordingLogger()
  const service = isAdapter ? polar({ organizationId, baseUrl }) : commerce({ baseUrl })
  const tell = createServiceHint(logger, { service, isAdapter }, { networkError: 'ERR_CONNECTION_REFUSED' })
  for (const code of codes) {
    tell(unlicensed({ problem: code === null ? null : problem(code, { httpStatus: 404, ...facts }) }))
  }
  return logger.lines
}

test.each([
  ['offline', /^warn Nothing answered at http:\/\/127\.0\.0\.1:4010\/v1 \(ERR_CONNECTION_REFUSED\)\. Does/u],
  [
    'unexpected-answer',
    /answered at http:\/\/127\.0\.0\.1:4010\/v1 \(status 404\)\. Does the address include/u,
  ],
  ['license-not-found', /no such license at .*\/v1\?.*LATCHKEY_UPSTREAM.*licenseKeys: 'any'/u],
] as const)('an address that looks wrong by %s: the developer reads once what to check', (code, line) => {
  const lines = hear([code, null, 'unexpected-answer', 'offline'])
  expect(lines).toEqual([expect.stringMatching(line)])
  expect(lines[0]).toMatch(/Check service\.baseUrl\.$/u)
})

test.each([
  ['license-not-found', 'If the key is right, it belongs to another organization, store or account'],
  ['wrong-product', 'The license key is for another product at https://polar.example'],
  ['test-license-key', 'The license key is one of the test mode'],
  ['untrusted-answer', 'No public key in this app verifies'],
  ['misconfigured', 'Apps may not use the service'],
] as const)('an adapter’s settings that look wrong by %s are named', (code, text) => {
  const lines = hear([code], { baseUrl: 'https://polar.example', isAdapter: true })
  expect(lines).toEqual([expect.stringContaining(text)])
  expect(lines[0]).toMatch(/Check the settings of the polar adapter\.$/u)
})

test.each([true, false])('an administrator reads which license key to compare (adapter: %s)', (isAdapter) => {
  const lines = hear(['license-not-found'], { source: '/etc/notes/license.json', isAdapter })
  expect(lines).toEqual([expect.stringContaining('Compare the license key from /etc/notes/license.json')])
  expect(lines[0]).not.toMatch(/baseUrl|settings of|LATCHKEY/u)
})

test('other problems don’t get this hint', () => {
  expect(hear([null, 'no-seat-left', 'license-expired', 'disk-full'])).toEqual([])
})
