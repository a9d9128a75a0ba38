import { createHash } from 'node:crypto'
import type { LicenseData, LicenseKeyData } from '../../data/emulator-data.ts'
import type { Answer } from '../../service/answer.ts'
import type { ServiceState } from '../../service/service-state.ts'
import type { Face, FaceRequest } from '../face.ts'
import { licenseOfKey } from '../license-of.ts'
import { objectField, readFields, textField } from '../read-fields.ts'
import {
  fingerprintOf,
  isExpired,
  keygenEntitlements,
  keygenIds,
  keygenKeyOf,
  keygenLicense,
  keygenMachine,
} from './keygen-objects.ts'
import { createKeygenSigner, type KeygenSigner } from './keygen-signer.ts'
import { validateKey } from './validate-key.ts'

const base = '/v1/accounts/:account'
/** The same for every emulator, so that documents can contain the public key. Used for nothing else. */
export const keygenSigner: KeygenSigner = createKeygenSigner(
  keygenIds.account,
  createHash('sha256').update('latchkey emulator').digest(),
)

/** Keygen: https://keygen.sh/docs/api/licenses/ and https://keygen.sh/docs/api/machines/ */
export const keygenFace: Face = {
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
  settings: { ...keygenIds, publicKey: keygenSigner.publicKey },
  licenseKeyOf: keygenKeyOf,
  licenseIdOf(state, request) {
    const credential = request.header('authorization')?.replace(/^License /u, '')
    const key = request.operation === 'validate' ? metaOf(request)['key'] : credential
    return licenseOfKey(state, keygenKeyOf, key)?.id ?? ''
  },
  answer(state, request) {
    if (request.param('account') !== keygenIds.account) {
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

function validate(state: ServiceState, request: FaceRequest): Answer {
  const meta = metaOf(request)
  const key = textField(meta, 'key')
  if (key === null) return error(400, 'PARAMETER_MISSING', 'is missing', '/meta/key')
  const license = licenseOfKey(state, keygenKeyOf, key)
  const scope = objectField(meta, 'scope')
  const { nonce } = meta
  return document(200, {
    data: license === null ? null : keygenLicense(state, license),
    meta: {
      ts: new Date(state.clock.nowMs()).toISOString(),
      ...validateKey(state, license, scope),
      ...(nonce !== undefined && { nonce }),
      ...(meta['scope'] !== undefined && { scope }),
    },
  })
}

/** Answers requests that need a credential: a license key, or a vendor's token, which can access every license. */
function authorized(state: ServiceState, request: FaceRequest): Answer {
  const [scheme = '', credential] = (request.header('authorization') ?? '').split(' ')
  if (scheme === 'Bearer') {
    return state.accessToken === null || credential === state.accessToken
      ? act(state, request, state.data.licenses.list())
      : error(401, 'TOKEN_INVALID', 'Token is invalid')
  }
  const license = scheme === 'License' ? licenseOfKey(state, keygenKeyOf, credential) : null
  if (license === null) return error(401, 'LICENSE_INVALID', 'License key is invalid')
  if (license.status === 'BANNED') return error(403, 'LICENSE_BANNED', 'License is banned')
  if (license.suspended_at !== null) return error(403, 'LICENSE_SUSPENDED', 'License is suspended')
  if (license.status === 'REVOKE_ACCESS' && isExpired(state, license)) {
    return error(403, 'LICENSE_EXPIRED', 'License is expired')
  }
  if (license.status === 'NOT_ALLOWED') {
    return error(403, 'LICENSE_NOT_ALLOWED', 'License key authentication is not allowed by policy')
  }
  return act(state, request, [license])
}

function act(state: ServiceState, request: FaceRequest, licenses: readonly LicenseData[]): Answer {
  if (request.operation === 'activate') return create(state, request, licenses)
  const query = request.url.searchParams
  const ofLicense = request.param('license')
  if (ofLicense) {
    const license = licenses.find(({ id }) => id === ofLicense)
    if (license === undefined) return error(404, 'NOT_FOUND', 'The requested license was not found')
    return document(200, { data: keygenEntitlements(license), links: {} })
  }
  const filter = query.get('license')
  const machines = licenses
    .filter(({ id }) => filter === null || id === filter)
    .flatMap((license) => license.keys.map((key) => ({ license, key })))
  if (request.operation === 'keys') {
    const size = Math.min(100, Number(query.get('page[size]') ?? query.get('limit') ?? 10))
    const start = (Number(query.get('page[number]') ?? 1) - 1) * size
    const data = machines.slice(start, start + size).map(({ license, key }) => keygenMachine(license, key))
    return document(200, { data, links: {} })
  }
  const wanted = request.param('machine')
  const found = machines.find(({ key }) => key.id === wanted || fingerprintOf(key) === wanted)
  if (found === undefined) {
    return error(404, 'NOT_FOUND', `The requested machine '${wanted}' was not found`)
  }
  if (request.operation === 'key') return document(200, { data: keygenMachine(found.license, found.key) })
  state.data.licenses.removeKey(found.license, found.key.id)
  return { status: 204, contentType: 'text/plain', body: undefined }
}

function create(state: ServiceState, request: FaceRequest, licenses: readonly LicenseData[]): Answer {
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
  return document(201, { data: keygenMachine(license, key) })
}

function metaOf(request: FaceRequest): Record<string, unknown> {
  return objectField(readFields(request), 'meta')
}

function document(status: number, body: unknown): Answer {
  return { status, contentType: 'application/vnd.api+json; charset=utf-8', body }
}

function error(status: number, code: string, detail: string, pointer?: string): Answer {
  const title = status === 422 ? 'Unprocessable resource' : status === 404 ? 'Not found' : 'Request failed'
  const source = pointer === undefined ? {} : { source: { pointer } }
  return document(status, { errors: [{ title, detail, code, ...source }] })
}

/** Every response is signed, refusals included. */
function signed({ method, url }: FaceRequest, answer: Answer): Answer {
  const target = url.pathname + url.search
  return {
    ...answer,
    sign: (body, date) => keygenSigner.headersFor({ method, target, host: url.hostname, date, body }),
  }
}
