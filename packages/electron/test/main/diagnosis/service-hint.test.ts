import { describe, expect, test } from 'vitest'
import { createServiceHint } from '../../../src/main/diagnosis/service-hint.ts'
import type { ProblemCode } from '../../../src/shared/problem.ts'
import { problem, unlicensed } from '../../dialog/stage/states.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'

function hear(baseUrl: string, ...codes: readonly (ProblemCode | null)[]): readonly string[] {
  const logger = createRecordingLogger()
  const tell = createServiceHint(logger, baseUrl)
  for (const code of codes) {
    tell(unlicensed({ problem: code === null ? null : problem(code, { httpStatus: 404 }) }))
  }
  return logger.lines
}

describe('an address that looks wrong', () => {
  test.each([
    ['offline', /Nothing answered at http:\/\/127\.0\.0\.1:4010\/v1.*emulator or gateway running/],
    ['unexpected-answer', /The server at http:\/\/127\.0\.0\.1:4010\/v1 \(status 404\) is not the license/],
    [
      'license-not-found',
      /doesn't know this license \(status 404\)\. If the key is right, .*\/v1.*LATCHKEY_UPSTREAM.*licenseKeys set to 'any'/,
    ],
  ] as const)('%s: the developer is told what to check', (code, line) => {
    const lines = hear('http://127.0.0.1:4010/v1', code)
    expect(lines).toEqual([expect.stringMatching(line)])
    expect(lines[0]).toMatch(/^warn .*Check service\.baseUrl/)
  })

  test('is logged once', () => {
    expect(hear('http://127.0.0.1/v1', 'offline', null, 'unexpected-answer', 'offline')).toHaveLength(1)
  })

  test('is logged without its secrets', () => {
    const lines = hear('https://anna:hush@example.com/v1?token=hush', 'offline').join()
    expect(lines).toContain('https://example.com/v1')
    expect(lines).not.toMatch(/anna|hush/)
  })
})

test.each([
  [200, 'verifies\\. Check the settings of the keygen adapter'],
  [404, 'verifies\\. Give the address without a version segment, such as /v1\\. Check the settings'],
])(
  'an adapter whose answers aren’t signed with the expected key names its settings (%i)',
  (httpStatus, text) => {
    const logger = createRecordingLogger()
    const tell = createServiceHint(logger, 'https://api.keygen.example/v1', 'keygen')
    tell(unlicensed({ problem: problem('untrusted-answer', { httpStatus }) }))
    const start = `^warn The answer of https://api\\.keygen\\.example/v1 \\(status ${httpStatus}\\) has no signature `
    expect(logger.lines).toEqual([expect.stringMatching(new RegExp(`${start}.*${text}`, 'u'))])
  },
)

test('other problems don’t get this hint', () => {
  expect(hear('http://127.0.0.1/v1', null, 'no-seat-left', 'license-expired', 'disk-full')).toEqual([])
})
