import { randomUUID } from 'node:crypto'
import { generateSigningKey, leaseKeysOf } from '@latchkey/gateway'
import { upstreamOf } from '@latchkey/scripts/e2e/upstream-of'
import { waitUntil } from '@latchkey/scripts/e2e/wait-until'
import { describe, expect, test } from 'vitest'
import { gatewayForTest, type OwnAnswer, routeOf } from './gateway-for-test.ts'
import { emulatorForTest, runCli } from './run-cli.ts'

/** The lines of a doctor's output that begin with this mark. */
function linesOf(mark: 'BAD' | 'note' | 'ok', out: string): readonly string[] {
  return out.split('\n').filter((line) => line.startsWith(mark))
}

test('sends all five requests through the gateway, without the token, and frees the seat again', async () => {
  const authorizations = new Set<unknown>()
  const { emulator, doctor } = await gatewayForTest(({ headers }) => {
    authorizations.add(headers.authorization)
    return null
  })
  const { id } = emulator.demoLicense
  emulator.control.addKey(id, 'Studio')
  const run = await doctor()
  expect(run, run.out).toMatchObject({ exitCode: 0, err: '' })
  for (const route of ['list devices', 'activate', 'show device', 'validate', 'deactivate']) {
    expect(run.out).toMatch(new RegExp(`^ok {4}${route} `, 'mu'))
  }
  expect(run.out).toMatch(/^note {2}leases +no answer is signed: .*LATCHKEY_SIGNING_KEY.* keys generate$/mu)
  expect(run.out).toMatch(/^note {2}offline page {2}off\. LATCHKEY_OFFLINE_DAYS .* turns it on$/mu)
  expect(run.out).not.toContain(id)
  expect(authorizations).toEqual(new Set([undefined]))
  expect(emulator.control.keys(id).map(({ name }) => name)).toEqual(['Studio'])
})

test('takes no seat without --activate, and shows and validates a device that is there', async () => {
  const { emulator, words } = await gatewayForTest()
  emulator.control.addKey(emulator.demoLicense.id, 'Studio')
  const run = await runCli(emulator, words.slice(0, -1))
  expect(run, run.out).toMatchObject({ exitCode: 0, err: '' })
  expect(run.out).toMatch(
    /^note {2}activate +not tried: --activate takes a seat, .*\nok {4}show device .*\nok {4}validate /mu,
  )
  const operations = new Set(emulator.control.requests().map(({ operation }) => operation))
  expect([...operations].sort()).toEqual(['key', 'keys', 'validate'])
})

describe('leases', () => {
  test('shows the key that signs them', async () => {
    const key = await generateSigningKey()
    const [{ kid } = { kid: '' }] = (await leaseKeysOf([key])).keys
    const { emulator, words } = await gatewayForTest(() => null, { gateway: { signing: { keys: [key] } } })
    const { out } = await runCli(emulator, ['--json', ...words])
    expect(JSON.parse(out).findings).toContainEqual({
      check: 'leases',
      verdict: 'good',
      detail: expect.stringContaining(`signed with the key ${kid}: `),
    })
  })

  const leaseOf = (kid: string) =>
    `${Buffer.from(JSON.stringify({ alg: 'EdDSA', kid })).toString('base64url')}.e30.c2ln`

  test.each([
    ['with another key', [leaseOf('one'), leaseOf('two')]],
    ['not at all', [null, leaseOf('one')]],
  ] as const)('an instance of the gateway that signs %s is a failure', async (_how, leases) => {
    let count = 0
    const { doctor } = await gatewayForTest((request) => {
      if (routeOf(request) !== 'key' || !request.url?.includes('/00000000-')) return null
      const lease = leases[count++ % 2] ?? null
      const headers = lease === null ? {} : { 'latchkey-lease': lease }
      return { status: 404, body: { error: 'not-found' }, headers }
    })
    const { exitCode, out } = await doctor()
    expect([exitCode, linesOf('BAD', out)]).toEqual([
      1,
      [
        expect.stringMatching(
          /leases .* do all instances of the gateway have the same LATCHKEY_SIGNING_KEY\?$/u,
        ),
      ],
    ])
  })

  test('names a proxy that replaces error answers with a page', async () => {
    const page = { status: 404 }
    const { doctor } = await gatewayForTest(({ url }) => (url?.includes('/00000000-') ? page : null))
    const { exitCode, out } = await doctor()
    expect(out).toMatch(/^BAD {3}leases .* as in nginx with proxy_intercept_errors off$/mu)
    expect(exitCode).toBe(1)
  })
})

describe('something else answers every request', () => {
  const key = '1f0a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b'
  const gatewayCode = (error: string): OwnAnswer => ({ status: 502, body: { error } })
  const inPlace = 'a website or a proxy answers in place of the gateway (status'
  const elsewhere = { status: 302, headers: { location: 'https://login.example.com/start?next=/v1' } }

  test.each<[OwnAnswer, string, string]>([
    [{ status: 400 }, 'proxy', 'This port may need https://'],
    [{ status: 403 }, 'proxy', inPlace],
    [{ status: 502 }, 'proxy', inPlace],
    [{ status: 200 }, 'proxy', inPlace],
    [{ status: 200, body: { ok: true } }, 'schema', ''],
    [
      elsewhere,
      'base URL',
      'a login page on the network redirects to https://login.example.com (status 302)',
    ],
    [
      gatewayCode('upstream-unauthorized'),
      'service',
      'refuses its access token for this request: correct it',
    ],
    [gatewayCode('internal'), 'service', 'one of its rules, failed: its log has the reason (internal)'],
    [
      { status: 422, body: { error: 'wrong-product' } },
      'license',
      'another product, store or plan: check the product and store settings of the gateway',
    ],
  ])('%j: one failure, and nothing more is tried', async (answer, check, text) => {
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
      headers: { location: `${target}${request.url}?key=${key}` },
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
  ])('is explained to other commands, too: %s', async (error, code) => {
    const { emulator, url } = await gatewayForTest(() => gatewayCode(error))
    const { exitCode, err } = await runCli(emulator, ['--base-url', url, 'devices', 'list', key])
    expect([exitCode, err]).toEqual([code, expect.stringMatching(`^latchkey: The gateway .*\\(${error}\\)`)])
  })

  test('or the service itself does', async () => {
    const emulator = await emulatorForTest()
    const words = ['doctor', '--gateway', emulator.baseUrl, '--license', emulator.demoLicense.id]
    const { exitCode, out } = await runCli(emulator, words)
    expect([exitCode, linesOf('BAD', out)]).toEqual([
      1,
      [
        expect.stringMatching(
          /^BAD {3}access token {2}asked for at this address, and a gateway needs none: /u,
        ),
      ],
    ])
  })
})

test('names a gateway that asks the service without its version segment, and a path without gateway', async () => {
  const emulator = await emulatorForTest()
  const upstream = {
    ...upstreamOf(emulator),
    baseUrl: new URL('/', emulator.baseUrl).href,
    accessToken: 'demo',
  }
  const { doctor, words, url } = await gatewayForTest(() => null, { emulator, gateway: { upstream } })
  const { exitCode, out } = await doctor()
  expect([exitCode, linesOf('BAD', out)]).toEqual([
    1,
    [
      expect.stringMatching(
        /^BAD {3}service .*check LATCHKEY_UPSTREAM in its settings.* a license key is a UUID$/u,
      ),
    ],
  ])
  const there = await runCli(
    emulator,
    words.map((word) => (word === url ? url.replace('v1', 'v2') : word)),
  )
  expect(there.out).toMatch(
    /^BAD {3}base URL +no gateway answers at this path: .*\/v1 by default\. If a reverse/mu,
  )
  expect(linesOf('BAD', there.out)).toHaveLength(1)
})

describe('without a list of devices', () => {
  test.each([
    ['list-not-allowed', { fault: 'status', status: 403 }],
    ['list-unreadable', { fault: 'set-fields', fields: { data: 'none' } }],
  ] as const)('tries the other requests: %s', async (code, fault) => {
    const { emulator, doctor, url } = await gatewayForTest()
    const { id } = emulator.demoLicense
    emulator.control.faults.inject({ ...fault, operation: 'keys' })
    const run = await doctor()
    expect(run, run.out).toMatchObject({ exitCode: 0, err: '' })
    expect(run.out.match(/^\S+ +list devices/gmu)).toHaveLength(1)
    expect(run.out).toMatch(new RegExp(`^note {2}list devices .*takes another seat \\(${code}\\)$`, 'mu'))
    expect(run.out).toMatch(/^ok {4}activate .*\n^ok {4}show device .*\n^ok {4}validate /mu)
    expect(run.out).toMatch(/^ok {4}deactivate +freed the seat again$/mu)
    expect(emulator.control.keys(id)).toEqual([])
    const own = await runCli(emulator, ['--base-url', url, 'doctor', '--license', id])
    expect(own.out).toMatch(new RegExp(`^note {2}list devices .* \\(${code}\\)$`, 'mu'))
    expect(own.exitCode).toBe(0)
  })

  test('names a seat that an unanswered activation may have taken', async () => {
    const { emulator, doctor } = await gatewayForTest()
    const { faults } = emulator.control
    faults.inject({ fault: 'status', status: 403, operation: 'keys' })
    faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting' })
    const { exitCode, out } = await doctor()
    const [{ name } = { name: '' }] = emulator.control.keys(emulator.demoLicense.id)
    expect(exitCode).toBe(1)
    expect(out).toContain(
      `may have taken a seat as "${name}", and no list shows it: look for it at your service`,
    )
  })

  test('activates to tell a license without devices from an unknown one behind several services', async () => {
    const [emulator, polar] = [await emulatorForTest(), await emulatorForTest({ face: 'polar' })]
    const upstream = [upstreamOf(polar), upstreamOf(emulator)]
    const { doctor, words, url } = await gatewayForTest(() => null, { emulator, gateway: { upstream } })
    const run = await doctor()
    expect(run, run.out).toMatchObject({ exitCode: 0, err: '' })
    expect(run.out).toMatch(/^ok {4}activate .*\n^ok {4}show device .*\n^ok {4}validate /mu)
    expect(run.out).toMatch(/^ok {4}deactivate +freed the seat again$/mu)
    expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([])
    const unknownKey = randomUUID()
    const listed = await runCli(emulator, ['--base-url', url, 'devices', 'list', unknownKey])
    const cannotTell = /Behind a gateway for several services, a license without devices looks the same/u
    expect(listed).toMatchObject({ exitCode: 5, out: '', err: expect.stringMatching(cannotTell) })
    const unknown = await runCli(
      emulator,
      words.map((word) => (word === emulator.licenseKey ? unknownKey : word)),
    )
    expect(unknown.exitCode).toBe(1)
    expect(unknown.out).toMatch(/^note {2}list devices .*several services/mu)
    expect(linesOf('BAD', unknown.out)).toEqual([
      expect.stringMatching(/^BAD {3}license .*doesn’t know this license key/u),
    ])
  })
})

describe('a refused activation', () => {
  const answerOn = (route: string, status: number, error: string) =>
    gatewayForTest((request) => (routeOf(request) === route ? { status, body: { error } } : null))

  test.each([
    [422, 'no-seat-left', 'note', 'every seat is taken: use an active license'],
    [422, 'license-expired', 'note', 'the license has ended: use an active license'],
    [
      422,
      'rejected',
      'note',
      'refused with status 422 and without a reason: the license may be full, suspended',
    ],
    [404, 'not-found', 'BAD', 'although it lists its devices: check the gateway’s rule allow if you set one'],
    [502, 'upstream-unauthorized', 'BAD', 'If it is right, the license may be suspended'],
    [422, 'wrong-product', 'BAD', 'another product, store or plan: check the product and store settings'],
    [415, 'json-only', 'BAD', 'the gateway receives the request without its body'],
  ] as const)('with %d %s takes no seat', async (status, error, mark, text) => {
    const { emulator, doctor } = await answerOn('activate', status, error)
    const { exitCode, out } = await doctor()
    expect(out).toMatch(new RegExp(`^${mark} +activate .*${text}`, 'mu'))
    expect(out).toMatch(/^note {2}deactivate +not tried: no seat was taken$/mu)
    expect(exitCode).toBe(mark === 'note' ? 0 : 1)
    expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([])
  })

  test('is a failure if the license has free seats', async () => {
    const { emulator, doctor } = await answerOn('activate', 422, 'rejected')
    emulator.control.addKey(emulator.demoLicense.id, 'Studio')
    const { exitCode, out } = await doctor()
    expect(out).toMatch(
      /^BAD {3}activate .* although the license is in force and has free seats: see the gateway/mu,
    )
    expect(exitCode).toBe(1)
  })

  test.each([
    [
      { suspended_at: '2026-01-01' },
      'suspended',
      'answered, and an app would refuse the license: the license is',
    ],
    [
      { expires_at: '2026-01-01' },
      'expired',
      'answered, and an app would refuse the license: ended 2026-01-01',
    ],
    [{ activation_limit: 1 }, 'full', 'the license is in force'],
  ])('of a license that a device shows as %j is none', async (fields, why, validated) => {
    const { emulator, doctor } = await gatewayForTest()
    emulator.control.addKey(emulator.demoLicense.id, 'Studio')
    emulator.control.updateLicense(emulator.demoLicense.id, fields)
    const { exitCode, out } = await doctor()
    expect(exitCode).toBe(0)
    expect(out).toMatch(
      new RegExp(`^note {2}activate +refused with status 422.*${why}.*: use an active`, 'mu'),
    )
    expect(out).toContain(validated)
  })

  test.each([
    ['keygen', { LATCHKEY_KEYGEN_PRODUCT: '999' }],
    ['lemon-squeezy', { LATCHKEY_LEMON_SQUEEZY_PRODUCT_ID: '999' }],
  ] as const)('for a wrong product in the gateway’s settings is a failure: %s', async (face, own) => {
    const emulator = await emulatorForTest({ face })
    const upstream = upstreamOf(emulator, own)
    const { exitCode, out } = await (
      await gatewayForTest(() => null, { emulator, gateway: { upstream } })
    ).doctor()
    expect(exitCode).toBe(1)
    expect(out).toMatch(/^BAD {3}license .* check the product and store settings of the gateway/mu)
  })
})

describe('the seat that was taken', () => {
  test.each([
    [{ status: 502, body: { error: 'upstream-unauthorized' } }, 'refuses its access token', 'release.'],
    [{ status: 422, body: { error: 'rejected' } }, '', 'release.'],
    [
      { status: 403 },
      'a website or a proxy answers in place of the gateway',
      'release directly at the service, or once the',
    ],
  ])('is named if it could not be freed: %j', async (answer, why, advice) => {
    const { emulator, doctor } = await gatewayForTest(({ method }) => (method === 'DELETE' ? answer : null))
    const { exitCode, out } = await doctor()
    const [{ name } = { name: '' }] = emulator.control.keys(emulator.demoLicense.id)
    expect([exitCode, linesOf('BAD', out)]).toEqual([1, [expect.stringContaining(why)]])
    expect(out).toContain(`BAD   deactivate    the seat of "${name}" could not be freed: `)
    expect(out).toContain(`Free it with latchkey devices ${advice}`)
  })

  test('is freed after Ctrl-C in the midst of the other requests', async () => {
    const { emulator, words } = await gatewayForTest()
    emulator.control.faults.inject({ fault: 'timeout', operation: 'validate' })
    const controller = new AbortController()
    const run = runCli(emulator, words, { signal: controller.signal })
    await waitUntil(
      'it validates',
      () => emulator.control.requests().some(({ operation }) => operation === 'validate') || undefined,
    )
    expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(1)
    controller.abort()
    expect(await run).toEqual({ exitCode: 130, out: '', err: 'latchkey: Interrupted.\n' })
    expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([])
  })

  test('is looked for if its deactivation got no answer', async () => {
    const { emulator, doctor } = await gatewayForTest()
    emulator.control.faults.inject({ fault: 'reset', operation: 'deactivate', when: 'after-acting' })
    const { exitCode, out } = await doctor()
    expect(out).toMatch(/^BAD {3}deactivate +freed the seat again, but the answer was lost: /mu)
    expect([exitCode, emulator.control.keys(emulator.demoLicense.id)]).toEqual([1, []])
  })

  test('is freed after an activation that got no answer', async () => {
    const { emulator, doctor } = await gatewayForTest()
    emulator.control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting' })
    const { exitCode, out } = await doctor()
    expect(exitCode).toBe(1)
    expect(out).toMatch(/^BAD {3}activate .*\n(?:.*\n)+ok {4}deactivate +freed the seat again$/mu)
    expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([])
  })

  test('is named after Ctrl-C during the activation, if the list doesn’t show it yet', async () => {
    const { emulator, words } = await gatewayForTest()
    const { faults } = emulator.control
    faults.inject({ fault: 'timeout', operation: 'activate', when: 'after-acting' })
    faults.inject({ fault: 'set-fields', fields: { data: [] }, operation: 'keys' })
    const controller = new AbortController()
    const run = runCli(emulator, words, { signal: controller.signal })
    await waitUntil(
      'it activates',
      () => emulator.control.requests().some(({ operation }) => operation === 'activate') || undefined,
    )
    controller.abort()
    const { exitCode, out, err } = await run
    const [{ name } = { name: '' }] = emulator.control.keys(emulator.demoLicense.id)
    expect([exitCode, out]).toEqual([130, ''])
    expect(err).toContain(
      `latchkey: the activation may have taken a seat as "${name}", and the list doesn’t show it`,
    )
  })
})

test.each([
  [{ status: 200 }, /^ok {4}offline page {2}on: http:\S+\/offline$/mu],
  [{ status: 403 }, /^note {2}offline page {2}off, or a proxy doesn’t forward .* \(status 403\)$/mu],
])('says whether the page for computers without internet is on: %j', async (answer, line) => {
  const { doctor } = await gatewayForTest((request) => (routeOf(request) === 'offline' ? answer : null))
  const { exitCode, out } = await doctor()
  expect([exitCode, out]).toEqual([0, expect.stringMatching(line)])
})
