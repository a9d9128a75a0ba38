import {
  CommerceError,
  isCommerceError,
  type License,
  type LicenseKey,
  type Licenses,
} from '@latchkey/commerce'
import type { AllowRule, ServedLicense } from './allow-rule.ts'
import { type GoneProof, proveGone } from './gone-proof.ts'
import type { LeaseSubject } from './leases/lease-claims-of.ts'
import type { LeaseIssuer } from './leases/lease-issuer.ts'
import type { LeaseRequest } from './leases/lease-request.ts'
import type { TermsRules } from './license-terms.ts'
import { createLicensedReply } from './licensed-reply.ts'
import { answered, type Reply, refused, unproven } from './reply.ts'
import { listRefusal, upstreamRefusal } from './upstream-refusal.ts'
import { wireKey, wireKeyList } from './wire.ts'

/** The five operations. They answer failures of the service too, and reject only because of a defect. */
export interface LicenseOperations {
  /** @param page which page to begin with, from 1. */
  keys(licenseId: string, page: number): Promise<Reply>
  key(licenseId: string, keyId: string, leaseRequest: LeaseRequest | null): Promise<Reply>
  activate(licenseId: string, name: string, leaseRequest: LeaseRequest | null): Promise<Reply>
  /** @param fingerprint the device's, if the app sent it; services other than the commerce service may need it. */
  validate(
    licenseId: string,
    keyId: string,
    leaseRequest: LeaseRequest | null,
    fingerprint?: string,
  ): Promise<Reply>
  deactivate(licenseId: string, keyId: string, fingerprint?: string): Promise<Reply>
}

/**
 * No key has this id. Before an app takes a seat, it asks for this key to learn whether answers are signed. That must not
 * depend on what the service can prove in time.
 */
export const nilKeyId = '00000000-0000-0000-0000-000000000000'

/** A license that the rule refuses looks like one that the service doesn't know. */
export const notAllowed: Reply = { ...refused(404, 'not-found'), remark: 'not-allowed' }

/**
 * How long the service's pages are gathered into one answer, in milliseconds. What is left is asked for by the app, page
 * by page, so that no list is too long for one request.
 */
const gatherWithinMs = 2_000

/** The answer to *deactivate*. */
export const deactivated: Reply = answered({ message: 'The license key was deactivated successfully.' })

/**
 * Creates the operations in front of the commerce service. Ids that they get are UUIDs in lower case.
 */
export function createLicenseOperations(
  licenses: Licenses,
  leases: LeaseIssuer,
  allow: AllowRule | null,
  rules: TermsRules = {},
): LicenseOperations {
  const licensed = createLicensedReply(leases, rules)

  const isAllowed = async (license: License): Promise<boolean> => allow === null || allow(servedOf(license))

  /** Only a validated key shows the license, so a rule costs one more request where nothing is validated anyway. */
  const isAllowedBy = async (licenseId: string, keyId: string | undefined): Promise<boolean> => {
    if (allow === null || keyId === undefined) return true
    try {
      const { license, key } = await licenses.validate(licenseId, { key: keyId })
      // A cache on the way may answer about somebody else's license.
      if (!isSame(license.id, licenseId) || !isSame(key.id, keyId)) {
        throw new CommerceError('unexpected-answer', { operation: 'licenses.validate' })
      }
      return await isAllowed(license)
    } catch (error) {
      // What is not validated shows no license to judge by; to be listed or shown entitles nobody.
      if (isRefusal(error)) return true
      throw error
    }
  }

  /** The answer that takes a device's license away: whoever can bring it about can lock customers out. */
  const gone = async (
    reply: Reply,
    licenseId: string,
    keyId: string,
    leaseRequest: LeaseRequest | null,
  ): Promise<Reply> => {
    const lease = await leases.gone({ licenseId, keyId }, leaseRequest)
    return lease === undefined ? reply : { ...reply, lease }
  }

  const operations: LicenseOperations = {
    async keys(licenseId, page) {
      const list = await licenses.keyList(licenseId, { page, withinMs: gatherWithinMs })
      if (await isAllowedBy(licenseId, list.keys[0]?.id)) return answered(wireKeyList(list, page))
      // An empty list is the proof that a device's key is gone: the rule's word counts as the service's.
      return { ...answered({ data: [] }), remark: 'not-allowed' }
    },

    async key(licenseId, keyId, leaseRequest) {
      if (keyId === nilKeyId) return await gone(refused(404, 'not-found'), licenseId, keyId, leaseRequest)
      let key: LicenseKey
      try {
        key = await licenses.key(licenseId, keyId)
      } catch (error) {
        if (!isRefusal(error)) throw error
        const proof = await proveGone(licenses, licenseId, keyId, refusedAtMs(error))
        if (proof !== 'gone') return notGone(error, proof)
        return await gone(provenGone(error), licenseId, keyId, leaseRequest)
      }
      if (!isSame(key.id, keyId)) return mixedUp
      if (await isAllowedBy(licenseId, keyId)) return answered({ data: wireKey(key) })
      return await gone(notAllowed, licenseId, keyId, leaseRequest)
    },

    async activate(licenseId, name, leaseRequest) {
      const { license, key } = await licenses.activate(licenseId, { name })
      if (!isSame(license.id, licenseId)) return mixedUp
      if (!(await isAllowed(license))) return await giveSeatBack(licenses, licenseId, key.id)
      return licensed(subjectOf(licenseId, key), license, servedOf(license), key, leaseRequest)
    },

    async validate(licenseId, keyId, leaseRequest) {
      const { license, key } = await licenses.validate(licenseId, { key: keyId })
      if (!isSame(license.id, licenseId) || !isSame(key.id, keyId)) return mixedUp
      if (!(await isAllowed(license))) return notAllowed
      return licensed(subjectOf(licenseId, key), license, servedOf(license), key, leaseRequest)
    },

    // No rule here: a seat can always be freed.
    async deactivate(licenseId, keyId) {
      try {
        await licenses.deactivate(licenseId, { key: keyId })
        return deactivated
      } catch (error) {
        const isDoneWithoutWords = isCommerceError(error) && isSuccess(error.status)
        if (!isRefusal(error) && !isDoneWithoutWords) throw error
        const proof = await proveGone(licenses, licenseId, keyId, refusedAtMs(error))
        if (proof === 'gone') return isDoneWithoutWords ? deactivated : provenGone(error)
        return isRefusal(error) ? notGone(error, proof) : upstreamRefusal(error)
      }
    },
  }

  return {
    keys: (licenseId, page) => operations.keys(licenseId, page).catch(listRefusal),
    key: (licenseId, keyId, leaseRequest) =>
      operations.key(licenseId, keyId, leaseRequest).catch(upstreamRefusal),
    activate: (licenseId, name, leaseRequest) =>
      operations.activate(licenseId, name, leaseRequest).catch(upstreamRefusal),
    validate: (licenseId, keyId, leaseRequest) =>
      operations.validate(licenseId, keyId, leaseRequest).catch(upstreamRefusal),
    deactivate: (licenseId, keyId) => operations.deactivate(licenseId, keyId).catch(upstreamRefusal),
  }
}

/** The answer is about another license or key than the question: some cache on the way mixed them up. */
const mixedUp: Reply = refused(502, 'upstream-unexpected-answer')

/** Whether the service, or somebody in its place, refused what was asked by a status such as 404 or 422. */
function isRefusal(error: unknown): boolean {
  return isCommerceError(error) && (error.code === 'not-found' || error.code === 'rejected')
}

/** When the service refused, by its own clock where it says so. */
function refusedAtMs(error: unknown): number {
  return (isCommerceError(error) ? error.serverDateMs : null) ?? Date.now()
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300
}

/** The service's word that a key is gone, once its list says so, too. */
function provenGone(error: unknown): Reply {
  const { status, upstreamStatus } = upstreamRefusal(error)
  const reply = status === 410 ? refused(410, 'gone') : refused(404, 'not-found')
  return { ...reply, ...(upstreamStatus === undefined ? {} : { upstreamStatus }) }
}

/** An app that can't get a list either needs the refusal itself, to see that its seat was freed. */
function notGone(error: unknown, proof: Exclude<GoneProof, 'gone'>): Reply {
  const reply = upstreamRefusal(error)
  if (proof === 'unproven') return unproven(reply.upstreamStatus ?? null)
  return reply.code === 'not-found' || reply.code === 'gone' ? { ...reply, body: null } : reply
}

/** The commerce service tells neither product nor plan. */
function servedOf(license: License): ServedLicense {
  const { plan = null, features = [] } = license
  return { ...license, service: 'commerce', product: null, plan, features }
}

/** The service may write its UUIDs in capitals. */
function subjectOf(licenseId: string, { id }: LicenseKey): LeaseSubject {
  return { licenseId, keyId: id.toLowerCase() }
}

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
