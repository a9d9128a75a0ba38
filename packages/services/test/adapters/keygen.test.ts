import { createHash, generateKeyPairSync, sign, webcrypto } from 'node:crypto'
import type { FaultRule } from '@latchkey/emulator'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { DeviceRequest } from '../../src/index.ts'
import { keygen } from '../../src/keygen.ts'
import {
  answerOf,
  device,
  listOf,
  otherDevice,
  type ServiceOnFace,
  startActivated,
  startService,
} from '../faces.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

function without(key: 'publicKey', { emulator }: ServiceOnFace, token?: string): ReturnType<typeof keygen> {
  const { account, product = '' } = emulator.settings
  return keygen({ baseUrl: emulator.baseUrl, account, product, token, [key]: undefined })
}

/** Returns the license key that the emulator makes of a license's ID. */
function keyOf(licenseId: string): string {
  const digits = licenseId.replaceAll('-', '').slice(0, 30).toUpperCase()
  return `${digits.match(/.{6}/gu)?.join('-')}-V3`
}

it('finds its machine again after a reinstall and after a lost answer', async () => {
  const { emulator, service, licenseKey, licenseId } = await startService('keygen')
  emulator.control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting', times: 1 })
  expect(await service.activate({ licenseKey, ...device })).toMatchObject({ mayHaveActed: true })
  const { activation } = answerOf(await service.activate({ licenseKey, ...device }))
  expect(activation).toMatchObject({ ...device, id: emulator.control.keys(licenseId)[0]?.id })
  expect(emulator.control.keys(licenseId)).toHaveLength(1)
})

it('reads an ended license as valid if its policy keeps access', async () => {
  const { emulator, service, licenseId, request } = await startActivated('keygen')
  emulator.control.expire(licenseId)
  expect(await service.validate(request)).toMatchObject({ kind: 'refusal', reason: 'expired' })
  emulator.control.updateLicense(licenseId, { status: 'MAINTAIN_ACCESS' })
  const { license } = answerOf(await service.validate(request))
  expect(license).toMatchObject({ status: 'active', worksAfterEnd: true, seatsInUse: 1, seatLimit: 3 })
})

it('reports the machine it created for a license that has ended', async () => {
  const { emulator, service, licenseKey, licenseId } = await startService('keygen')
  emulator.control.expire(licenseId)
  expect(await service.activate({ licenseKey, ...device })).toMatchObject({
    kind: 'refusal',
    reason: 'expired',
    leftoverActivationId: emulator.control.keys(licenseId)[0]?.id,
  })
})

it.each([
  ['BANNED', { kind: 'refusal', reason: 'suspended' }],
  ['OVERDUE', { kind: 'refusal', reason: 'inactive' }],
  ['NOT_ALLOWED', { kind: 'unavailable', cause: 'misconfigured', detail: expect.stringContaining('policy') }],
])('reads %s', async (status, expected) => {
  const { emulator, service, licenseKey, licenseId } = await startService('keygen')
  emulator.control.updateLicense(licenseId, { status })
  expect(await service.activate({ licenseKey, ...device })).toMatchObject(expected)
})

it('authenticates with the license key, or with the vendor’s token if there is one', async () => {
  const { emulator, service, vendor, licenseKey, licenseId } = await startService('keygen')
  await service.activate({ licenseKey, ...device })
  emulator.control.updateLicense(licenseId, { status: 'NOT_ALLOWED' })
  expect(await service.listActivations?.({ licenseKey })).toMatchObject({ cause: 'misconfigured' })
  emulator.control.createLicense({ keys: ['Elsewhere'] })
  const list = await listOf(vendor, licenseKey)
  expect(list).toMatchObject({ isWhole: true, activations: [device] })
})

it('lists machines over several pages', async () => {
  const { emulator, service, licenseKey, licenseId } = await startService('keygen')
  emulator.control.updateLicense(licenseId, { activation_limit: 500 })
  for (let number = 0; number < 230; number += 1) emulator.control.addKey(licenseId, `Device ${number}`)
  const list = await listOf(service, licenseKey)
  expect(list.activations).toHaveLength(230)
})

it('confirms that a machine is gone if there is no public key', async () => {
  const onFace = await startService('keygen')
  const service = without('publicKey', onFace)
  const { licenseKey, emulator } = onFace
  expect(service.capabilities.signsItsAnswers).toBe(false)
  const { activation } = answerOf(await service.activate({ licenseKey, ...device }))
  const request = { licenseKey, activationId: activation.id, ...device }
  emulator.control.faults.inject({ fault: 'no-content', operation: 'deactivate', times: 1 })
  expect(await service.deactivate(request)).toMatchObject({ kind: 'unavailable', mayHaveActed: true })
  expect(await service.deactivate(request)).toMatchObject({ kind: 'answer' })
})

it.each<[what: string, metadata: unknown, plan: string, features: readonly string[] | null]>([
  ['a plan and features', { plan: 'Team', features: ['export', 7, null] }, 'Team', ['export']],
  ['nothing', {}, 'Pro', null],
  ['something else', { plan: 7, features: 'export' }, 'Pro', null],
  ['no object', 'Team', 'Pro', null],
])('takes plan and features from the license’s metadata: %s', async (_what, metadata, plan, features) => {
  const onFace = await startService('keygen')
  const service = without('publicKey', onFace)
  const { emulator, licenseKey } = onFace
  emulator.control.faults.inject({ fault: 'set-fields', fields: { 'data.attributes.metadata': metadata } })
  const { license } = answerOf(await service.activate({ licenseKey, ...device }))
  expect([license.plan, license.features ?? null]).toEqual([plan, features])
})

describe('entitlements', () => {
  /** A license with two entitlements, and an adapter that reads them. */
  async function entitled(signs: boolean) {
    const onFace = await startService('keygen')
    const { emulator, licenseId } = onFace
    const { account, product = '', publicKey } = emulator.settings
    const options = { baseUrl: emulator.baseUrl, account, product, entitlements: true }
    const service = keygen(signs ? { ...options, publicKey } : options)
    emulator.control.updateLicense(licenseId, { features: ['EXPORT', 'SYNC'] })
    return { ...onFace, service }
  }

  it.each([[true], [false]])('are the features of the license, signed: %s', async (signs) => {
    const { emulator, service, licenseKey, licenseId } = await entitled(signs)
    const { activation, license } = answerOf(await service.activate({ licenseKey, ...device }))
    expect(license).toMatchObject({ plan: 'Pro', features: ['EXPORT', 'SYNC'] })
    emulator.control.updateLicense(licenseId, { features: [] })
    const request = { licenseKey, activationId: activation.id, ...device }
    expect(answerOf(await service.validate(request)).license.features).toEqual([])
  })

  it('are not asked for without the option', async () => {
    const { emulator, licenseKey, licenseId, vendor } = await startService('keygen')
    emulator.control.updateLicense(licenseId, { features: ['EXPORT'] })
    const { license } = answerOf(await vendor.activate({ licenseKey, ...device }))
    expect(license.features ?? null).toBeNull()
  })

  it.each([[true], [false]])('that can’t be read are no answer, signed: %s', async (signs) => {
    const { emulator, service, licenseKey } = await entitled(signs)
    const { activation } = answerOf(await service.activate({ licenseKey, ...device }))
    const unread: FaultRule = { fault: 'status', status: 503, operation: 'key', times: 2 }
    emulator.control.faults.inject(unread)
    const request = { licenseKey, activationId: activation.id, ...device }
    expect(await service.validate(request)).toMatchObject({ kind: 'unavailable', cause: 'server-error' })
    emulator.control.faults.inject(unread)
    const shown = await service.showLicense?.({ licenseKey })
    expect(shown).toMatchObject({ kind: 'unavailable', cause: 'server-error' })
  })

  it.each([[true], [false]])('are shown with the license, signed: %s', async (signs) => {
    const { emulator, service, licenseKey, licenseId } = await entitled(signs)
    const show = async () => (await service.showLicense?.({ licenseKey })) ?? { kind: 'nothing' }
    expect(answerOf(await show())).toMatchObject({ status: 'active', features: ['EXPORT', 'SYNC'] })
    await service.activate({ licenseKey, ...device })
    emulator.control.expire(licenseId)
    const license = { features: ['EXPORT', 'SYNC'] }
    expect(await show()).toMatchObject({ kind: 'refusal', reason: 'expired', license })
    emulator.control.faults.inject({ fault: 'status', status: 503, operation: 'key', times: 2 })
    expect(await show()).toMatchObject({ kind: 'refusal', reason: 'expired', license: null })
  })

  it('belong to the proof if responses are signed', async () => {
    const { emulator, service, licenseKey } = await entitled(true)
    const { activation } = answerOf(await service.activate({ licenseKey, ...device }))
    const request = { licenseKey, activationId: activation.id, ...device }
    emulator.control.faults.inject({
      fault: 'set-fields',
      fields: { 'data.0.attributes.code': 'ADMIN' },
      operation: 'key',
      times: 1,
    })
    expect(await service.validate(request)).toMatchObject({ cause: 'unsigned-answer' })
  })

  it.each([
    ['RESTRICT_ACCESS', ['EXPORT', 'SYNC']],
    ['REVOKE_ACCESS', []],
  ])(
    'of an ended license belong to its proof, unless the policy denies them: %s',
    async (status, features) => {
      const { emulator, service, licenseKey, licenseId } = await entitled(true)
      const { activation } = answerOf(await service.activate({ licenseKey, ...device }))
      emulator.control.updateLicense(licenseId, { status })
      emulator.control.expire(licenseId)
      const outcome = await service.validate({ licenseKey, activationId: activation.id, ...device })
      expect(outcome).toMatchObject({ kind: 'refusal', reason: 'expired' })
      const proof = outcome.kind === 'refusal' ? (outcome.proof ?? '') : ''
      const kept = await service.readProof?.(proof, { licenseKey, ...device })
      const expiry = emulator.control.license(licenseId).expires_at ?? ''
      expect(kept?.license).toMatchObject({ status: 'expired', endsAtMs: Date.parse(expiry) })
      expect(kept?.license.features ?? []).toEqual(features)
    },
  )

  it('of a stored proof count only as they were signed for this license', async () => {
    const { emulator, service, licenseKey } = await entitled(true)
    const outcome = await service.activate({ licenseKey, ...device })
    const proof = outcome.kind === 'answer' ? (outcome.proof ?? '') : ''
    const featuresOf = async (change: (signed: { body: string; date: string }) => unknown) => {
      const { entitlements, ...rest } = JSON.parse(proof)
      const text = JSON.stringify({ ...rest, entitlements: change(entitlements) })
      const kept = await service.readProof?.(text, { licenseKey, ...device })
      return kept?.license.features
    }
    expect(await featuresOf((signed) => signed)).toEqual(['EXPORT', 'SYNC'])
    const edited = (signed: { body: string }) => ({ ...signed, body: signed.body.replace('SYNC', 'ADMIN') })
    expect(await featuresOf(edited)).toEqual([])

    // What another license of the same account was granted.
    const { id: otherId } = emulator.control.createLicense({ features: ['ADMIN'] })
    const other = await service.activate({ licenseKey: keyOf(otherId), ...otherDevice })
    const otherProof = other.kind === 'answer' ? JSON.parse(other.proof ?? '') : {}
    expect(otherProof.entitlements).toBeDefined()
    expect(await featuresOf(() => otherProof.entitlements)).toEqual([])
  })
})

it('reads the features in the metadata of a proof that is older than the option `entitlements`', async () => {
  const { publicKey, answer } = signedByTest({
    attributes: { key: 'KEY', metadata: { features: ['EXPORT'] } },
  })
  const host = { baseUrl: 'http://127.0.0.1:1', account: 'acme', product: 'inkwell', publicKey }
  for (const entitlements of [false, true]) {
    const service = keygen({ ...host, entitlements })
    const kept = await service.readProof?.(answer, { licenseKey: 'KEY', fingerprint: device.fingerprint })
    expect(kept?.license.features).toEqual(['EXPORT'])
  }
})

/** A stored response to *validate key*, signed by a key of the test. */
function signedByTest(license: { attributes: object }): { publicKey: string; answer: string } {
  const keys = generateKeyPairSync('ed25519')
  const scope = { fingerprint: device.fingerprint, product: 'inkwell' }
  const body = JSON.stringify({
    meta: { valid: true, code: 'VALID', scope },
    data: { id: 'license-1', ...license },
  })
  const target = '/v1/accounts/acme/licenses/actions/validate-key'
  const date = new Date().toUTCString()
  const digest = createHash('sha256').update(body).digest('base64')
  const text = `(request-target): post ${target}\nhost: 127.0.0.1\ndate: ${date}\ndigest: sha-256=${digest}`
  const signature = sign(null, Buffer.from(text), keys.privateKey).toString('base64')
  const { x = '' } = keys.publicKey.export({ format: 'jwk' })
  return {
    publicKey: Buffer.from(x, 'base64url').toString('hex'),
    answer: JSON.stringify({ method: 'post', target, host: '127.0.0.1', date, body, signature }),
  }
}

describe('with a public key', () => {
  it.each<[what: string, fault: FaultRule]>([
    ['another code', { fault: 'set-fields', fields: { 'meta.code': 'SUSPENDED', 'meta.valid': false } }],
    ['another end', { fault: 'set-fields', fields: { 'data.attributes.expiry': '2099-01-01T00:00:00Z' } }],
    ['a field less', { fault: 'missing-fields', fields: ['data.attributes.expiry'] }],
    ['another status', { fault: 'status', status: 404 }],
  ])('ignores an answer that was changed in transit: %s', async (_what, fault) => {
    const { emulator, service, request } = await startActivated('keygen')
    emulator.control.faults.inject(fault)
    const outcome = await service.validate(request)
    expect(outcome).toMatchObject({ kind: 'unavailable', cause: 'unsigned-answer' })
  })

  it('ignores answers signed by another account', async () => {
    const { emulator, licenseKey } = await startService('keygen')
    const { account, product = '' } = emulator.settings
    const publicKey = 'e8601e48b69383ba520245fd07971e983d06d22c4257cfd82304601479cee788'
    const service = keygen({ baseUrl: emulator.baseUrl, account, product, publicKey })
    expect(await service.activate({ licenseKey, ...device })).toMatchObject({ cause: 'unsigned-answer' })
  })

  it('ignores an answer that was recorded earlier', async () => {
    const { service, request } = await startActivated('keygen')
    let recorded: Response | null = null
    const record = async (sent: Request, init?: RequestInit): Promise<Response> => {
      const response = await fetch(sent, init)
      recorded = response.clone()
      return response
    }
    expect((await service.validate(request, { fetch: record })).kind).toBe('answer')
    const replay = async (): Promise<Response> => recorded?.clone() ?? new Response()
    expect(await service.validate(request, { fetch: replay })).toMatchObject({ cause: 'unexpected-answer' })
  })

  it('reads a stored proof again, only for this license and device', async () => {
    const { service, licenseKey, emulator, licenseId } = await startService('keygen')
    const outcome = await service.activate({ licenseKey, ...device })
    const proof = outcome.kind === 'answer' ? (outcome.proof ?? '') : ''
    const read = async (text: string, request: DeviceRequest = { licenseKey, ...device }): Promise<unknown> =>
      service.readProof?.(text, request)
    const endsAtMs = Date.parse(emulator.control.license(licenseId).expires_at ?? '')
    expect(await read(proof)).toMatchObject({ license: { status: 'active', endsAtMs } })
    expect(await read(proof, { licenseKey, ...otherDevice })).toBeNull()
    expect(await read(proof, { licenseKey: 'ANOTHER', ...device })).toBeNull()
    expect(await read(proof.replace('"valid\\":true', '"valid\\":false'))).toBeNull()
    expect(await read(proof.replace(/\\"expiry\\":\\"2/u, '\\"expiry\\":\\"3'))).toBeNull()
    expect(await read('nothing')).toBeNull()
  })

  it('reports that it can’t verify without Web Crypto', async () => {
    const { service, licenseKey } = await startService('keygen')
    vi.stubGlobal('crypto', undefined)
    const outcome = await service.activate({ licenseKey, ...device })
    expect(outcome).toMatchObject({ kind: 'unavailable', cause: 'unsigned-answer' })
    expect(outcome).toMatchObject({ detail: 'this platform has no Web Crypto' })
    expect(await service.activate({ licenseKey, ...device }, { crypto: webcrypto })).toMatchObject({
      kind: 'answer',
    })
  })
})

it.each(['ÉCLAIR-1234-5678-9ABC', '墨水-1234', 'PRO/ABCD+EFGH=='])(
  'sends the custom key %s letter for letter, in the credential too',
  async (licenseKey) => {
    const onFace = await startService('keygen')
    const { licenseKey: ownKey } = onFace
    const service = without('publicKey', onFace)
    /** The emulator doesn't have custom keys, so it gets its own key in place of this one. */
    const withCustomKey = async (request: Request): Promise<Response> => {
      const [scheme, credential = ''] = (request.headers.get('authorization') ?? '').split(' ')
      const given = scheme === 'Basic' ? `${Buffer.from(credential, 'base64')}` : `license:${credential}`
      if (given === `license:${licenseKey}`) request.headers.set('authorization', `License ${ownKey}`)
      const body = (await request.text()).replace(JSON.stringify(licenseKey), JSON.stringify(ownKey))
      const { method, url, headers } = request
      const response = await fetch(url, { method, headers, ...(body !== '' && { body }) })
      const text = (await response.text()).replaceAll(ownKey, licenseKey)
      return new Response(text === '' ? null : text, response)
    }
    const call = { fetch: withCustomKey }
    const { activation } = answerOf(await service.activate({ licenseKey, ...device }, call))
    expect(activation).toMatchObject(device)
    const request = { licenseKey, activationId: activation.id, ...device }
    expect(await service.deactivate(request, call)).toMatchObject({ kind: 'answer' })
  },
)

it('with a product token, changes only machines of the given license', async () => {
  const { emulator, vendor, licenseKey, licenseId } = await startService('keygen')
  const other = emulator.control.createLicense({ keys: [] })
  const foreign = emulator.control.addKey(other.id, 'Elsewhere [0123456789abcdef]')
  const { activation } = answerOf(await vendor.activate({ licenseKey, ...device }))
  expect(activation.id).not.toBe(foreign.id)
  expect(await vendor.deactivate({ licenseKey, activationId: foreign.id, ...device })).toMatchObject({
    kind: 'refusal',
    reason: 'unknown-activation',
  })
  expect(emulator.control.keys(other.id)).toHaveLength(1)
  expect(await vendor.activate({ licenseKey, ...device })).toMatchObject({
    value: { activation: { id: activation.id } },
  })
  expect(await vendor.deactivate({ licenseKey, activationId: activation.id, ...device })).toMatchObject({
    kind: 'answer',
  })
  expect(emulator.control.keys(licenseId)).toEqual([])
})

it('with a product token, deletes no machine of another license with the same fingerprint', async () => {
  const { emulator, vendor, licenseKey, licenseId } = await startService('keygen')
  await vendor.activate({ licenseKey, ...device })
  const own = emulator.control.createLicense({ keys: [] })
  const request = { licenseKey: keyOf(own.id), activationId: device.fingerprint, ...device }
  await vendor.activate(request)
  // Keygen takes a fingerprint in place of a machine's ID, and the token reaches the machines of every license.
  expect(await vendor.deactivate(request)).toMatchObject({ kind: 'answer' })
  expect(emulator.control.keys(licenseId)).toHaveLength(1)
  expect(emulator.control.keys(own.id)).toEqual([])
})

it('with a product token that sees no machines, proves nothing and says what to check', async () => {
  const onFace = await startService('keygen')
  const { emulator, licenseKey, licenseId } = onFace
  const service = without('publicKey', onFace, 'demo')
  const { activation } = answerOf(await service.activate({ licenseKey, ...device }))
  emulator.control.faults.inject({ fault: 'set-fields', operation: 'keys', fields: { data: [] } })
  const blind = {
    kind: 'unavailable',
    cause: 'unexpected-answer',
    detail: expect.stringContaining('token lists none of the seats in use (1)'),
  }
  expect(await service.listActivations?.({ licenseKey })).toMatchObject(blind)
  expect(await service.deactivate({ licenseKey, activationId: activation.id, ...device })).toMatchObject(
    blind,
  )
  expect(await service.activate({ licenseKey, ...device })).toMatchObject(blind)
  expect(emulator.control.keys(licenseId)).toHaveLength(1)
})
