import type { LicenseService } from '@latchkey/services'
import { dodo } from '@latchkey/services/dodo'
import { type KeygenOptions, keygen } from '@latchkey/services/keygen'
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

  test('https to a server on this computer is doubted', () => {
    const question = 'Does it use http:// instead of https://?'
    expect(hear('https://127.0.0.1:4010/v1', 'offline').join()).toContain(question)
    expect(hear('http://127.0.0.1:4010/v1', 'offline').join()).not.toContain(question)
    expect(hear('https://licensing.vendor.example/v1', 'offline').join()).not.toContain(question)
  })

  test.each([
    [
      'ERR_CERT_AUTHORITY_INVALID',
      /\(ERR_CERT_AUTHORITY_INVALID\)\. This computer does not trust its certificate/u,
    ],
    ['ERR_CERT_DATE_INVALID', /certificate isn't valid at this computer's date, \d{4}-\d\d-\d\d\. Is that/u],
    ['ERR_SSL_PROTOCOL_ERROR', /Does it use http:\/\/ instead of https/u],
    ['ERR_NAME_NOT_RESOLVED', /\(ERR_NAME_NOT_RESOLVED\)\. Is the host name right\? Check/u],
    ['ERR_CONNECTION_REFUSED', /\(ERR_CONNECTION_REFUSED\)\. If this is your development machine/u],
  ])('%s says why nothing answered', (error, line) => {
    const logger = createRecordingLogger()
    const tell = createServiceHint(logger, 'https://127.0.0.1:4010/v1', undefined, () => error)
    tell(unlicensed({ problem: problem('offline') }))
    expect(logger.lines).toEqual([expect.stringMatching(line)])
  })

  test('the documentation’s example is named', () => {
    expect(hear('https://licensing.example.com/v1', 'offline')).toEqual([
      expect.stringContaining("which is only the documentation's example. Set the address of your own"),
    ])
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

function hearOfAdapter(
  { name, baseUrl }: Pick<LicenseService, 'name' | 'baseUrl'>,
  code: ProblemCode,
  httpStatus = 404,
): string {
  const logger = createRecordingLogger()
  createServiceHint(logger, baseUrl, name)(unlicensed({ problem: problem(code, { httpStatus }) }))
  return logger.lines.join('\n')
}

describe('an adapter whose answers aren’t signed with the expected key', () => {
  const account = '1fddcec8-8dd3-4d8d-9b16-215cac0f9b52'
  const ofKeygen = (more: Partial<KeygenOptions>): LicenseService =>
    keygen({ product: '2313b7e7-1ea6-4a01-901e-2931de6bb1e2', ...more })
  const host = 'https://api.keygen.example'

  test('names its settings', () => {
    expect(hearOfAdapter(ofKeygen({ account, baseUrl: host }), 'untrusted-answer', 200)).toBe(
      `warn The answer of ${host}/v1/accounts/${account} (status 200) has no signature that the public key in this app verifies. Check the settings of the keygen adapter. This warning is logged once.`,
    )
  })

  test.each([{ account, baseUrl: host }, { baseUrl: host }])(
    'asks for the account after a 404, not for an address that is right: %o',
    (options) => {
      const line = hearOfAdapter(ofKeygen(options), 'untrusted-answer')
      expect(line).toContain('verifies. Is `account` the account ID in Settings? Check the settings')
      expect(line).not.toContain('version segment')
    },
  )

  test.each([{ account, baseUrl: `${host}/v1` }, { baseUrl: `${host}/v1/` }])(
    'asks for the version segment that was given: %o',
    (options) => {
      const line = hearOfAdapter(ofKeygen(options), 'untrusted-answer')
      expect(line).toContain('verifies. Does the address work without its version segment, /v1? Check')
      expect(line).not.toContain('account ID')
    },
  )
})

test('an adapter that doesn’t know a license asks for the version segment of its address, if there is one', () => {
  const ofDodo = (baseUrl: string): string =>
    hearOfAdapter(dodo({ productId: 'pdt_1', baseUrl }), 'license-not-found')
  expect(ofDodo('https://live.dodo.example/v1')).toContain(
    '(status 404). Does the address work without its version segment, /v1? If the key is right, it belongs to',
  )
  expect(ofDodo('https://live.dodo.example')).toContain('(status 404). If the key is right, it belongs to')
})

test('an adapter whose address is no service asks for its version segment, too', () => {
  const line = hearOfAdapter({ name: 'polar', baseUrl: 'http://127.0.0.1:4011/v1' }, 'unexpected-answer')
  expect(line).toContain(
    'is not the license service. Does the address work without its version segment, /v1? Check',
  )
})

test('other problems don’t get this hint', () => {
  expect(hear('http://127.0.0.1/v1', null, 'no-seat-left', 'license-expired', 'disk-full')).toEqual([])
})
