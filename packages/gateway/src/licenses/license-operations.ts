import { isSameId, type License } from '@latchkey/commerce'
import {
  type ActivatedLicense,
  type ActivationList,
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
  type Unavailable,
} from '@latchkey/services'
import { answered, type Reply, refused, unproven } from '../http/reply.ts'
import { uuidOnly } from '../http/routes.ts'
import {
  endMsOf,
  goneClaims,
  type IssueLease,
  type LeaseRequest,
  validatedClaims,
} from '../leases/lease-signers.ts'
import { createMemory } from '../memory.ts'
import { sha256Hex } from '../sha256.ts'
import type { OpenedUpstream } from '../upstreams/upstream.ts'
import {
  documentsRefusals,
  isPlainRefusal,
  isRefused,
  isUnfindable,
  keyListOf,
  keyOf,
  licenseOf,
  refusedFor,
  replyOf,
  replyOfError,
  replyOfRefusal,
  replyOfUnavailable,
  unlistedCode,
  unlistedReply,
} from './replies.ts'
import { isAllowedBy, type LicenseRules, type ServedLicense, withTerms } from './rules.ts'

/** A request about a license. */
export interface LicenseAsked {
  readonly licenseKey: string
  /** @default no lease */
  readonly leaseRequest?: LeaseRequest | null | undefined
}

/** A request about one key of a license. */
export interface KeyAsked extends LicenseAsked {
  readonly keyId: string
  /** The device's fingerprint, if the app sent it. Some services require it. */
  readonly fingerprint?: string | undefined
}

/** The five license operations. A failure of the service becomes a reply; a rejected promise is a bug. */
export interface LicenseOperations {
  /** @param asked `page` is the first page to return, starting at 1; without it, all pages are read to the end. */
  keys(asked: LicenseAsked & { readonly page?: number }): Promise<Reply>
  key(asked: KeyAsked): Promise<Reply>
  activate(asked: LicenseAsked & { readonly name: string }): Promise<Reply>
  validate(asked: KeyAsked): Promise<Reply>
  deactivate(asked: KeyAsked): Promise<Reply>
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

/** No device has this fingerprint. Some services refuse an empty one. */
const noDevice = '0'.repeat(16)

/** A good answer to *validate*. */
interface RecentAnswer {
  readonly answer: Answer<ActivatedLicense>
  /** The fingerprint that the app sent. */
  readonly fingerprint: string | undefined
  readonly atMs: number
}

/** A reply about a key that a service refuses, and whether the key is proven gone. */
interface KeyProof {
  readonly isGone: boolean
  readonly reply: Reply
}

/** Creates the operations for one service. IDs of other forms than UUIDs are compared exactly. */
export function createLicenseOperations(options: LicenseOperationsOptions): LicenseOperations {
  const { upstream, issueLease, rules, clock } = options
  const { service, usesUuids, budget, known, good } = upstream
  const isDocumented = documentsRefusals(service)
  /** The latest license keys in a row whose list was empty. A gateway of another store gets nothing else. */
  let emptyLists: readonly string[] = []

  /** Good answers to *validate*, which spare a service whose requests are limited. */
  const recentAnswers = createMemory<RecentAnswer>(maxRecent)
  const recentId = ({ licenseKey, keyId }: KeyAsked): string =>
    JSON.stringify([licenseKey, keyId.toLowerCase()])

  const idOf = (id: string): string => (uuidOnly.test(id) ? id.toLowerCase() : id)
  const servedOf = (license: License, { product }: LicenseFacts): ServedLicense => {
    const { plan = null, features = [] } = license
    return { ...license, service: service.name, product, plan, features }
  }

  /** Answers one request about a license. */
  function answersAbout({ licenseKey, leaseRequest = null }: LicenseAsked, isActivation = false) {
    const call = upstream.call({ licenseKey, isActivation })
    const list = (pages: { page?: number; withinMs?: number } = {}): Promise<Outcome<ActivationList>> =>
      service.listActivations({ licenseKey, ...pages }, call)
    /** Without a fingerprint, a key is only known if the service finds it by its ID alone. */
    const validate = (activationId: string, fingerprint = noDevice): Promise<Outcome<ActivatedLicense>> =>
      service.validate({ licenseKey, activationId, fingerprint }, call)

    function noteKey(): void {
      emptyLists = []
      known.set(licenseKey, true)
    }

    async function isAllowed(facts: LicenseFacts): Promise<boolean> {
      if (rules.allow === undefined) return true
      return isAllowedBy(rules.allow, servedOf(licenseOf(licenseKey, facts, clock()), facts))
    }

    /**
     * Shows a license to the rule before a seat is taken or its devices are shown. Some services only show it with an
     * activation.
     *
     * @returns the reply if it isn't served, or if the service refuses to show it; `unseen` if the service doesn't show
     * it, so that the rule can't run yet.
     */
    async function judge(activationId: string | undefined): Promise<Reply | 'allowed' | 'unseen'> {
      if (rules.allow === undefined) return 'allowed'
      let shown: Outcome<LicenseFacts | ActivatedLicense> | null = null
      if (service.showLicense !== undefined) shown = await service.showLicense({ licenseKey }, call)
      else if (activationId !== undefined) shown = await validate(activationId)
      if (shown === null) return 'unseen'
      if (shown.kind === 'unavailable') {
        const isUnseen = isUnfindable(shown) || (!isDocumented && isRefused(shown))
        return isUnseen ? 'unseen' : replyOfUnavailable(shown, service)
      }
      const told = shown.kind === 'answer' ? shown.value : shown.license
      if (told === null) return shown.kind === 'refusal' ? replyOfRefusal(shown) : 'unseen'
      return (await isAllowed('license' in told ? told.license : told)) ? 'allowed' : notAllowed
    }

    /** Whether a judgment is the reply. What a service refuses to show can still be listed. */
    const isFinal = (judgment: Reply | 'allowed' | 'unseen'): judgment is Reply =>
      typeof judgment === 'object' && judgment.outcome?.kind !== 'refusal'

    /** Shows the license of a new activation to the rule. Returns a reply if the activation must be undone. */
    async function lateRejection(facts: LicenseFacts): Promise<Reply | null> {
      // The license itself couldn't be read.
      if (facts.status === null) return refused(502, 'upstream-unexpected-answer')
      try {
        return (await isAllowed(facts)) ? null : notAllowed
      } catch (error) {
        return replyOfError(error)
      }
    }

    /**
     * Finds out why a service refused to activate without saying so, as an app does that sees all devices: any of them
     * shows the license. `null` if the license doesn't explain it.
     */
    async function explain(): Promise<RefusalReason | null> {
      const listed = await list()
      const [first] = listed.kind === 'answer' ? listed.value.activations : []
      if (listed.kind !== 'answer' || first === undefined) return null
      const shown = await validate(first.id)
      if (shown.kind !== 'answer') return null
      const { license } = shown.value
      const verdict = readVerdict(license, clock())
      if (verdict !== 'valid') return verdict
      const { seatLimit, seatsInUse } = license
      const used = seatsInUse ?? listed.value.activations.length
      return typeof seatLimit === 'number' && used >= seatLimit ? 'no-seat-left' : null
    }

    /** Frees a seat that was taken before the refusal. */
    async function undone(activationId: string, fingerprint: string, reply: Reply): Promise<Reply> {
      const freed = await service.deactivate({ licenseKey, activationId, fingerprint }, call)
      if (freed.kind === 'answer' || (freed.kind === 'refusal' && freed.reason === 'unknown-activation')) {
        return reply
      }
      return { ...reply, remark: reply === notAllowed ? 'not-allowed-seat-kept' : 'seat-kept' }
    }

    /** Replies about a license and a key, with plan and features, and a lease if the app asked for one. */
    async function licensed(
      { license: facts, activation }: ActivatedLicense,
      serverDateMs: number | null,
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
      return {
        ...answered({ license: shown, key }),
        activated: told,
        seatLimit,
        detail,
        ...remark,
        ...issued,
      }
    }

    /** Replies about a license that isn't active. This is a successful reply, so it can be signed. */
    async function denied(outcome: Refusal, id: string, fingerprint: string): Promise<Reply> {
      const { reason, license, httpStatus, serverDateMs } = outcome
      if (reason !== 'expired' && reason !== 'suspended' && reason !== 'inactive')
        return replyOfRefusal(outcome)
      const facts = { ...(license ?? nothingTold), status: reason, worksAfterEnd: false }
      const activation = { id, deviceName: null, fingerprint: fingerprint || null, createdAtMs: null }
      const reply = await licensed({ license: facts, activation }, serverDateMs)
      return { ...reply, isRefusal: true, upstreamStatus: httpStatus }
    }

    /** Creates the reply that makes a device lose its license, so it must only be used with proof. */
    async function gone(reply: Reply, keyId: string): Promise<Reply> {
      // The remark of the rule comes first: the limits need it.
      return { ...(await issueLease(licenseKey, idOf(keyId), leaseRequest, goneClaims)), ...reply }
    }

    /** Whether the service refuses an activation, so that an answer to another request about the license can be missing. */
    async function refusesToValidate(keyId: string): Promise<boolean> {
      const outcome = await validate(keyId)
      return outcome.kind === 'refusal' || (outcome.kind === 'unavailable' && isPlainRefusal(outcome))
    }

    /**
     * Looks in the list for a key that a service refused without a documented reason. A refusal alone proves nothing,
     * because a misconfigured proxy returns 404 for everything, and trusting it would lock devices out.
     *
     * @param isSigned whether the proof takes a device's license. To say that a seat is free takes nothing from anyone.
     */
    async function proveRefused(keyId: string, outcome: Unavailable, isSigned: boolean): Promise<KeyProof> {
      const reply = replyOfUnavailable(outcome, service)
      const { upstreamStatus = null } = reply
      const unless = (unlikely: Reply): KeyProof => ({ isGone: false, reply: unlikely })
      const doubtful = unproven(upstreamStatus)
      // The refusal itself is passed on, so that the app can see that its seat was released.
      const passedOn = outcome.cause === 'not-found' ? { ...reply, body: null } : reply
      const listed = await list()
      if (listed.kind !== 'answer') {
        const isDenied =
          listed.kind === 'unavailable' && listed.httpStatus === 403 && listed.bodyIsJson === true
        return unless(isDenied ? passedOn : doubtful)
      }
      if (isOlderThan(outcome.serverDateMs, listed.serverDateMs)) return unless(doubtful)
      const { activations, isWhole } = listed.value
      if (activations.some(({ id }) => isSameId(id, keyId))) {
        // Some services keep listing a key after they deactivated it. The app validates the key to find out: to a 502 it
        // would only retry, for as long as the key is listed.
        const isRefusedTwice = isPlainRefusal(outcome) && (await refusesToValidate(keyId))
        return unless(isRefusedTwice ? { ...refused(422, 'rejected'), upstreamStatus } : doubtful)
      }
      if (!isWhole) return unless(passedOn)
      const proven = reply.code === 'gone' ? refused(410, 'gone') : refused(404, 'not-found')
      if (activations.length > 0) {
        noteKey()
        return { isGone: true, reply: { ...proven, upstreamStatus } }
      }
      if (!emptyLists.includes(licenseKey))
        emptyLists = [licenseKey, ...emptyLists].slice(0, emptyListsToReport)
      const isEverywhere = emptyLists.length >= emptyListsToReport
      const remark = isEverywhere ? 'no-keys-at-all' : 'no-keys-listed'
      // A service may list nothing for a license that it doesn't know, so the license must have been seen with a key.
      if (isSigned && (isEverywhere || !known.has(licenseKey))) return unless({ ...doubtful, remark })
      return { isGone: true, reply: { ...proven, upstreamStatus, remark } }
    }

    /** Looks for a key of a service that documents its refusals. It can't show one activation. */
    async function findListed(keyId: string): Promise<KeyProof> {
      const listed = await list()
      if (listed.kind !== 'answer') return { isGone: false, reply: replyOf(listed, service) }
      const { activations, isWhole } = listed.value
      const found = activations.find(({ id }) => isSameId(id, keyId))
      if (found !== undefined) return { isGone: false, reply: answered({ data: keyOf(found) }) }
      const asked = isWhole ? await validate(keyId) : null
      if (asked?.kind !== 'refusal' || asked.isOtherDevices === true)
        return { isGone: false, reply: unproven(null) }
      const { reason, httpStatus: upstreamStatus } = asked
      const isAboutLicense = reason === 'unknown-license' || reason === 'wrong-product'
      if (isAboutLicense || isOlderThan(asked.serverDateMs, listed.serverDateMs))
        return { isGone: false, reply: unproven(upstreamStatus) }
      const reply: Reply = { ...refused(404, 'not-found'), upstreamStatus }
      if (reason === 'unknown-activation') return { isGone: true, reply }
      // The service may refuse an inactive license without checking its devices. The app can see from this 404 that its
      // seat was released, but it proves nothing, so it isn't signed.
      return { isGone: false, reply: { ...reply, body: null } }
    }

    /**
     * Returns the fingerprint the app sent, or else the one stored with the activation. If the list can't be had, it is
     * empty, and `withoutList` is the reply if the service doesn't know the activation without it.
     */
    async function fingerprintOf(
      keyId: string,
      sent: string | undefined,
    ): Promise<{ readonly fingerprint: string; readonly withoutList?: Reply } | Reply> {
      if (sent !== undefined || usesUuids) return { fingerprint: sent ?? noDevice }
      const listed = await list()
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

    return {
      async keys(page: number | undefined): Promise<Reply> {
        const listed = await list(page === undefined ? {} : { page, withinMs: gatherWithinMs })
        if (listed.kind === 'refusal') return replyOfRefusal(listed)
        if (listed.kind === 'unavailable') {
          const code = unlistedCode(listed, service)
          // If the service doesn't refuse another request, the token may be wrong, or a proxy may answer everything.
          const isOnlyList = code !== null && (await refusesToValidate(nilKeyId))
          return isOnlyList ? unlistedReply(code, listed) : replyOfUnavailable(listed, service)
        }
        const { activations } = listed.value
        const judgment = await judge(activations[0]?.id)
        // An empty list tells the app that its key is gone, so a refused license counts as deleted.
        if (judgment === notAllowed) return { ...answered({ data: [] }), remark: 'not-allowed' }
        if (isFinal(judgment)) return judgment
        if (activations.length > 0) noteKey()
        return { ...answered(keyListOf(listed.value, page)), list: listed.value }
      },

      async key(keyId: string): Promise<Reply> {
        if (keyId === nilKeyId) return gone(refused(404, 'not-found'), keyId)
        const judgment = await judge(keyId)
        if (judgment === notAllowed) return gone(notAllowed, keyId)
        if (isFinal(judgment)) return judgment
        const request = { licenseKey, activationId: keyId, fingerprint: noDevice }
        const shown = await service.showActivation?.(request, call)
        if (shown?.kind === 'answer') {
          noteKey()
          return answered({ data: keyOf(shown.value) })
        }
        if (shown?.kind === 'refusal' || (shown !== undefined && !isRefused(shown)))
          return replyOf(shown, service)
        const { isGone, reply } = shown ? await proveRefused(keyId, shown, true) : await findListed(keyId)
        return isGone ? gone(reply, keyId) : reply
      },

      async activate(name: string): Promise<Reply> {
        // The rule must see a license before it takes a seat, where the service shows it.
        const judgment = await judge(undefined)
        if (typeof judgment === 'object') return judgment
        const { deviceName, fingerprint } = await deviceOf(name)
        // A gateway is for customers. To try it with keys of the test mode, its settings say so.
        const request = { licenseKey, deviceName, fingerprint, allowsTestLicense: false }
        const outcome = await service.activate(request, call)
        if (outcome.kind === 'unavailable') {
          const reason = rules.devices === 'own' && isPlainRefusal(outcome) ? await explain() : null
          return reason === null
            ? replyOfUnavailable(outcome, service)
            : { ...refusedFor(reason), upstreamStatus: outcome.httpStatus }
        }
        if (outcome.kind === 'refusal') {
          const { leftoverActivationId } = outcome
          const reply = replyOfRefusal(outcome)
          return leftoverActivationId === null ? reply : undone(leftoverActivationId, fingerprint, reply)
        }
        const { license, activation } = outcome.value
        noteKey()
        good.set(licenseKey, true)
        const rejection = judgment === 'unseen' ? await lateRejection(license) : null
        if (rejection !== null) return undone(activation.id, fingerprint, rejection)
        return licensed(outcome.value, outcome.serverDateMs)
      },

      async validate(asked: KeyAsked): Promise<Reply> {
        const { keyId, fingerprint: sent } = asked
        const recent = recentAnswers.get(recentId(asked))
        const isRecent = budget?.isTight() && recent !== undefined && clock() - recent.atMs < recentMs
        if (isRecent && recent.fingerprint === sent) {
          const { value, serverDateMs } = recent.answer
          return (await isAllowed(value.license)) ? licensed(value, serverDateMs, recent.atMs) : notAllowed
        }
        const found = await fingerprintOf(keyId, sent)
        if ('status' in found) return found
        const { fingerprint, withoutList } = found
        const outcome = await validate(keyId, fingerprint)
        if (outcome.kind === 'unavailable') return replyOfUnavailable(outcome, service)
        if (outcome.kind === 'refusal') {
          // Polar doesn't know an activation by its ID alone, and a refusal would take the license from its device.
          if (outcome.reason === 'unknown-activation' && withoutList !== undefined) return withoutList
          return denied(outcome, keyId, fingerprint)
        }
        const { license } = outcome.value
        noteKey()
        // Anyone with a license key of the test mode can activate it at the service itself.
        if (isTestLicense(service, license)) return refused(422, 'test-license')
        if (!(await isAllowed(license))) return notAllowed
        if (budget !== null && readVerdict(license, clock()) === 'valid') {
          good.set(licenseKey, true)
          recentAnswers.set(recentId(asked), { answer: outcome, fingerprint: sent, atMs: clock() })
        }
        return licensed(outcome.value, outcome.serverDateMs)
      },

      // The rule isn't checked: deactivating is always allowed.
      async deactivate(asked: KeyAsked): Promise<Reply> {
        const { keyId, fingerprint = noDevice } = asked
        recentAnswers.delete(recentId(asked))
        const outcome = await service.deactivate({ licenseKey, activationId: keyId, fingerprint }, call)
        if (outcome.kind === 'answer') {
          noteKey()
          return answered({ message: 'The license key was deactivated successfully.' })
        }
        if (outcome.kind === 'unavailable' && !isDocumented && isRefused(outcome))
          return (await proveRefused(keyId, outcome, false)).reply
        const mayBeGone =
          outcome.kind === 'refusal' ? outcome.reason === 'unknown-activation' : outcome.cause === 'not-found'
        if (!mayBeGone) return replyOf(outcome, service)
        const { isGone, reply } = await findListed(keyId)
        const { httpStatus: upstreamStatus } = outcome
        return isGone ? { ...reply, upstreamStatus } : unproven(upstreamStatus)
      },
    }
  }

  return {
    keys: (asked) => answersAbout(asked).keys(asked.page),
    key: (asked) => answersAbout(asked).key(asked.keyId),
    activate: (asked) => answersAbout(asked, true).activate(asked.name),
    validate: (asked) => answersAbout(asked).validate(asked),
    deactivate: (asked) => answersAbout(asked).deactivate(asked),
  }
}

function isClockAhead(license: License, nowMs: number, serverDateMs: number | null): boolean {
  const endMs = endMsOf(license)
  if (license.status !== 'ACTIVE' || license.suspended_at !== null || nowMs < endMs) return false
  return serverDateMs !== null && serverDateMs < endMs && nowMs - serverDateMs > clockToleranceMs
}

/** Reads an activation name. Each name without a fingerprint counts as one device. */
async function deviceOf(name: string): Promise<{ deviceName: string; fingerprint: string }> {
  const { deviceName, fingerprint } = parseActivationName(name)
  return { deviceName, fingerprint: fingerprint ?? (await sha256Hex(name)).slice(0, 16) }
}
