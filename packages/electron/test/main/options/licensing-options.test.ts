import { describe, expect, test } from 'vitest'
import type { LicensingOptions } from '../../../src/main/options/licensing-options.ts'
import { LicensingOptionsError } from '../../../src/main/options/licensing-options-error.ts'
import { mergeWindowOptions } from '../../../src/main/options/merge-window-options.ts'
import {
  parseActivationWindowOptions,
  parseLicensingOptions,
} from '../../../src/main/options/parse-licensing-options.ts'
import { createReleaseReader } from '../../../src/main/options/release-date.ts'
import { checkRuntime } from '../../../src/main/runtime.ts'
import { createTestDevice } from '../../core/fixture.ts'
import { createServiceModel } from '../../core/service-model.ts'

const minimal: LicensingOptions = {
  appId: 'com.example.notes',
  service: { baseUrl: 'https://licensing.example.com/v1' },
}
const unpackaged = { isPackaged: false }
const packaged = { isPackaged: true }
const dayMs = 86_400_000
const hourMs = 3_600_000

/** The message of the refusal of options a typed caller could not even write. */
function refusal(options: unknown, facts = unpackaged): string {
  try {
    Reflect.apply(parseLicensingOptions, null, [options, facts])
  } catch (error) {
    expect(error).toBeInstanceOf(LicensingOptionsError)
    return error instanceof Error ? error.message : ''
  }
  return ''
}

function withHeaders(headers: Record<string, unknown>): unknown {
  return { ...minimal, service: { ...minimal.service, headers } }
}

describe('default options', () => {
  test('have the defaults the documentation names', () => {
    expect(parseLicensingOptions(minimal, packaged)).toEqual({
      appId: 'com.example.notes',
      service: {
        baseUrl: 'https://licensing.example.com/v1',
        accessToken: undefined,
        licenseKeys: 'uuid',
        timeoutMs: undefined,
        headers: undefined,
      },
      graceMs: 14 * dayMs,
      renewalGraceMs: 3 * dayMs,
      renewalNoticeMs: 7 * dayMs,
      recheckMs: dayMs,
      trialMs: 0,
      device: { label: undefined, id: undefined },
      logger: undefined,
      directory: undefined,
      storeName: 'license',
      trustedOrigins: [],
      window: {},
      warnings: [],
    })
  })

  test.each([
    [{ graceDays: 14 }, 24],
    [{ graceDays: 2 }, 24],
    [{ graceDays: 1 }, 12],
    [{ graceDays: 0 }, 24],
    [{ graceDays: 0.001 }, 0.1],
  ])('check at least twice within grace: %o', (given, hours) => {
    const { recheckMs, warnings } = parseLicensingOptions({ ...minimal, ...given }, packaged)
    expect(recheckMs).toBe(hours * hourMs)
    expect(warnings).toEqual([])
  })

  test('leave headers as they are, with all that HTTP can carry', () => {
    const headers = { 'X-Tenant': 'Zürich\t1', "odd!#$%&'*+.^_`|~": '' }
    const options = { ...minimal, service: { ...minimal.service, headers } }
    expect(parseLicensingOptions(options, packaged).service.headers).toEqual(headers)
  })

  test('take the exports of a module as texts of the window', async () => {
    const strings = await import('./own-texts.ts')
    const { window } = parseLicensingOptions({ ...minimal, window: { strings } }, packaged)
    expect(window.strings).toEqual({ buy: 'Get a license' })
  })

  test('may be undefined, like missing environment variables', () => {
    const { service, ...rest } = minimal
    const options = {
      ...rest,
      service: { ...service, accessToken: undefined, timeout: undefined },
      graceDays: undefined,
      window: { links: { buy: undefined } },
    }
    expect(parseLicensingOptions(options, unpackaged).graceMs).toBe(14 * dayMs)
  })
})

describe('a time between checks', () => {
  test.each([
    [{ recheckHours: 168 }, 168],
    [{ recheckHours: 168, graceDays: 14 }, 168],
    [{ recheckHours: 12, graceDays: 1 }, 12],
    [{ recheckHours: 1000, graceDays: 0 }, 1000],
  ])('counts as it is, if two checks fit into grace or there is none: %o', (given, hours) => {
    const { recheckMs, warnings } = parseLicensingOptions({ ...minimal, ...given }, packaged)
    expect(recheckMs).toBe(hours * hourMs)
    expect(warnings).toEqual([])
  })

  test.each([
    [{ recheckHours: 168, graceDays: 7 }, 84],
    [{ recheckHours: 720 }, 168],
    [{ recheckHours: 24, graceDays: 1 }, 12],
    [{ recheckHours: 24, graceDays: 0.1 }, 1.2],
  ])('is shortened to half of grace, with a warning: %o', (given, hours) => {
    const { recheckMs, warnings } = parseLicensingOptions({ ...minimal, ...given }, packaged)
    expect(recheckMs).toBeCloseTo(hours * hourMs)
    expect(warnings).toEqual([
      `recheckHours is more than half of graceDays, so one failed check could lock a user out: the app checks every ${hours} hours instead. Lower recheckHours, or raise graceDays`,
    ])
  })

  test('that is shortened keeps a user entitled after one failed check', async () => {
    const settings = parseLicensingOptions({ ...minimal, graceDays: 1, recheckHours: 48 }, packaged)
    const model = createServiceModel(() => device.clock.now())
    const license = model.addLicense(1)
    let isDown = false
    const service = model.reachedBy(() => ({ kind: isDown ? 'request-lost' : 'served' }))
    const device = createTestDevice(null, { service, rules: settings })
    await device.launch()
    await device.core.activate(license.id)
    isDown = true
    await device.elapse(settings.recheckMs * 1.1)
    expect(device.state).toMatchObject({ status: 'grace', entitled: true })
  })
})

test.each([{ trialDays: 7 * 86_400 }, { graceDays: 99_999 }])(
  'a packaged app still starts with days in another unit, and logs them: %j',
  (given) => {
    const [name = '', days = 0] = Object.entries(given)[0] ?? []
    const settings = parseLicensingOptions({ ...minimal, ...given }, packaged)
    expect(settings.warnings).toEqual([`${name} must be a number of days, 0 to 36500`])
    expect([settings.trialMs, settings.graceMs]).toContain(days * 86_400_000)
  },
)

describe('options a developer got wrong', () => {
  test.each<[unknown, RegExp]>([
    [undefined, /the argument must be an object with at least appId and service/],
    [{}, /appId must name your app and never change/],
    [{ ...minimal, appId: '' }, /appId must name your app/],
    [{ ...minimal, appId: '  ' }, /appId must name your app/],
    [{ ...minimal, appId: 'a\nb' }, /appId must name your app/],
    [{ ...minimal, appId: 42 }, /appId must name your app/],
    [{ appId: 'a' }, /service must be an object with the baseUrl/],
    [{ ...minimal, service: {} }, /service\.baseUrl must be the address/],
    [{ ...minimal, service: { baseUrl: 42 } }, /service\.baseUrl must be the address/],
    [
      withHeaders({ Authorization: 'Bearer x' }),
      /service\.headers must not set authorization, .*, which Latchkey sets itself/,
    ],
    [
      withHeaders({ accept: 'text/html' }),
      /service\.headers must not set authorization, .*, which Latchkey sets itself/,
    ],
    [
      withHeaders({ 'x tenant': 'a' }),
      /service\.headers must contain only valid HTTP header names and values/,
    ],
    [withHeaders({ '': 'a' }), /service\.headers must contain only valid HTTP header names/],
    [withHeaders({ 'x-tenant': 'a\r\nb: c' }), /service\.headers must contain only valid HTTP header names/],
    [withHeaders({ 'x-tenant': '見' }), /service\.headers must contain only valid HTTP header names/],
    [
      { ...minimal, service: { ...minimal.service, headers: ['x'] } },
      /service\.headers must be an object whose values are text/,
    ],
    [
      { ...minimal, service: { ...minimal.service, headers: new Headers({ 'x-tenant': 'a' }) } },
      /service\.headers must be an object whose values are text/,
    ],
    [{ ...minimal, window: { strings: ['Activate'] } }, /window\.strings must be an object/],
    [{ ...minimal, graceDay: 3 }, /graceDay is not an option of createLicensing/],
    [{ ...minimal, service: { ...minimal.service, token: 'x' } }, /service\.token is not an option/],
    [{ ...minimal, graceDays: -1 }, /graceDays must be a number of days, 0 to 36500/],
    [{ ...minimal, graceDays: 14 * 86_400 }, /graceDays must be a number of days, 0 to 36500/],
    [{ ...minimal, graceDays: '14' }, /graceDays must be a number of days/],
    [{ ...minimal, graceDays: Number.NaN }, /graceDays must be a number of days/],
    [{ ...minimal, graceDays: Number.POSITIVE_INFINITY }, /graceDays must be a number of days/],
    [{ ...minimal, renewalGraceDays: -1 }, /renewalGraceDays must be a number of days, 0 to 36500/],
    [{ ...minimal, recheckHours: 0 }, /recheckHours must be a number of hours, at least 0\.1/],
    [{ ...minimal, trialDays: -1 }, /trialDays must be a number of days/],
    [{ ...minimal, trialDays: 7 * 86_400_000 }, /trialDays must be a number of days, 0 to 36500/],
    [{ ...minimal, device: { id: '' } }, /device\.id must be text that is different on every machine/],
    [{ ...minimal, device: 'x' }, /device must be an object/],
    [{ ...minimal, device: [] }, /device must be an object/],
    [{ ...minimal, logger: { warn() {} } }, /logger must have the functions debug, info, warn and error/],
    [{ ...minimal, directory: 'relative' }, /directory must be an absolute path/],
    [{ ...minimal, storeName: '../license' }, /storeName must be a file name of letters/],
    [
      { ...minimal, trustedOrigins: ['app://notes/index.html'] },
      /trustedOrigins\.0 must be an origin without a path/,
    ],
    [
      { ...minimal, trustedOrigins: ['http://ui.example.com'] },
      /plain http: is allowed only for this computer/,
    ],
    [{ ...minimal, trustedOrigins: 'app://notes' }, /trustedOrigins must be an array of origins/],
    [{ ...minimal, window: { links: { buy: 'file:///etc/passwd' } } }, /window\.links\.buy must be an https/],
    [
      { ...minimal, window: { links: { buy: 'javascript:alert(1)' } } },
      /window\.links\.buy must be an https/,
    ],
    [{ ...minimal, window: { links: { buy: 'http://example.com' } } }, /window\.links\.buy must be an https/],
    [
      { ...minimal, window: { links: { buy: 'https://a:b@example.com' } } },
      /window\.links\.buy must be an https/,
    ],
    [
      { ...minimal, window: { links: { home: 'https://example.com' } } },
      /window\.links\.home is not an option/,
    ],
    [{ ...minimal, window: { accent: 'url(https://evil.example)' } }, /window\.accent must be a CSS color/],
    [{ ...minimal, window: { locale: 'de_DE_' } }, /window\.locale must be a language tag/],
    [{ ...minimal, window: { strings: { title: 1 } } }, /window\.strings\.title must be text/],
    [{ ...minimal, window: { parent: 'main' } }, /window\.parent must be a BrowserWindow/],
    [{ ...minimal, service: { ...minimal.service, headers: { a: 1 } } }, /service\.headers\.a must be text/],
    [
      { ...minimal, service: { ...minimal.service, timeout: 15 } },
      /service\.timeout must be a number of milliseconds, at least 100/,
    ],
  ])('names the option and what it must be: %j', (options, message) => {
    expect(refusal(options)).toMatch(message)
    expect(refusal(options)).toMatch(/^createLicensing: .*\.$/)
  })

  test.each<[unknown, string]>([
    [
      { appID: 'com.example.notes', service: minimal.service },
      'appID is not an option of createLicensing (did you mean "appId"?)',
    ],
    [
      { ...minimal, service: { baseURL: minimal.service.baseUrl } },
      'service.baseURL is not an option of createLicensing (did you mean "baseUrl"?)',
    ],
  ])('a mistyped required option is reported as mistyped, not as missing: %j', (options, message) => {
    expect(refusal(options)).toBe(`createLicensing: ${message}.`)
  })

  test('no value is shown, for it may be a secret', () => {
    const message = refusal({ ...minimal, service: { baseUrl: 1, accessToken: ['token-1'] } })
    expect(message).not.toContain('token-1')
  })

  test('a window opened later is checked the same way', () => {
    expect(() => parseActivationWindowOptions({ links: { renew: 'ftp://example.com' } })).toThrow(
      /openActivationWindow: links\.renew must be an https/,
    )
  })
})

describe('an access token', () => {
  const withToken = { ...minimal, service: { ...minimal.service, accessToken: 'token-1' } }

  test('is fine while the app is developed', () => {
    expect(parseLicensingOptions(withToken, unpackaged).service.accessToken).toBe('token-1')
  })

  test('is refused in a packaged app, and the gateway is named as the way out', () => {
    const message = refusal(withToken, packaged)
    expect(message).toMatch(/@latchkey\/gateway/)
    expect(message).toMatch(/allowAccessTokenInPackagedAppWhereEveryUserCanReadIt/)
    expect(message).not.toContain('token-1')
  })

  test('passes with the option that says that users can read it', () => {
    const service = { ...withToken.service, allowAccessTokenInPackagedAppWhereEveryUserCanReadIt: true }
    expect(parseLicensingOptions({ ...withToken, service }, packaged).service.accessToken).toBe('token-1')
    const no = { ...service, allowAccessTokenInPackagedAppWhereEveryUserCanReadIt: false }
    expect(refusal({ ...withToken, service: no }, packaged)).toMatch(/gateway/)
  })
})

test('options of one window add to the app’s links and texts and replace the rest', () => {
  const base = { title: 'Notes', links: { buy: 'https://a.example' }, strings: { enterLead: '1' } }
  const own = { title: 'Notes Pro', links: { renew: 'https://b.example' }, strings: { buy: '2' } }
  expect(mergeWindowOptions(base, own)).toEqual({
    title: 'Notes Pro',
    links: { buy: 'https://a.example', renew: 'https://b.example' },
    strings: { enterLead: '1', buy: '2' },
  })
})

describe('the wrong place', () => {
  test.each([
    ['renderer', '45.0.0', /belongs in Electron's main process.*@latchkey\/electron\/renderer/],
    [undefined, undefined, /belongs in Electron's main process/],
    ['browser', '24.8.8', /needs Electron 25 or newer, but this is 24\.8\.8\. Update/],
  ])('process %s, Electron %s: an error says what to do', (type, version, message) => {
    expect(() => checkRuntime(type, version)).toThrow(message)
  })

  test.each(['25.1.1', '45.4.1', '100.0.0-nightly'])('the main process of Electron %s is fine', (version) => {
    expect(() => checkRuntime('browser', version)).not.toThrow()
  })
})

describe('activation without internet', () => {
  const leaseKeys = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) }] }
  const url = 'https://licensing.example.com/v1/offline'

  test('takes an address, and none by default', () => {
    const { offlineUrl } = parseLicensingOptions(
      { ...minimal, leaseKeys, offlineActivation: { url: new URL(url) } },
      packaged,
    )
    expect(offlineUrl).toBe(url)
    expect(parseLicensingOptions(minimal, packaged).offlineUrl).toBeUndefined()
  })

  test('takes an address on this computer without https', () => {
    const local = 'http://127.0.0.1:8787/v1/offline'
    const options = { ...minimal, leaseKeys, offlineActivation: { url: local } }
    expect(parseLicensingOptions(options, unpackaged).offlineUrl).toBe(local)
  })

  test.each([
    [{ offlineActivation: { url } }, /needs leaseKeys.* latchkey-gateway keys public/],
    [{ leaseKeys, offlineActivation: { url: 'http://licensing.example.com' } }, /must be an https: address/],
    [{ leaseKeys, offlineActivation: { url: `${url}#request` } }, /without "#"/],
    [{ leaseKeys, offlineActivation: { url: 'offline' } }, /must be an https: address/],
    [{ leaseKeys, offlineActivation: {} }, /must have the address/],
    [{ leaseKeys, offlineActivation: url }, /must have the address/],
    [{ leaseKeys, offlineActivation: { url, days: 3 } }, /days is not an option/],
  ])('refuses %o', (options, message) => {
    expect(refusal({ ...minimal, ...options })).toMatch(message)
  })
})

describe('builds that a license covers', () => {
  const settingsWith = (build: unknown, isPackaged = false, expiry = 'updates') =>
    parseLicensingOptions({ ...minimal, expiry, build } as LicensingOptions, { isPackaged })
  const released = (...given: Parameters<typeof settingsWith>) => settingsWith(...given).releasedAtMs
  const at = '2026-03-01T10:00:00Z'

  test.each([
    ['text', at, Date.UTC(2026, 2, 1, 10)],
    ['text with an offset', '2026-03-01T10:00:00+09:00', Date.UTC(2026, 2, 1, 1)],
    ['text without one, which is UTC', '2026-03-01T10:00:00', Date.UTC(2026, 2, 1, 10)],
    ['a day', '2026-03-01', Date.UTC(2026, 2, 1)],
    ['a date', new Date(at), Date.UTC(2026, 2, 1, 10)],
  ])('are told apart by %s', (_what, releasedAt, ms) => {
    expect(released({ releasedAt })).toBe(ms)
  })

  test.each([
    ['no build', undefined],
    ['no date', {}],
    ['a date that can’t be read', { releasedAt: 'yesterday' }],
    ['an invalid date', { releasedAt: new Date('yesterday') }],
    ['a number', { releasedAt: 1_772_359_200_000 }],
    ['30 February', { releasedAt: '2026-02-30' }],
  ])('are refused with %s, also in a packaged app', (_what, build) => {
    expect(() => released(build)).toThrow(/build\.releasedAt must be a date, such as/u)
    expect(() => released(build, true)).toThrow(LicensingOptionsError)
  })

  test('from the future start whatever the clock says, with a warning while you develop', () => {
    const build = { releasedAt: new Date(Date.now() + 3 * dayMs) }
    const warned = [expect.stringContaining('build.releasedAt is in the future')]
    expect(settingsWith(build)).toMatchObject({
      releasedAtMs: build.releasedAt.getTime(),
      warnings: warned,
    })
    expect(settingsWith(build, false, 'lock')).toMatchObject({ releasedAtMs: undefined, warnings: warned })
    expect(settingsWith(build, true)).toMatchObject({
      releasedAtMs: build.releasedAt.getTime(),
      warnings: [],
    })
    // Elsewhere it may be tomorrow already.
    expect(settingsWith({ releasedAt: new Date(Date.now() + 0.9 * dayMs) }).warnings).toEqual([])
    expect(settingsWith(undefined, false, 'lock').warnings).toEqual([])
  })

  describe('of the time of the launch', () => {
    const startedAtMs = Date.now() - 3_000
    const warningsOf = (releasedAt: string | Date, isPackaged: boolean, expiry: 'lock' | 'updates') =>
      parseLicensingOptions(
        {
          appId: 'com.example.notes',
          service: { baseUrl: 'https://licensing.example.com/v1' },
          expiry,
          build: { releasedAt },
        },
        { isPackaged, startedAtMs },
      ).warnings
    const launch = [expect.stringContaining('build.releasedAt is the time of this launch')]

    test.each([
      ['a date', new Date(startedAtMs + 1_000), false, 'updates', launch],
      ['text', new Date(startedAtMs + 1_000).toISOString(), false, 'updates', launch],
      ['a date in a packaged app', new Date(startedAtMs + 1_000), true, 'updates', launch],
      ['a date where a license locks', new Date(startedAtMs + 1_000), false, 'lock', []],
      ['a build just before the launch', new Date(startedAtMs - 1), false, 'updates', []],
      ['a build after now, by a clock that is behind', new Date(Date.now() + 60_000), true, 'updates', []],
    ] as const)(
      'are warned of only where they lock users out: %s',
      (_what, date, packed, expiry, expected) => {
        expect(warningsOf(date, packed, expiry)).toEqual(expected)
      },
    )
  })

  test('are asked about by date; something else is warned of once', () => {
    const warnings: string[] = []
    const read = createReleaseReader((warning) => void warnings.push(warning))
    expect([at, new Date(at), undefined, null].map(read)).toEqual([
      Date.parse(at),
      Date.parse(at),
      null,
      null,
    ])
    expect(warnings).toEqual([])
    expect(['2.0.0', 'v3.1.4', Date.parse(at), { releaseDate: at }, ''].map(read)).toEqual(
      Array(5).fill(null),
    )
    expect(warnings).toEqual([
      expect.stringMatching(/licensing\.covers\(\) got something that is not a date.*not a version/u),
    ])
    expect(createReleaseReader(undefined)('2.0.0')).toBeNull()
  })

  test('play no part where a license locks, but their date has to be one', () => {
    expect(released({ releasedAt: at }, false, 'lock')).toBeUndefined()
    expect(() => released({ releasedAt: 'yesterday' }, false, 'lock')).toThrow(LicensingOptionsError)
    expect(() => released({ releasedAt: at }, false, 'update')).toThrow('expiry must be "lock" or "updates"')
  })
})
