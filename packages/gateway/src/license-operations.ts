import { isCommerceError, type License, type LicenseKey, type Licenses } from '@latchkey/commerce'
import type { LeaseDesk } from './leases/lease-desk.ts'
import type { LeaseWish } from './leases/lease-wish.ts'
import { answered, type Reply, refused } from './reply.ts'
import { upstreamRefusal } from './upstream-refusal.ts'

/** The vendor's own rule about licenses. */
export type AllowRule = (license: License) => boolean | Promise<boolean>

/** The five operations. Each answers whatever happens; none rejects. */
export interface LicenseOperations {
  keys(licenseId: string): Promise<Reply>
  key(licenseId: string, keyId: string, wish: LeaseWish | null): Promise<Reply>
  activate(licenseId: string, name: string, wish: LeaseWish | null): Promise<Reply>
  validate(licenseId: string, keyId: string, wish: LeaseWish | null): Promise<Reply>
  deactivate(licenseId: string, keyId: string): Promise<Reply>
}

/** A license the rule refuses looks like one the service does not know. */
const notAllowed: Reply = { ...refused(404, 'not-found'), remark: 'not-allowed' }

export function createLicenseOperations(
  licenses: Licenses,
  leases: LeaseDesk,
  allow: AllowRule | null,
): LicenseOperations {
  const isAllowed = async (license: License): Promise<boolean> => allow === null || allow(license)

  /** Only a validated key shows the license, so a rule costs one more request where nothing is validated anyway. */
  const isAllowedBy = async (licenseId: string, keyId: string | undefined): Promise<boolean> => {
    if (allow === null || keyId === undefined) return true
    try {
      const { license } = await licenses.validate(licenseId, { key: keyId })
      return await isAllowed(license)
    } catch (error) {
      // What is not validated shows no license to judge by; to be listed or shown entitles nobody.
      if (isCommerceError(error) && (error.code === 'not-found' || error.code === 'rejected')) return true
      throw error
    }
  }

  const withGoneLease = async (
    reply: Reply,
    licenseId: string,
    keyId: string,
    wish: LeaseWish | null,
  ): Promise<Reply> => {
    const lease = await leases.gone(licenseId, keyId, wish)
    return lease === undefined ? reply : { ...reply, lease }
  }

  const operations: LicenseOperations = {
    async keys(licenseId) {
      const keys = await licenses.keys(licenseId)
      if (!(await isAllowedBy(licenseId, keys[0]?.id))) return notAllowed
      return answered({ data: keys.map(wireKey) })
    },

    async key(licenseId, keyId, wish) {
      let key: LicenseKey
      try {
        key = await licenses.key(licenseId, keyId)
      } catch (error) {
        const reply = upstreamRefusal(error)
        // This is the answer that revokes a device: whoever can forge it can lock customers out.
        const isGone = reply.body !== null && (reply.code === 'not-found' || reply.code === 'gone')
        return isGone ? await withGoneLease(reply, licenseId, keyId, wish) : reply
      }
      if (!isSame(key.id, keyId)) return mixedUp
      if (await isAllowedBy(licenseId, keyId)) return answered({ data: wireKey(key) })
      return await withGoneLease(notAllowed, licenseId, keyId, wish)
    },

    async activate(licenseId, name, wish) {
      const { license, key } = await licenses.activate(licenseId, { name })
      if (!isSame(license.id, licenseId)) return mixedUp
      if (!(await isAllowed(license))) return await giveSeatBack(licenses, licenseId, key.id)
      return answered(wireActivation(license, key), await leases.validated(license, key, wish))
    },

    async validate(licenseId, keyId, wish) {
      const { license, key } = await licenses.validate(licenseId, { key: keyId })
      if (!isSame(license.id, licenseId) || !isSame(key.id, keyId)) return mixedUp
      if (!(await isAllowed(license))) return notAllowed
      return answered(wireActivation(license, key), await leases.validated(license, key, wish))
    },

    // No rule here: a seat can always be freed.
    async deactivate(licenseId, keyId) {
      await licenses.deactivate(licenseId, { key: keyId })
      return answered({ message: 'The license key was deactivated successfully.' })
    },
  }

  return {
    keys: (licenseId) => operations.keys(licenseId).catch(upstreamRefusal),
    key: (licenseId, keyId, wish) => operations.key(licenseId, keyId, wish).catch(upstreamRefusal),
    activate: (licenseId, name, wish) => operations.activate(licenseId, name, wish).catch(upstreamRefusal),
    validate: (licenseId, keyId, wish) => operations.validate(licenseId, keyId, wish).catch(upstreamRefusal),
    deactivate: (licenseId, keyId) => operations.deactivate(licenseId, keyId).catch(upstreamRefusal),
  }
}

/** The answer is about another license or key than the question: some cache on the way mixed them up. */
const mixedUp: Reply = refused(502, 'upstream-unexpected-answer')

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

async function giveSeatBack(licenses: Licenses, licenseId: string, keyId: string): Promise<Reply> {
  try {
    await licenses.deactivate(licenseId, { key: keyId })
    return notAllowed
  } catch {
    return { ...notAllowed, remark: 'not-allowed-seat-kept' }
  }
}

function wireActivation(license: License, key: LicenseKey): object {
  return { license: wireLicense(license), key: wireKey(key) }
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
  }
}

function wireKey(key: LicenseKey): LicenseKey {
  return { id: key.id, name: key.name, created_at: key.created_at, updated_at: key.updated_at }
}
