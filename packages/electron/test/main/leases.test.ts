import { createHash, createHmac } from 'node:crypto'
import { startEmulator } from '@latchkey/emulator'
import { createGateway, generateSigningKey, leaseKeysOf, type SigningKey } from '@latchkey/gateway'
import { importJWK, SignJWT } from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLicensingCore, type LicensingCore } from '../../src/core/licensing.ts'
import type { DeviceIdentity } from '../../src/core/ports.ts'
import type { ActivationRecord } from '../../src/core/record.ts'
import { createLeaseVerifier } from '../../src/main/adapters/leases.ts'
import type { LeaseKeys } from '../../src/main/options/licensing-options.ts'
import { editRecord } from '../core/edit-record.ts'
import { reachGateway } from '../doubles/app-service.ts'
import { createFakeClock, type FakeClock } from '../doubles/fake-clock.ts'
import { createFakeDevice } from '../doubles/fake-device.ts'
import { createFakeSecrets } from '../doubles/fake-secrets.ts'
import { createMemoryStore, type MemoryStore } from '../doubles/memory-store.ts'
import { createRecordingLogger, type RecordingLogger } from '../doubles/recording-logger.ts'

const dayMs = 86_400_000
type Answer = (request: Request, next: () => Promise<Response>) => Promise<Response>

/** A vendor's gateway in front of a service, and a device whose network can be tampered with. */
async function vendor(signingKeys?: readonly SigningKey[], leaseDays = 3) {
  const emulator = await startEmulator({ accessToken: 'demo' })
  onTestFinished(() => emulator.close())
  const keys = signingKeys ?? [await generateSigningKey()]
  const clock = createFakeClock({ startMs: Date.now() })
  // The real time. A device's clock can be set, but not this one.
  const world = { aheadMs: 0 }
  const gateway = createGateway({
    upstream: { baseUrl: emulator.baseUrl, accessToken: 'demo' },
    signing: { keys, leaseDays },
    clock: () => Date.now() + world.aheadMs,
  })
  return { emulator, clock, world, gateway, leaseKeys: await leaseKeysOf(keys) }
}

type Vendor = Awaited<ReturnType<typeof vendor>>

interface DeviceOptions {
  readonly store?: MemoryStore
  readonly machineId?: string
  readonly source?: 'override' | 'machine-id'
  readonly leaseKeys?: LeaseKeys
  readonly answer?: Answer
  readonly clock?: FakeClock
  readonly logger?: RecordingLogger
}

/** Launches the app on a device; the same store is the same installation. */
async function launch(at: Vendor, options: DeviceOptions = {}): Promise<LicensingCore> {
  const verifier = createLeaseVerifier((options.leaseKeys ?? at.leaseKeys).keys)
  const core = createLicensingCore(
    {
      leases: verifier,
      service: reachGateway({
        baseUrl: 'https://licenses.vendor.example/v1',
        leases: verifier,
        logger: options.logger,
        fetch: async (request, init) => {
          const sent = new Request(request, init)
          const next = () => at.gateway(sent.clone())
          return options.answer === undefined ? next() : options.answer(sent, next)
        },
      }),
      store: options.store ?? createMemoryStore(),
      device: createFakeDevice({
        machineId: options.machineId ?? 'machine-one',
        source: options.source ?? 'machine-id',
      }),
      secrets: createFakeSecrets({ tier: 'plain' }),
      clock: options.clock ?? at.clock,
      logger: createRecordingLogger(),
    },
    { graceMs: 14 * dayMs, renewalGraceMs: 3 * dayMs, trialMs: 0, recheckMs: dayMs },
  )
  onTestFinished(() => core.dispose())
  await core.start()
  return core
}

const offline: Answer = async () => {
  throw new Error('net::ERR_INTERNET_DISCONNECTED')
}

async function activatedStore(at: Vendor): Promise<MemoryStore> {
  const store = createMemoryStore()
  const core = await launch(at, { store })
  const result = await core.activate(at.emulator.demoLicense.id)
  expect(result).toMatchObject({ ok: true, state: { status: 'active', entitled: true } })
  await core.dispose()
  return store
}

/** Edits the record with a correct HMAC, as anyone with Latchkey's source code can. */
async function edit(
  store: MemoryStore,
  change: (record: ActivationRecord) => ActivationRecord,
  device?: DeviceIdentity,
): Promise<MemoryStore> {
  const secrets = createFakeSecrets({ tier: 'plain' })
  const edited = createMemoryStore(store.texts)
  await editRecord(
    { store: edited, secrets },
    (record) => ({ ...record, activation: record.activation && change(record.activation) }),
    device,
  )
  return edited
}

test('a license that ends in the same second as the gateway’s refusal is expired', async () => {
  const keys = [await generateSigningKey()]
  const at = await vendor(keys)
  const { id } = at.emulator.demoLicense
  const store = await activatedStore(at)
  const secondMs = Math.ceil(Date.now() / 1000) * 1000 + 60_000
  at.emulator.control.updateLicense(id, { expires_at: new Date(secondMs + 300).toISOString() })
  const late = createGateway({
    upstream: { baseUrl: at.emulator.baseUrl, accessToken: 'demo' },
    signing: { keys, leaseDays: 3 },
    clock: () => secondMs + 500,
  })
  const core = await launch(at, { store, answer: (request) => late(request.clone()) })
  expect(await core.validate()).toMatchObject({ status: 'expired', problem: { code: 'license-expired' } })
})

describe('an app that can’t verify the answers of its gateway', () => {
  test('isn’t activated, logs which key signed, and takes one seat, however often it is tried', async () => {
    const at = await vendor()
    const others = await leaseKeysOf([await generateSigningKey()])
    const logger = createRecordingLogger()
    const core = await launch(at, { leaseKeys: others, logger })
    const { id } = at.emulator.demoLicense
    for (const _ of [1, 2]) {
      expect(await core.activate(id)).toMatchObject({ ok: false, problem: { code: 'untrusted-answer' } })
      expect(at.emulator.control.keys(id)).toHaveLength(1)
    }
    const [keyId] = createLeaseVerifier(at.leaseKeys.keys).keyIds
    expect(logger.lines).toEqual([
      expect.stringContaining(
        `is signed with key ${keyId}. This app trusts ${others.keys[0]?.kid}. Check leaseKeys`,
      ),
    ])
    await core.cancelActivation()
    expect(at.emulator.control.keys(id)).toEqual([])
  })

  test('logs that a gateway doesn’t sign', async () => {
    const at = await vendor()
    const logger = createRecordingLogger()
    const unsigned = createGateway({ upstream: { baseUrl: at.emulator.baseUrl, accessToken: 'demo' } })
    const core = await launch(at, { answer: (request) => unsigned(request.clone()), logger })
    const { id } = at.emulator.demoLicense
    expect(await core.activate(id)).toMatchObject({ ok: false, problem: { code: 'untrusted-answer' } })
    expect(logger.lines).toEqual([expect.stringContaining('contains no lease. This app trusts ')])
  })
})

test('grace ends with the lease, though the app allows two weeks; the next answer brings it back', async () => {
  const at = await vendor()
  const store = await activatedStore(at)
  at.clock.restart(4 * dayMs)
  at.world.aheadMs = 4 * dayMs
  let isOnline = false
  const core = await launch(at, {
    store,
    answer: (request, next) => (isOnline ? next() : offline(request, next)),
  })
  expect(core.state).toMatchObject({ status: 'unverified', entitled: false })
  isOnline = true
  await core.validate()
  expect(core.state).toMatchObject({ status: 'active', entitled: true })
})

const machineTwo = await createFakeDevice({ machineId: 'machine-two' }).identify(null)

test.each<[string, (record: ActivationRecord) => ActivationRecord, DeviceIdentity?]>([
  [
    'was edited to last longer',
    (record) => ({
      ...record,
      validAtMs: record.validAtMs + 365 * dayMs,
      license: { ...record.license, expiresAt: null },
      lease: record.lease && { ...record.lease, expiresAtMs: record.lease.expiresAtMs + 365 * dayMs },
    }),
  ],
  ['has no lease', (record) => ({ ...record, lease: null })],
  [
    'has the lease of another activation',
    (record) => ({ ...record, activationId: '00000000-0000-4000-8000-000000000000' }),
  ],
  [
    'was copied to another machine and names it',
    (record) => ({ ...record, fingerprint: machineTwo.fingerprint }),
    machineTwo,
  ],
])('a record that %s entitles to nothing offline, once its lease has ended', async (what, change, device) => {
  const at = await vendor()
  const store = await edit(await activatedStore(at), change, device)
  const machineId = device === undefined ? 'machine-one' : 'machine-two'
  const early = await launch(at, { store: createMemoryStore(store.texts), machineId, answer: offline })
  expect(early.state.entitled).toBe(what === 'was edited to last longer')
  at.clock.restart(4 * dayMs)
  const core = await launch(at, { store, machineId, answer: offline })
  expect(core.state.entitled).toBe(false)
})

test('a record copied to another machine entitles nothing there, not even briefly at launch', async () => {
  const at = await vendor()
  const core = await launch(at, {
    store: await activatedStore(at),
    machineId: 'machine-two',
    answer: offline,
  })
  expect(core.state).toMatchObject({
    status: 'revoked',
    entitled: false,
    problem: { code: 'record-of-another-device' },
  })
})

test('a copied record edited to come from no machine in particular shares the one seat, and goes with it', async () => {
  const at = await vendor()
  const { demoLicense, control } = at.emulator
  const genuine = await activatedStore(at)
  const { fingerprint } = JSON.parse(genuine.texts.newest ?? '').device
  const claimed: DeviceIdentity = { fingerprint, label: 'Copy', source: 'random', randomId: 'made up' }
  const store = await edit(genuine, (record) => record, claimed)
  const core = await launch(at, { store, machineId: 'machine-two' })
  await core.validate()
  expect(core.state).toMatchObject({ status: 'active', entitled: true })
  expect(control.keys(demoLicense.id)).toHaveLength(1)
  for (const key of control.keys(demoLicense.id)) control.removeKey(demoLicense.id, key.id)
  await core.validate()
  expect(core.state).toMatchObject({ status: 'revoked', entitled: false })
})

test('a recorded answer played again is not believed', async () => {
  const at = await vendor()
  const store = await activatedStore(at)
  let recorded: Response | null = null
  const recording = await launch(at, {
    store,
    answer: async (request, next) => {
      const answer = await next()
      if (request.url.endsWith('/validate')) recorded = answer.clone()
      return answer
    },
  })
  await recording.validate()
  await recording.dispose()
  at.emulator.control.suspend(at.emulator.demoLicense.id)

  const core = await launch(at, { store, answer: async () => (recorded ?? Response.error()).clone() })
  await core.validate()
  expect(core.state).toMatchObject({ status: 'grace', problem: { code: 'untrusted-answer' } })
  at.clock.restart(4 * dayMs)
  const later = await launch(at, { store, answer: async () => (recorded ?? Response.error()).clone() })
  expect(later.state.entitled).toBe(false)
  await later.validate()
  expect(later.state.entitled).toBe(false)
})

test('a fake server, put in place by the hosts file, neither activates nor revokes', async () => {
  const at = await vendor()
  const fake = await startEmulator()
  onTestFinished(() => fake.close())
  const toFake: Answer = async (request) => {
    const { pathname } = new URL(request.url)
    const body = request.method === 'GET' ? null : await request.text()
    return fetch(`${fake.origin}${pathname}`, { method: request.method, headers: request.headers, body })
  }
  const newcomer = await launch(at, { answer: toFake })
  const result = await newcomer.activate(fake.demoLicense.id)
  expect(result).toMatchObject({ ok: false, state: { entitled: false } })

  // To the fake server the genuine key is unknown: it answers 404, in JSON, twice.
  const core = await launch(at, { store: await activatedStore(at), answer: toFake })
  await core.validate()
  expect(core.state).toMatchObject({ status: 'grace', entitled: true, problem: { code: 'untrusted-answer' } })
})

test('a body that contradicts its signature doesn’t count', async () => {
  const at = await vendor()
  const store = await activatedStore(at)
  at.emulator.control.suspend(at.emulator.demoLicense.id)
  const core = await launch(at, {
    store,
    answer: async (_, next) => {
      const answer = await next()
      const text = (await answer.text()).replace(/"suspended_at":"[^"]*"/u, '"suspended_at":null')
      return new Response(text, { status: answer.status, headers: answer.headers })
    },
  })
  await core.validate()
  expect(core.state).toMatchObject({ status: 'grace', problem: { code: 'untrusted-answer' } })
})

test('the gateway’s own no counts: suspended, and freed from another device', async () => {
  const at = await vendor()
  const store = await activatedStore(at)
  const { control, demoLicense } = at.emulator
  control.suspend(demoLicense.id)
  const core = await launch(at, { store })
  await core.validate()
  expect(core.state).toMatchObject({ status: 'suspended', entitled: false })
  control.reinstate(demoLicense.id)
  for (const key of control.keys(demoLicense.id)) control.removeKey(demoLicense.id, key.id)
  await core.validate()
  expect(core.state).toMatchObject({ status: 'revoked', entitled: false })
})

/** What a proxy may answer to one kind of request. It refuses or answers all others without anything to read. */
const unsignedDates: readonly (readonly [
  what: string,
  method: string,
  answer: (next: () => Promise<Response>) => Promise<Response>,
])[] = [
  ['a list', 'GET', async () => Response.json({ data: [] })],
  ['an activation', 'GET', (next) => next()],
  ['a freed seat', 'DELETE', async () => Response.json({ message: '' })],
]

test.each(unsignedDates)(
  'the unsigned date of %s cannot set back the clock an old lease is read by',
  async (_what, method, answer) => {
    const at = await vendor()
    const store = await activatedStore(at)
    at.clock.restart(4 * dayMs)
    const issuedDate = new Date(Date.now()).toUTCString()
    const core = await launch(at, {
      store,
      async answer(request, next) {
        if (request.method !== method) return Response.json({}, { status: 404 })
        const { status, body } = await answer(next)
        return new Response(body, {
          status,
          headers: { date: issuedDate, 'content-type': 'application/json' },
        })
      },
    })
    at.clock.jump(-4 * dayMs)
    await core.devices()
    await core.releaseDevice('99999999-9999-4999-8999-999999999999')
    await core.validate()
    expect(core.state.entitled).toBe(false)
  },
)

test('keys rotate: an app that knows the old key, and one that knows the new one, both trust the gateway', async () => {
  const [oldKey, newKey] = [await generateSigningKey(), await generateSigningKey()]
  const at = await vendor([newKey, oldKey])
  for (const keys of [[oldKey], [newKey], [newKey, oldKey]]) {
    const core = await launch(at, { leaseKeys: await leaseKeysOf(keys) })
    const result = await core.activate(at.emulator.demoLicense.id)
    expect(result).toMatchObject({ ok: true, state: { status: 'active' } })
  }
})

describe('a key that the service calls by another name', () => {
  const renamed = (at: Vendor): void => {
    const { faults } = at.emulator.control
    const fields = { 'key.name': 'Reception', 'data.0.name': 'Reception' }
    faults.inject({ fault: 'set-fields', fields, operation: ['keys', 'activate', 'validate'] })
  }

  test('keeps its current lease, and logs that it gets no new one', async () => {
    const at = await vendor()
    const store = await activatedStore(at)
    renamed(at)
    const core = await launch(at, { store })
    await core.validate()
    const problem = { code: 'untrusted-answer' }
    expect(core.state).toMatchObject({ status: 'active', entitled: true, problem })
    at.clock.restart(4 * dayMs)
    at.world.aheadMs = 4 * dayMs
    const later = await launch(at, { store })
    await later.validate()
    expect(later.state).toMatchObject({ status: 'unverified', entitled: false, problem })
  })

  test('is not activated without a word, and takes one seat, however often it is tried', async () => {
    const at = await vendor()
    renamed(at)
    const core = await launch(at)
    for (const _ of [1, 2]) {
      expect(await core.activate(at.emulator.demoLicense.id)).toMatchObject({
        ok: false,
        problem: { code: 'untrusted-answer' },
        state: { entitled: false },
      })
    }
    expect(at.emulator.control.keys(at.emulator.demoLicense.id)).toHaveLength(1)
  })
})

test('a device activated without the gateway keeps its seat when the app moves to it', async () => {
  const at = await vendor()
  const before = await edit(await activatedStore(at), (record) => ({ ...record, lease: null }))
  const core = await launch(at, { store: before })
  await core.validate()
  expect(core.state).toMatchObject({ status: 'active', entitled: true })
  expect(at.emulator.control.keys(at.emulator.demoLicense.id)).toHaveLength(1)
})

test('a device whose developer gave it another ID since stays entitled when it is activated again', async () => {
  const at = await vendor()
  const store = await activatedStore(at)
  const core = await launch(at, { store, machineId: 'fleet-7', source: 'override' })
  expect(await core.activate(at.emulator.demoLicense.id)).toMatchObject({
    ok: true,
    state: { status: 'active', entitled: true },
  })
  await core.validate()
  expect(core.state).toMatchObject({ status: 'active', entitled: true })
  expect(at.emulator.control.keys(at.emulator.demoLicense.id)).toHaveLength(1)
})

test('an app that is online never runs out of leases, though each lasts a day', async () => {
  const at = await vendor(undefined, 1)
  const core = await launch(at)
  await core.activate(at.emulator.demoLicense.id)
  const statuses = new Set<string>()
  core.subscribe(({ status }) => statuses.add(status))
  const stepMs = 10 * 60_000
  for (let passedMs = 0; passedMs < 3 * dayMs; passedMs += stepMs) {
    at.world.aheadMs += stepMs
    await at.clock.advance(stepMs)
    do await new Promise((resolve) => setImmediate(resolve))
    while (core.state.activity !== 'idle')
  }
  expect([...statuses]).toEqual(['active'])
})

const signingKey = await generateSigningKey()
const { keys } = await leaseKeysOf([signingKey])
const kid = keys[0]?.kid ?? ''
const verifier = createLeaseVerifier(keys)

const licenseId = '4b11e191-a34e-424c-b391-d18776ed66b8'
const claims = {
  iss: 'latchkey-gateway',
  lid: createHash('sha256').update(licenseId).digest('base64url'),
  key: '7c2d9e40-1a3b-4f5c-8d6e-9f0a1b2c3d4e',
  fp: '0123456789abcdef',
  ent: true,
  sta: 'ACTIVE',
  sus: null,
  lex: null,
  nonce: 'n'.repeat(24),
  iat: 1_790_000_000,
  exp: 1_790_100_000,
}
const header = { alg: 'EdDSA', typ: 'latchkey-lease+jwt', kid }

async function sign(payload: Record<string, unknown>, protectedHeader = header): Promise<string> {
  const key = await importJWK({ ...signingKey }, 'EdDSA')
  return new SignJWT(payload).setProtectedHeader(protectedHeader).sign(key)
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

test('a lease of a trusted key is believed, and the key has the name that the gateway gives it', async () => {
  expect(verifier.keyIds).toEqual([kid])
  expect(verifier.claims(await sign(claims))).toMatchObject({ ent: true, key: claims.key })
})

test('a lease counts for the license and the activation it is about, however they are spelled, and for no other', async () => {
  const lease = await sign(claims)
  const verify = (licenseKey: string, activationId: string) =>
    verifier.verify(lease, { licenseKey, activationId, fingerprint: '' })
  expect(verify(licenseId.toUpperCase(), claims.key.toUpperCase())).toMatchObject({
    isEntitled: true,
    expiresAtMs: claims.exp * 1000,
  })
  expect(verify('4b11e191-a34e-424c-b391-d18776ed66b9', claims.key)).toBeNull()
  expect(verify(licenseId, '7c2d9e40-1a3b-4f5c-8d6e-9f0a1b2c3d4f')).toBeNull()
})

test.each([
  ['neither plan nor features', {}, null, []],
  ['a plan and features', { plan: 'Team', feat: ['export'] }, 'Team', ['export']],
  ['numbers among the features', { feat: ['export', 1, null, {}] }, null, ['export']],
  ['features that are no list', { feat: 'export' }, null, []],
  ['a plan that is no text', { plan: { name: 'Pro' } }, null, []],
])('a lease may have %s', async (_what, terms, plan, features) => {
  const lease = await sign({ ...claims, ...terms })
  const subject = { licenseKey: licenseId, activationId: claims.key, fingerprint: '' }
  expect(verifier.verify(lease, subject)).toMatchObject({ isEntitled: true, license: { plan, features } })
})

const forgeries: Readonly<Record<string, () => string | Promise<string>>> = {
  'alg none': () => `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`,
  'an HMAC made with the public key': () => {
    const signed = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`
    return `${signed}.${createHmac('sha256', Buffer.from(keys[0]?.x ?? '', 'base64url'))
      .update(signed)
      .digest('base64url')}`
  },
  'an unknown kid': () => sign(claims, { ...header, kid: 'A'.repeat(43) }),
  'another type': () => sign(claims, { ...header, typ: 'JWT' }),
  'another issuer': () => sign({ ...claims, iss: 'somebody' }),
  'a missing claim': () => sign({ ...claims, exp: undefined }),
  'changed claims': async () => {
    const [head, , signature] = (await sign({ ...claims, ent: false })).split('.')
    return `${head}.${encode(claims)}.${signature}`
  },
  'a cut signature': async () => (await sign(claims)).slice(0, -8),
  'no dots': () => 'lease',
  'more than a header may hold': async () => `${await sign(claims)}${'A'.repeat(10_000)}`,
  'bytes that are no JSON': () => '////.////.////',
}

test.each(Object.entries(forgeries))('a lease with %s is refused', async (_, forge) => {
  expect(verifier.claims(await forge())).toBeNull()
})
