import { type Answer, json, noContent } from '../answer.ts'
import type { LicenseData, LicenseKeyData } from '../data/service-data.ts'
import {
  conditionAt,
  customer,
  type Format,
  type FormatRequest,
  isVendor,
  licenseOfKey,
  readFields,
  readLicenseCall,
  type ServiceState,
} from './format.ts'

const ids = { productId: 'pdt_0NVz1J3QmL2' } as const
const businessId = 'bus_0NVz1J3Qb77'

const short = (id: string): string => id.replaceAll('-', '').slice(0, 20)
/** Mixed case, because Dodo Payments looks up imported keys exactly. */
const keyOf = (licenseId: string): string => `Inkwell-${short(licenseId).toUpperCase()}`
const licenseKeyIdOf = ({ id }: LicenseData): string => `lic_${short(id)}`
const instanceIdOf = ({ id }: LicenseKeyData): string => `lki_${short(id)}`

function licenseOfInstance({ data }: ServiceState, instanceId: string): LicenseData | undefined {
  return data.licenses.list().find(({ keys }) => keys.some((key) => instanceIdOf(key) === instanceId))
}

const refused = (status: number, code: string, message: string): Answer => json(status, { code, message })
const unknownKey = (): Answer => refused(404, 'LICENSE_KEY_NOT_FOUND', 'License key not found')

/** Dodo Payments: https://docs.dodopayments.com/api-reference/licenses/activate-license */
export const dodoFormat: Format = {
  name: 'dodo',
  basePath: '',
  routes: [
    { operation: 'activate', method: 'POST', path: '/licenses/activate' },
    { operation: 'validate', method: 'POST', path: '/licenses/validate' },
    { operation: 'deactivate', method: 'POST', path: '/licenses/deactivate' },
    { operation: 'key', method: 'GET', path: '/license_keys' },
    { operation: 'key', method: 'GET', path: '/license_keys/:id' },
    { operation: 'keys', method: 'GET', path: '/license_key_instances' },
    { operation: 'validate', method: 'GET', path: '/license_key_instances/:instance' },
  ],
  settings: ids,
  licenseKeyOf: keyOf,
  licenseIdOf(state, request) {
    const instanceId = request.param('instance')
    if (instanceId !== '') return licenseOfInstance(state, instanceId)?.id ?? ''
    const id = request.url.searchParams.get('license_key_id')
    if (id !== null) return state.data.licenses.list().find((it) => licenseKeyIdOf(it) === id)?.id ?? ''
    return licenseOfKey(state, keyOf, readFields(request)['license_key'])?.id ?? ''
  },
  answer: (state, request) => (request.method === 'GET' ? list(state, request) : act(state, request)),
  refuseRoute: (_state, kind) =>
    kind === 'method' ? noContent(405) : refused(404, 'NOT_FOUND', 'Resource not found'),
}

function act(state: ServiceState, request: FormatRequest): Answer {
  const names = { deviceName: 'name', instanceId: 'license_key_instance_id' }
  const call = readLicenseCall(state, request, keyOf, names)
  if (call === null) return refused(422, 'INVALID_REQUEST_BODY', 'Failed to deserialize the JSON body')
  const { license, deviceName, instanceId } = call
  if (request.operation === 'validate') {
    return json(200, { valid: license !== null && isValid(state, license, instanceId) })
  }
  if (license === null) return unknownKey()
  return request.operation === 'activate'
    ? activate(state, license, deviceName)
    : deactivate(state, license, instanceId ?? '')
}

function activate(state: ServiceState, license: LicenseData, name: string): Answer {
  if (conditionAt(state, license) !== 'usable') {
    return refused(403, 'INACTIVE_LICENSE_KEY', 'License key is not active')
  }
  if (license.keys.length >= license.activation_limit) {
    return refused(422, 'LICENSE_KEY_LIMIT_REACHED', 'License key activation limit reached')
  }
  const key = state.data.licenses.addKey(license, name)
  return json(201, {
    ...instance(license, key),
    customer: {
      customer_id: 'cus_0NVz1J3Qc11',
      email: customer.email,
      name: customer.name,
      phone_number: null,
    },
    product: { product_id: ids.productId, name: 'Inkwell' },
  })
}

function isValid(state: ServiceState, license: LicenseData, instanceId: string | null): boolean {
  if (conditionAt(state, license) !== 'usable') return false
  return instanceId === null || license.keys.some((key) => instanceIdOf(key) === instanceId)
}

function deactivate(state: ServiceState, license: LicenseData, instanceId: string): Answer {
  const key = license.keys.find((it) => instanceIdOf(it) === instanceId)
  if (key === undefined)
    return refused(403, 'FORBIDDEN', 'License key instance does not belong to this license key')
  state.data.licenses.removeKey(license, key.id)
  return noContent(200)
}

/** The lists, which require a vendor's key. */
function list(state: ServiceState, request: FormatRequest): Answer {
  if (!isVendor(state, request)) return refused(401, 'UNAUTHORIZED', 'Unauthorized')
  const query = request.url.searchParams
  const licenses = state.data.licenses.list()
  if (request.operation === 'key') {
    const id = request.param('id')
    if (id === '') {
      const isOurs = (query.get('product_id') ?? ids.productId) === ids.productId
      const newerFrom = Date.parse(query.get('created_at_gte') ?? '1970-01-01')
      const newer = licenses.filter(({ created_at }) => Date.parse(created_at) >= newerFrom)
      return page(query, isOurs ? newer.map((license) => licenseKey(state, license)) : [])
    }
    const license = licenses.find((it) => licenseKeyIdOf(it) === id)
    return license === undefined ? unknownKey() : json(200, licenseKey(state, license))
  }
  const instanceId = request.param('instance')
  if (instanceId !== '') {
    const license = licenseOfInstance(state, instanceId)
    const key = license?.keys.find((it) => instanceIdOf(it) === instanceId)
    return license === undefined || key === undefined
      ? refused(404, 'LICENSE_KEY_INSTANCE_NOT_FOUND', 'License key instance not found')
      : json(200, instance(license, key))
  }
  const licenseKeyId = query.get('license_key_id')
  const shown = licenses.filter((it) => licenseKeyId === null || licenseKeyIdOf(it) === licenseKeyId)
  return page(
    query,
    shown.flatMap((it) => it.keys.map((key) => instance(it, key))),
  )
}

/** Pages are counted from 0 and have 10 items by default, at most 100. */
function page(query: URLSearchParams, items: readonly unknown[]): Answer {
  const size = Math.min(100, Number(query.get('page_size') ?? 10))
  const start = Number(query.get('page_number') ?? 0) * size
  return json(200, { items: items.slice(start, start + size) })
}

function instance(license: LicenseData, key: LicenseKeyData): Record<string, unknown> {
  return {
    id: instanceIdOf(key),
    license_key_id: licenseKeyIdOf(license),
    business_id: businessId,
    name: key.name,
    created_at: key.created_at,
  }
}

function licenseKey(state: ServiceState, license: LicenseData): Record<string, unknown> {
  const condition = conditionAt(state, license)
  return {
    id: licenseKeyIdOf(license),
    brand_id: businessId,
    business_id: businessId,
    created_at: license.created_at,
    customer_id: 'cus_0NVz1J3Qc11',
    instances_count: license.keys.length,
    key: keyOf(license.id),
    product_id: ids.productId,
    source: 'auto',
    status: condition === 'usable' ? 'active' : condition === 'expired' ? 'expired' : 'disabled',
    activations_limit: license.activation_limit,
    expires_at: license.expires_at,
    payment_id: null,
    subscription_id: null,
  }
}
