import { OptionsError } from '@latchkey/commerce/options'
import { expect, test } from 'vitest'
import { checkServiceOptions } from '../../../src/main/options/check-service-options.ts'
import { LicensingOptionsError } from '../../../src/main/options/licensing-options-error.ts'
import type { LicensingSettings } from '../../../src/main/options/parse-licensing-options.ts'
import { reachGateway } from '../../doubles/app-service.ts'

const usual: LicensingSettings['service'] = {
  baseUrl: 'https://licensing.example.com/v1',
  accessToken: undefined,
  timeoutMs: undefined,
  headers: undefined,
  allowInsecure: undefined,
  licenseKeys: 'uuid',
}
const noFetch = async (): Promise<Response> => {
  throw new Error('nothing is sent here')
}

/** The fault that each of the two finds, in brief. */
function faults(service: LicensingSettings['service']): readonly [string, string] {
  const found = (check: () => unknown): string => {
    try {
      check()
    } catch (error) {
      expect(error instanceof LicensingOptionsError || error instanceof OptionsError).toBe(true)
      return error instanceof Error ? error.message : ''
    }
    return ''
  }
  return [
    found(() => checkServiceOptions(service)),
    found(() => reachGateway({ ...service, fetch: noFetch })),
  ]
}

test.each([
  {},
  { baseUrl: 'http://localhost:4000' },
  { baseUrl: 'https://[::1]:1/a/b/' },
  { accessToken: 'token' },
  { timeoutMs: 1 },
  { timeoutMs: 2_147_483_647 },
])('service options %j suit both createLicensing and the client that is loaded later', (given) => {
  expect(faults({ ...usual, ...given })).toEqual(['', ''])
})

test.each([
  [{ baseUrl: 'licensing.example.com' }, /baseUrl is not a URL/],
  [{ baseUrl: '' }, /baseUrl is empty: check where/],
  [{ baseUrl: 'ftp://licensing.example.com' }, /baseUrl must start with https:\/\//],
  [{ baseUrl: 'https://me:secret@licensing.example.com' }, /baseUrl must not contain a user name/],
  [{ baseUrl: 'https://secret@licensing.example.com' }, /baseUrl must not contain a user name/],
  [{ baseUrl: 'https://licensing.example.com/v1?key=secret' }, /baseUrl must not contain a query/],
  [{ baseUrl: 'https://licensing.example.com/v1#' }, /baseUrl must not contain a query or a fragment/],
  [{ accessToken: '' }, /accessToken is empty/],
  [{ accessToken: 'secret\n' }, /accessToken contains a line break/],
  [{ accessToken: 'Bearer secret' }, /accessToken contains a space/],
  [{ accessToken: 'sécret' }, /accessToken contains a space or another character/],
])('service options %j are refused by createLicensing, before the client is loaded', (given, fault) => {
  const [early, late] = faults({ ...usual, ...given })
  expect(early).toMatch(fault)
  expect(late).toMatch(fault)
  expect(early).not.toMatch(/secret/)
})

test.each([0, -1, 2_147_483_648])(
  'a time limit of %d ms is refused by createLicensing, because a timer would end at once',
  (timeoutMs) => {
    expect(faults({ ...usual, timeoutMs })[0]).toMatch(/timeout must be 1 to 2147483647 milliseconds/)
  },
)
