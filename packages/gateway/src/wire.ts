import type { KeyList, License, LicenseKey } from '@latchkey/commerce'

/** An activation as the interface shows it. */
export function wireActivation(license: License, key: LicenseKey): object {
  return { license: wireLicense(license), key: wireKey(key) }
}

/**
 * A list of keys as the interface shows it. One that comes in several parts says where it goes on, relative to its own
 * address, which only the app knows; one that lacks items says how many, so that nobody takes it for whole.
 */
export function wireKeyList({ keys, isWhole, unreadableCount, nextPage }: KeyList, page: number): object {
  const data = keys.map(wireKey)
  if (isWhole && page === 1) return { data }
  const isCut = !isWhole && nextPage === null && unreadableCount === 0
  return {
    data,
    links: { next: nextPage === null ? null : `?page=${nextPage}` },
    meta: { current_page: page, unreadable: isCut ? 1 : unreadableCount },
  }
}

/** A key as the interface shows it. */
export function wireKey(key: LicenseKey): LicenseKey {
  return { id: key.id, name: key.name, created_at: key.created_at, updated_at: key.updated_at }
}

/** Field by field, so that what a service adds to its answers tomorrow does not reach apps unseen. */
function wireLicense(license: License): License {
  return {
    id: license.id,
    activation_limit: license.activation_limit,
    expires_at: license.expires_at,
    suspended_at: license.suspended_at,
    status: license.status,
    activation_usage: license.activation_usage,
    activation_usage_formatted: license.activation_usage_formatted,
    created_at: license.created_at,
    updated_at: license.updated_at,
    ...(license.plan !== undefined && { plan: license.plan }),
    ...(license.features !== undefined && { features: license.features }),
  }
}
