import { type Answer, json } from '../answer.ts'
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

const ids = { storeId: '12345', productId: '67890' } as const
/** Without a prefix, in lower case. */
const keyOf = (licenseId: string): string => licenseId

type Verb = 'activated' | 'valid' | 'deactivated'

/** Lemon Squeezy's License API: https://docs.lemonsqueezy.com/api/license-api */
export const lemonSqueezyFormat: Format = {
  name: 'lemon-squeezy',
  basePath: '',
  routes: [
    { operation: 'activate', method: 'POST', path: '/v1/licenses/activate' },
    { operation: 'validate', method: 'POST', path: '/v1/licenses/validate' },
    { operation: 'deactivate', method: 'POST', path: '/v1/licenses/deactivate' },
    { operation: 'keys', method: 'GET', path: '/v1/license-key-instances' },
  ],
  settings: ids,
  licenseKeyOf: keyOf,
  licenseIdOf(state, request) {
    if (request.operation === 'keys') return listed(state, request)[0]?.id ?? ''
    return licenseOfKey(state, keyOf, readFields(request)['license_key'])?.id ?? ''
  },
  answer: (state, request) => (request.operation === 'keys' ? list(state, request) : act(state, request)),
  refuseRoute: (_state, kind) =>
    json(kind === 'method' ? 405 : 404, { errors: [{ status: '404', title: 'Not Found' }] }),
}

function act(state: ServiceState, request: FormatRequest): Answer {
  // The service expects a form, but its own SDK sends JSON.
  const names = { deviceName: 'instance_name', instanceId: 'instance_id' }
  const call = readLicenseCall(state, request, keyOf, names)
  if (call === null) return json(422, { message: 'The given data was invalid.', errors: {} })
  const { license, deviceName, instanceId } = call
  const { operation } = request
  const verb: Verb =
    operation === 'activate' ? 'activated' : operation === 'validate' ? 'valid' : 'deactivated'
  if (license === null) {
    const nothing = { license_key: null, instance: null, meta: null }
    return json(404, { [verb]: false, error: 'license_key not found.', ...nothing })
  }
  const say = (status: number, error: string | null, key: LicenseKeyData | null = null): Answer =>
    json(status, {
      [verb]: error === null,
      error,
      license_key: licenseKeyObject(state, license),
      ...(verb !== 'deactivated' && { instance: key === null ? null : instance(key) }),
      meta,
    })
  if (operation === 'activate') return activate(state, license, deviceName, say)
  if (operation === 'validate') return validate(state, license, instanceId, say)
  const isGone = state.data.licenses.removeKey(license, instanceId ?? '')
  return isGone ? say(200, null) : say(404, 'license_key_instance not found.')
}

type Say = (status: number, error: string | null, key?: LicenseKeyData | null) => Answer

function activate(state: ServiceState, license: LicenseData, name: string, say: Say): Answer {
  const condition = conditionAt(state, license)
  if (condition === 'expired') return say(400, 'This license key is expired.')
  if (condition !== 'usable') return say(400, 'This license key is disabled.')
  if (license.keys.length >= license.activation_limit) {
    return say(400, 'This license key has reached the activation limit.')
  }
  return say(200, null, state.data.licenses.addKey(license, name))
}

function validate(state: ServiceState, license: LicenseData, instanceId: string | null, say: Say): Answer {
  const key = instanceId === null ? null : license.keys.find(({ id }) => id === instanceId)
  const condition = conditionAt(state, license)
  // The status of such a response isn't documented, so the dialect chooses it.
  const status = state.dialect.validation.unusableLicense === 'answer' ? 200 : 400
  if (condition === 'expired') return say(status, 'This license key is expired.', key ?? null)
  if (condition !== 'usable') return say(status, 'This license key is disabled.', key ?? null)
  return key === undefined ? say(404, 'license_key_instance not found.') : say(200, null, key)
}

/** The API with a vendor's key: https://docs.lemonsqueezy.com/api/license-key-instances */
function list(state: ServiceState, request: FormatRequest): Answer {
  if (!isVendor(state, request)) return json(401, { errors: [{ status: '401', title: 'Unauthorized' }] })
  const query = request.url.searchParams
  const size = Math.min(100, Number(query.get('page[size]') ?? 10))
  const page = Number(query.get('page[number]') ?? 1)
  const all = listed(state, request).flatMap((license) => license.keys.map((key) => ({ license, key })))
  const lastPage = Math.max(1, Math.ceil(all.length / size))
  const from = (page - 1) * size
  const data = all.slice(from, from + size).map(({ license, key }) => ({
    type: 'license-key-instances',
    id: String(numberOf(key.id)),
    attributes: {
      license_key_id: numberOf(license.id),
      identifier: key.id,
      name: key.name,
      created_at: key.created_at,
      updated_at: key.updated_at,
    },
  }))
  const place = { currentPage: page, from: from + 1, lastPage, perPage: size, to: from + data.length }
  return json(
    200,
    { meta: { page: { ...place, total: all.length } }, jsonapi: { version: '1.0' }, links: {}, data },
    'application/vnd.api+json',
  )
}

function listed(state: ServiceState, { url }: FormatRequest): LicenseData[] {
  const id = url.searchParams.get('filter[license_key_id]')
  return state.data.licenses.list().filter((license) => id === null || String(numberOf(license.id)) === id)
}

const meta = {
  store_id: Number(ids.storeId),
  order_id: 2,
  order_item_id: 3,
  product_id: Number(ids.productId),
  product_name: 'Inkwell',
  variant_id: 5,
  variant_name: 'Pro',
  customer_id: 6,
  customer_name: customer.name,
  customer_email: customer.email,
} as const

function licenseKeyObject(state: ServiceState, license: LicenseData): Record<string, unknown> {
  const condition = conditionAt(state, license)
  const good = license.keys.length > 0 ? 'active' : 'inactive'
  return {
    id: numberOf(license.id),
    status: condition === 'usable' ? good : condition === 'expired' ? 'expired' : 'disabled',
    key: keyOf(license.id),
    activation_limit: license.activation_limit,
    activation_usage: license.keys.length,
    created_at: license.created_at,
    expires_at: license.expires_at,
    test_mode: false,
  }
}

function instance({ id, name, created_at }: LicenseKeyData): Record<string, unknown> {
  return { id, name, created_at }
}

/** Derives a number from a UUID, because the service's ids are numbers. */
function numberOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 8), 16)
}
