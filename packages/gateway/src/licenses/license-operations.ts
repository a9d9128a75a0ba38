import {
  CommerceError,
  isCommerceError,
  isSameId,
  type License,
  type LicenseKey,
  type Licenses,
} from '@latchkey/commerce'
import { answered, type Reply, refused, unproven } from '../http/reply.ts'
import type { LeaseSubject } from '../leases/lease-claims-of.ts'
import type { LeaseIssuer } from '../leases/lease-issuer.ts'
import type { LeaseRequest } from '../leases/lease-request.ts'
import { type AllowRule, applyRule, type ServedLicense } from './allow-rule.ts'
import { createEmptyLists } from './empty-lists.ts'
import { type GoneProof, isRefusal, isRefusalInJson, proveGone, refusesToValidate } from './gone-proof.ts'
import type { TermsRules } from './license-terms.ts'
import { createLicensedReply } from './licensed-reply.ts'
import { listRefusal, upstreamRefusal } from './upstream-refusal.ts'
import { wireKey, wireKeyList } from './wire.ts'

/** The five license operations. A failure of the service becomes a reply; a rejected promise is a bug. */
export interface LicenseOperations {
  /** @param page the first page to return, starting at 1. */
  keys(licenseId: string, page: number): Promise<Reply>
  key(licenseId: string, keyId: string, leaseRequest: LeaseRequest | null): Promise<Reply>
  activate(licenseId: string, name: string, leaseRequest: LeaseRequest | null): Promise<Reply>
  /** @param fingerprint the device's fingerprint, if the app sent it. Some services require it. */
  validate(
    licenseId: string,
    keyId: string,
    leaseRequest: LeaseRequest | null,
    fingerprint?: string,
  ): Promise<Reply>
  deactivate(licenseId: string, keyId: string, fingerprint?: string): Promise<Reply>
}

/**
 * An ID that no key has. Before activating, an app requests this key to check that responses are signed. The reply
 * doesn't depend on the service, so a slow service can't make this check fail.
 */
export const nilKeyId = '00000000-0000-0000-0000-000000000000'

/** The reply for a license that the `allow` rule refuses: the same as for an unknown license. */
export const notAllowed: Reply = { ...refused(404, 'not-found'), remark: 'not-allowed' }

/**
 * How long to collect pages of the service's list for one response, in milliseconds. The app requests the remaining
 * pages itself, so that a long list can't exceed the request timeout.
 */
const gatherWithinMs = 2_000

/** The reply to a successful *deactivate*. */
export const deactivated: Reply = answered({ message: 'The license key was deactivated successfully.' })

/**
 * Creates the operations for the commerce service. They expect IDs to be lowercase UUIDs.
 */
export function createLicenseOperations(
  licenses: Licenses,
  leases: LeaseIssuer,
  allow: AllowRule | null,
  rules: TermsRules = {},
  clock: () => number = Date.now,
): LicenseOperations {
  const licensed = createLicensedReply(leases, rules, clock)
  const emptyLists = createEmptyLists()

  /** Asks again, because only few answers need the service's time, and reading it takes time in all of them. */
  const serviceTimeOf =
    (licenseId: string, { id: key }: LicenseKey) =>
    async (): Promise<number | null> => {
      let serviceTimeMs: number | null = null
      const onAnswer = ({ serverDateMs }: { serverDateMs: number | null }): void => {
        serviceTimeMs = serverDateMs
      }
      await licenses.validate(licenseId, { key }, { onAnswer })
      return serviceTimeMs
    }

  const isAllowed = async (license: License): Promise<boolean> =>
    allow === null || applyRule(allow, servedOf(license))

  /** Returns the reply if the rule refuses a license, or fails. */
  const rejectionOf = async (license: License): Promise<Reply | null> => {
    try {
      return (await isAllowed(license)) ? null : notAllowed
    } catch (error) {
      return upstreamRefusal(error)
    }
  }

  /** The rule needs the license, which only *validate* returns. So the other routes need one more request. */
  const isAllowedBy = async (licenseId: string, keyId: string | undefined): Promise<boolean> => {
    if (allow === null || keyId === undefined) return true
    try {
      const { license, key } = await licenses.validate(licenseId, { key: keyId })
      // A misconfigured cache may return another customer's license.
      if (!isSameId(license.id, licenseId) || !isSameId(key.id, keyId)) {
        throw new CommerceError('unexpected-answer', { operation: 'licenses.validate' })
      }
      return await isAllowed(license)
    } catch (error) {
      // Without a license the rule can't run. Allowing it is safe: these routes don't entitle a device.
      if (isRefusal(error)) return true
      throw error
    }
  }

  /** Creates the reply that makes a device lose its license, so it must only be used with proof. */
  const gone = async (
    reply: Reply,
    licenseId: string,
    keyId: string,
    leaseRequest: LeaseRequest | null,
  ): Promise<Reply> => {
    // The remark of the rule comes first: the limits need it.
    return { ...(await leases.gone({ licenseId, keyId }, leaseRequest)), ...reply }
  }

  const operations: LicenseOperations = {
    async keys(licenseId, page) {
      const list = await licenses.keyList(licenseId, { page, withinMs: gatherWithinMs })
      if (await isAllowedBy(licenseId, list.keys[0]?.id)) return answered(wireKeyList(list, page))
      // An empty list tells the app that its key is gone, so a refused license counts as deleted.
      return { ...answered({ data: [] }), remark: 'not-allowed' }
    },

    async key(licenseId, keyId, leaseRequest) {
      if (keyId === nilKeyId) return await gone(refused(404, 'not-found'), licenseId, keyId, leaseRequest)
      let key: LicenseKey
      try {
        key = await licenses.key(licenseId, keyId)
      } catch (error) {
        if (!isRefusal(error)) throw error
        const proof = await proveGone(licenses, licenseId, keyId, refusedAtMs(error), emptyLists)
        if (proof !== 'gone') return notGone(error, proof)
        const reply = await gone(provenGone(error), licenseId, keyId, leaseRequest)
        return { ...emptyLists.remarkOf(licenseId), ...reply }
      }
      if (!isSameId(key.id, keyId)) return mixedUp
      if (await isAllowedBy(licenseId, keyId)) return answered({ data: wireKey(key) })
      return await gone(notAllowed, licenseId, keyId, leaseRequest)
    },

    async activate(licenseId, name, leaseRequest) {
      const { license, key } = await licenses.activate(licenseId, { name })
      if (!isSameId(license.id, licenseId)) return mixedUp
      const rejection = await rejectionOf(license)
      if (rejection !== null) return await giveSeatBack(licenses, licenseId, key.id, rejection)
      const serviceTime = serviceTimeOf(licenseId, key)
      return licensed(subjectOf(licenseId, key), license, servedOf(license), key, leaseRequest, serviceTime)
    },

    async validate(licenseId, keyId, leaseRequest) {
      const { license, key } = await licenses.validate(licenseId, { key: keyId })
      if (!isSameId(license.id, licenseId) || !isSameId(key.id, keyId)) return mixedUp
      emptyLists.note(licenseId, false)
      if (!(await isAllowed(license))) return notAllowed
      const serviceTime = serviceTimeOf(licenseId, key)
      return licensed(subjectOf(licenseId, key), license, servedOf(license), key, leaseRequest, serviceTime)
    },

    // The rule isn't checked: deactivating is always allowed.
    async deactivate(licenseId, keyId) {
      try {
        await licenses.deactivate(licenseId, { key: keyId })
        return deactivated
      } catch (error) {
        const isDoneWithoutWords = isCommerceError(error) && isSuccess(error.status)
        if (!isRefusal(error) && !isDoneWithoutWords) throw error
        const proof = await proveGone(licenses, licenseId, keyId, refusedAtMs(error), emptyLists)
        if (proof === 'gone' && isDoneWithoutWords) return deactivated
        if (proof === 'gone') return { ...emptyLists.remarkOf(licenseId), ...provenGone(error) }
        return isRefusal(error) ? notGone(error, proof) : upstreamRefusal(error)
      }
    },
  }

  return {
    keys: (licenseId, page) =>
      operations
        .keys(licenseId, page)
        .catch((error: unknown) =>
          listRefusal(error, () => refusesToValidate(licenses, licenseId, nilKeyId)),
        ),
    key: (licenseId, keyId, leaseRequest) =>
      operations.key(licenseId, keyId, leaseRequest).catch(upstreamRefusal),
    activate: (licenseId, name, leaseRequest) =>
      operations.activate(licenseId, name, leaseRequest).catch(upstreamRefusal),
    validate: (licenseId, keyId, leaseRequest) =>
      operations.validate(licenseId, keyId, leaseRequest).catch(upstreamRefusal),
    deactivate: (licenseId, keyId) => operations.deactivate(licenseId, keyId).catch(upstreamRefusal),
  }
}

/** The reply if the service's response is about another license or key, for example from a misconfigured cache. */
const mixedUp: Reply = {
  ...refused(502, 'upstream-unexpected-answer'),
  detail: 'an answer about another license or key',
}

/** Returns when the service refused, by its own clock; `null` if the response has no date. */
function refusedAtMs(error: unknown): number | null {
  return isCommerceError(error) ? error.serverDateMs : null
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300
}

/** The reply if both the refusal and the list prove that a key is gone. */
function provenGone(error: unknown): Reply {
  const { status, upstreamStatus } = upstreamRefusal(error)
  const reply = status === 410 ? refused(410, 'gone') : refused(404, 'not-found')
  return { ...reply, ...(upstreamStatus === undefined ? {} : { upstreamStatus }) }
}

/**
 * If the list isn't available, passes on the refusal itself, so that the app can see that its seat was released. If the
 * service still lists the key that it refuses, the app validates the key to find out if it was deactivated. The 422 lets
 * it do so: to a 502 it would only retry, for as long as the key is listed.
 */
function notGone(error: unknown, proof: Exclude<GoneProof, 'gone'>): Reply {
  const reply = upstreamRefusal(error)
  const { upstreamStatus = null } = reply
  if (proof === 'listed' && isRefusalInJson(error)) return { ...refused(422, 'rejected'), upstreamStatus }
  if (proof !== 'unlisted') return unproven(upstreamStatus)
  return reply.code === 'not-found' || reply.code === 'gone' ? { ...reply, body: null } : reply
}

/** The commerce service doesn't return a product or a plan. */
function servedOf(license: License): ServedLicense {
  const { plan = null, features = [] } = license
  return { ...license, service: 'commerce', product: null, plan, features }
}

/** Lowercases the ID, because the service may return uppercase UUIDs. */
function subjectOf(licenseId: string, { id }: LicenseKey): LeaseSubject {
  return { licenseId, keyId: id.toLowerCase() }
}

/** Frees the seat of an activation that came before the rule's answer, and returns that answer. */
async function giveSeatBack(
  licenses: Licenses,
  licenseId: string,
  keyId: string,
  rejection: Reply,
): Promise<Reply> {
  try {
    await licenses.deactivate(licenseId, { key: keyId })
    return rejection
  } catch {
    return withSeatKept(rejection)
  }
}

/** Returns the reply to an activation that is refused after it took a seat, if freeing the seat failed. */
export function withSeatKept(rejection: Reply): Reply {
  return { ...rejection, remark: rejection === notAllowed ? 'not-allowed-seat-kept' : 'seat-kept' }
}
