import type { KeyList, License, LicenseKey } from '@latchkey/commerce'

/** Creates the response body of an activation. */
export function wireActivation(license: License, key: LicenseKey): object {
  return { license: wireLicense(license), key: wireKey(key) }
}

/**
 * Creates the response body of a list of keys. `links.next` is relative, because the gateway doesn't know its public
 * address. `meta.unreadable` counts left-out items, so that apps don't treat the list as complete.
 */
export function wireKeyList({ keys, isWhole, unreadableCount, nextPage }: KeyList, page: number): object {
  const data = keys.map(wireKey)
  // Without links, an app can't tell a whole list of 25 keys from a first page.
  if (isWhole && page === 1) return { data, links: { next: null } }
  const isCut = !isWhole && nextPage === null && unreadableCount === 0
  return {
    data,
    links: { next: nextPage === null ? null : `?page=${nextPage}` },
    meta: { current_page: page, unreadable: isCut ? 1 : unreadableCount },
  }
}

/** Creates the response body of a key. */
export function wireKey(key: LicenseKey): LicenseKey {
  return { id: key.id, name: key.name, created_at: key.created_at, updated_at: key.updated_at }
}

/** Copies each field by name, so that fields the service adds later aren't passed on. */
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
