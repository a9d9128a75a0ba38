import { isDeepStrictEqual } from 'node:util'
import type { LicenseData, LicenseKeyData } from '../../data/emulator-data.ts'
import type { Answer } from '../../service/answer.ts'
import type { ServiceState } from '../../service/service-state.ts'
import type { Face, FaceRequest } from '../face.ts'
import { json, noContent } from '../json.ts'
import { conditionOfLicense, licenseOfKey } from '../license-of.ts'
import { objectField, readFields, textField } from '../read-fields.ts'
import { polarActivation, polarIds, polarKeyOf, polarLicenseKey, readRecord } from './polar-objects.ts'

const portal = '/v1/customer-portal/license-keys'
/** The same for a server, with an organization's token. */
const server = '/v1/license-keys'
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu

const notFound = (detail = 'Not found'): Answer => json(404, { error: 'ResourceNotFound', detail })
const notPermitted = (detail: string): Answer => json(403, { error: 'NotPermitted', detail })

/**
 * Polar. Refusals and their texts are those of the server's source:
 * https://github.com/polarsource/polar/blob/c6c3645e639ee8eeaa05aa0835cf8e39e330382f/server/polar/license_key/service.py
 */
export const polarFace: Face = {
  name: 'polar',
  basePath: '',
  routes: [
    { operation: 'activate', method: 'POST', path: `${portal}/activate` },
    { operation: 'validate', method: 'POST', path: `${portal}/validate` },
    { operation: 'deactivate', method: 'POST', path: `${portal}/deactivate` },
    { operation: 'activate', method: 'POST', path: `${server}/activate` },
    { operation: 'validate', method: 'POST', path: `${server}/validate` },
    { operation: 'deactivate', method: 'POST', path: `${server}/deactivate` },
    { operation: 'keys', method: 'GET', path: `${server}/:id` },
  ],
  settings: polarIds,
  licenseKeyOf: polarKeyOf,
  licenseIdOf: (state, request) =>
    request.operation === 'keys'
      ? request.param('id')
      : (licenseOfKey(state, polarKeyOf, readFields(request)['key'])?.id ?? ''),
  answer: (state, request) => (request.operation === 'keys' ? show(state, request) : act(state, request)),
  refuseRoute: (_state, kind) =>
    kind === 'method' ? json(405, { detail: 'Method Not Allowed' }) : json(404, { detail: 'Not Found' }),
}

function act(state: ServiceState, request: FaceRequest): Answer {
  const { operation } = request
  if (request.url.pathname.startsWith(server) && !isAuthorized(state, request)) return unauthorized()
  const fields = readFields(request)
  const required = ['key', 'organization_id', ...(operation === 'activate' ? ['label'] : [])]
  if (operation === 'deactivate') required.push('activation_id')
  const invalid = required.filter((name) => textField(fields, name) === null)
  for (const name of ['organization_id', 'activation_id', 'benefit_id']) {
    const value = fields[name]
    if (value != null && !(typeof value === 'string' && uuid.test(value))) invalid.push(name)
  }
  if (invalid.length > 0) return invalidRequest(invalid)
  const license = licenseOfKey(state, polarKeyOf, fields['key'])
  if (license === null || fields['organization_id'] !== polarIds.organizationId) return notFound()
  switch (operation) {
    case 'activate':
      return activate(state, license, fields)
    case 'validate':
      return validate(state, license, fields)
    default:
      return deactivate(state, license, fields)
  }
}

function activate(state: ServiceState, license: LicenseData, fields: Record<string, unknown>): Answer {
  const condition = conditionOfLicense(state, license)
  if (condition === 'suspended' || condition === 'inactive') {
    return notPermitted('License key is no longer active. This license key can not be activated.')
  }
  if (condition === 'expired') return notPermitted('License key has expired.')
  if (license.activation_limit === 0) {
    return notPermitted(
      'This license key does not support activations. Use the /validate endpoint instead to check license validity.',
    )
  }
  if (license.keys.length >= license.activation_limit) {
    return notPermitted('License key activation limit already reached')
  }
  const key = state.data.licenses.addKey(license, textField(fields, 'label') ?? '', {
    conditions: JSON.stringify(objectField(fields, 'conditions')),
    meta: JSON.stringify(objectField(fields, 'meta')),
  })
  return json(200, { ...polarActivation(license, key), license_key: polarLicenseKey(state, license) })
}

function validate(state: ServiceState, license: LicenseData, fields: Record<string, unknown>): Answer {
  const condition = conditionOfLicense(state, license)
  if (condition === 'suspended' || condition === 'inactive')
    return notFound('License key is no longer active.')
  if (condition === 'expired') return notFound('License key has expired.')
  const activationId = textField(fields, 'activation_id')
  const key = activationId === null ? null : findKey(license, activationId)
  if (key === undefined) return notFound()
  const conditions = readRecord(key?.details?.['conditions'])
  const isBound = Object.keys(Object(conditions)).length > 0
  if (isBound && !isDeepStrictEqual(conditions, objectField(fields, 'conditions'))) {
    return notFound('License key does not match required conditions')
  }
  if ((fields['benefit_id'] ?? polarIds.benefitId) !== polarIds.benefitId) {
    return notFound('License key does not match given benefit.')
  }
  return json(200, {
    ...polarLicenseKey(state, license),
    activation: key === null ? null : polarActivation(license, key),
  })
}

function deactivate(state: ServiceState, license: LicenseData, fields: Record<string, unknown>): Answer {
  const isGone = state.data.licenses.removeKey(license, textField(fields, 'activation_id') ?? '')
  return isGone ? noContent(204) : notFound()
}

/** `GET /v1/license-keys/{id}`, with an organization's token. */
function show(state: ServiceState, request: FaceRequest): Answer {
  if (!isAuthorized(state, request)) return unauthorized()
  const license = state.data.licenses.get(request.param('id'))
  if (license === undefined) return notFound()
  const activations = license.keys.map((key) => polarActivation(license, key))
  return json(200, { ...polarLicenseKey(state, license), activations })
}

function isAuthorized({ accessToken }: ServiceState, { header }: FaceRequest): boolean {
  return accessToken === null || header('authorization') === `Bearer ${accessToken}`
}

function unauthorized(): Answer {
  return json(401, { error: 'Unauthorized', detail: 'Unauthorized' })
}

function findKey({ keys }: LicenseData, id: string): LicenseKeyData | undefined {
  return keys.find((key) => key.id === id.toLowerCase())
}

function invalidRequest(names: readonly string[]): Answer {
  const detail = names.map((name) => ({
    loc: ['body', name],
    msg: 'Input should be valid',
    type: 'value_error',
  }))
  return json(422, { error: 'RequestValidationError', detail })
}
