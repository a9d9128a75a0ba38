import { createHash, createPublicKey, generateKeyPairSync, sign, verify, webcrypto } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { FaultRule } from '@latchkey/emulator'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { DeviceRequest } from '../../src/index.ts'
import { type KeygenOptions, keygen } from '../../src/keygen.ts'
import {
  activateOn,
  answerOf,
  device,
  listOf,
  otherDevice,
  startActivated,
  startService,
} from '../emulated-services.ts'

/** Starts the service with an adapter without a public key, unless the options have one. */
async function startWith(options: (publicKey: string | undefined) => Partial<KeygenOptions> = () => ({})) {
  const emulated = await startService('keygen')
  const { account, product = '', publicKey } = emulated.emulator.settings
  const { baseUrl } = emulated.emulator
  return { ...emulated, service: keygen({ baseUrl, account, product, ...options(publicKey) }) }
}

/** Returns the license key that the emulator makes of a license's ID. */
function keyOf(licenseId: string): string {
  const digits = licenseId.replaceAll('-', '').slice(0, 30).toUpperCase()
  return `${digits.match(/.{6}/gu)?.join('-')}-V3`
}

function proofOf(outcome: { readonly kind: string; readonly proof?: string | null | undefined }): string {
  return outcome.proof ?? ''
}

it('finds its machine again after a reinstall and after a lost answer', async () => {
  const { emulator, service, licenseKey, licenseId } = await startService('keygen')
  emulator.control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting', times: 1 })
  expect(await service.activate({ licenseKey, ...device })).toMatchObject({ mayHaveActed: true })
  const { activation } = await activateOn(service, licenseKey)
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
  const outcome = await service.activate({ licenseKey, ...device })
  const leftoverActivationId = emulator.control.keys(licenseId)[0]?.id
  expect(outcome).toMatchObject({ kind: 'refusal', reason: 'expired', leftoverActivationId })
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
  const { emulator, service, vendor, licenseKey, licenseId } = await startActivated('keygen')
  emulator.control.updateLicense(licenseId, { status: 'NOT_ALLOWED' })
  expect(await service.listActivations?.({ licenseKey })).toMatchObject({ cause: 'misconfigured' })
  emulator.control.createLicense({ keys: ['Elsewhere'] })
  expect(await listOf(vendor, licenseKey)).toMatchObject({ isWhole: true, activations: [device] })
})

it.each(['data.attributes.key', 'meta.scope.fingerprint'])(
  'ignores an answer about another %s',
  async (field) => {
    const { emulator, service, licenseKey } = await startWith()
    const { request } = await activateOn(service, licenseKey)
    emulator.control.faults.inject({ fault: 'set-fields', fields: { [field]: 'another' } })
    expect(await service.validate(request)).toMatchObject({ kind: 'unavailable' })
  },
)

it('lists machines over several pages', async () => {
  const { emulator, service, licenseKey, licenseId } = await startService('keygen')
  emulator.control.updateLicense(licenseId, { activation_limit: 500 })
  for (let number = 0; number < 230; number += 1) emulator.control.addKey(licenseId, `Device ${number}`)
  expect((await listOf(service, licenseKey)).activations).toHaveLength(230)
})

it('confirms that a machine is gone if there is no public key', async () => {
  const { emulator, service, licenseKey } = await startWith()
  expect(service.capabilities.signsItsAnswers).toBe(false)
  const { request } = await activateOn(service, licenseKey)
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
  const { emulator, service, licenseKey } = await startWith()
  emulator.control.faults.inject({ fault: 'set-fields', fields: { 'data.attributes.metadata': metadata } })
  const { license } = await activateOn(service, licenseKey)
  expect([license.plan, license.features ?? null]).toEqual([plan, features])
})

describe('entitlements', () => {
  const unreadable: FaultRule = { fault: 'status', status: 503, operation: 'key', times: 2 }
  const unread = { kind: 'unavailable', cause: 'server-error' }

  /** A license with two entitlements, and an adapter that reads them. */
  async function entitled(signs: boolean) {
    const emulated = await startWith((key) => ({ entitlements: true, publicKey: signs ? key : undefined }))
    emulated.emulator.control.updateLicense(emulated.licenseId, { features: ['EXPORT', 'SYNC'] })
    return emulated
  }

  describe.each([true, false])('signed: %s', (signs) => {
    it('are the features of the license', async () => {
      const { emulator, service, licenseKey, licenseId } = await entitled(signs)
      const { license, request } = await activateOn(service, licenseKey)
      expect(license).toMatchObject({ plan: 'Pro', features: ['EXPORT', 'SYNC'] })
      emulator.control.updateLicense(licenseId, { features: [] })
      expect(answerOf(await service.validate(request)).license.features).toEqual([])
    })

    it('that can’t be read are no answer', async () => {
      const { emulator, service, licenseKey } = await entitled(signs)
      const { request } = await activateOn(service, licenseKey)
      emulator.control.faults.inject(unreadable)
      expect(await service.validate(request)).toMatchObject(unread)
      emulator.control.faults.inject(unreadable)
      expect(await service.showLicense?.({ licenseKey })).toMatchObject(unread)
    })

    it('are shown with the license', async () => {
      const { emulator, service, licenseKey, licenseId } = await entitled(signs)
      const show = async () => (await service.showLicense?.({ licenseKey })) ?? { kind: 'nothing' }
      expect(answerOf(await show())).toMatchObject({ status: 'active', features: ['EXPORT', 'SYNC'] })
      await service.activate({ licenseKey, ...device })
      emulator.control.expire(licenseId)
      const license = { features: ['EXPORT', 'SYNC'] }
      expect(await show()).toMatchObject({ kind: 'refusal', reason: 'expired', license })
      emulator.control.faults.inject(unreadable)
      expect(await show()).toMatchObject({ kind: 'refusal', reason: 'expired', license: null })
    })
  })

  it('are not asked for without the option', async () => {
    const { emulator, licenseKey, licenseId, vendor } = await startService('keygen')
    emulator.control.updateLicense(licenseId, { features: ['EXPORT'] })
    const { license } = await activateOn(vendor, licenseKey)
    expect(license.features ?? null).toBeNull()
  })

  it('belong to the proof if responses are signed', async () => {
    const { emulator, service, licenseKey } = await entitled(true)
    const { request } = await activateOn(service, licenseKey)
    const fields = { 'data.0.attributes.code': 'ADMIN' }
    emulator.control.faults.inject({ fault: 'set-fields', fields, operation: 'key', times: 1 })
    expect(await service.validate(request)).toMatchObject({ cause: 'unsigned-answer' })
  })

  it.each([
    ['RESTRICT_ACCESS', ['EXPORT', 'SYNC']],
    ['REVOKE_ACCESS', []],
  ])(
    'of an ended license belong to its proof, unless the policy denies them: %s',
    async (status, features) => {
      const { emulator, service, licenseKey, licenseId } = await entitled(true)
      const { request } = await activateOn(service, licenseKey)
      emulator.control.updateLicense(licenseId, { status })
      emulator.control.expire(licenseId)
      const outcome = await service.validate(request)
      expect(outcome).toMatchObject({ kind: 'refusal', reason: 'expired' })
      const kept = await service.readProof?.(proofOf(outcome), request)
      const expiry = emulator.control.license(licenseId).expires_at ?? ''
      expect(kept?.license).toMatchObject({ status: 'expired', endsAtMs: Date.parse(expiry) })
      expect(kept?.license.features ?? []).toEqual(features)
    },
  )

  it('of a stored proof count only as they were signed for this license', async () => {
    const { emulator, service, licenseKey } = await entitled(true)
    const proof = proofOf(await service.activate({ licenseKey, ...device }))
    const featuresOf = async (change: (signed: { body: string; date: string }) => unknown) => {
      const { entitlements, ...rest } = JSON.parse(proof)
      const text = JSON.stringify({ ...rest, entitlements: change(entitlements) })
      return (await service.readProof?.(text, { licenseKey, ...device }))?.license.features
    }
    expect(await featuresOf((signed) => signed)).toEqual(['EXPORT', 'SYNC'])
    const edited = (signed: { body: string }) => ({ ...signed, body: signed.body.replace('SYNC', 'ADMIN') })
    expect(await featuresOf(edited)).toEqual([])

    // What another license of the same account was granted.
    const { id: otherId } = emulator.control.createLicense({ features: ['ADMIN'] })
    const other = await service.activate({ licenseKey: keyOf(otherId), ...otherDevice })
    const { entitlements } = JSON.parse(proofOf(other))
    expect(entitlements).toBeDefined()
    expect(await featuresOf(() => entitlements)).toEqual([])
  })
})

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
    const publicKey = 'e8601e48b69383ba520245fd07971e983d06d22c4257cfd82304601479cee788'
    const { service, licenseKey } = await startWith(() => ({ publicKey }))
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
    const proof = proofOf(await service.activate({ licenseKey, ...device }))
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
    const detail = 'this platform has no Web Crypto'
    const unverified = { kind: 'unavailable', cause: 'unsigned-answer', detail }
    expect(await service.activate({ licenseKey, ...device })).toMatchObject(unverified)
    const verified = await service.activate({ licenseKey, ...device }, { crypto: webcrypto })
    expect(verified).toMatchObject({ kind: 'answer' })
  })
})

it.each(['ÉCLAIR-1234-5678-9ABC', '墨水-1234', 'PRO/ABCD+EFGH=='])(
  'sends the custom key %s letter for letter, in the credential too',
  async (licenseKey) => {
    const { service, licenseKey: ownKey } = await startWith()
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

describe('with a product token', () => {
  it('changes only machines of the given license', async () => {
    const { emulator, vendor, licenseKey, licenseId } = await startService('keygen')
    const other = emulator.control.createLicense({ keys: [] })
    const foreign = emulator.control.addKey(other.id, 'Elsewhere [0123456789abcdef]')
    const { activation, request } = await activateOn(vendor, licenseKey)
    expect(activation.id).not.toBe(foreign.id)
    const refused = { kind: 'refusal', reason: 'unknown-activation' }
    expect(await vendor.deactivate({ ...request, activationId: foreign.id })).toMatchObject(refused)
    expect(emulator.control.keys(other.id)).toHaveLength(1)
    expect((await activateOn(vendor, licenseKey)).activation.id).toBe(activation.id)
    expect(await vendor.deactivate(request)).toMatchObject({ kind: 'answer' })
    expect(emulator.control.keys(licenseId)).toEqual([])
  })

  it('deletes no machine of another license with the same fingerprint', async () => {
    const { emulator, vendor, licenseId } = await startActivated('keygen', {}, 'vendor')
    const own = emulator.control.createLicense({ keys: [] })
    const request = { licenseKey: keyOf(own.id), activationId: device.fingerprint, ...device }
    await vendor.activate(request)
    // Keygen takes a fingerprint in place of a machine's ID, and the token reaches the machines of every license.
    expect(await vendor.deactivate(request)).toMatchObject({ kind: 'answer' })
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
    expect(emulator.control.keys(own.id)).toEqual([])
  })

  it('that sees no machines proves nothing and says what to check', async () => {
    const { emulator, service, licenseKey, licenseId } = await startWith(() => ({ token: 'demo' }))
    const { request } = await activateOn(service, licenseKey)
    emulator.control.faults.inject({ fault: 'set-fields', operation: 'keys', fields: { data: [] } })
    const detail = expect.stringContaining('token lists none of the seats in use (1)')
    const blind = { kind: 'unavailable', cause: 'unexpected-answer', detail }
    expect(await service.listActivations?.({ licenseKey })).toMatchObject(blind)
    expect(await service.deactivate(request)).toMatchObject(blind)
    expect(await service.activate({ licenseKey, ...device })).toMatchObject(blind)
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })
})

// https://keygen.sh/docs/api/signatures/#response-signatures, signing and verifying. Both are written from that page
// alone and share no code with the adapter or the emulator.

/** Verifies a response as that page describes: first the digest of the body, then the signature of four lines. */
function isGenuine(response: Response, body: string, method: string, publicKeyHex: string): boolean {
  const header = response.headers.get('Keygen-Signature') ?? ''
  const parameters = new Map(
    Array.from(header.matchAll(/(\w+)="([^"]*)"/gu), ([, name = '', value = '']) => [name, value]),
  )
  const digest = `sha-256=${createHash('sha256').update(body).digest('base64')}`
  if (response.headers.get('Digest') !== digest) return false
  const { pathname, search, hostname } = new URL(response.url)
  const values = new Map([
    ['(request-target)', `${method} ${pathname}${search}`],
    ['host', hostname],
    ['date', response.headers.get('Date') ?? ''],
    ['digest', digest],
  ])
  const names = parameters.get('headers')?.split(' ') ?? []
  const text = names.map((name) => `${name}: ${values.get(name)}`).join('\n')
  const x = Buffer.from(publicKeyHex, 'hex').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return verify(null, Buffer.from(text), key, Buffer.from(parameters.get('signature') ?? '', 'base64'))
}

const signing = generateKeyPairSync('ed25519')
const publicKeyHex = signing.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')

/** Signs a response of a local server. @param change spoils the signed lines. */
function signed(target: string, body: string, date: string, change = (lines: string[]) => lines) {
  const digest = `sha-256=${createHash('sha256').update(body).digest('base64')}`
  const lines = [`(request-target): post ${target}`, 'host: 127.0.0.1', `date: ${date}`, `digest: ${digest}`]
  const signature = sign(null, Buffer.from(change(lines).join('\n')), signing.privateKey).toString('base64')
  return { digest, signature }
}

describe('a verifier written from Keygen’s documentation', () => {
  it('accepts every response of the emulated service that the adapter accepts', async () => {
    const { service, licenseKey, emulator } = await startService('keygen')
    const publicKey = emulator.settings['publicKey'] ?? ''
    const seen: [method: string, status: number, genuine: boolean][] = []
    const watch = async (sent: Request, init?: RequestInit): Promise<Response> => {
      const response = await fetch(sent, init)
      const body = await response.clone().text()
      const genuine = isGenuine(response, body, sent.method.toLowerCase(), publicKey)
      seen.push([sent.method, response.status, genuine])
      return response
    }
    const call = { fetch: watch }
    const { activation } = answerOf(await service.activate({ licenseKey, ...device }, call))
    await service.listActivations?.({ licenseKey }, call)
    const request = { licenseKey, activationId: activation.id, ...device }
    await service.deactivate(request, call)
    await service.deactivate(request, call)
    expect(seen).toEqual([
      ['POST', 200, true],
      ['POST', 201, true],
      ['POST', 200, true],
      ['POST', 200, true],
      ['GET', 200, true],
      ['DELETE', 204, true],
      ['DELETE', 404, true],
    ])
  })

  it('rejects responses that were changed in transit', async () => {
    const { licenseKey, emulator } = await startService('keygen')
    const { account, publicKey = '' } = emulator.settings
    emulator.control.faults.inject({ fault: 'set-fields', fields: { 'meta.valid': true } })
    const response = await fetch(`${emulator.baseUrl}/v1/accounts/${account}/licenses/actions/validate-key`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ meta: { key: licenseKey } }),
    })
    expect(isGenuine(response, await response.text(), 'post', publicKey)).toBe(false)
  })
})

describe('the adapter, with responses signed as documented', () => {
  /** Validates at a server that answers "valid", signed with a key of this test. */
  async function validate(change?: (lines: string[]) => string[], date = new Date().toUTCString()) {
    const server = createServer(async (request, response) => {
      let sent = ''
      for await (const chunk of request) sent += chunk
      const { meta } = JSON.parse(sent)
      const attributes = { key: meta.key, expiry: null, maxMachines: 5 }
      const body = JSON.stringify({
        data: { id: '1', type: 'licenses', attributes },
        meta: { valid: true, code: 'VALID', nonce: meta.nonce, scope: meta.scope },
      })
      const { digest, signature } = signed(request.url ?? '', body, date, change)
      const parameters = `keyid="1", algorithm="ed25519", signature="${signature}"`
      const names = 'headers="(request-target) host date digest"'
      response.setHeader('Keygen-Signature', `${parameters}, ${names}`)
      response.setHeader('Digest', digest)
      response.setHeader('Date', date)
      response.end(body)
    })
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const address = server.address()
    const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    const service = keygen({ baseUrl, account: 'inkwell', product: 'inkwell', publicKey: publicKeyHex })
    return service.validate({ licenseKey: 'ABCDEF-1', activationId: 'm1', ...device })
  }

  it('accepts them, and uses the signed date as the service’s time', async () => {
    const date = new Date(Date.now() - 3_600_000).toUTCString()
    const outcome = await validate(undefined, date)
    expect(outcome).toMatchObject({ kind: 'answer', serverDateMs: Date.parse(date) })
    expect(answerOf(outcome).license).toMatchObject({ endsAtMs: 'never', seatLimit: 5 })
  })

  it.each<[what: string, change: (lines: string[]) => string[]]>([
    ['another path', ([, ...rest]) => ['(request-target): post /v1/other', ...rest]],
    ['another method', ([line = '', ...rest]) => [line.replace('post', 'get'), ...rest]],
    ['another host', ([first = '', , ...rest]) => [first, 'host: api.keygen.sh', ...rest]],
    ['another date', ([a = '', b = '', , d = '']) => [a, b, 'date: Thu, 01 Jan 2026 00:00:00 GMT', d]],
    ['another digest', (lines) => [...lines.slice(0, 3), 'digest: sha-256=AAAA']],
  ])('rejects a signature over %s', async (_what, change) => {
    expect(await validate(change)).toMatchObject({ kind: 'unavailable', cause: 'unsigned-answer' })
  })

  it('reads the features in the metadata of a proof that is older than the option `entitlements`', async () => {
    const attributes = { key: 'KEY', metadata: { features: ['EXPORT'] } }
    const scope = { fingerprint: device.fingerprint, product: 'inkwell' }
    const meta = { valid: true, code: 'VALID', scope }
    const body = JSON.stringify({ meta, data: { id: 'license-1', attributes } })
    const target = '/v1/accounts/acme/licenses/actions/validate-key'
    const date = new Date().toUTCString()
    const { signature } = signed(target, body, date)
    const proof = JSON.stringify({ method: 'post', target, host: '127.0.0.1', date, body, signature })
    const host = { baseUrl: 'http://127.0.0.1:1', account: 'acme', product: 'inkwell' }
    for (const entitlements of [false, true]) {
      const service = keygen({ ...host, publicKey: publicKeyHex, entitlements })
      const kept = await service.readProof?.(proof, { licenseKey: 'KEY', fingerprint: device.fingerprint })
      expect(kept?.license.features).toEqual(['EXPORT'])
    }
  })
})
