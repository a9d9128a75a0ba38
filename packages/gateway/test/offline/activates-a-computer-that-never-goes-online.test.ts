import { createHash } from 'node:crypto'
import { serviceNames } from '@latchkey/services/environment'
import { writeOfflineRequest, writeOfflineText } from '@latchkey/services/offline'
import { describe, expect, test, vi } from 'vitest'
import { createGateway, GatewayConfigError, generateSigningKey, leaseKeysOf } from '../../src/index.ts'
import { accessToken, startGateway } from '../gateway-fixture.ts'
import { fingerprint, gatewayOf, otherFingerprint, startFace } from '../services/face-fixture.ts'
import {
  asking,
  claimsOf,
  instanceBeside,
  type OfflineGateway,
  signingKey,
  startOffline,
} from './offline-fixture.ts'

const daySeconds = 86_400

describe.each(['commerce', ...serviceNames] as const)('a gateway in front of %s', (face) => {
  test('answers a request, and the answer is about this license, device and request', async () => {
    const { send, emulator, licenseKey, licenseId, lines } = await startOffline(face)
    const told = await send()
    expect(told).toMatchObject({ status: 200, body: { device: 'Ada’s laptop' } })
    const claims = await claimsOf(told.body.answer)
    const [key] = emulator.control.keys(licenseId)
    expect(claims).toMatchObject({
      app: asking.app,
      lid: createHash('sha256').update(licenseKey).digest('base64url'),
      fp: fingerprint,
      nonce: asking.nonce,
      sta: 'ACTIVE',
    })
    expect(key?.name).toMatch(/^✈ Ada’s/u)
    expect(claims.exp - claims.iat).toBeLessThanOrEqual(365 * daySeconds)
    expect(lines).toMatchObject([{ route: 'offline', status: 200, code: null }])
    expect(JSON.stringify(lines)).not.toContain(licenseKey)
  })

  test('asking twice takes one seat, also at the same moment', async () => {
    const { send, emulator, licenseId } = await startOffline(face)
    await Promise.all([send(), send()])
    const again = await send({ nonce: 'another-nonce-another-nonce' })
    expect(again.status).toBe(200)
    expect((await claimsOf(again.body.answer)).nonce).toBe('another-nonce-another-nonce')
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })

  test('two instances of the gateway, asked at the same moment, take one seat', async () => {
    const { emulator, licenseKey, licenseId, send } = await startOffline(face)
    const other = instanceBeside(face, emulator, licenseKey)
    // Both have read the list before one of them activates.
    emulator.control.faults.inject({ fault: 'delay', delayMs: 300, operation: 'activate' })
    const told = await Promise.all([send(), other.send()])
    expect(told.map(({ status }) => status)).toEqual([200, 200])
    const [one, two] = await Promise.all(told.map(({ body }) => claimsOf(body.answer)))
    expect(one?.key).toBe(two?.key)
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })

  test('a device that was activated online keeps its seat', async () => {
    const { send, of, emulator, licenseKey, licenseId } = await startOffline(face)
    await of(licenseKey).activate(`Ada’s laptop [${fingerprint}]`)
    const told = await send()
    expect(told.status).toBe(200)
    expect(emulator.control.keys(licenseId)).toMatchObject([{ name: expect.stringMatching(/^✈ Ada’s/u) }])
  })

  test.each([
    ['suspended', 'license-suspended'],
    ['expired', 'license-expired'],
    ['full', 'no-seat-left'],
    ['unknown', 'not-found'],
  ] as const)('a license that is %s is refused with the reason, and takes no seat', async (how, code) => {
    const { send, emulator, licenseKey, licenseId } = await startOffline(face)
    const { control } = emulator
    const seats = how === 'full' ? ['A', 'B', 'C'] : ['A']
    for (const seat of seats) control.addKey(licenseId, seat)
    if (how === 'suspended') control.suspend(licenseId)
    if (how === 'expired') control.expire(licenseId)
    const unknown = how === 'unknown' ? { licenseKey: licenseKey.replace(/\d/gu, '7') } : {}
    const told = await send(unknown)
    expect(told.body).toEqual({ error: code })
    expect(told.status).toBe(code === 'not-found' ? 404 : 422)
    expect(control.keys(licenseId).map(({ name }) => name)).toEqual(seats)
  })
})

// Keygen stores the fingerprint apart from the name.
test.each(['commerce', 'dodo', 'lemon-squeezy', 'polar'] as const)(
  'a device whose activation at %s was given a longer name keeps its seat',
  async (face) => {
    const { send, emulator, licenseId } = await startOffline(face)
    emulator.control.addKey(licenseId, `Ada’s laptop [${fingerprint.toUpperCase()}] (lab 2)`)
    expect(await send()).toMatchObject({ status: 200 })
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  },
)

test('a request is found in the long email it came in', async () => {
  const { step, licenseKey } = await startOffline('commerce')
  const request = writeOfflineRequest({ ...asking, licenseKey })
  const email = `${'Hello support team,\n'.repeat(1_000)}\n> ${request}\n\nBest\n`
  expect((await step({ request: email })).status).toBe(200)
  expect(await step({ request: email.repeat(8) })).toMatchObject({ status: 413 })
})

test('while one request is under way, another one for the same device has to come back', async () => {
  let arrived = 0
  let goOn = (): void => {}
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const { send, emulator, licenseId } = await startOffline('commerce', {
    fetch: async (request, init) => {
      arrived += 1
      await held
      return fetch(request, init)
    },
  })
  const first = send()
  await expect.poll(() => arrived).toBe(1)
  expect(await send()).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^[1-9]/u) })
  goOn()
  expect((await first).status).toBe(200)
  expect(await send()).toMatchObject({ status: 200 })
  expect(emulator.control.keys(licenseId)).toHaveLength(1)
})

test('a request that the platform dropped halfway holds up no other for long', async () => {
  let nowMs = Date.now()
  const { send, emulator, licenseId } = await startOffline('commerce', { clock: () => nowMs })
  emulator.control.faults.inject({ fault: 'timeout', times: 1 })
  void send()
  await vi.waitFor(() => expect(emulator.control.requests()).toHaveLength(1), { timeout: 60_000 })
  expect((await send()).status).toBe(503)
  nowMs += 31_000
  expect((await send()).status).toBe(200)
  expect(emulator.control.keys(licenseId)).toHaveLength(1)
})

describe('after an activation that failed', () => {
  /** The answer to the first activation is lost after some time, and the service acts only later. */
  async function startSlow(
    lostAfterMs: number,
    meanwhile: (send: OfflineGateway['send']) => Promise<unknown>,
  ) {
    let nowMs = Date.now()
    const slow: Request[] = []
    const gateway: OfflineGateway = await startOffline('commerce', {
      clock: () => nowMs,
      fetch: async (input, init) => {
        const request = new Request(input, init)
        if (!request.url.endsWith('/activate') || slow.length > 0) return fetch(request)
        // The gateway gives up on it, and the service doesn't.
        slow.push(new Request(request, { signal: null }))
        nowMs += lostAfterMs
        await meanwhile(gateway.send)
        throw new Error('The answer was lost')
      },
    })
    return {
      ...gateway,
      act: async () => {
        for (const request of slow) expect((await fetch(request)).ok).toBe(true)
      },
      pass: (ms: number) => {
        nowMs += ms
      },
    }
  }

  test.each([
    ['', 0, async () => {}],
    [
      ', after a long request beside another device',
      31_000,
      (send: OfflineGateway['send']) => send({ fingerprint: otherFingerprint }),
    ],
  ] as const)(
    'a second click has to wait for the seat that a slow service is still taking%s',
    async (_when, lostAfterMs, meanwhile) => {
      const { send, emulator, licenseId, act, pass } = await startSlow(lostAfterMs, meanwhile)
      expect(await send()).toMatchObject({ status: 502, body: { error: 'upstream-unreachable' } })
      expect((await send()).status).toBe(503)
      await act()
      pass(31_000)
      const told = await send()
      expect(told.status).toBe(200)
      const keys = emulator.control.keys(licenseId).filter(({ name }) => !name.includes(otherFingerprint))
      expect(keys.map(({ id }) => id)).toEqual([(await claimsOf(told.body.answer)).key])
    },
  )

  test.each([401, 422, 429])(
    'another click is answered at once if the service refused it with a %i',
    async (status) => {
      const nowMs = Date.now()
      const { send, emulator, licenseId } = await startOffline('commerce', { clock: () => nowMs })
      emulator.control.faults.inject({ fault: 'status', status, operation: 'activate', times: 1 })
      expect((await send()).status).not.toBe(200)
      expect(await send()).toMatchObject({ status: 200 })
      expect(emulator.control.keys(licenseId)).toHaveLength(1)
    },
  )

  test('another click is answered at once if nothing was activated yet', async () => {
    const nowMs = Date.now()
    const { send, emulator } = await startOffline('commerce', { clock: () => nowMs })
    // A lost connection is tried again once.
    emulator.control.faults.inject({ fault: 'reset', operation: 'keys', times: 2 })
    expect(await send()).toMatchObject({ status: 502 })
    expect(await send()).toMatchObject({ status: 200 })
  })
})

test('a click takes no seat if the token may not list devices, and the reason is stated', async () => {
  const { send, emulator, licenseId } = await startOffline('commerce')
  emulator.control.faults.inject({ fault: 'status', status: 403, operation: 'keys' })
  expect(await send()).toMatchObject({ status: 403, body: { error: 'list-not-allowed' } })
  expect(emulator.control.keys(licenseId)).toEqual([])
})

test('a click keeps no seat if the service never lists the devices of a license', async () => {
  const { send, emulator, licenseId } = await startOffline('commerce')
  emulator.control.faults.inject({ fault: 'status', status: 404, operation: 'keys' })
  expect(await send()).toMatchObject({ status: 403, body: { error: 'list-not-allowed' } })
  expect(emulator.control.keys(licenseId)).toEqual([])
})

test.each(serviceNames)('a click takes no seat if %s doesn’t let the token list devices', async (face) => {
  const { send, emulator, licenseId } = await startOffline(face)
  emulator.control.faults.inject({ fault: 'status', status: 403, operation: 'keys' })
  // Keygen signs its answers, and this one isn't signed.
  const expected = face === 'keygen' ? [502, 'upstream-unexpected-answer'] : [403, 'list-not-allowed']
  const { status, body } = await send()
  expect([status, body.error]).toEqual(expected)
  expect(emulator.control.keys(licenseId)).toEqual([])
})

describe('an answer', () => {
  test('never outlasts the license', async () => {
    const { send, emulator, licenseId } = await startOffline('commerce')
    const end = new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000)
    emulator.control.updateLicense(licenseId, { expires_at: end.toISOString() })
    const { body } = await send()
    expect(body.validUntil).toBe(end.toISOString())
    expect((await claimsOf(body.answer)).exp * 1000).toBe(end.getTime())
  })

  test('lasts as long as the vendor chose for a license without end', async () => {
    const { send, emulator, licenseId } = await startOffline('commerce', { offline: { days: 30 } })
    emulator.control.updateLicense(licenseId, { expires_at: null })
    const { exp, iat, lex } = await claimsOf((await send()).body.answer)
    expect([exp - iat, lex]).toEqual([30 * daySeconds, null])
  })

  test('is signed with the key that the app trusts, after the vendor changed keys', async () => {
    const newKey = await generateSigningKey()
    const { send } = await startOffline('commerce', { signing: { keys: [newKey, signingKey] } })
    const { keys } = await leaseKeysOf([signingKey])
    const trustedKeys = keys.map(({ kid }) => kid.slice(0, 8))
    const { body } = await send({ trustedKeys })
    await expect(claimsOf(body.answer, [signingKey])).resolves.toMatchObject({ fp: fingerprint })
    await expect(claimsOf((await send()).body.answer, [newKey])).resolves.toBeDefined()
  })

  test('leaves the device one activation, and frees its others', async () => {
    const { send, emulator, licenseId } = await startOffline('commerce')
    for (const _ of [1, 2]) emulator.control.addKey(licenseId, `Ada’s laptop [${fingerprint}]`)
    emulator.control.addKey(licenseId, `Bob’s desktop [${otherFingerprint}]`)
    const { body } = await send()
    const { key } = await claimsOf(body.answer)
    expect(emulator.control.keys(licenseId)).toMatchObject([
      { name: `Bob’s desktop [${otherFingerprint}]` },
      { id: key, name: expect.stringMatching(/^✈ Ada’s/u) },
    ])
  })

  test('comes even if the answer of the service was lost after it took the seat', async () => {
    const { send, emulator, licenseId } = await startOffline('commerce')
    emulator.control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting', times: 1 })
    const told = await send()
    expect(told.status).toBe(200)
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })
})

describe('a request that can’t be used is refused with the reason, and nothing goes to the service', () => {
  const text = writeOfflineRequest({ ...asking, licenseKey: '11111111-2222-4333-8444-555555555555' })
  test.each([
    ['text that is no request', 'Hello', 400, 'no-offline-request'],
    ['an answer', writeOfflineText('answer', 'eyJ.e30.x'), 400, 'no-offline-request'],
    ['a request without its end', text.slice(0, -12), 400, 'offline-request-torn'],
    ['a request of a later version', text.replace('-1.', '-7.'), 400, 'offline-request-newer'],
    ['a large file', 'a'.repeat(100_000), 413, 'body-too-large'],
  ])('%s', async (_what, request, status, code) => {
    const { ask, emulator, lines } = await startOffline('commerce')
    expect(await ask('POST', '/offline', { request })).toMatchObject({ status, body: { error: code } })
    expect(emulator.control.requests()).toEqual([])
    expect(lines).toMatchObject([{ route: 'offline', code }])
  })

  test('a license key that would leave its place in the path', async () => {
    const { send, emulator } = await startOffline('commerce')
    expect(await send({ licenseKey: '../customers' })).toMatchObject({
      status: 404,
      body: { error: 'not-found' },
    })
    expect(emulator.control.requests()).toEqual([])
  })

  test('a body of another form', async () => {
    const { ask } = await startOffline('commerce')
    expect(await ask('POST', '/offline', { text })).toMatchObject({
      status: 400,
      body: { error: 'invalid-body' },
    })
  })
})

describe('offline activation', () => {
  test('isn’t served unless it is turned on, and the response and the log say so', async () => {
    const { call, lines } = await startGateway({ signing: { keys: [signingKey] } })
    const answers = [
      await call('GET', '/offline'),
      await call('POST', '/offline', { json: { request: 'x' } }),
    ]
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
        404,
        'text/plain; charset=utf-8',
        'Offline activation is not set up on this server. Contact the developer of your app.\n',
      ])
    }
    const detail = 'offline activation is off: set LATCHKEY_OFFLINE_DAYS, or the option offline in code'
    const line = { level: 'warn', route: 'offline', code: 'no-such-route', detail }
    expect(lines).toMatchObject([line, line])
    expect((await call('HEAD', '/offline')).status).toBe(404)
    expect(await (await call('GET', '/offline/')).text()).toBe('Not found\n')
  })

  test('counts against the limits of the address and of the license', async () => {
    const limiter = () => {
      const counted: string[] = []
      const take = async (key: string) => {
        counted.push(key)
        return { allowed: true as const }
      }
      return { counted, take }
    }
    const [perLicense, perAddress] = [limiter(), limiter()]
    const { send, licenseKey, ask } = await startOffline('commerce', {
      limits: { perLicense, perAddress },
      clientAddress: () => '203.0.113.9',
    })
    await send()
    await ask('POST', '/offline', { request: 'no request' })
    expect(perLicense.counted).toEqual([licenseKey])
    expect(perAddress.counted).toEqual(['203.0.113.9', '203.0.113.9'])
  })

  test('isn’t done for a license that the vendor’s own rule refuses', async () => {
    const { send, emulator, licenseId } = await startOffline('commerce', { allow: () => false })
    expect(await send()).toMatchObject({ status: 404, body: { error: 'not-found' } })
    expect(emulator.control.keys(licenseId)).toEqual([])
  })

  test('says while the service is down that it is, and signs nothing', async () => {
    const { send, emulator } = await startOffline('commerce')
    emulator.control.faults.inject({ fault: 'status', status: 503 })
    expect(await send()).toMatchObject({ status: 503, body: { error: 'upstream-busy' } })
  })

  test('needs a signing key, and a number of days that makes sense', () => {
    const upstream = { baseUrl: 'https://commerce.example/v1', accessToken }
    const make = (options: object) => () => createGateway({ upstream, ...options })
    expect(make({ offline: { days: 30 } })).toThrow(GatewayConfigError)
    expect(make({ offline: { days: 30 } })).toThrow('offline needs signing')
    expect(make({ offline: { days: 0 }, signing: { keys: [signingKey] } })).toThrow('offline.days must be')
    expect(gatewayOf(upstream, { offline: { days: 30 }, signing: { keys: [signingKey] } })).toBeDefined()
  })
})

/** A gateway in front of Dodo Payments, whose *activate* doesn't contain the end, with a license of 20 days. */
async function startDodo() {
  const emulator = await startFace('dodo')
  const endsAtMs = Math.floor(Date.now() / 1000) * 1000 + 20 * 1000 * daySeconds
  const expires_at = new Date(endsAtMs).toISOString()
  emulator.control.updateLicense(emulator.demoLicense.id, { expires_at })
  const says = { tooMany: 0 }
  const { send } = instanceBeside('dodo', emulator, emulator.licenseKey, {
    signing: { keys: [signingKey] },
    offline: { days: 3660 },
    fetch: async (request, init) => {
      if (says.tooMany === 0 || !/\/license_keys\/[^/]+$/u.test(new URL(request.url).pathname))
        return fetch(request, init)
      says.tooMany -= 1
      return Response.json({ code: 'TOO_MANY_REQUESTS' }, { status: 429, headers: { 'retry-after': '0' } })
    },
  })
  const seats = (): number => emulator.control.keys(emulator.demoLicense.id).length
  return { send, says, seats, endsAtMs, emulator }
}

test('the end is asked for again if it wasn’t shown after an activation', async () => {
  const { send, says, seats, endsAtMs } = await startDodo()
  says.tooMany = 1
  const told = await send()
  expect((await claimsOf(told.body.answer)).exp * 1000).toBe(endsAtMs)
  expect(seats()).toBe(1)
})

test('no answer is signed while the end isn’t known, and a retry uses the same seat', async () => {
  const { send, says, seats, endsAtMs } = await startDodo()
  says.tooMany = 10
  expect(await send()).toMatchObject({ status: 503, body: {} })
  expect(seats()).toBe(1)
  says.tooMany = 0
  const told = await send()
  expect((await claimsOf(told.body.answer)).exp * 1000).toBe(endsAtMs)
  expect(seats()).toBe(1)
})

test('a license without an end lasts as long as the vendor’s days', async () => {
  const { send, emulator } = await startDodo()
  emulator.control.updateLicense(emulator.demoLicense.id, { expires_at: null })
  const { exp, iat } = await claimsOf((await send()).body.answer)
  expect((exp - iat) * 1000).toBe(3660 * 1000 * daySeconds)
})
