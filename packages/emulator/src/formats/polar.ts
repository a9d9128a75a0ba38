import { isDeepStrictEqual } from 'node:util'
import { type Answer, json, noContent } from '../answer.ts'
import type { LicenseData, LicenseKeyData } from '../data/service-data.ts'
import {
  conditionAt,
  customer,
  type Format,
  type FormatRequest,
  isVendor,
  licenseOfKey,
  objectField,
  readFields,
  type ServiceState,
  textField,
} from './format.ts'

/** The organization and the benefit of every license. */
const ids = {
  organizationId: 'fda84e25-7b55-4d67-916d-60ead04ff72f',
  benefitId: '7a2c8d70-3f0b-4f3e-9f0e-5b1a6c2d9e11',
} as const

/** Upper case, after the benefit's prefix. */
function keyOf(licenseId: string): string {
  return `INKWELL-${licenseId.toUpperCase()}`
}

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
export const polarFormat: Format = {
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
  settings: ids,
  licenseKeyOf: keyOf,
  licenseIdOf: (state, request) =>
    request.operation === 'keys'
      ? request.param('id')
      : (licenseOfKey(state, keyOf, readFields(request)['key'])?.id ?? ''),
  answer: (state, request) => (request.operation === 'keys' ? show(state, request) : act(state, request)),
  refuseRoute: (_state, kind) =>
    kind === 'method' ? json(405, { detail: 'Method Not Allowed' }) : json(404, { detail: 'Not Found' }),
}

function act(state: ServiceState, request: FormatRequest): Answer {
  const { operation } = request
  if (request.url.pathname.startsWith(server) && !isVendor(state, request)) return unauthorized()
  const fields = readFields(request)
  const required = ['key', 'organization_id', ...(operation === 'activate' ? ['label'] : [])]
  if (operation === 'deactivate') required.push('activation_id')
  const invalid = required.filter((name) => textField(fields, name) === null)
  for (const name of ['organization_id', 'activation_id', 'benefit_id']) {
    const value = fields[name]
    if (value != null && !(typeof value === 'string' && uuid.test(value))) invalid.push(name)
  }
  if (invalid.length > 0) return invalidRequest(invalid)
  const license = licenseOfKey(state, keyOf, fields['key'])
  if (license === null || fields['organization_id'] !== ids.organizationId) return notFound()
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
  const condition = conditionAt(state, license)
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
  return json(200, { ...activation(license, key), license_key: licenseKey(state, license) })
}

function validate(state: ServiceState, license: LicenseData, fields: Record<string, unknown>): Answer {
  const condition = conditionAt(state, license)
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
  if ((fields['benefit_id'] ?? ids.benefitId) !== ids.benefitId) {
    return notFound('License key does not match given benefit.')
  }
  return json(200, {
    ...licenseKey(state, license),
    activation: key === null ? null : activation(license, key),
  })
}

function deactivate(state: ServiceState, license: LicenseData, fields: Record<string, unknown>): Answer {
  const isGone = state.data.licenses.removeKey(license, textField(fields, 'activation_id') ?? '')
  return isGone ? noContent(204) : notFound()
}

/** `GET /v1/license-keys/{id}`, with an organization's token. */
function show(state: ServiceState, request: FormatRequest): Answer {
  if (!isVendor(state, request)) return unauthorized()
  const license = state.data.licenses.get(request.param('id'))
  if (license === undefined) return notFound()
  const activations = license.keys.map((key) => activation(license, key))
  return json(200, { ...licenseKey(state, license), activations })
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

function statusOf({ suspended_at, status }: LicenseData): 'granted' | 'revoked' | 'disabled' {
  if (suspended_at !== null) return 'revoked'
  return status === 'ACTIVE' || status === 'INACTIVE' ? 'granted' : 'disabled'
}

/** A license key object. */
function licenseKey(state: ServiceState, license: LicenseData): Record<string, unknown> {
  const key = keyOf(license.id)
  return {
    id: license.id,
    created_at: license.created_at,
    modified_at: license.updated_at,
    organization_id: ids.organizationId,
    customer_id: customer.id,
    customer: {
      id: customer.id,
      created_at: license.created_at,
      modified_at: null,
      metadata: {},
      external_id: null,
      email: customer.email,
      email_verified: true,
      type: 'individual',
      name: customer.name,
      billing_name: null,
      billing_address: null,
      tax_id: null,
      locale: null,
      organization_id: ids.organizationId,
      default_payment_method_id: null,
      deleted_at: null,
      avatar_url: null,
    },
    benefit_id: ids.benefitId,
    key,
    display_key: `****-${key.slice(-6)}`,
    status: statusOf(license),
    // No limit means a license key without activations.
    limit_activations: license.activation_limit === 0 ? null : license.activation_limit,
    usage: 0,
    limit_usage: null,
    validations: 1,
    last_validated_at: new Date(state.clock.nowMs()).toISOString(),
    expires_at: license.expires_at,
  }
}

/** An activation, without its conditions: no answer shows them. */
function activation(license: LicenseData, key: LicenseKeyData): Record<string, unknown> {
  return {
    id: key.id,
    license_key_id: license.id,
    label: key.name,
    meta: readRecord(key.details?.['meta']),
    created_at: key.created_at,
    modified_at: null,
  }
}

/** Parses stored JSON. */
function readRecord(text: string | undefined): unknown {
  return JSON.parse(text ?? '{}')
}
