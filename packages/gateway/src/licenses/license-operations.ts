import { isSameId, type License } from '@latchkey/commerce'
import {
  type ActivatedLicense,
  type ActivationRequest,
  type Answer,
  isOlderThan,
  isTestLicense,
  type LicenseFacts,
  nothingTold,
  type Outcome,
  parseActivationName,
  type Refusal,
  type RefusalReason,
  readVerdict,
  type ServiceCall,
  type Unavailable,
} from '@latchkey/services'
import { answered, type Reply, refused, unproven } from '../http/reply.ts'
import { uuidOnly } from '../http/routes.ts'
import { endMsOf, goneClaims, type LeaseRequest, validatedClaims } from '../leases/lease.ts'
import type { IssueLease } from '../leases/lease-signer.ts'
import { createMemory } from '../memory.ts'
import { sha256Hex } from '../sha256.ts'
import type { OpenedUpstream } from '../upstreams/upstream.ts'
import {
  documentsRefusals,
  internalFailure,
  isPlainRefusal,
  isRefused,
  isUnfindable,
  refusedFor,
  replyOf,
  replyOfRefusal,
  replyOfUnavailable,
  unlistedCode,
  unlistedReply,
} from './replies.ts'
import { isAllowedBy, type LicenseRules, type ServedLicense, withTerms } from './rules.ts'
import { keyListOf, keyOf, licenseOf } from './wire.ts'

/** The five license operations. A failure of the service becomes a reply; a rejected promise is a bug. */
export interface LicenseOperations {
  /** @param page the first page to return, starting at 1. */
  keys(licenseKey: string, page: number): Promise<Reply>
  key(licenseKey: string, keyId: string, leaseRequest: LeaseRequest | null): Promise<Reply>
  activate(licenseKey: string, name: string, leaseRequest: LeaseRequest | null): Promise<Reply>
  /** @param fingerprint the device's fingerprint, if the app sent it. Some services require it. */
  validate(
    licenseKey: string,
    keyId: string,
    leaseRequest: LeaseRequest | null,
    fingerprint?: string,
  ): Promise<Reply>
  deactivate(licenseKey: string, keyId: string, fingerprint?: string): Promise<Reply>
}

/** What the operations need. */
export interface LicenseOperationsOptions {
  readonly upstream: OpenedUpstream
  readonly issueLease: IssueLease
  readonly rules: LicenseRules
  readonly clock: () => number
}

/**
 * An ID that no key has. Before activating, an app requests this key to check that responses are signed. The reply
 * doesn't depend on the service, so a slow service can't make this check fail.
 */
export const nilKeyId = '00000000-0000-0000-0000-000000000000'

/** The reply for a license that the `allow` rule refuses: the same as for an unknown license. */
const notAllowed: Reply = { ...refused(404, 'not-found'), remark: 'not-allowed' }

/** A signed "expired" is definite for the app, so the gateway's clock alone must not decide it. */
const wrongClock: Reply = { ...refused(502, 'upstream-unexpected-answer'), remark: 'clock-differs' }

/** Clocks differ by less. A clock with a wrong time zone differs by more, and would end a license hours too early. */
const clockToleranceMs = 300_000

/**
 * How long to collect pages of the service's list for one response, in milliseconds. The app requests the remaining
 * pages itself, so that a long list can't exceed the request timeout.
 */
const gatherWithinMs = 2_000

/** So many licenses in a row don't all lose their last key by chance. */
const emptyListsToReport = 3

/** How long a good answer to *validate* is repeated from memory, in milliseconds. */
const recentMs = 120_000

/** Most answers to remember. */
const maxRecent = 20_000

/** A good answer to *validate*. */
interface RecentAnswer {
  readonly answer: Answer<ActivatedLicense>
  /** The fingerprint that the app sent. */
  readonly fingerprint: string | undefined
  readonly atMs: number
}

function recentId(licenseKey: string, keyId: string): string {
  return JSON.stringify([licenseKey, keyId.toLowerCase()])
}

/** No device has this fingerprint. Some services refuse an empty one. */
const noDevice = '0'.repeat(16)

/**
 * What a list is asked for: to sign that a key is gone, which takes a device's license, or to say that its seat is free,
 * which takes nothing from anyone.
 */
type ProofPurpose = 'sign' | 'free'

/** Creates the operations for one service. IDs of other forms than UUIDs are compared exactly. */
export function createLicenseOperations(options: LicenseOperationsOptions): LicenseOperations {
  const { upstream, issueLease, rules, clock } = options
  const { service, usesUuids, budget, known } = upstream
  const { allow, devices } = rules
  const isDocumented = documentsRefusals(service)
  /** The latest license keys in a row whose list was empty. A gateway of another store gets nothing else. */
  let emptyLists: readonly string[] = []

  /** Good answers to *validate*, which spare a service whose requests are limited. By license key and key. */
  const recentAnswers = createMemory<RecentAnswer>(maxRecent)

  const idOf = (id: string): string => (uuidOnly.test(id) ? id.toLowerCase() : id)
  const servedOf = (license: License, { product }: LicenseFacts): ServedLicense => {
    const { plan = null, features = [] } = license
    return { ...license, service: service.name, product, plan, features }
  }

  function noteKey(licenseKey: string): void {
    emptyLists = []
    known.set(licenseKey, true)
  }

  function noteEmptyList(licenseKey: string): void {
    if (emptyLists.includes(licenseKey)) return
    emptyLists = [licenseKey, ...emptyLists].slice(0, emptyListsToReport)
  }

  async function isAllowed(licenseKey: string, facts: LicenseFacts): Promise<boolean> {
    if (allow === undefined) return true
    return isAllowedBy(allow, servedOf(licenseOf(licenseKey, facts, clock()), facts))
  }

  /**
   * Shows a license to the rule before a seat is taken or its devices are shown. Some services only show it with an
   * activation.
   *
   * @returns the reply if it isn't served; `unseen` if the service doesn't show it, so that the rule can't run yet, and
   * `unshown` with why the service refuses to show it.
   */
  async function judge(
    licenseKey: string,
    activationId: string | undefined,
    call: ServiceCall,
  ): Promise<Reply | 'allowed' | 'unseen' | { readonly unshown: Refusal }> {
    if (allow === undefined) return 'allowed'
    let shown: Outcome<LicenseFacts | ActivatedLicense> | null = null
    if (service.showLicense !== undefined) shown = await service.showLicense({ licenseKey }, call)
    else if (activationId !== undefined) shown = await validateWithoutDevice(licenseKey, activationId, call)
    if (shown === null) return 'unseen'
    if (shown.kind === 'unavailable') {
      const isUnseen = isUnfindable(shown) || (!isDocumented && isRefused(shown))
      return isUnseen ? 'unseen' : replyOfUnavailable(shown, service)
    }
    if (shown.kind === 'refusal' && shown.license === null) return { unshown: shown }
    const told = shown.kind === 'answer' ? shown.value : shown.license
    if (told === null) return 'unseen'
    return (await isAllowed(licenseKey, 'license' in told ? told.license : told)) ? 'allowed' : notAllowed
  }

  /** Shows the license of a new activation to the rule. Returns a reply if the activation must be undone. */
  async function lateRejection(licenseKey: string, facts: LicenseFacts): Promise<Reply | null> {
    // The license itself couldn't be read.
    if (facts.status === null) return refused(502, 'upstream-unexpected-answer')
    try {
      return (await isAllowed(licenseKey, facts)) ? null : notAllowed
    } catch (error) {
      return internalFailure(error)
    }
  }

  /**
   * Finds out why a service refused to activate without saying so, as an app does that sees all devices: any of them shows
   * the license. `null` if the license doesn't explain it.
   */
  async function explain(licenseKey: string, call: ServiceCall): Promise<RefusalReason | null> {
    const listed = await service.listActivations({ licenseKey }, call)
    const [first] = listed.kind === 'answer' ? listed.value.activations : []
    if (listed.kind !== 'answer' || first === undefined) return null
    const shown = await validateWithoutDevice(licenseKey, first.id, call)
    if (shown.kind !== 'answer') return null
    const { license } = shown.value
    const verdict = readVerdict(license, clock())
    if (verdict === 'expired' || verdict === 'suspended' || verdict === 'inactive') return verdict
    const { seatLimit, seatsInUse } = license
    const used = seatsInUse ?? listed.value.activations.length
    return typeof seatLimit === 'number' && used >= seatLimit ? 'no-seat-left' : null
  }

  /** Frees a seat that was taken before the refusal. */
  async function undone(request: ActivationRequest, reply: Reply, call: ServiceCall): Promise<Reply> {
    const freed = await service.deactivate(request, call)
    if (freed.kind === 'answer' || (freed.kind === 'refusal' && freed.reason === 'unknown-activation')) {
      return reply
    }
    return { ...reply, remark: reply === notAllowed ? 'not-allowed-seat-kept' : 'seat-kept' }
  }

  /** Replies about a license and a key, with plan and features, and a lease if the app asked for one. */
  async function licensed(
    licenseKey: string,
    { license: facts, activation }: ActivatedLicense,
    serverDateMs: number | null,
    leaseRequest: LeaseRequest | null,
    answeredAtMs: number = clock(),
  ): Promise<Reply> {
    const nowMs = clock()
    const license = licenseOf(licenseKey, facts, nowMs)
    if (leaseRequest !== null && isClockAhead(license, nowMs, serverDateMs)) return wrongClock
    const { license: shown, isCut, detail } = await withTerms(license, servedOf(license, facts), rules)
    const key = keyOf(activation)
    const issued = await issueLease(licenseKey, idOf(key.id), leaseRequest, (terms) =>
      // A lease doesn't last longer because an answer is repeated.
      validatedClaims(terms, shown, key, answeredAtMs),
    )
    const remark = isCut ? { remark: 'features-cut' as const } : {}
    const { activation_limit: seatLimit } = license
    const { plan = null, features = null } = shown
    const told = { license: { ...facts, plan, features }, activation }
    return { ...answered({ license: shown, key }), activated: told, seatLimit, detail, ...remark, ...issued }
  }

  /** Replies about a license that isn't active. This is a successful reply, so it can be signed. */
  async function denied(
    licenseKey: string,
    outcome: Refusal,
    { keyId, fingerprint }: { keyId: string; fingerprint: string },
    leaseRequest: LeaseRequest | null,
  ): Promise<Reply> {
    const { reason, license, httpStatus, serverDateMs } = outcome
    if (reason !== 'expired' && reason !== 'suspended' && reason !== 'inactive')
      return replyOfRefusal(outcome)
    const facts = { ...(license ?? nothingTold), status: reason, worksAfterEnd: false }
    const activation = { id: keyId, deviceName: null, fingerprint: fingerprint || null, createdAtMs: null }
    const reply = await licensed(licenseKey, { license: facts, activation }, serverDateMs, leaseRequest)
    return { ...reply, isRefusal: true, upstreamStatus: httpStatus }
  }

  /** Creates the reply that makes a device lose its license, so it must only be used with proof. */
  async function gone(
    reply: Reply,
    licenseKey: string,
    keyId: string,
    leaseRequest: LeaseRequest | null,
  ): Promise<Reply> {
    // The remark of the rule comes first: the limits need it.
    return { ...(await issueLease(licenseKey, idOf(keyId), leaseRequest, goneClaims)), ...reply }
  }

  /** Asks about a key that the list doesn't have. It is only gone if the service doesn't know it either. */
  const validateWithoutDevice = (
    licenseKey: string,
    activationId: string,
    call: ServiceCall,
  ): Promise<Outcome<ActivatedLicense>> =>
    service.validate({ licenseKey, activationId, fingerprint: noDevice }, call)

  /** Whether the service refuses an activation, so that an answer to another request about the license can be missing. */
  async function refusesToValidate(licenseKey: string, keyId: string, call: ServiceCall): Promise<boolean> {
    const outcome = await validateWithoutDevice(licenseKey, keyId, call)
    return outcome.kind === 'refusal' || (outcome.kind === 'unavailable' && isPlainRefusal(outcome))
  }

  /**
   * Whether an empty list proves that a key is gone. A service may list nothing for a license that it doesn't know, so the
   * license must have been seen with a key, and not every license may look empty.
   */
  const provesByEmptyList = (licenseKey: string): boolean =>
    known.has(licenseKey) && emptyLists.length < emptyListsToReport

  /**
   * Replies about a key that a service refused without a documented reason. A refusal alone proves nothing, because a
   * misconfigured proxy returns 404 for everything, and trusting it would lock devices out. So the key is looked for in
   * the list of its license.
   */
  async function replyAboutRefused(
    licenseKey: string,
    keyId: string,
    outcome: Unavailable,
    purpose: ProofPurpose,
    call: ServiceCall,
  ): Promise<{ readonly isGone: boolean; readonly reply: Reply }> {
    const reply = replyOfUnavailable(outcome, service)
    const { upstreamStatus = null } = reply
    const doubtful = { isGone: false, reply: unproven(upstreamStatus) }
    // The refusal itself is passed on, so that the app can see that its seat was released.
    const passedOn = {
      isGone: false,
      reply: outcome.cause === 'not-found' ? { ...reply, body: null } : reply,
    }
    const listed = await service.listActivations({ licenseKey }, call)
    if (listed.kind !== 'answer') {
      const isDenied =
        listed.kind === 'unavailable' && listed.httpStatus === 403 && listed.bodyIsJson === true
      return isDenied ? passedOn : doubtful
    }
    if (isOlderThan(outcome.serverDateMs, listed.serverDateMs)) return doubtful
    const { activations, isWhole } = listed.value
    if (activations.some(({ id }) => isSameId(id, keyId))) {
      // Some services keep listing a key after they deactivated it. The app validates the key to find out: to a 502 it
      // would only retry, for as long as the key is listed.
      const isRefusedTwice = isPlainRefusal(outcome) && (await refusesToValidate(licenseKey, keyId, call))
      return isRefusedTwice
        ? { isGone: false, reply: { ...refused(422, 'rejected'), upstreamStatus } }
        : doubtful
    }
    if (!isWhole) return passedOn
    const isEmpty = activations.length === 0
    if (isEmpty) noteEmptyList(licenseKey)
    else noteKey(licenseKey)
    const isEverywhere = emptyLists.length >= emptyListsToReport
    const remark = isEmpty && {
      remark: isEverywhere ? ('no-keys-at-all' as const) : ('no-keys-listed' as const),
    }
    const isGone = !isEmpty || purpose === 'free' || provesByEmptyList(licenseKey)
    if (!isGone) return { isGone, reply: { ...doubtful.reply, ...remark } }
    const proven = reply.code === 'gone' ? refused(410, 'gone') : refused(404, 'not-found')
    return { isGone, reply: { ...proven, upstreamStatus, ...remark } }
  }

  /** Shows a key of a service that documents its refusals. They can't show one activation. */
  async function listedKey(
    licenseKey: string,
    keyId: string,
    leaseRequest: LeaseRequest | null,
    call: ServiceCall,
  ): Promise<Reply> {
    const listed = await service.listActivations({ licenseKey }, call)
    if (listed.kind !== 'answer') return replyOf(listed, service)
    const { activations, isWhole } = listed.value
    const found = activations.find(({ id }) => isSameId(id, keyId))
    if (found !== undefined) return answered({ data: keyOf(found) })
    if (!isWhole) return unproven(null)
    const asked = await validateWithoutDevice(licenseKey, keyId, call)
    if (asked.kind !== 'refusal' || asked.isOtherDevices === true) return unproven(null)
    if (isOlderThan(asked.serverDateMs, listed.serverDateMs)) return unproven(null)
    const { reason, httpStatus: upstreamStatus } = asked
    if (reason === 'unknown-license' || reason === 'wrong-product') return unproven(upstreamStatus)
    const reply: Reply = { ...refused(404, 'not-found'), upstreamStatus }
    if (reason === 'unknown-activation') return gone(reply, licenseKey, keyId, leaseRequest)
    // The service may refuse an inactive license without checking its devices. The app can see from this 404 that its seat
    // was released, but it proves nothing, so it isn't signed.
    return { ...reply, body: null }
  }

  /** Replies to a *deactivate* that a service with documented refusals answers with "unknown". */
  async function replyAboutUnknown(
    { licenseKey, activationId }: ActivationRequest,
    outcome: Refusal | Unavailable,
    call: ServiceCall,
  ): Promise<Reply> {
    const refusal =
      outcome.kind === 'refusal' ? outcome : await validateWithoutDevice(licenseKey, activationId, call)
    const isUnknown = refusal.kind === 'refusal' && refusal.reason === 'unknown-activation'
    if (!isUnknown || refusal.isOtherDevices === true) return unproven(outcome.httpStatus)
    const listed = await service.listActivations({ licenseKey }, call)
    const isGone =
      listed.kind === 'answer' &&
      listed.value.isWhole &&
      !isOlderThan(outcome.serverDateMs, listed.serverDateMs) &&
      !listed.value.activations.some(({ id }) => isSameId(id, activationId))
    return isGone
      ? { ...refused(404, 'not-found'), upstreamStatus: outcome.httpStatus }
      : unproven(outcome.httpStatus)
  }

  /**
   * Returns the fingerprint the app sent, or else the one stored with the activation. If the list can't be had, it is
   * empty, and `withoutList` is the reply if the service doesn't know the activation without it.
   */
  async function fingerprintOf(
    licenseKey: string,
    keyId: string,
    sent: string | undefined,
    call: ServiceCall,
  ): Promise<{ readonly fingerprint: string; readonly withoutList?: Reply } | Reply> {
    if (sent !== undefined || usesUuids) return { fingerprint: sent ?? noDevice }
    const listed = await service.listActivations({ licenseKey }, call)
    // A service may refuse the list of an expired license. *validate* then returns the reason.
    if (listed.kind === 'refusal') return { fingerprint: '' }
    if (listed.kind === 'answer') {
      const found = listed.value.activations.find(({ id }) => isSameId(id, keyId))
      return { fingerprint: found?.fingerprint ?? '' }
    }
    const reply = replyOfUnavailable(listed, service)
    // Such a service would look for a device without a fingerprint.
    const isNeeded = service.capabilities.idempotentByFingerprint
    return isNeeded || unlistedCode(listed, service) === null
      ? reply
      : { fingerprint: '', withoutList: reply }
  }

  const operations: LicenseOperations = {
    async keys(licenseKey, page) {
      const call = upstream.call({ licenseKey })
      const request = { licenseKey, page, withinMs: gatherWithinMs }
      const listed = await service.listActivations(request, call)
      if (listed.kind === 'refusal') return replyOfRefusal(listed)
      if (listed.kind === 'unavailable') {
        const code = unlistedCode(listed, service)
        // If the service doesn't refuse another request, the token may be wrong, or a proxy may answer everything.
        const isOnlyList = code !== null && (await refusesToValidate(licenseKey, nilKeyId, call))
        return isOnlyList ? unlistedReply(code, listed) : replyOfUnavailable(listed, service)
      }
      const { activations } = listed.value
      const judgment = await judge(licenseKey, activations[0]?.id, call)
      // An empty list tells the app that its key is gone, so a refused license counts as deleted.
      if (judgment === notAllowed) return { ...answered({ data: [] }), remark: 'not-allowed' }
      if (typeof judgment === 'object' && !('unshown' in judgment)) return judgment
      if (activations.length > 0) noteKey(licenseKey)
      return { ...answered(keyListOf(listed.value, page)), list: listed.value }
    },

    async key(licenseKey, keyId, leaseRequest) {
      if (keyId === nilKeyId) return gone(refused(404, 'not-found'), licenseKey, keyId, leaseRequest)
      const call = upstream.call({ licenseKey })
      const judgment = await judge(licenseKey, keyId, call)
      if (judgment === notAllowed) return gone(notAllowed, licenseKey, keyId, leaseRequest)
      if (typeof judgment === 'object' && !('unshown' in judgment)) return judgment
      if (service.showActivation === undefined) return listedKey(licenseKey, keyId, leaseRequest, call)
      const request = { licenseKey, activationId: keyId, fingerprint: noDevice }
      const shown = await service.showActivation(request, call)
      if (shown.kind === 'answer') {
        noteKey(licenseKey)
        return answered({ data: keyOf(shown.value) })
      }
      if (shown.kind === 'refusal' || !isRefused(shown)) return replyOf(shown, service)
      const { isGone, reply } = await replyAboutRefused(licenseKey, keyId, shown, 'sign', call)
      return isGone ? gone(reply, licenseKey, keyId, leaseRequest) : reply
    },

    async activate(licenseKey, name, leaseRequest) {
      const call = upstream.call({ licenseKey, isActivation: true })
      // The rule must see a license before it takes a seat, where the service shows it.
      const judgment = await judge(licenseKey, undefined, call)
      if (typeof judgment === 'object')
        return 'unshown' in judgment ? replyOfRefusal(judgment.unshown) : judgment
      const named = parseActivationName(name)
      const fingerprint = named.fingerprint ?? (await fingerprintOfName(name))
      // A gateway is for customers. To try it with keys of the test mode, its settings say so.
      const request = {
        licenseKey,
        deviceName: named.deviceName,
        fingerprint,
        allowsTestLicense: false,
      }
      const outcome = await service.activate(request, call)
      if (outcome.kind === 'unavailable') {
        const reason = devices === 'own' && isPlainRefusal(outcome) ? await explain(licenseKey, call) : null
        return reason === null
          ? replyOfUnavailable(outcome, service)
          : { ...refusedFor(reason), upstreamStatus: outcome.httpStatus }
      }
      if (outcome.kind === 'refusal') {
        const { leftoverActivationId: activationId } = outcome
        const reply = replyOfRefusal(outcome)
        return activationId === null ? reply : undone({ licenseKey, activationId, fingerprint }, reply, call)
      }
      const { license, activation } = outcome.value
      noteKey(licenseKey)
      const rejection = judgment === 'unseen' ? await lateRejection(licenseKey, license) : null
      if (rejection !== null) {
        return undone({ licenseKey, activationId: activation.id, fingerprint }, rejection, call)
      }
      return licensed(licenseKey, outcome.value, outcome.serverDateMs, leaseRequest)
    },

    async validate(licenseKey, keyId, leaseRequest, sentFingerprint) {
      const recent = recentAnswers.get(recentId(licenseKey, keyId))
      const isRecent = budget?.isTight() && recent !== undefined && clock() - recent.atMs < recentMs
      if (isRecent && recent.fingerprint === sentFingerprint) {
        if (!(await isAllowed(licenseKey, recent.answer.value.license))) return notAllowed
        const { value, serverDateMs } = recent.answer
        return licensed(licenseKey, value, serverDateMs, leaseRequest, recent.atMs)
      }
      const call = upstream.call({ licenseKey })
      const found = await fingerprintOf(licenseKey, keyId, sentFingerprint, call)
      if ('status' in found) return found
      const { fingerprint, withoutList } = found
      const outcome = await service.validate({ licenseKey, activationId: keyId, fingerprint }, call)
      if (outcome.kind === 'unavailable') return replyOfUnavailable(outcome, service)
      if (outcome.kind === 'refusal') {
        // Polar doesn't know an activation by its ID alone, and a refusal would take the license from its device.
        if (outcome.reason === 'unknown-activation' && withoutList !== undefined) return withoutList
        return denied(licenseKey, outcome, { keyId, fingerprint }, leaseRequest)
      }
      const { license } = outcome.value
      noteKey(licenseKey)
      // Anyone with a license key of the test mode can activate it at the service itself.
      if (isTestLicense(service, license)) return refused(422, 'test-license')
      if (!(await isAllowed(licenseKey, license))) return notAllowed
      if (budget !== null && readVerdict(license, clock()) === 'valid') {
        const answer = { answer: outcome, fingerprint: sentFingerprint, atMs: clock() }
        recentAnswers.set(recentId(licenseKey, keyId), answer)
      }
      return licensed(licenseKey, outcome.value, outcome.serverDateMs, leaseRequest)
    },

    // The rule isn't checked: deactivating is always allowed.
    async deactivate(licenseKey, keyId, fingerprint = noDevice) {
      const call = upstream.call({ licenseKey })
      recentAnswers.delete(recentId(licenseKey, keyId))
      const request = { licenseKey, activationId: keyId, fingerprint }
      const outcome = await service.deactivate(request, call)
      if (outcome.kind === 'answer') {
        noteKey(licenseKey)
        return answered({ message: 'The license key was deactivated successfully.' })
      }
      if (outcome.kind === 'unavailable' && !isDocumented && isRefused(outcome)) {
        return (await replyAboutRefused(licenseKey, keyId, outcome, 'free', call)).reply
      }
      const mayBeGone =
        outcome.kind === 'refusal' ? outcome.reason === 'unknown-activation' : outcome.cause === 'not-found'
      return mayBeGone ? replyAboutUnknown(request, outcome, call) : replyOf(outcome, service)
    },
  }
  return operations
}

function isClockAhead(license: License, nowMs: number, serverDateMs: number | null): boolean {
  const endMs = endMsOf(license)
  if (license.status !== 'ACTIVE' || license.suspended_at !== null || nowMs < endMs) return false
  return serverDateMs !== null && serverDateMs < endMs && nowMs - serverDateMs > clockToleranceMs
}

/** Derives a fingerprint from a name that doesn't contain one, so that each name counts as one device. */
async function fingerprintOfName(name: string): Promise<string> {
  return (await sha256Hex(name)).slice(0, 16)
}
