import type { OfflineProblemCode } from '../../../shared/offline-problem.ts'
import type { OfflineAnswer } from '../../ports/offline-port.ts'
import { clockToleranceMs } from '../../time/high-water-mark.ts'
import { hasReleaseCode } from '../outbox-entries.ts'
import type { Vault } from '../vault.ts'

/** What an answer with a valid signature means on this device. */
export type OfflineVerdict =
  | {
      readonly ok: true
      readonly licenseId: string
      /** The time that the answer proves, in milliseconds since the epoch; `null` if the clock here agrees with it. */
      readonly provenMs: number | null
      /** The secret of the request. */
      readonly secret: string
    }
  | { readonly ok: false; readonly code: OfflineProblemCode }

/**
 * Decides whether an answer activates this device. It must be for this app, device and request, and must not have ended.
 * Pure; `nowMs` is the high-water mark.
 */
export function judgeOfflineAnswer(
  answer: OfflineAnswer,
  vault: Vault,
  fingerprint: string,
  nowMs: number,
): OfflineVerdict {
  const { activation, offlineRequest } = vault
  if (activation?.offline?.jws === answer.jws) return { ok: false, code: 'offline-answer-used' }
  if (!answer.isForThisApp) return { ok: false, code: 'offline-answer-other-app' }
  if (answer.fingerprint !== fingerprint) return { ok: false, code: 'offline-answer-other-device' }
  const isOurs = offlineRequest?.nonce === answer.nonce && answer.isAbout(offlineRequest.licenseId)
  if (!isOurs) return { ok: false, code: 'offline-answer-other-request' }
  // The request asked for another key, because the release code of this one may still be used.
  const key = { licenseId: offlineRequest.licenseId, keyId: answer.keyId }
  const isLeft = vault.outbox.some((release) => hasReleaseCode(release, key))
  if (isLeft) return { ok: false, code: 'offline-answer-other-request' }
  const provenMs = timeProvenBy(answer, offlineRequest.requestedAtMs, nowMs)
  return (provenMs ?? nowMs) < answer.expiresAtMs
    ? { ok: true, licenseId: offlineRequest.licenseId, provenMs, secret: offlineRequest.secret }
    : { ok: false, code: 'offline-answer-expired' }
}

/**
 * A computer that never goes online may have a wrong clock. The answer was signed after the request was created, so now
 * is not before it was signed, and at most as long after it as has passed here since the request.
 */
function timeProvenBy({ issuedAtMs }: OfflineAnswer, requestedAtMs: number, nowMs: number): number | null {
  const latestMs = issuedAtMs + Math.max(0, nowMs - requestedAtMs)
  if (nowMs < issuedAtMs) return issuedAtMs
  return nowMs > latestMs + clockToleranceMs ? latestMs : null
}
