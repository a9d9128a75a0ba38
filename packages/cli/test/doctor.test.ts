import type { Emulator, FaultRule, LicensePatch } from '@latchkey/emulator'
import { generateSigningKey, leaseKeysOf } from '@latchkey/gateway'
import { upstreamOf } from '@latchkey/scripts/e2e/upstream-of'
import { waitUntil } from '@latchkey/scripts/e2e/wait-until'
import { emulatorForTest } from '@latchkey/scripts/test/side-by-side'
import { describe, expect, test } from 'vitest'
import { gatewayForTest, type OwnAnswer, routeOf, runCli } from './run-cli.ts'

const someKey = '1f0a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b'
const unknownKey = '00000000-0000-4000-8000-000000000000'

/** The lines of a doctor's output that begin with this mark. */
function linesOf(mark: 'BAD' | 'note' | 'ok', out: string): readonly string[] {
  return out.split('\n').filter((line) => line.startsWith(mark))
}

describe('of a service', () => {
  test('finds no problem with a healthy service, and takes no seat', async () => {
    const emulator = await emulatorForTest({ customers: 5 })
    const { licenseKey, control } = emulator
    control.addKey(licenseKey, 'Studio')
    const { exitCode, out } = await runCli(emulator, ['doctor'])
    expect([exitCode, out]).toEqual([0, expect.not.stringMatching(/BAD|note/u)])
    const ofLicense = await runCli(emulator, ['doctor', '--license', licenseKey])
    expect(ofLicense.exitCode).toBe(0)
    expect(ofLicense.out).toMatch(/^ok {4}list devices +1 device$/mu)
    expect(ofLicense.out).not.toContain(licenseKey)
    const operations = new Set(control.requests().map(({ operation }) => operation))
    expect([...operations].sort()).toEqual(['customers', 'keys'])
  })

  const inPlace = { fault: 'status', status: 403, body: 'html' } as const
  test.each<[FaultRule | null, license: string | null, line: RegExp]>([
    [
      { fault: 'date-shift', shiftMs: 3_600_000 },
      null,
      /^BAD +clock +this machine is 3[56]\d\d s behind the service: compare/mu,
    ],
    [inPlace, null, /^BAD +proxy .* proxy .*\(status 403\b/mu],
    [{ ...inPlace, status: 407 }, null, /^BAD +proxy .* proxy .*\(status 407\b/mu],
    [{ fault: 'html' }, null, /^BAD +proxy .* answers in place of the service/mu],
    [{ fault: 'html' }, '', /^BAD +proxy .* answers in place of the service/mu],
    [
      { fault: 'status', status: 429 },
      null,
      /^BAD +service +the service limits the requests \(status 429\)\. /mu,
    ],
    [
      { fault: 'status', status: 429 },
      '',
      /^BAD +service +the service limits the requests \(status 429\)\. /mu,
    ],
    [
      { fault: 'status', status: 503 },
      '',
      /^BAD +service +the service, or a proxy .* \(status 503\): try again/mu,
    ],
    [
      { fault: 'status', status: 403 },
      '',
      /^BAD +list devices +the service refuses access \(status 403\): /mu,
    ],
    [null, unknownKey, /^BAD +license +there is no such license, or the base URL is wrong/mu],
  ])('names the one problem of %j (license %j), and blames nothing else', async (fault, license, line) => {
    const emulator = await emulatorForTest({ customers: 5 })
    if (fault !== null) emulator.control.faults.inject(fault)
    const words = license === null ? [] : ['--license', license || emulator.licenseKey]
    const { exitCode, out } = await runCli(emulator, ['doctor', ...words])
    expect([exitCode, linesOf('BAD', out)]).toEqual([1, [expect.stringMatching(line)]])
  })

  test.each([
    ['/', /does not end with the version segment v1, which is only right for/u],
    [
      '/gateway/v1',
      /^BAD {3}base URL .* A gateway serves no lists: check one with latchkey doctor --gateway /mu,
    ],
    ['http://127.0.0.1:2/v1', /^BAD {3}reachable +nothing listens at this address .* \(ECONNREFUSED\)$/mu],
    ['https://unknown.invalid/v1', /^BAD {3}reachable +the host name .* \((?:ENOTFOUND|EAI_AGAIN)\)$/mu],
  ])('explains the address %s', async (address, line) => {
    const emulator = await emulatorForTest()
    const env = { LATCHKEY_BASE_URL: new URL(address, emulator.baseUrl).href }
    const { exitCode, out } = await runCli(emulator, ['doctor'], { env })
    expect([exitCode, out]).toEqual([1, expect.stringMatching(line)])
  })

  test('reports a token that is not accepted, without printing it', async () => {
    const env = { LATCHKEY_ACCESS_TOKEN: 'sk-very-secret-token' }
    const { exitCode, out, err } = await runCli(await emulatorForTest(), ['--json', 'doctor'], { env })
    expect(exitCode).toBe(1)
    expect(JSON.parse(out).findings).toContainEqual(
      expect.objectContaining({ check: 'access token', verdict: 'bad' }),
    )
    expect(out + err).not.toContain('sk-very-secret-token')
  })

  test.each([
    ['https', { HTTPS_PROXY: 'x' }, 'HTTPS_PROXY is set, but Node uses it only with NODE_USE_ENV_PROXY=1'],
    [
      'https',
      { https_proxy: 'x', NODE_USE_ENV_PROXY: '1' },
      'may have been sent to the proxy in https_proxy',
    ],
    ['http', { HTTPS_PROXY: 'x' }, null],
    ['https', { HTTP_PROXY: 'x' }, null],
  ] as const)('mentions a proxy in the environment if it is for %s: %o', async (scheme, proxy, told) => {
    const env = { ...proxy, LATCHKEY_BASE_URL: `${scheme}://commerce.invalid/v1`, LATCHKEY_ACCESS_TOKEN: '' }
    const { out } = await runCli(await emulatorForTest(), ['doctor'], { env })
    expect(out).toMatch(/^BAD {3}reachable /mu)
    expect(out).toEqual(told === null ? expect.not.stringContaining('_PROXY') : expect.stringContaining(told))
  })
})

const seatsOf = ({ control, demoLicense }: Emulator) => control.keys(demoLicense.id)
/** The request for a key that can't exist, which shows how a gateway signs. */
const isOfNilKey = ({ url = '' }: { url?: string | undefined }) => url.includes('/00000000-')

describe('of a gateway', () => {
  test('sends all five requests through it, without the token, and frees the seat again', async () => {
    const authorizations = new Set<unknown>()
    const { emulator, doctor } = await gatewayForTest(({ headers }) => {
      authorizations.add(headers.authorization)
      return null
    })
    emulator.control.addKey(emulator.licenseKey, 'Studio')
    const run = await doctor()
    expect(run, run.out).toMatchObject({ exitCode: 0, err: '' })
    for (const route of ['list devices', 'activate', 'show device', 'validate', 'deactivate']) {
      expect(run.out).toMatch(new RegExp(`^ok {4}${route} `, 'mu'))
    }
    expect(run.out).toMatch(/^note {2}leases +no answer is signed: .*LATCHKEY_SIGNING_KEY.* keys generate$/mu)
    expect(run.out).toMatch(/^note {2}offline page {2}off\. LATCHKEY_OFFLINE_DAYS .* turns it on$/mu)
    expect(run.out).not.toContain(emulator.licenseKey)
    expect(authorizations).toEqual(new Set([undefined]))
    expect(seatsOf(emulator).map(({ name }) => name)).toEqual(['Studio'])
  })

  test('takes no seat without --activate, and shows and validates a device that is there', async () => {
    const { emulator, words } = await gatewayForTest()
    emulator.control.addKey(emulator.licenseKey, 'Studio')
    const run = await runCli(emulator, words.slice(0, -1))
    expect(run, run.out).toMatchObject({ exitCode: 0, err: '' })
    expect(run.out).toMatch(
      /^note {2}activate +not tried: --activate takes a seat, .*\nok {4}show device .*\nok {4}validate /mu,
    )
    const operations = new Set(emulator.control.requests().map(({ operation }) => operation))
    expect([...operations].sort()).toEqual(['key', 'keys', 'validate'])
  })

  test('shows the key that signs leases', async () => {
    const key = await generateSigningKey()
    const [{ kid } = { kid: '' }] = (await leaseKeysOf([key])).keys
    const { doctor } = await gatewayForTest(() => null, { gateway: { signing: { keys: [key] } } })
    expect((await doctor()).out).toMatch(new RegExp(`^ok {4}leases +signed with the key ${kid}: `, 'mu'))
  })

  const signedBy = (kid: string): OwnAnswer => {
    const header = Buffer.from(JSON.stringify({ alg: 'EdDSA', kid })).toString('base64url')
    return { ...unsigned, headers: { 'latchkey-lease': `${header}.e30.c2ln` } }
  }
  const unsigned = { status: 404, body: { error: 'not-found' } }
  const instances = /^BAD {3}leases .* do all instances of the gateway have the same LATCHKEY_SIGNING_KEY\?$/u
  const page = /^BAD {3}leases .* as in nginx with proxy_intercept_errors off$/u

  test.each<[answers: readonly [OwnAnswer, OwnAnswer], line: RegExp]>([
    [[signedBy('one'), signedBy('two')], instances],
    [[unsigned, signedBy('one')], instances],
    [[{ status: 404 }, { status: 404 }], page],
  ])('that answers an unknown key with %j fails', async (answers, line) => {
    let count = 0
    const { doctor } = await gatewayForTest((request) =>
      isOfNilKey(request) && routeOf(request) === 'key' ? (answers[count++ % 2] ?? null) : null,
    )
    const { exitCode, out } = await doctor()
    expect([exitCode, linesOf('BAD', out)]).toEqual([1, [expect.stringMatching(line)]])
  })

  const gatewayCode = (error: string, status = 502): OwnAnswer => ({ status, body: { error } })
  const login = { location: 'https://login.example.com/start?next=/v1' }
  const loginPage = 'a login page on the network redirects to https://login.example.com (status 302)'
  test.each<[OwnAnswer, check: string, text: string]>([
    [{ status: 400 }, 'proxy', 'This port may need https://'],
    [{ status: 403 }, 'proxy', 'a website or a proxy answers in place of the gateway (status'],
    [{ status: 502 }, 'proxy', 'a website or a proxy answers in place of the gateway (status'],
    [{ status: 200 }, 'proxy', 'a website or a proxy answers in place of the gateway (status'],
    [{ status: 200, body: { ok: true } }, 'schema', ''],
    [{ status: 302, headers: login }, 'base URL', loginPage],
    [
      gatewayCode('upstream-unauthorized'),
      'service',
      'refuses its access token for this request: correct it',
    ],
    [gatewayCode('internal'), 'service', 'one of its rules, failed: its log has the reason (internal)'],
    [gatewayCode('wrong-product', 422), 'license', ': check the product and store settings of the gateway'],
  ])('in whose place %j answers: one failure, and nothing more is tried', async (answer, check, text) => {
    const { emulator, doctor } = await gatewayForTest(() => answer)
    const { exitCode, out } = await doctor()
    expect([exitCode, linesOf('BAD', out)]).toEqual([1, [expect.stringContaining(text)]])
    expect(out).toMatch(new RegExp(`^BAD {3}${check} `, 'mu'))
    expect(out).not.toMatch(/offline page|leases|commerce service|next=/u)
    expect(emulator.control.requests()).toEqual([])
  })

  test.each([
    ['https', 'https://licensing.example.com:8443', 'https://licensing.example.com:8443/v1'],
    ['another host', 'https://user:secret@other.example.com/base', 'https://other.example.com/base/v1'],
  ])('shows where an address redirects to, without the license key: %s', async (_where, target, shown) => {
    const { emulator, url, doctor } = await gatewayForTest((request) => ({
      status: 301,
      headers: { location: `${target}${request.url}?key=${someKey}` },
    }))
    const { exitCode, out } = await doctor()
    const line = `BAD   base URL      this address redirects to ${shown} (status 301): use that one. Apps follow no redirects`
    expect([exitCode, linesOf('BAD', out), out.match(/base URL/gu)]).toEqual([1, [line], ['base URL']])
    const own = await runCli(emulator, ['doctor'], { env: { LATCHKEY_BASE_URL: url } })
    expect(own.out).toContain(`this address redirects to ${shown} (status 301)`)
    expect(out + own.out).not.toMatch(/secret|key=/u)
  })

  test.each([
    ['upstream-unauthorized', 4],
    ['upstream-unreachable', 3],
    ['upstream-loop', 6],
    ['not-found', 5],
  ])('explains its code to other commands, too: %s', async (error, exitCode) => {
    const { emulator, url } = await gatewayForTest(() => gatewayCode(error))
    const run = await runCli(emulator, ['--base-url', url, 'devices', 'list', someKey])
    const err = expect.stringMatching(`^latchkey: The gateway .*\\(${error}\\)`)
    expect(run).toEqual({ exitCode, out: '', err })
  })

  test('finds the service itself, a service without its version segment, or a path without gateway', async () => {
    const emulator = await emulatorForTest()
    const { baseUrl, licenseKey } = emulator
    const upstream = { baseUrl: new URL('/', baseUrl).href, accessToken: 'demo' }
    const { url } = await gatewayForTest(() => null, { emulator, gateway: { upstream } })
    for (const [address, line] of [
      [baseUrl, /^BAD {3}access token {2}asked for at this address, and a gateway needs none: /u],
      [url, /^BAD {3}service .*check LATCHKEY_UPSTREAM in its settings.* a license key is a UUID$/u],
      [
        url.replace('v1', 'v2'),
        /^BAD {3}base URL +no gateway answers at this path: .*\/v1 by default\. If a/u,
      ],
    ] as const) {
      const { exitCode, out } = await runCli(emulator, [
        'doctor',
        '--gateway',
        address,
        '--license',
        licenseKey,
      ])
      expect([exitCode, linesOf('BAD', out)]).toEqual([1, [expect.stringMatching(line)]])
    }
  })

  test.each([
    [{ status: 200 }, /^ok {4}offline page {2}on: http:\S+\/offline$/mu],
    [{ status: 403 }, /^note {2}offline page {2}off, or a proxy doesn’t forward .* \(status 403\)$/mu],
  ])('says whether the page for computers without internet is on: %j', async (answer, line) => {
    const { doctor } = await gatewayForTest((request) => (routeOf(request) === 'offline' ? answer : null))
    const { exitCode, out } = await doctor()
    expect([exitCode, out]).toEqual([0, expect.stringMatching(line)])
  })
})

describe('without a list of devices', () => {
  test.each([
    ['list-not-allowed', { fault: 'status', status: 403 }],
    ['list-unreadable', { fault: 'set-fields', fields: { data: 'none' } }],
  ] as const)('tries the other requests: %s', async (code, fault) => {
    const { emulator, doctor, url } = await gatewayForTest()
    emulator.control.faults.inject({ ...fault, operation: 'keys' })
    const run = await doctor()
    expect(run, run.out).toMatchObject({ exitCode: 0, err: '' })
    expect(run.out.match(/^\S+ +list devices/gmu)).toHaveLength(1)
    expect(run.out).toMatch(new RegExp(`^note {2}list devices .*takes another seat \\(${code}\\)$`, 'mu'))
    expect(run.out).toMatch(/^ok {4}activate .*\n^ok {4}show device .*\n^ok {4}validate /mu)
    expect(run.out).toMatch(/^ok {4}deactivate +freed the seat again$/mu)
    expect(emulator.control.keys(emulator.licenseKey)).toEqual([])
    const own = await runCli(emulator, ['--base-url', url, 'doctor', '--license', emulator.licenseKey])
    expect(own.out).toMatch(new RegExp(`^note {2}list devices .* \\(${code}\\)$`, 'mu'))
    expect(own.exitCode).toBe(0)
  })

  test('activates to tell a license without devices from an unknown one behind several services', async () => {
    const [emulator, polar] = [await emulatorForTest(), await emulatorForTest({ face: 'polar' })]
    const upstream = [upstreamOf(polar), upstreamOf(emulator)]
    const { doctor, words, url } = await gatewayForTest(() => null, { emulator, gateway: { upstream } })
    const run = await doctor()
    expect(run, run.out).toMatchObject({ exitCode: 0, err: '' })
    expect(run.out).toMatch(/^ok {4}activate .*\n^ok {4}show device .*\n^ok {4}validate /mu)
    expect(run.out).toMatch(/^ok {4}deactivate +freed the seat again$/mu)
    expect(seatsOf(emulator)).toEqual([])
    const listed = await runCli(emulator, ['--base-url', url, 'devices', 'list', someKey])
    const cannotTell = /Behind a gateway for several services, a license without devices looks the same/u
    expect(listed).toMatchObject({ exitCode: 5, out: '', err: expect.stringMatching(cannotTell) })
    const ofUnknown = words.map((word) => (word === emulator.licenseKey ? someKey : word))
    const { exitCode, out } = await runCli(emulator, ofUnknown)
    expect(out).toMatch(/^note {2}list devices .*several services/mu)
    const line = expect.stringMatching(/^BAD {3}license .*doesn’t know this license key/u)
    expect([exitCode, linesOf('BAD', out)]).toEqual([1, [line]])
  })
})

describe('a refused activation', () => {
  const answerOn = (route: string, status: number, error: string) =>
    gatewayForTest((request) => (routeOf(request) === route ? { status, body: { error } } : null))
  const untold = 'refused with status 422 and without a reason: the license may be full, suspended'
  const rule = 'although it lists its devices: check the gateway’s rule allow if you set one'

  test.each([
    [422, 'no-seat-left', 'note', 'every seat is taken: use an active license'],
    [422, 'license-expired', 'note', 'the license has ended: use an active license'],
    [422, 'rejected', 'note', untold],
    [404, 'not-found', 'BAD', rule],
    [502, 'upstream-unauthorized', 'BAD', 'If it is right, the license may be suspended'],
    [422, 'wrong-product', 'BAD', 'another product, store or plan: check the product and store settings'],
    [415, 'json-only', 'BAD', 'the gateway receives the request without its body'],
  ] as const)('with %d %s takes no seat', async (status, error, mark, text) => {
    const { emulator, doctor } = await answerOn('activate', status, error)
    const { exitCode, out } = await doctor()
    expect(out).toMatch(new RegExp(`^${mark} +activate .*${text}`, 'mu'))
    expect(out).toMatch(/^note {2}deactivate +not tried: no seat was taken$/mu)
    expect([exitCode, seatsOf(emulator)]).toEqual([mark === 'note' ? 0 : 1, []])
  })

  test('is a failure if the license has free seats', async () => {
    const { emulator, doctor } = await answerOn('activate', 422, 'rejected')
    emulator.control.addKey(emulator.licenseKey, 'Studio')
    const line = /^BAD {3}activate .* although the license is in force and has free seats: see the gateway/mu
    expect(await doctor()).toMatchObject({ exitCode: 1, out: expect.stringMatching(line) })
  })

  const refused = 'answered, and an app would refuse the license'
  test.each<[LicensePatch, why: string, validated: string]>([
    [{ suspended_at: '2026-01-01' }, 'suspended', `${refused}: the license is`],
    [{ expires_at: '2026-01-01' }, 'expired', `${refused}: ended 2026-01-01`],
    [{ activation_limit: 1 }, 'full', 'the license is in force'],
  ])('of a license that a device shows as %j is none', async (fields, why, validated) => {
    const { emulator, doctor } = await gatewayForTest()
    emulator.control.addKey(emulator.licenseKey, 'Studio')
    emulator.control.updateLicense(emulator.licenseKey, fields)
    const { exitCode, out } = await doctor()
    expect([exitCode, out]).toEqual([0, expect.stringContaining(validated)])
    const line = `^note {2}activate +refused with status 422.*${why}.*: use an active`
    expect(out).toMatch(new RegExp(line, 'mu'))
  })

  test.each([
    ['keygen', { LATCHKEY_KEYGEN_PRODUCT: '999' }],
    ['lemon-squeezy', { LATCHKEY_LEMON_SQUEEZY_PRODUCT_ID: '999' }],
  ] as const)('for a wrong product in the gateway’s settings is a failure: %s', async (face, own) => {
    const emulator = await emulatorForTest({ face })
    const upstream = upstreamOf(emulator, own)
    const { doctor } = await gatewayForTest(() => null, { emulator, gateway: { upstream } })
    const line = /^BAD {3}license .* check the product and store settings of the gateway/mu
    expect(await doctor()).toMatchObject({ exitCode: 1, out: expect.stringMatching(line) })
  })
})

describe('the seat that was taken', () => {
  const unauthorized = { status: 502, body: { error: 'upstream-unauthorized' } }
  const directly = 'release directly at the service, or once the'
  test.each<[OwnAnswer, why: string, advice: string]>([
    [unauthorized, 'refuses its access token', 'release.'],
    [{ status: 422, body: { error: 'rejected' } }, '', 'release.'],
    [{ status: 403 }, 'a website or a proxy answers in place of the gateway', directly],
  ])('is named if it could not be freed: %j', async (answer, why, advice) => {
    const { emulator, doctor } = await gatewayForTest(({ method }) => (method === 'DELETE' ? answer : null))
    const { exitCode, out } = await doctor()
    const [{ name } = { name: '' }] = seatsOf(emulator)
    expect([exitCode, linesOf('BAD', out)]).toEqual([1, [expect.stringContaining(why)]])
    expect(out).toContain(`BAD   deactivate    the seat of "${name}" could not be freed: `)
    expect(out).toContain(`Free it with latchkey devices ${advice}`)
  })

  const lost = { fault: 'reset', when: 'after-acting' } as const
  const freed = /^BAD {3}activate .*\n(?:.*\n)+ok {4}deactivate +freed the seat again$/mu
  const maybe = /may have taken a seat as "[^"]+", and no list shows it: look for it at your service$/mu
  test.each<[what: string, faults: FaultRule[], line: RegExp, seats: number]>([
    [
      'is looked for if its deactivation got no answer',
      [{ ...lost, operation: 'deactivate' }],
      /^BAD {3}deactivate +freed the seat again, but the answer was lost: /mu,
      0,
    ],
    ['is freed after an activation that got no answer', [{ ...lost, operation: 'activate' }], freed, 0],
    [
      'is named after an activation that got no answer, if no list shows it',
      [
        { ...lost, operation: 'activate' },
        { fault: 'status', status: 403, operation: 'keys' },
      ],
      maybe,
      1,
    ],
  ])('%s', async (_what, faults, line, seats) => {
    const { emulator, doctor } = await gatewayForTest()
    for (const fault of faults) emulator.control.faults.inject(fault)
    const { exitCode, out } = await doctor()
    expect([exitCode, out]).toEqual([1, expect.stringMatching(line)])
    expect(seatsOf(emulator)).toHaveLength(seats)
    for (const { name } of seatsOf(emulator)) expect(out).toContain(`"${name}"`)
  })

  test.each<[what: string, FaultRule, isListed: boolean]>([
    [
      'is freed after Ctrl-C in the midst of the other requests',
      { fault: 'timeout', operation: 'validate' },
      true,
    ],
    [
      'is named after Ctrl-C during the activation, if the list doesn’t show it yet',
      { fault: 'timeout', operation: 'activate', when: 'after-acting' },
      false,
    ],
  ])('%s', async (_what, fault, isListed) => {
    const { emulator, words } = await gatewayForTest()
    const { control } = emulator
    control.faults.inject(fault)
    if (!isListed) control.faults.inject({ fault: 'set-fields', fields: { data: [] }, operation: 'keys' })
    const controller = new AbortController()
    const run = runCli(emulator, words, { signal: controller.signal })
    const isAsked = () => control.requests().some(({ operation }) => operation === fault.operation)
    await waitUntil('the request hangs', () => isAsked() || undefined)
    const [{ name } = { name: '' }] = seatsOf(emulator)
    expect(name).not.toBe('')
    controller.abort()
    const { exitCode, out, err } = await run
    expect([exitCode, out]).toEqual([130, ''])
    const named = `latchkey: the activation may have taken a seat as "${name}", and the list doesn’t show it`
    expect(err).toMatch(/latchkey: Interrupted\.\n$/u)
    expect([err.includes(named), seatsOf(emulator).length]).toEqual(isListed ? [false, 0] : [true, 1])
  })
})
