import type { Page, PageMetaLink } from '@latchkey/commerce'
import { type Answer, json } from '../answer.ts'
import type { ItemList } from '../data/generated-lists.ts'
import { isExpired, toWireLicense } from '../data/license-store.ts'
import type { LicenseData } from '../data/service-data.ts'
import type { License, LicenseKey } from '../wire.ts'
import type { Dialect, Refusal } from './dialect.ts'
import {
  type Format,
  type FormatRequest,
  isVendor,
  type Operation,
  parseBody,
  type ServiceState,
} from './format.ts'

/** The interface's version segment. */
const basePath = '/v1'

/** Items per page, as documented. */
const perPage = 25

/** Every operation of the interface, with parameters of the path as `{name}`. */
export const operationRoutes: readonly { operation: Operation; method: string; path: string }[] = [
  { operation: 'keys', method: 'GET', path: '/licenses/{id}/keys' },
  { operation: 'activate', method: 'POST', path: '/licenses/{id}/activate' },
  { operation: 'validate', method: 'POST', path: '/licenses/{id}/validate' },
  { operation: 'key', method: 'GET', path: '/licenses/{id}/keys/{key}' },
  { operation: 'deactivate', method: 'DELETE', path: '/licenses/{id}/deactivate' },
  { operation: 'discounts', method: 'GET', path: '/discounts' },
  { operation: 'customers', method: 'GET', path: '/customers' },
]

/** The commerce service itself. The dialect decides what its interface leaves open. */
export const commerceFormat: Format = {
  name: 'commerce',
  basePath,
  routes: operationRoutes.map((route) => ({
    ...route,
    path: basePath + route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
  })),
  settings: {},
  licenseKeyOf: (licenseId) => licenseId,
  licenseIdOf: (_state, { param }) => param('id'),
  answer(state, request) {
    const { dialect, data } = state
    const refusal = refusalByHeaders(state, request)
    if (refusal !== null) return refuse(dialect, refusal)
    switch (request.operation) {
      case 'discounts':
        return answerPage(dialect, request, data.discounts())
      case 'customers':
        return answerPage(dialect, request, data.customers())
      default:
        return answerAboutLicense(state, request)
    }
  },
  refuseRoute: ({ dialect }, kind) => refuse(dialect, kind),
}

function refusalByHeaders(state: ServiceState, request: FormatRequest): Refusal | null {
  const { dialect } = state
  if (!isVendor(state, request)) {
    return request.header('authorization') === undefined ? 'token-missing' : 'token-wrong'
  }
  if (dialect.requiresContentType && !isJson(request.header('content-type'))) return 'content-type'
  const isList = ['keys', 'discounts', 'customers'].includes(request.operation)
  return dialect.requiresAccept && isList && !isJson(request.header('accept')) ? 'accept' : null
}

function isJson(header: string | undefined): boolean {
  return header !== undefined && /(^|,\s*)application\/json\s*(;|,|$)/i.test(header)
}

function answerAboutLicense(state: ServiceState, request: FormatRequest): Answer {
  const { dialect } = state
  const license = state.data.licenses.get(request.param('id'))
  if (!license) return refuse(dialect, 'unknown-license')
  const { keysPaging, successStatus } = dialect
  if (request.operation === 'keys') {
    if (keysPaging === null) return json(successStatus.keys, { data: license.keys })
    const slice: ItemList<LicenseKey>['slice'] = (from, count) => license.keys.slice(from, from + count)
    return answerPage(dialect, request, { total: license.keys.length, slice }, keysPaging.perPage)
  }
  if (request.operation === 'key') {
    const key = findKey(license, request.param('key'))
    return key
      ? json(successStatus.key, { data: key })
      : refuse(dialect, refusalOfKey(license, request.param('key')))
  }
  if (request.bodyText === null) return refuse(dialect, 'body-too-large')
  const body = parseBody(request.bodyText)
  if (!body) return refuse(dialect, request.bodyText === '' ? 'invalid-field' : 'malformed-body')
  const field = body[request.operation === 'activate' ? 'name' : 'key']
  if (typeof field !== 'string' || field === '') return refuse(dialect, 'invalid-field')
  switch (request.operation) {
    case 'activate':
      return activate(state, license, field)
    case 'validate':
      return validate(state, license, field)
    default:
      return deactivate(state, license, field)
  }
}

function activate(state: ServiceState, license: LicenseData, name: string): Answer {
  const { dialect, data } = state
  const { acceptedStatuses } = dialect.activation
  const refusal = refusalByDates(state, license)
  if (refusal !== null) return refuse(dialect, refusal)
  if (acceptedStatuses !== null && !acceptedStatuses.includes(license.status)) {
    return refuse(dialect, 'license-inactive')
  }
  if (license.keys.length >= license.activation_limit) return refuse(dialect, 'limit-reached')
  const key = data.licenses.addKey(license, name)
  // The interface's rule 1: activation sets the status to ACTIVE.
  if (license.status !== 'ACTIVE') data.licenses.update(license, { status: 'ACTIVE' })
  return json(dialect.successStatus.activate, { license: showLicense(state, license), key })
}

function validate(state: ServiceState, license: LicenseData, keyId: string): Answer {
  const { dialect } = state
  const key = findKey(license, keyId)
  if (!key) {
    return refuse(dialect, refusalOfKey(license, keyId), dialect.validation.invalidKeyStatus ?? undefined)
  }
  const refusal = refusalByDates(state, license) ?? (license.status === 'ACTIVE' ? null : 'license-inactive')
  if (refusal && dialect.validation.unusableLicense === 'refuse') return refuse(dialect, refusal)
  return json(dialect.successStatus.validate, { license: showLicense(state, license), key })
}

function deactivate({ dialect, data }: ServiceState, license: LicenseData, keyId: string): Answer {
  if (!data.licenses.removeKey(license, keyId)) {
    const refusal = refusalOfKey(license, keyId)
    if (refusal === 'unknown-key' || dialect.deactivation.removedKey === 'refuse') {
      return refuse(dialect, refusal)
    }
  }
  return json(dialect.successStatus.deactivate, { message: 'The license key was deactivated successfully.' })
}

function findKey(license: LicenseData, keyId: string): LicenseKey | undefined {
  return license.keys.find(({ id }) => id === keyId.toLowerCase())
}

function refusalOfKey(license: LicenseData, keyId: string): 'removed-key' | 'unknown-key' {
  return license.removed_key_ids.includes(keyId.toLowerCase()) ? 'removed-key' : 'unknown-key'
}

function refusalByDates({ clock }: ServiceState, license: LicenseData): Refusal | null {
  if (license.suspended_at !== null) return 'license-suspended'
  return isExpired(license, clock.nowMs()) ? 'license-expired' : null
}

/** Returns a license as this dialect shows it. */
export function showLicense({ dialect, clock }: ServiceState, license: LicenseData): License {
  const { suspended, expired } = dialect.shownStatus
  if (suspended !== null && license.suspended_at !== null) return toWireLicense(license, suspended)
  if (expired !== null && isExpired(license, clock.nowMs())) return toWireLicense(license, expired)
  return toWireLicense(license)
}

/** Answers a list request with one page of `items`. */
function answerPage<Item>(
  dialect: Dialect,
  { operation, url }: FormatRequest,
  items: ItemList<Item>,
  size: number = perPage,
): Answer {
  const lastPage = Math.max(1, Math.ceil(items.total / size))
  const page = readPage(dialect, url.searchParams.get('page'), lastPage)
  if (page === null) return refuse(dialect, 'invalid-page')
  const path = `${url.origin}${url.pathname}`
  return json(dialect.successStatus[operation], buildPage(items, page, lastPage, size, path))
}

function readPage({ paging }: Dialect, text: string | null, lastPage: number): number | null {
  if (text === null) return 1
  const page = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(page) || page < 1) {
    if (paging.invalidPage === 'refuse') return null
    return Number.isFinite(page) && page >= 1 ? Math.min(Math.floor(page), lastPage) : 1
  }
  if (page <= lastPage || paging.beyondLast === 'empty') return page
  return paging.beyondLast === 'nearest' ? lastPage : null
}

/** Builds the pagination envelope for one page. */
function buildPage<Item>(
  items: ItemList<Item>,
  page: number,
  lastPage: number,
  size: number,
  path: string,
): Page<Item> {
  const offset = (page - 1) * size
  const data = items.slice(offset, size)
  const urlOf = (number: number): string => `${path}?page=${number}`
  const previous = page > 1 ? urlOf(page - 1) : null
  const next = page < lastPage ? urlOf(page + 1) : null
  const numbers = shownNumbers(page, lastPage).map(
    (number): PageMetaLink => ({ url: urlOf(number), label: String(number), active: number === page }),
  )
  return {
    data,
    links: { first: urlOf(1), last: urlOf(lastPage), prev: previous, next },
    meta: {
      current_page: page,
      from: data.length > 0 ? offset + 1 : 0,
      to: data.length > 0 ? offset + data.length : 0,
      last_page: lastPage,
      per_page: size,
      total: items.total,
      path,
      links: [
        { url: previous, label: 'Previous', active: false },
        ...numbers,
        { url: next, label: 'Next', active: false },
      ],
    },
  }
}

/** The first two, the last two, and three on either side: a list with 40,000 pages can't link all of them. */
function shownNumbers(page: number, lastPage: number): number[] {
  const near = Array.from({ length: 7 }, (_, index) => page - 3 + index)
  return [...new Set([1, 2, ...near, lastPage - 1, lastPage])]
    .filter((number) => number >= 1 && number <= lastPage)
    .sort((one, other) => one - other)
}

/** Creates a refusal in the dialect's format. */
function refuse(dialect: Dialect, refusal: Refusal, status = dialect.refusalStatus[refusal]): Answer {
  const message = refusalMessages[refusal]
  switch (dialect.refusalBody) {
    case 'message':
      return json(status, { message })
    case 'error':
      return json(status, { error: { code: refusal, message } })
    case 'problem':
      return json(
        status,
        { type: `urn:problem:${refusal}`, title: message, status },
        'application/problem+json',
      )
    case 'text':
      return { status, contentType: 'text/plain; charset=utf-8', body: message }
    case 'empty':
      return { status, contentType: 'text/plain; charset=utf-8', body: undefined }
  }
}

const refusalMessages: Readonly<Record<Refusal, string>> = {
  'token-missing': 'Send an access token: Authorization: Bearer <ACCESS_TOKEN>.',
  'token-wrong': 'The access token is not valid.',
  'content-type': 'Send the header Content-Type: application/json.',
  accept: 'Send the header Accept: application/json.',
  'body-too-large': 'The body is too large.',
  'malformed-body': 'The body is not a JSON object.',
  'invalid-field': 'A required field is missing or of the wrong type.',
  'invalid-page': 'The page must be a whole number from 1.',
  'unknown-license': 'There is no such license.',
  'unknown-key': 'There is no such license key.',
  'removed-key': 'This license key has been deactivated.',
  'limit-reached': 'The activation limit of this license has been reached.',
  'license-suspended': 'This license is suspended.',
  'license-expired': 'This license has expired.',
  'license-inactive': 'This license is not active.',
  'unknown-path': 'There is nothing at this path.',
  method: 'This path does not answer to this method.',
}
