import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { type Answer, json, noContent } from '../answer.ts'
import { isExpired } from '../data/license-store.ts'
import type { LicenseData, LicenseKeyData } from '../data/service-data.ts'
import {
  type Format,
  type FormatRequest,
  isVendor,
  licenseOfKey,
  objectField,
  readFields,
  type ServiceState,
  textField,
} from './format.ts'

/** The account and the product of every license. */
const ids = {
  account: '1fddcec8-8dd3-4d8d-9b16-215cac0f9b52',
  product: '3713fb33-1f64-4f68-9bc7-8e1f6b0a1e6d',
} as const

/** A key without a scheme: five groups of six digits and a version. */
function keyOf(licenseId: string): string {
  const digits = licenseId.replaceAll('-', '').slice(0, 30).toUpperCase()
  return `${digits.match(/.{6}/gu)?.join('-')}-V3`
}

const base = '/v1/accounts/:account'

/** PKCS #8 prefix of a raw Ed25519 seed: https://www.rfc-editor.org/rfc/rfc8410#section-7 */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
/** The same for every emulator, so that documents can contain the public key. Used for nothing else. */
const signingKey = createPrivateKey({
  key: Buffer.concat([pkcs8Prefix, createHash('sha256').update('latchkey emulator').digest()]),
  format: 'der',
  type: 'pkcs8',
})
/** 64 hex digits: an option of the adapter. */
const publicKey = createPublicKey(signingKey)
  .export({ format: 'der', type: 'spki' })
  .subarray(-32)
  .toString('hex')

/** Keygen: https://keygen.sh/docs/api/licenses/ and https://keygen.sh/docs/api/machines/ */
export const keygenFormat: Format = {
  name: 'keygen',
  basePath: '',
  routes: [
    { operation: 'validate', method: 'POST', path: `${base}/licenses/actions/validate-key` },
    { operation: 'activate', method: 'POST', path: `${base}/machines` },
    { operation: 'keys', method: 'GET', path: `${base}/machines` },
    { operation: 'key', method: 'GET', path: `${base}/machines/:machine` },
    { operation: 'deactivate', method: 'DELETE', path: `${base}/machines/:machine` },
    // The emulated operations have none of their own for it.
    { operation: 'key', method: 'GET', path: `${base}/licenses/:license/entitlements` },
  ],
  settings: { ...ids, publicKey },
  licenseKeyOf: keyOf,
  licenseIdOf(state, request) {
    const credential = request.header('authorization')?.replace(/^License /u, '')
    const key = request.operation === 'validate' ? metaOf(request)['key'] : credential
    return licenseOfKey(state, keyOf, key)?.id ?? ''
  },
  answer(state, request) {
    if (request.param('account') !== ids.account) {
      return error(404, 'NOT_FOUND', 'The requested account was not found')
    }
    return signed(
      request,
      request.operation === 'validate' ? validate(state, request) : authorized(state, request),
    )
  },
  refuseRoute: (_state, kind) =>
    error(kind === 'method' ? 405 : 404, 'NOT_FOUND', 'The requested endpoint was not found'),
}

function validate(state: ServiceState, request: FormatRequest): Answer {
  const meta = metaOf(request)
  const key = textField(meta, 'key')
  if (key === null) return error(400, 'PARAMETER_MISSING', 'is missing', '/meta/key')
  const license = licenseOfKey(state, keyOf, key)
  const scope = objectField(meta, 'scope')
  const { nonce } = meta
  return document(200, {
    data: license === null ? null : licenseObject(state, license),
    meta: {
      ts: new Date(state.clock.nowMs()).toISOString(),
      ...validateKey(state, license, scope),
      ...(nonce !== undefined && { nonce }),
      ...(meta['scope'] !== undefined && { scope }),
    },
  })
}

/** Answers requests that need a credential: a license key, or a vendor's token, which can access every license. */
function authorized(state: ServiceState, request: FormatRequest): Answer {
  const [scheme = '', credential] = (request.header('authorization') ?? '').split(' ')
  if (scheme === 'Bearer') {
    return isVendor(state, request)
      ? act(state, request, state.data.licenses.list())
      : error(401, 'TOKEN_INVALID', 'Token is invalid')
  }
  const license = scheme === 'License' ? licenseOfKey(state, keyOf, credential) : null
  if (license === null) return error(401, 'LICENSE_INVALID', 'License key is invalid')
  if (license.status === 'BANNED') return error(403, 'LICENSE_BANNED', 'License is banned')
  if (license.suspended_at !== null) return error(403, 'LICENSE_SUSPENDED', 'License is suspended')
  if (license.status === 'REVOKE_ACCESS' && isExpired(license, state.clock.nowMs())) {
    return error(403, 'LICENSE_EXPIRED', 'License is expired')
  }
  if (license.status === 'NOT_ALLOWED') {
    return error(403, 'LICENSE_NOT_ALLOWED', 'License key authentication is not allowed by policy')
  }
  return act(state, request, [license])
}

function act(state: ServiceState, request: FormatRequest, licenses: readonly LicenseData[]): Answer {
  if (request.operation === 'activate') return create(state, request, licenses)
  const query = request.url.searchParams
  const ofLicense = request.param('license')
  if (ofLicense) {
    const license = licenses.find(({ id }) => id === ofLicense)
    if (license === undefined) return error(404, 'NOT_FOUND', 'The requested license was not found')
    return document(200, { data: entitlementObjects(license), links: {} })
  }
  const filter = query.get('license')
  const machines = licenses
    .filter(({ id }) => filter === null || id === filter)
    .flatMap((license) => license.keys.map((key) => ({ license, key })))
  if (request.operation === 'keys') {
    const size = Math.min(100, Number(query.get('page[size]') ?? query.get('limit') ?? 10))
    const start = (Number(query.get('page[number]') ?? 1) - 1) * size
    const data = machines.slice(start, start + size).map(({ license, key }) => machineObject(license, key))
    return document(200, { data, links: {} })
  }
  const wanted = request.param('machine')
  const found = machines.find(({ key }) => key.id === wanted || fingerprintOf(key) === wanted)
  if (found === undefined) {
    return error(404, 'NOT_FOUND', `The requested machine '${wanted}' was not found`)
  }
  if (request.operation === 'key') return document(200, { data: machineObject(found.license, found.key) })
  state.data.licenses.removeKey(found.license, found.key.id)
  return noContent(204)
}

function create(state: ServiceState, request: FormatRequest, licenses: readonly LicenseData[]): Answer {
  const data = objectField(readFields(request), 'data')
  const attributes = objectField(data, 'attributes')
  const relation = objectField(objectField(objectField(data, 'relationships'), 'license'), 'data')
  const fingerprint = textField(attributes, 'fingerprint')
  if (fingerprint === null)
    return error(400, 'PARAMETER_MISSING', 'is missing', '/data/attributes/fingerprint')
  const license = licenses.find(({ id }) => id === relation['id'])
  if (license === undefined) {
    return error(422, 'LICENSE_BLANK', 'must exist', '/data/relationships/license')
  }
  if (license.keys.some((key) => fingerprintOf(key) === fingerprint)) {
    return error(422, 'FINGERPRINT_TAKEN', 'has already been taken', '/data/attributes/fingerprint')
  }
  if (license.keys.length >= license.activation_limit) {
    const detail = `machine count has exceeded maximum allowed for license (${license.activation_limit})`
    return error(422, 'MACHINE_LIMIT_EXCEEDED', detail, '/data')
  }
  const name = textField(attributes, 'name') ?? ''
  const key: LicenseKeyData = state.data.licenses.addKey(license, name, { fingerprint })
  return document(201, { data: machineObject(license, key) })
}

function metaOf(request: FormatRequest): Record<string, unknown> {
  return objectField(readFields(request), 'meta')
}

function document(status: number, body: unknown): Answer {
  return json(status, body, 'application/vnd.api+json; charset=utf-8')
}

function error(status: number, code: string, detail: string, pointer?: string): Answer {
  const title = status === 422 ? 'Unprocessable resource' : status === 404 ? 'Not found' : 'Request failed'
  const source = pointer === undefined ? {} : { source: { pointer } }
  return document(status, { errors: [{ title, detail, code, ...source }] })
}

/** Every response is signed, refusals included. */
function signed({ method, url }: FormatRequest, answer: Answer): Answer {
  const target = url.pathname + url.search
  return {
    ...answer,
    sign: (body, date) => signatureHeaders({ method, target, host: url.hostname, date, body }),
  }
}

/** The result of *validate key*. */
interface Verdict {
  readonly valid: boolean
  readonly detail: string
  readonly code: string
}

const say = (valid: boolean, detail: string, code: string): Verdict => ({ valid, detail, code })

/**
 * The checks in the server's order:
 *
 * https://github.com/keygen-sh/keygen-api/blob/f70c4f4e00bc6b3357a05d46bef52df5ccdb9da9/app/services/license_validation_service.rb
 *
 * The emulator's license status represents what it has no field for: `BANNED`, `OVERDUE`, `MAINTAIN_ACCESS` for a policy
 * that lets a license work after its end, and `REVOKE_ACCESS` for one that refuses it as a credential then.
 */
function validateKey(
  state: ServiceState,
  license: LicenseData | null,
  scope: Record<string, unknown>,
): Verdict {
  if (license === null) return say(false, 'does not exist', 'NOT_FOUND')
  if (license.status === 'BANNED') return say(false, 'is banned', 'BANNED')
  if (license.suspended_at !== null) return say(false, 'is suspended', 'SUSPENDED')
  if (license.status === 'OVERDUE') return say(false, 'is overdue for check in', 'OVERDUE')
  if (scope['product'] !== undefined && scope['product'] !== ids.product) {
    return say(false, 'product scope does not match', 'PRODUCT_SCOPE_MISMATCH')
  }
  const { fingerprint } = scope
  if (fingerprint !== undefined) {
    if (license.keys.length === 0) {
      return say(false, 'fingerprint is not activated (has no associated machines)', 'NO_MACHINES')
    }
    if (!license.keys.some((key) => fingerprintOf(key) === fingerprint)) {
      const detail = 'fingerprint is not activated (does not match any associated machines)'
      return say(false, detail, 'FINGERPRINT_SCOPE_MISMATCH')
    }
  }
  if (license.keys.length === 0) return say(false, 'must have at least 1 associated machine', 'NO_MACHINES')
  if (license.keys.length > 1 && license.keys.length > license.activation_limit) {
    return say(false, 'has too many associated machines', 'TOO_MANY_MACHINES')
  }
  if (isExpired(license, state.clock.nowMs()))
    return say(license.status === 'MAINTAIN_ACCESS', 'is expired', 'EXPIRED')
  return say(true, 'is valid', 'VALID')
}

/** The fingerprint of the activation. For a key added through the emulator's control, it is derived from the name. */
function fingerprintOf(key: LicenseKeyData): string {
  return key.details?.['fingerprint'] ?? /\[([\da-f]{16})\]$/u.exec(key.name)?.[1] ?? key.id
}

/** The JSON:API resource of a license. */
function licenseObject(state: ServiceState, license: LicenseData): Record<string, unknown> {
  const suspended = license.suspended_at !== null
  const link = (type: string, id: string): unknown => ({ data: { type, id } })
  return {
    id: license.id,
    type: 'licenses',
    attributes: {
      name: 'Pro',
      key: keyOf(license.id),
      expiry: license.expires_at,
      status: suspended ? 'SUSPENDED' : isExpired(license, state.clock.nowMs()) ? 'EXPIRED' : 'ACTIVE',
      uses: 0,
      suspended,
      scheme: null,
      encrypted: false,
      strict: true,
      floating: true,
      protected: false,
      maxMachines: license.activation_limit,
      maxProcesses: null,
      maxUses: null,
      metadata: {},
      created: license.created_at,
      updated: license.updated_at,
    },
    relationships: {
      account: link('accounts', ids.account),
      product: link('products', ids.product),
      machines: { meta: { cores: 0, memory: 0, disk: 0, count: license.keys.length } },
    },
  }
}

/** The JSON:API resource of a machine. */
function machineObject(license: LicenseData, key: LicenseKeyData): Record<string, unknown> {
  return {
    id: key.id,
    type: 'machines',
    attributes: {
      fingerprint: fingerprintOf(key),
      name: key.name,
      platform: null,
      requireHeartbeat: false,
      heartbeatStatus: 'NOT_STARTED',
      metadata: {},
      created: key.created_at,
      updated: key.updated_at,
    },
    relationships: { license: { data: { type: 'licenses', id: license.id } } },
  }
}

/** The JSON:API resources of a license's entitlements, one for each of its features. */
function entitlementObjects({ features = [], created_at, updated_at }: LicenseData): unknown[] {
  return features.map((code) => ({
    id: code,
    type: 'entitlements',
    attributes: { name: code, code, metadata: {}, created: created_at, updated: updated_at },
  }))
}

/** The signed parts of a response. */
export interface SignedParts {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Without a port. */
  readonly host: string
  readonly date: string
  readonly body: string
}

/** Signs a response: https://keygen.sh/docs/api/signatures/#response-signatures */
export function signatureHeaders({ method, target, host, date, body }: SignedParts): Record<string, string> {
  const digest = `sha-256=${createHash('sha256').update(body).digest('base64')}`
  const signed = [
    `(request-target): ${method.toLowerCase()} ${target}`,
    `host: ${host}`,
    `date: ${date}`,
    `digest: ${digest}`,
  ].join('\n')
  const signature = sign(null, Buffer.from(signed), signingKey).toString('base64')
  const covered = '(request-target) host date digest'
  return {
    'keygen-signature': `keyid="${ids.account}", algorithm="ed25519", signature="${signature}", headers="${covered}"`,
    digest,
    'keygen-date': date,
    'keygen-digest': digest,
  }
}
