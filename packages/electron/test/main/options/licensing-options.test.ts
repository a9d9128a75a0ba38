import { generateKeyPairSync } from 'node:crypto'
import type { LicenseService } from '@latchkey/services'
import { dodo } from '@latchkey/services/dodo'
import { keygen } from '@latchkey/services/keygen'
import { lemonSqueezy } from '@latchkey/services/lemon-squeezy'
import { polar } from '@latchkey/services/polar'
import { describe, expect, test } from 'vitest'
import { checkRuntime } from '../../../src/main/create-licensing.ts'
import { readReleaseDate } from '../../../src/main/licensing.ts'
import type { LicensingOptions } from '../../../src/main/options/licensing-options.ts'
import {
  LicensingOptionsError,
  mergeWindowOptions,
  parseActivationWindowOptions,
  parseLicensingOptions,
} from '../../../src/main/options/parse-licensing-options.ts'

const minimal: LicensingOptions = {
  appId: 'com.example.notes',
  service: { baseUrl: 'https://licensing.example.com/v1' },
}
const unpackaged = { isPackaged: false }
const packaged = { isPackaged: true }
const dayMs = 86_400_000
const hourMs = 3_600_000

/** The message of the refusal of options that a typed caller could not even write; empty if there is none. */
function refusal(options: unknown, facts = unpackaged): string {
  try {
    Reflect.apply(parseLicensingOptions, null, [options, facts])
  } catch (error) {
    expect(error).toBeInstanceOf(LicensingOptionsError)
    return error instanceof Error ? error.message : ''
  }
  return ''
}

const withService = (service: object): object => ({
  ...minimal,
  service: { baseUrl: 'https://licensing.example.com/v1', ...service },
})
const withHeaders = (headers: object): object => withService({ headers })
const withLinks = (links: object): object => ({ ...minimal, window: { links } })

describe('default options', () => {
  test('have the defaults the documentation names', () => {
    expect(parseLicensingOptions(minimal, packaged)).toMatchObject({
      takesAnyKey: false,
      provisioning: null,
      appId: 'com.example.notes',
      service: { name: 'commerce', baseUrl: 'https://licensing.example.com/v1' },
      graceMs: 14 * dayMs,
      renewalGraceMs: 3 * dayMs,
      renewalNoticeMs: 7 * dayMs,
      recheckMs: dayMs,
      trialMs: 0,
      storeName: 'license',
      keychain: true,
      trustedOrigins: [],
      window: {},
      warnings: [],
    })
  })

  test.each([
    [{ graceDays: 3 }, { graceMs: 3 * dayMs }],
    [{ renewalGraceDays: 4 }, { renewalGraceMs: 4 * dayMs }],
    [{ renewalNoticeDays: 10 }, { renewalNoticeMs: 10 * dayMs }],
    [{ recheckHours: 3 }, { recheckMs: 3 * 3_600_000 }],
    [{ trialDays: 7 }, { trialMs: 7 * dayMs }],
  ])('%o is what licensing is created with', (given, settings) => {
    expect(parseLicensingOptions({ ...minimal, ...given }, packaged)).toMatchObject(settings)
  })

  test('send headers as they are, with all that HTTP can carry', async () => {
    const headers = { 'X-Tenant': 'Zürich\t1', "odd!#$%&'*+.^_`|~": '' }
    const options = { ...minimal, service: { ...minimal.service, headers } }
    const sent: Headers[] = []
    const fetch = async (request: Request): Promise<Response> => {
      sent.push(request.headers)
      return Response.json({})
    }
    const licenseKey = '1f0a0000-0000-4000-8000-000000009c1d'
    const asked = { licenseKey, activationId: licenseKey, fingerprint: '0123456789abcdef' }
    await parseLicensingOptions(options, packaged).service.validate(asked, { fetch })
    for (const [name, value] of Object.entries(headers)) expect(sent[0]?.get(name)).toBe(value)
  })

  test('take the exports of a module as texts of the window', async () => {
    const module: string = 'data:text/javascript,export const buy = "Get a license"'
    const strings: Readonly<Record<string, string>> = await import(/* @vite-ignore */ module)
    const { window } = parseLicensingOptions({ ...minimal, window: { strings } }, packaged)
    expect(window.strings).toEqual({ buy: 'Get a license' })
  })

  test('may be undefined, like missing environment variables', () => {
    const options = {
      ...minimal,
      service: { ...minimal.service, accessToken: undefined, timeout: undefined },
      graceDays: undefined,
      window: { links: { buy: undefined } },
    }
    expect(parseLicensingOptions(options, unpackaged).graceMs).toBe(14 * dayMs)
  })
})

describe('a time between checks', () => {
  test.each([
    [{ graceDays: 14 }, 24],
    [{ graceDays: 1 }, 12],
    [{ graceDays: 0 }, 24],
    [{ graceDays: 0.001 }, 0.1],
    [{ recheckHours: 168 }, 168],
    [{ recheckHours: 12, graceDays: 1 }, 12],
    [{ recheckHours: 1000, graceDays: 0 }, 1000],
  ])('fits into grace at least twice, or there is none: %o', (given, hours) => {
    const { recheckMs, warnings } = parseLicensingOptions({ ...minimal, ...given }, packaged)
    expect(recheckMs).toBe(hours * hourMs)
    expect(warnings).toEqual([])
  })

  test.each([
    [{ recheckHours: 168, graceDays: 7 }, 84],
    [{ recheckHours: 24, graceDays: 0.1 }, 1.2],
  ])('is shortened to half of grace, with a warning: %o', (given, hours) => {
    const { recheckMs, warnings } = parseLicensingOptions({ ...minimal, ...given }, packaged)
    expect(recheckMs).toBeCloseTo(hours * hourMs)
    expect(warnings).toEqual([
      `recheckHours is more than half of graceDays, so one failed check could lock a user out: the app checks every ${hours} hours instead. Lower recheckHours, or raise graceDays`,
    ])
  })
})

describe('options a developer got wrong', () => {
  test.each<[unknown, string]>([
    [42, 'the argument must be an object with at least appId and service'],
    [{ ...minimal, appId: '' }, 'appId must name your app and never change'],
    [{ ...minimal, appId: 'a\nb' }, 'appId must name your app'],
    [{ ...minimal, appId: 42 }, 'appId must name your app'],
    [{ appId: 'a' }, 'service is missing: it must be an object with the baseUrl'],
    [{ appId: 'a', service: {} }, 'service.baseUrl is missing: it must be a URL, such as'],
    [
      withService({ baseUrl: 'https://me:secret@licensing.example.com' }),
      'service.baseUrl must not contain a user name',
    ],
    [
      withService({ baseUrl: 'http://licensing.example.com/v1' }),
      'service.baseUrl must not be http: on another machine',
    ],
    [withService({ accessToken: 'Bearer secret' }), 'service.accessToken contains a space'],
    [withService({ licenseKeys: 'every' }), 'service.licenseKeys must be "uuid" or "any"'],
    [withService({ timeout: 15 }), 'service.timeout must be a number of milliseconds, at least 100'],
    [withService({ timeout: 2_147_483_648 }), 'at least 100 and at most 2147483647'],
    [withHeaders({ Authorization: 'Bearer secret' }), 'service.headers must not set authorization'],
    [withHeaders({ accept: 'text/html' }), 'service.headers must not set authorization'],
    [withHeaders({ 'x tenant': 'a' }), 'service.headers must contain only valid HTTP header names'],
    [withHeaders({ 'x-tenant': 'a\r\nb: c' }), 'service.headers must contain only valid HTTP header names'],
    [withHeaders({ 'x-tenant': '見' }), 'service.headers must contain only valid HTTP header names'],
    [withHeaders(['x']), 'service.headers must be an object whose values are text'],
    [withHeaders(new Headers({ 'x-tenant': 'a' })), 'service.headers must be an object whose values'],
    [{ ...minimal, graceDays: -1 }, 'graceDays must be a number of days, 0 to 36500'],
    [{ ...minimal, graceDays: Number.POSITIVE_INFINITY }, 'graceDays must be a number of days'],
    [{ ...minimal, trialDays: 7 * 86_400 }, 'trialDays must be a number of days, 0 to 36500'],
    [{ ...minimal, recheckHours: 0 }, 'recheckHours must be a number of hours, at least 0.1'],
    [{ ...minimal, device: { id: '' } }, 'device.id must be text that is different on every machine'],
    [{ ...minimal, device: [] }, 'device must be an object'],
    [{ ...minimal, logger: { warn() {} } }, 'logger must have the functions debug, info, warn and error'],
    [{ ...minimal, directory: 'relative' }, 'directory must be an absolute path'],
    [{ ...minimal, keychain: 'off' }, 'keychain must be true or false'],
    [{ ...minimal, provisioning: 'yes' }, 'provisioning must be true, or an object with argument'],
    [{ ...minimal, provisioning: { argument: '--key' } }, 'provisioning.argument must be a name such as'],
    [{ ...minimal, provisioning: { variable: 'A=B' } }, 'provisioning.variable must be a name such as'],
    [{ ...minimal, provisioning: { file: 'a.json' } }, 'provisioning.file must be an absolute path, or'],
    [{ ...minimal, provisioning: { path: '/a' } }, 'provisioning.path is not an option'],
    [{ ...minimal, storeName: '../license' }, 'storeName must be a file name of letters'],
    [{ ...minimal, trustedOrigins: ['app://notes/index.html'] }, 'trustedOrigins[0] must be an origin'],
    [{ ...minimal, trustedOrigins: ['http://ui.example.com'] }, 'plain http: is allowed only for this'],
    [{ ...minimal, trustedOrigins: 'app://notes' }, 'trustedOrigins must be an array of origins'],
    [{ ...minimal, deepLinkScheme: 'https' }, 'deepLinkScheme must be your own lowercase scheme'],
    [{ ...minimal, expiry: 'update' }, 'expiry must be "lock" or "updates"'],
    [withLinks({ buy: 'file:///etc/passwd' }), 'window.links.buy must be an https://'],
    [withLinks({ buy: 'http://example.com' }), 'window.links.buy must be an https://'],
    [withLinks({ buy: 'https://a:b@example.com' }), 'window.links.buy must be an https://'],
    [withLinks({ buy: 'https://example.com?{expires}' }), 'window.links.buy has a placeholder that does'],
    [{ ...minimal, window: { locale: 'de_DE_' } }, 'window.locale must be a language tag'],
    [{ ...minimal, window: { accent: 7 } }, 'window.accent must be a CSS color'],
    [
      { ...minimal, window: { strings: { problems: { offline: 'x' } } } },
      'window.strings.problems must be text. Write a nested key with a dot, such as "problems.offline"',
    ],
    [{ ...minimal, window: { parent: 'main' } }, 'window.parent must be a BrowserWindow'],
    [{ ...minimal, graceDay: 3 }, 'graceDay is not an option (did you mean "graceDays"?)'],
    [withLinks({ suport: 'x' }), 'window.links.suport is not an option (did you mean "support"?)'],
    [withService({ graceDays: 3 }), 'service.graceDays is not an option: it belongs at the top level'],
    [{ ...minimal, service: { organizationId: 'x' } }, 'service.organizationId is not an option'],
    [{ ...minimal, polar: dodo({ productId: 'pdt_1234' }) }, 'polar is not an option'],
    [{ ...minimal, service: polar }, 'or an adapter such as polar({'],
  ])('are named, with what they must be: %j', (options, message) => {
    expect(refusal(options)).toContain(message)
    expect(refusal(options)).toMatch(/^createLicensing: .*\.$/s)
    // A value may be a secret.
    expect(refusal(options)).not.toContain('secret')
  })

  test('of a window opened later are checked the same way', () => {
    const open = (options: object) => () => parseActivationWindowOptions(options)
    expect(open({ links: { renew: 'ftp://example.com' } })).toThrow(
      'openActivationWindow: links.renew must be an https:// address.',
    )
    expect(open({ titel: 'x' })).toThrow(
      'openActivationWindow: titel is not an option (did you mean "title"?).',
    )
  })
})

test('a link may contain the end of the license, and that to the shop the way back, if the app takes links', () => {
  const renewing = withLinks({ renew: 'https://example.com?end={expiresAt}&at=%7Bx%7D' })
  expect(refusal(renewing)).toBe('')
  const selling = withLinks({ buy: 'https://example.com?back={return}' })
  expect(refusal({ ...selling, deepLinkScheme: 'notes' })).toBe('')
  expect(refusal(selling)).toContain('window.links.buy has {return}, which needs deepLinkScheme')
  const wrong = withLinks({ renew: 'https://example.com?back={return}' })
  expect(refusal({ ...wrong, deepLinkScheme: 'notes' })).toContain('there is {expiresAt}.')
})

test.each(['http://localhost:8080/v1', 'http://127.1/v1', 'http://app.localhost/v1', 'http://[::1]/v1'])(
  'a service at %s is on this machine, so it needs no https:',
  (baseUrl) => {
    expect(refusal(withService({ baseUrl }))).toBe('')
  },
)

test('a private key in leaseKeys is refused, and not shown', () => {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const { d, ...half } = jwk
  expect(refusal({ ...minimal, leaseKeys: { keys: [half] } })).toBe('')
  const message = refusal({ ...minimal, leaseKeys: { keys: [half, jwk] } })
  expect(message).toContain('leaseKeys.keys[1].d is a private key')
  expect(message).not.toContain(String(d))
})

describe('an access token', () => {
  const withToken = { ...minimal, service: { ...minimal.service, accessToken: 'token-1' } }

  test('is fine while the app is developed, and hidden in logs', () => {
    expect(parseLicensingOptions(withToken, unpackaged).secrets).toEqual(['token-1'])
  })

  test('is refused in a packaged app, unless an option says that users can read it', () => {
    const message = refusal(withToken, packaged)
    expect(message).toMatch(/@latchkey\/gateway.*allowAccessTokenInPackagedAppWhereEveryUserCanReadIt/u)
    expect(message).not.toContain('token-1')
    const allowed = (isAllowed: boolean): object => ({
      ...withToken.service,
      allowAccessTokenInPackagedAppWhereEveryUserCanReadIt: isAllowed,
    })
    expect(refusal({ ...withToken, service: allowed(true) }, packaged)).toBe('')
    expect(refusal({ ...withToken, service: allowed(false) }, packaged)).toMatch(/gateway/u)
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

const leaseKeys = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) }] }

describe('activation without internet', () => {
  const url = 'https://licensing.example.com/v1/offline'

  test.each([
    [new URL(url), url],
    ['http://127.0.0.1:8787/v1/offline', 'http://127.0.0.1:8787/v1/offline'],
  ])('takes the address %s', (given, href) => {
    const options = { ...minimal, leaseKeys, offlineActivation: { url: given } }
    expect(parseLicensingOptions(options, packaged).offlineUrl).toBe(href)
  })

  test.each([
    [{ offlineActivation: { url } }, /needs leaseKeys.* latchkey-gateway keys public/],
    [{ leaseKeys, offlineActivation: { url: 'http://licensing.example.com' } }, /must be an https: address/],
    [{ leaseKeys, offlineActivation: { url: `${url}#request` } }, /without "#"/],
    [{ leaseKeys, offlineActivation: { url: 'offline' } }, /must be an https: address/],
    [{ leaseKeys, offlineActivation: {} }, /url is missing: it must be an https: address/],
    [{ leaseKeys, offlineActivation: url }, /must have the address/],
  ])('refuses %o', (options, message) => {
    expect(refusal({ ...minimal, ...options })).toMatch(message)
  })
})

describe('builds that a license covers', () => {
  const settingsWith = (build: unknown, isPackaged = false, expiry = 'updates', startedAtMs?: number) =>
    parseLicensingOptions({ ...minimal, expiry, build } as LicensingOptions, {
      isPackaged,
      ...(startedAtMs !== undefined && { startedAtMs }),
    })
  const at = '2026-03-01T10:00:00Z'

  test.each([
    ['text', at, Date.UTC(2026, 2, 1, 10)],
    ['text with an offset', '2026-03-01T10:00:00+09:00', Date.UTC(2026, 2, 1, 1)],
    ['text without one, which is UTC', '2026-03-01T10:00:00', Date.UTC(2026, 2, 1, 10)],
    ['a date', new Date(at), Date.UTC(2026, 2, 1, 10)],
  ])('are told apart by %s', (_what, releasedAt, ms) => {
    expect(settingsWith({ releasedAt }).releasedAtMs).toBe(ms)
    expect(settingsWith({ releasedAt }, false, 'lock').releasedAtMs).toBeUndefined()
  })

  test.each([
    ['no build', undefined],
    ['no date', {}],
    ['a date that can’t be read', { releasedAt: 'yesterday' }],
    ['an invalid date', { releasedAt: new Date('yesterday') }],
    ['a number', { releasedAt: 1_772_359_200_000 }],
    ['30 February', { releasedAt: '2026-02-30' }],
  ])('are refused with %s, also in a packaged app', (_what, build) => {
    expect(() => settingsWith(build)).toThrow(/build\.releasedAt .*must be a date, such as/u)
    expect(() => settingsWith(build, true)).toThrow(LicensingOptionsError)
  })

  test.each([
    ['while you develop', 1_000, false, 'updates', true],
    ['in a packaged app', 1_000, true, 'updates', true],
    ['where a license locks', 1_000, false, 'lock', false],
    ['of a build just before the launch', -1, false, 'updates', false],
    ['after now, by a clock that is behind', 60_000, true, 'updates', false],
  ] as const)(
    'dated with the launch lock users out later: %s',
    (_what, afterMs, isPackaged, expiry, isWarned) => {
      const startedAtMs = Date.now() - 3_000
      const build = { releasedAt: new Date(startedAtMs + afterMs) }
      const launch = expect.stringContaining('build.releasedAt is the time of this launch')
      expect(settingsWith(build, isPackaged, expiry, startedAtMs).warnings).toEqual(isWarned ? [launch] : [])
    },
  )

  test.each(['2.0.0', Date.parse(at), { releaseDate: at }, '', undefined, null])(
    'are asked about by date, and %j is none',
    (given) => {
      expect([at, new Date(at)].map(readReleaseDate)).toEqual([Date.parse(at), Date.parse(at)])
      expect(readReleaseDate(given)).toBeNull()
    },
  )
})

describe('an adapter in place of the address of a service', () => {
  const organizationId = 'fda84e25-7b55-4d67-916d-60ead04ff72f'
  const withAdapter = (service: LicenseService, more: Partial<LicensingOptions> = {}): LicensingOptions => ({
    appId: 'com.example.notes',
    service,
    ...more,
  })

  test.each([
    ['accessToken', (secret = {}) => polar({ organizationId, ...secret })],
    ['apiKey', (secret = {}) => dodo({ productId: 'pdt_1234', ...secret })],
    ['token', (secret = {}) => keygen({ account: 'inkwell', product: 'inkwell', ...secret })],
    ['apiKey', (secret = {}) => lemonSqueezy({ storeId: 1, productId: 2, ...secret })],
  ])('is taken as it is, but not with the vendor’s %s in a packaged app: %s', (name, adapter) => {
    const service = adapter()
    expect(parseLicensingOptions(withAdapter(service), packaged).service).toBe(service)
    const revealing = withAdapter(adapter({ [name]: 'secret-text' }))
    expect(parseLicensingOptions(revealing, unpackaged).service).toBe(revealing.service)
    expect(refusal(revealing, packaged)).toMatch(new RegExp(`^(?!.*secret-text).*${name}.*gateway`, 'u'))
  })

  test('is refused beside leaseKeys, which only a gateway can serve', () => {
    const options = withAdapter(polar({ organizationId }), { leaseKeys })
    expect(refusal(options)).toMatch(/leaseKeys need a gateway/u)
  })

  const ownPage = 'https://inkwell.example/account'
  test.each([
    ['https://polar.sh/inkwell/portal', {}, 'https://polar.sh/inkwell/portal'],
    ['https://polar.sh/inkwell/portal', { links: { account: ownPage } }, ownPage],
    ['', {}, undefined],
  ])('links the screen to the page where customers see their devices: %j', (customerPortal, window, link) => {
    const options = withAdapter(polar({ organizationId, customerPortal }), { window })
    expect(parseLicensingOptions(options, packaged).window.links?.account).toBe(link)
  })

  test.each(['polar.sh/inkwell/portal', 'http://polar.sh/inkwell/portal', '/portal'])(
    'is refused with %j as the page for customers, which the screen could not open',
    (customerPortal) => {
      const message = 'service has the customerPortal of the polar adapter, which must be an https:// address'
      expect(refusal(withAdapter(polar({ organizationId, customerPortal })), packaged)).toContain(message)
    },
  )
})

test.each([
  ['any', { ok: true, licenseKey: 'INKWELL-1C285B2D-6CE6-4BC7-B8BE-ADB6A7E304DA' }],
  ['uuid', { ok: false }],
] as const)(
  'behind a gateway with licenseKeys: %j, keys of that form are found in what was pasted',
  (licenseKeys, found) => {
    const options = { ...minimal, service: { ...minimal.service, licenseKeys } } as LicensingOptions
    const { service, takesAnyKey } = parseLicensingOptions(options, packaged)
    expect(
      service.findLicenseKey('Your key: INKWELL-1C285B2D-6CE6-4BC7-B8BE-ADB6A7E304DA. Thanks!'),
    ).toMatchObject(found)
    expect(takesAnyKey).toBe(found.ok)
  },
)
