import type { Refusal } from '@latchkey/services'
import {
  activateForRequest,
  freeReleasedSeat,
  mostTrustedKeys,
  type OfflineActivation,
  type OfflineRequest,
  offlineClaimsOf,
  offlineType,
  type ReleaseCode,
  wrapOfflineText,
  writeOfflineAnswer,
} from '@latchkey/services/offline'
import { type Reply, type ReplyRemark, refused } from '../http/reply.ts'
import type { LeaseSigners } from '../leases/lease-signers.ts'
import {
  type LicenseOutcomes,
  markedName,
  mayAnswerFor,
  replyOfFailed,
  type UndecidedReply,
} from '../licenses/license-devices.ts'
import { refusedFor } from '../licenses/replies.ts'
import { createMemory } from '../memory.ts'

/** The answer to a request. */
export interface OfflineAnswer {
  readonly answer: string
  /** The same as a QR code, as SVG, if asked; `null` if it is too long for one. */
  readonly code?: string | null
  readonly device: string
  /** ISO 8601 in UTC. */
  readonly validUntil: string
  readonly remark?: ReplyRemark
}

/** Activates computers that never go online. */
export interface OfflineIssuer {
  /** Activates the device of a request at the service, and signs the answer. @param withCode adds it as a QR code. */
  answer(request: OfflineRequest, withCode: boolean): Promise<OfflineAnswer | Reply>
  /** Frees the seat of a release code that was verified. */
  free(release: ReleaseCode): Promise<{ readonly released: boolean } | Reply>
}

/**
 * How long a device waits for its next answer after a request that is still under way, or that failed and may still take a
 * seat that the list doesn't show yet, in milliseconds.
 */
const longestMs = 30_000

type Activated = Extract<OfflineActivation, { kind: 'activated' }>

/** Refuses before a seat is taken. Unlike after other errors of the gateway, trying again doesn't help the customer. */
const untrusted: Reply = {
  ...refused(500, 'internal'),
  body: { error: 'lease-key-untrusted' },
  remark: 'lease-key-untrusted',
  detail: 'the app would reject the answer, so nothing was activated',
}

/** The reply of a request that failed, but may still take a seat. */
interface Unsettled {
  readonly unsettled: Reply
}

/** Most devices to remember. */
const maxBusy = 10_000

/** Creates the issuer. It stores nothing. @param days how long a device may run on an answer. */
export function createOfflineIssuer(
  outcomes: LicenseOutcomes,
  signers: LeaseSigners,
  days: number,
  clock: () => number,
): OfflineIssuer {
  const service: LicenseOutcomes = {
    ...outcomes,
    activate: (request) => outcomes.activate({ ...request, deviceName: markedName(request.deviceName) }),
  }
  /** Until when a device has to wait, by its license key and fingerprint. */
  const busyUntilMs = createMemory<number>(maxBusy)

  async function issue(
    request: OfflineRequest,
    withCode: boolean,
  ): Promise<OfflineAnswer | Reply | Unsettled> {
    const { trustedKeys } = request
    const signer = await signers.forClient(trustedKeys)
    // An app that trusts more keys lists only the first ones.
    if (!signer.isTrusted && trustedKeys.length < mostTrustedKeys) return untrusted
    const nowMs = clock()
    const activation = await activateForRequest(service, request, nowMs)
    if (activation.kind === 'failed') {
      const { reply } = activation.outcome
      return activation.mayHaveSeat === true ? { unsettled: reply } : reply
    }
    if (activation.kind === 'unlisted') return refused(403, 'list-not-allowed')
    if (activation.kind === 'refused') return refusedFor(activation.reason)
    const marked = await withMarkedName(request, activation, nowMs)
    if (marked.kind !== 'activated') return replyOfFailed(marked)
    const { license, activationId } = marked
    const claims = await offlineClaimsOf({ request, license, activationId, days, nowMs, signedBy: signer })
    const answer = writeOfflineAnswer(await signer.sign(claims, offlineType))
    return {
      answer: wrapOfflineText(answer),
      ...(withCode && { code: await drawCode(answer) }),
      device: request.deviceName,
      validUntil: new Date(claims.exp * 1000).toISOString(),
      ...(!signer.isTrusted && { remark: 'lease-key-untrusted' }),
    }
  }

  /**
   * Activates the device again if its activation's name doesn't say until when it runs without internet, because a name
   * can't be changed. Otherwise anyone with the license key could free the seat, and use it for another computer.
   */
  async function withMarkedName(
    { licenseKey, deviceName, fingerprint }: OfflineRequest,
    adopted: Activated,
    nowMs: number,
  ): Promise<Activated | UndecidedReply | Refusal> {
    const { activationId } = adopted
    const listed = await service.listActivations({ licenseKey })
    if (listed.kind !== 'answer') return listed
    const kept = listed.value.activations.find(({ id }) => id === activationId)
    if (kept === undefined || mayAnswerFor(kept, nowMs)) return adopted
    const freed = await service.deactivate({ licenseKey, activationId, fingerprint })
    if (freed.kind === 'unavailable') return freed
    const taken = await service.activate({ licenseKey, deviceName, fingerprint })
    if (taken.kind !== 'answer') return taken
    // The answer to *activate* may not say when the license ends.
    return { kind: 'activated', license: adopted.license, activationId: taken.value.activation.id }
  }

  /**
   * Two clicks on one request must not both find that the device has no activation yet, so the second one is refused for a
   * while. A request whose client went away may end without a trace.
   */
  async function oneAtATime<Done extends object>(
    { licenseKey, fingerprint }: Pick<OfflineRequest, 'licenseKey' | 'fingerprint'>,
    act: () => Promise<Done | Reply | Unsettled>,
  ): Promise<Done | Reply> {
    const id = JSON.stringify([licenseKey, fingerprint])
    const waitMs = (busyUntilMs.get(id) ?? 0) - clock()
    // A clock that was set back must not refuse a device for longer.
    if (waitMs > 0 && waitMs <= longestMs) return { ...refused(503, 'upstream-busy'), retryAfterMs: waitMs }
    busyUntilMs.set(id, clock() + longestMs)
    const outcome = await act().catch((error: unknown) => {
      busyUntilMs.delete(id)
      throw error
    })
    if ('unsettled' in outcome) {
      busyUntilMs.set(id, clock() + longestMs)
      return outcome.unsettled
    }
    busyUntilMs.delete(id)
    return outcome
  }

  async function free(release: ReleaseCode): Promise<{ readonly released: boolean } | Reply> {
    const outcome = await freeReleasedSeat(service, release)
    if (outcome.kind === 'failed') return outcome.outcome.reply
    if (outcome.kind === 'refused') return refusedFor(outcome.reason)
    return { released: outcome.kind === 'freed' }
  }

  return {
    answer: (request, withCode) => oneAtATime(request, () => issue(request, withCode)),
    free: (release) => oneAtATime(release, () => free(release)),
  }
}

/** Returns a text as a QR code, as SVG; `null` if it is too long for one. Loaded when the page first asks for one. */
async function drawCode(text: string): Promise<string | null> {
  const { default: encodeQR } = await import('qr')
  try {
    return encodeQR(text, 'svg', { ecc: 'low', border: 4 })
  } catch {
    return null
  }
}
