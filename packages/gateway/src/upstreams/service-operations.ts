import { isSameId } from '@latchkey/commerce'
import {
  type ActivationList,
  type ActivationRequest,
  isOlderThan,
  isTestLicense,
  type LicenseFacts,
  type LicenseService,
  type Outcome,
  parseActivationName,
  type Refusal,
  type ServiceCall,
  type Unavailable,
} from '@latchkey/services'
import { answered, type Reply, refused, unproven } from '../http/reply.ts'
import type { LeaseIssuer } from '../leases/lease-issuer.ts'
import type { LeaseRequest } from '../leases/lease-request.ts'
import type { AllowRule } from '../licenses/allow-rule.ts'
import {
  deactivated,
  type LicenseOperations,
  nilKeyId,
  notAllowed,
  withSeatKept,
} from '../licenses/license-operations.ts'
import type { TermsRules } from '../licenses/license-terms.ts'
import { createLicensedReply } from '../licenses/licensed-reply.ts'
import { wireKey } from '../licenses/wire.ts'
import { createLicenseRule, servedOf } from './license-rule.ts'
import { replyOfRefusal, replyOfUnavailable, unlistedCode, unlistedReply } from './service-reply.ts'
import { keyOf, licenseOf } from './wire-of-facts.ts'

/** Options for {@link createServiceOperations}. */
export interface ServiceOperationsOptions {
  /** A service that lists activations. */
  readonly service: LicenseService
  /** How requests are sent. */
  readonly call: ServiceCall
  readonly leases: LeaseIssuer
  readonly allow: AllowRule | null
  readonly rules?: TermsRules | undefined
  readonly clock: () => number
}

/** Creates the operations for an adapter of `@latchkey/services`. License keys and IDs are compared exactly. */
export function createServiceOperations(options: ServiceOperationsOptions): LicenseOperations {
  const { service, call, leases, clock, rules = {} } = options
  const { judge, isAllowed, lateRejection } = createLicenseRule(options)
  const licensed = createLicensedReply(leases, rules, clock)

  const list = async (licenseKey: string): Promise<Outcome<ActivationList>> =>
    (await service.listActivations?.({ licenseKey }, call)) ?? notListed

  /** Frees a seat that was taken before the refusal. */
  async function undone(request: ActivationRequest, reply: Reply): Promise<Reply> {
    return isGone(await service.deactivate(request, call)) ? reply : withSeatKept(reply)
  }

  /** Asks about a key that the list doesn't have. It is only gone if the service doesn't know it either. */
  const validateWithoutDevice = (licenseKey: string, activationId: string): Promise<Outcome<unknown>> =>
    service.validate({ licenseKey, activationId, fingerprint: noDevice }, call)

  /** Whether the service refuses an activation that doesn't exist, so that only its list is missing. */
  async function answersValidate(licenseKey: string): Promise<boolean> {
    const outcome = await validateWithoutDevice(licenseKey, nilKeyId)
    if (outcome.kind !== 'unavailable') return outcome.kind === 'refusal'
    return (outcome.cause === 'not-found' || outcome.cause === 'rejected') && outcome.bodyIsJson === true
  }

  async function gone(
    reply: Reply,
    licenseId: string,
    keyId: string,
    leaseRequest: LeaseRequest | null,
  ): Promise<Reply> {
    // The remark of the rule comes first: the limits need it.
    return { ...(await leases.gone({ licenseId, keyId }, leaseRequest)), ...reply }
  }

  /**
   * Returns the fingerprint the app sent, or else the one stored with the activation. If the list can't be had, it is
   * empty, and `withoutList` is the reply if the service doesn't know the activation without it.
   */
  async function fingerprintOf(
    licenseKey: string,
    keyId: string,
    sent: string | undefined,
  ): Promise<{ readonly fingerprint: string; readonly withoutList?: Reply } | Reply> {
    if (sent !== undefined) return { fingerprint: sent }
    const listed = await list(licenseKey)
    if (listed.kind === 'unavailable') {
      const reply = replyOfUnavailable(listed)
      // Such a service would look for a device without a fingerprint.
      const isNeeded = service.capabilities.idempotentByFingerprint
      return isNeeded || unlistedCode(listed) === null ? reply : { fingerprint: '', withoutList: reply }
    }
    // A service may refuse the list of an expired license. *validate* then returns the reason.
    if (listed.kind === 'refusal') return { fingerprint: '' }
    return { fingerprint: listed.value.activations.find(({ id }) => isSameId(id, keyId))?.fingerprint ?? '' }
  }

  /** Replies about a license that isn't active. This is a successful reply, so it can be signed. */
  async function denied(
    outcome: Refusal,
    licenseId: string,
    keyId: string,
    fingerprint: string,
    leaseRequest: LeaseRequest | null,
  ): Promise<Reply> {
    const { reason, license, httpStatus } = outcome
    if (reason !== 'expired' && reason !== 'suspended' && reason !== 'inactive')
      return replyOfRefusal(outcome)
    const facts = { ...(license ?? nothingTold), status: reason, worksAfterEnd: false }
    const shown = licenseOf(licenseId, facts, clock())
    const key = keyOf({ id: keyId, deviceName: null, fingerprint: fingerprint || null, createdAtMs: null })
    const subject = { licenseId, keyId }
    const serviceTime = async (): Promise<number | null> => outcome.serverDateMs
    const reply = await licensed(
      subject,
      shown,
      servedOf(service, shown, facts),
      key,
      leaseRequest,
      serviceTime,
    )
    return { ...reply, isRefusal: true, upstreamStatus: httpStatus }
  }

  return {
    async keys(licenseId) {
      const judgment = await judge(licenseId)
      if (judgment.kind === 'rejected') {
        // An empty list tells the app that its key is gone, so a refused license counts as deleted.
        const isRefused = judgment.reply === notAllowed
        return isRefused ? { ...answered({ data: [] }), remark: 'not-allowed' } : judgment.reply
      }
      const listed = await list(licenseId)
      if (listed.kind === 'unavailable') {
        const code = unlistedCode(listed)
        const isOnlyList = code !== null && (await answersValidate(licenseId))
        return isOnlyList ? unlistedReply(code, listed) : replyOfUnavailable(listed)
      }
      if (listed.kind === 'refusal') return replyOfRefusal(listed)
      const { activations, isWhole } = listed.value
      const data = activations.map((activation) => wireKey(keyOf(activation)))
      if (isWhole) return answered({ data, links: { next: null }, meta: { total: data.length } })
      return answered({ data, links: { next: null }, meta: { unreadable: 1 } })
    },

    async key(licenseId, keyId, leaseRequest) {
      if (keyId === nilKeyId) return gone(refused(404, 'not-found'), licenseId, keyId, leaseRequest)
      const judgment = await judge(licenseId)
      if (judgment.kind === 'rejected') {
        const { reply } = judgment
        return reply === notAllowed ? gone(reply, licenseId, keyId, leaseRequest) : reply
      }
      const listed = await list(licenseId)
      if (listed.kind !== 'answer') return replyOf(listed)
      const { activations, isWhole } = listed.value
      const found = activations.find(({ id }) => isSameId(id, keyId))
      if (found !== undefined) return answered({ data: wireKey(keyOf(found)) })
      if (!isWhole) return unproven(null)
      const asked = await validateWithoutDevice(licenseId, keyId)
      if (asked.kind !== 'refusal' || isOlderThan(asked.serverDateMs, listed.serverDateMs))
        return unproven(null)
      if (isThere(asked)) return unproven(null)
      const { reason, httpStatus: upstreamStatus } = asked
      const reply: Reply = { ...refused(404, 'not-found'), upstreamStatus }
      if (reason === 'unknown-activation') return gone(reply, licenseId, keyId, leaseRequest)
      // The service may refuse an inactive license without checking its devices. The app can see from this 404 that
      // its seat was released, but it proves nothing, so it isn't signed.
      return reason === 'unknown-license' || reason === 'wrong-product'
        ? unproven(upstreamStatus)
        : { ...reply, body: null }
    },

    async activate(licenseId, name, leaseRequest) {
      // The rule must see a license before it takes a seat, and the service refuses most of these itself.
      const judgment = await judge(licenseId)
      if (judgment.kind === 'rejected') return judgment.reply
      if (judgment.kind === 'unseen' && judgment.refusal !== null) return replyOfRefusal(judgment.refusal)
      const named = parseActivationName(name)
      const fingerprint = named.fingerprint ?? (await fingerprintOfName(name))
      const { deviceName } = named
      // A gateway is for customers. To try it with keys of the test mode, its settings say so.
      const request = { licenseKey: licenseId, deviceName, fingerprint, allowsTestLicense: false }
      const outcome = await service.activate(request, call)
      if (outcome.kind === 'unavailable') return replyOfUnavailable(outcome)
      if (outcome.kind === 'refusal') {
        const { leftoverActivationId: activationId } = outcome
        const reply = replyOfRefusal(outcome)
        return activationId === null
          ? reply
          : undone({ licenseKey: licenseId, activationId, fingerprint }, reply)
      }
      if (judgment.kind === 'unseen') {
        const { id: activationId } = outcome.value.activation
        const rejection = await lateRejection(licenseId, outcome.value.license)
        const request = { licenseKey: licenseId, activationId, fingerprint }
        if (rejection !== null) return undone(request, rejection)
      }
      const license = licenseOf(licenseId, outcome.value.license, clock())
      const key = keyOf(outcome.value.activation)
      const served = servedOf(service, license, outcome.value.license)
      const subject = { licenseId, keyId: key.id }
      return licensed(subject, license, served, key, leaseRequest, async () => outcome.serverDateMs)
    },

    async validate(licenseId, keyId, leaseRequest, sentFingerprint) {
      const found = await fingerprintOf(licenseId, keyId, sentFingerprint)
      if ('status' in found) return found
      const { fingerprint, withoutList } = found
      const outcome = await service.validate(
        { licenseKey: licenseId, activationId: keyId, fingerprint },
        call,
      )
      if (outcome.kind === 'unavailable') return replyOfUnavailable(outcome)
      // Polar doesn't know an activation by its ID alone, and a refusal would take the license from its device.
      const isUnknown = outcome.kind === 'refusal' && outcome.reason === 'unknown-activation'
      if (isUnknown && withoutList !== undefined) return withoutList
      if (outcome.kind === 'refusal') return denied(outcome, licenseId, keyId, fingerprint, leaseRequest)
      // Anyone with a license key of the test mode can activate it at the service itself.
      if (isTestLicense(service, outcome.value.license)) return refused(422, 'test-license')
      if (!(await isAllowed(licenseId, outcome.value.license))) return notAllowed
      const license = licenseOf(licenseId, outcome.value.license, clock())
      const key = keyOf(outcome.value.activation)
      const served = servedOf(service, license, outcome.value.license)
      const subject = { licenseId, keyId: key.id }
      return licensed(subject, license, served, key, leaseRequest, async () => outcome.serverDateMs)
    },

    // The rule isn't checked: deactivating is always allowed.
    async deactivate(licenseId, keyId, fingerprint = '') {
      const request = { licenseKey: licenseId, activationId: keyId, fingerprint }
      const outcome = await service.deactivate(request, call)
      if (outcome.kind === 'answer') return deactivated
      if (outcome.kind === 'refusal' && outcome.reason !== 'unknown-activation')
        return replyOfRefusal(outcome)
      if (outcome.kind === 'unavailable' && outcome.cause !== 'not-found') return replyOfUnavailable(outcome)
      const listed = await list(licenseId)
      const isListedGone =
        listed.kind === 'answer' &&
        listed.value.isWhole &&
        !isOlderThan(outcome.serverDateMs, listed.serverDateMs) &&
        !listed.value.activations.some(({ id }) => isSameId(id, keyId))
      const refusal = outcome.kind === 'refusal' ? outcome : await validateWithoutDevice(licenseId, keyId)
      const isUnknown = refusal.kind === 'refusal' && refusal.reason === 'unknown-activation'
      const isProven = isListedGone && isUnknown && !isThere(refusal)
      return isProven
        ? { ...refused(404, 'not-found'), upstreamStatus: outcome.httpStatus }
        : unproven(outcome.httpStatus)
    },
  }
}

/** No device has this fingerprint. Some services refuse an empty one. */
const noDevice = '0'.repeat(16)

/** Whether the service has the activation, although it refuses it to the device that no one has. */
function isThere({ isOtherDevices }: Refusal): boolean {
  return isOtherDevices === true
}

const nothingTold: LicenseFacts = {
  id: null,
  status: null,
  endsAtMs: null,
  worksAfterEnd: false,
  seatLimit: null,
  seatsInUse: null,
  product: null,
  plan: null,
  isTest: null,
}

const notListed: Unavailable = {
  kind: 'unavailable',
  cause: 'misconfigured',
  httpStatus: null,
  retryAfterMs: null,
  serverDateMs: null,
  bodyIsJson: null,
  mayHaveActed: false,
  detail: null,
}

function replyOf(outcome: Refusal | Unavailable): Reply {
  return outcome.kind === 'refusal' ? replyOfRefusal(outcome) : replyOfUnavailable(outcome)
}

function isGone(outcome: Outcome<null>): boolean {
  return outcome.kind === 'answer' || (outcome.kind === 'refusal' && outcome.reason === 'unknown-activation')
}

/** Derives a fingerprint from a name that doesn't contain one, so that each name counts as one device. */
async function fingerprintOfName(name: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name)))
  return Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
