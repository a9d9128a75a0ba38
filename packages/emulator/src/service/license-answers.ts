import type { LicenseData } from '../data/emulator-data.ts'
import { toWireLicense } from '../data/license-store.ts'
import type { Refusal } from '../dialects/dialect.ts'
import type { License, LicenseKey } from '../wire.ts'
import { type Answer, refuse, succeed } from './answer.ts'
import { answerPage } from './paging.ts'
import { parseBody, type ServiceRequest } from './service-request.ts'
import type { ServiceState } from './service-state.ts'

/** Answers the five license operations. */
export function answerLicenseOperation(state: ServiceState, request: ServiceRequest): Answer {
  const { dialect } = state
  const license = state.data.licenses.get(request.licenseId)
  if (!license) return refuse(dialect, 'unknown-license')
  switch (request.operation) {
    case 'keys':
      return listKeys(state, license, request)
    case 'key':
      return showKey(state, license, request.keyId)
    default:
      return answerWithBody(state, license, request)
  }
}

function listKeys(state: ServiceState, license: LicenseData, request: ServiceRequest): Answer {
  const status = state.dialect.successStatus.keys
  const { keysPaging } = state.dialect
  if (!keysPaging) return succeed(status, { data: license.keys })
  return answerPage(state.dialect, request, status, keysPaging.perPage, {
    total: license.keys.length,
    slice: (from, count) => license.keys.slice(from, from + count),
  })
}

function showKey(state: ServiceState, license: LicenseData, keyId: string): Answer {
  const key = findKey(license, keyId)
  if (!key) return refuse(state.dialect, refusalOfKey(license, keyId))
  return succeed(state.dialect.successStatus.key, { data: key })
}

function answerWithBody(state: ServiceState, license: LicenseData, request: ServiceRequest): Answer {
  const { dialect } = state
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
  const { dialect } = state
  const refusal = refusalToActivate(state, license)
  if (refusal) return refuse(dialect, refusal)
  if (license.keys.length >= license.activation_limit) return refuse(dialect, 'limit-reached')
  const key = state.data.licenses.addKey(license, name)
  // The interface's rule 1: activation sets the status to ACTIVE.
  if (license.status !== 'ACTIVE') state.data.licenses.update(license, { status: 'ACTIVE' })
  return succeed(dialect.successStatus.activate, { license: showLicense(state, license), key })
}

function validate(state: ServiceState, license: LicenseData, keyId: string): Answer {
  const { dialect } = state
  const key = findKey(license, keyId)
  if (!key) {
    const refusal = refusalOfKey(license, keyId)
    return refuse(dialect, refusal, dialect.validation.invalidKeyStatus ?? dialect.refusalStatus[refusal])
  }
  const refusal = refusalOfLicense(state, license)
  if (refusal && dialect.validation.unusableLicense === 'refuse') return refuse(dialect, refusal)
  return succeed(dialect.successStatus.validate, { license: showLicense(state, license), key })
}

function deactivate(state: ServiceState, license: LicenseData, keyId: string): Answer {
  const { dialect } = state
  if (!state.data.licenses.removeKey(license, keyId)) {
    const refusal = refusalOfKey(license, keyId)
    if (refusal === 'unknown-key' || dialect.deactivation.removedKey === 'refuse') {
      return refuse(dialect, refusal)
    }
  }
  return succeed(dialect.successStatus.deactivate, {
    message: 'The license key was deactivated successfully.',
  })
}

function findKey(license: LicenseData, keyId: string): LicenseKey | undefined {
  return license.keys.find(({ id }) => id === keyId.toLowerCase())
}

function refusalOfKey(license: LicenseData, keyId: string): 'removed-key' | 'unknown-key' {
  return license.removed_key_ids.includes(keyId.toLowerCase()) ? 'removed-key' : 'unknown-key'
}

function refusalOfDates(state: ServiceState, license: LicenseData): Refusal | null {
  if (license.suspended_at !== null) return 'license-suspended'
  if (isExpired(state, license)) return 'license-expired'
  return null
}

function refusalOfLicense(state: ServiceState, license: LicenseData): Refusal | null {
  const refusal = refusalOfDates(state, license)
  if (refusal) return refusal
  return license.status === 'ACTIVE' ? null : 'license-inactive'
}

function refusalToActivate(state: ServiceState, license: LicenseData): Refusal | null {
  const refusal = refusalOfDates(state, license)
  if (refusal) return refusal
  const { acceptedStatuses } = state.dialect.activation
  return acceptedStatuses === null || acceptedStatuses.includes(license.status) ? null : 'license-inactive'
}

function isExpired(state: ServiceState, license: LicenseData): boolean {
  return license.expires_at !== null && Date.parse(license.expires_at) <= state.clock.nowMs()
}

/** Returns a license as this dialect shows it. */
export function showLicense(state: ServiceState, license: LicenseData): License {
  const { suspended, expired } = state.dialect.shownStatus
  if (suspended !== null && license.suspended_at !== null) return toWireLicense(license, suspended)
  if (expired !== null && isExpired(state, license)) return toWireLicense(license, expired)
  return toWireLicense(license)
}
