import { isSameId } from '@latchkey/commerce'
import {
  type OfflineProblem,
  type OfflineProblemCode,
  offlineProblemMessages,
} from '../shared/offline-problem.ts'
import type { ProblemCode } from '../shared/problem.ts'
import type { OfflineRequestResult } from '../shared/results.ts'
import { formatTimestamp } from '../shared/timestamp.ts'
import { clockToleranceMs } from './clock.ts'
import type { DeviceRecord } from './device-record.ts'
import type { LicensingPorts, OfflineAnswer, OfflinePort } from './ports.ts'
import { type AnyCause, describeProblem, nameError, type ProblemCause } from './problem.ts'
import {
  type ActivationRecord,
  heldAs,
  isOwedId,
  type LicenseRecord,
  type OpenOfflineRequest,
  withActivation,
} from './record.ts'
import { hasReleaseCode } from './state.ts'

/** Outcome of `activateOffline`, before its state is added. */
export type AnswerOutcome = { readonly ok: true } | { readonly ok: false; readonly problem: OfflineProblem }

/** Activation without internet. Each runs alone, as every operation that takes or frees a seat. */
export interface OfflineVerbs {
  createRequest(licenseKey: string): Promise<OfflineRequestResult>
  activate(text: string): Promise<AnswerOutcome>
  /** Returns the address of the page with the release code of an activation; `null` if it has none. Never rejects. */
  releaseLink(activation: ActivationRecord | null): Promise<string | null>
}

/** Creates the verbs. */
export function createOfflineVerbs(record: DeviceRecord, ports: LicensingPorts): OfflineVerbs {
  const { clock, logger, service } = ports

  async function openRequest(port: OfflinePort, licenseKey: string): Promise<OpenOfflineRequest> {
    const { offline } = record.current
    // The answer to a request that was shown before stays usable.
    if (offline !== null && isSameId(offline.licenseKey, licenseKey)) return offline
    const opened = {
      licenseKey,
      nonce: port.createNonce(),
      secret: port.createSecret(),
      requestedAtMs: record.time.nowMs(),
    }
    await record.change((now) => ({ ...now, service: service.name, offline: opened }))
    return opened
  }

  async function releaseLink(activation: ActivationRecord | null): Promise<string | null> {
    if (activation?.offline == null) return null
    try {
      const port = await ports.offline?.()
      return port?.writeRelease(activation.offline, record.time.nowMs()) ?? null
    } catch (error) {
      // The seat is still freed once the service can be reached.
      logger.error(`The release code could not be created (${nameError(error)})`)
      return null
    }
  }

  return {
    async createRequest(licenseKey) {
      const port = await ports.offline?.()
      if (port === undefined) {
        return { ok: false, problem: describeProblem(notSetUp(ports), clock.now()) }
      }
      const { fingerprint, label } = await record.identity()
      const { nonce, secret } = await openRequest(port, licenseKey)
      const leaves = record.current.owed
        .filter(hasReleaseCode)
        .filter((entry) => isSameId(entry.licenseKey, licenseKey))
        .map(({ activationId }) => activationId)
      const facts = { licenseKey, fingerprint, label, nonce, secret, leaves }
      return { ok: true, ...(await port.writeRequest(facts)) }
    },

    async activate(text) {
      const refuse = ({ code }: AnyCause): AnswerOutcome => {
        record.noteOutcome('activate without internet', { code })
        return { ok: false, problem: describeOfflineProblem({ code }, clock.now()) }
      }
      const port = await ports.offline?.()
      if (port === undefined) return refuse(notSetUp(ports))
      const { fingerprint } = await record.identity()
      const reading = port.readAnswer(text)
      if (!reading.ok) return refuse(reading)
      const verdict = judgeAnswer(reading.answer, record.current, fingerprint, record.time.nowMs())
      if (!verdict.ok) return refuse(verdict)
      if (verdict.provenMs !== null) record.noteAnswer(verdict.provenMs, true)
      const { request } = verdict
      const { jws, activationId, issuedAtMs, expiresAtMs, license } = reading.answer
      const made: ActivationRecord = {
        licenseKey: request.licenseKey,
        activationId,
        service: service.name,
        fingerprint,
        license: { ...license, licensee: null, isEndUnknown: false, status: 'ACTIVE' },
        activatedAtMs: record.time.nowMs(),
        verdict: 'valid',
        decidedAtMs: issuedAtMs,
        validAtMs: issuedAtMs,
        isListed: false,
        unknown: null,
        lease: null,
        offline: { jws, issuedAtMs, expiresAtMs, secret: request.secret },
      }
      const { activation: before } = record.current
      // This device may never go online to free the other seat itself.
      const link = heldAs(record.current, activationId) !== null ? null : await releaseLink(before)
      await record.change((now, nowMs) => {
        // What waits for the network is finished by this activation, or given up.
        const next = withActivation({ ...now, wanted: null }, service, made, [], nowMs)
        return before === null ? next : withReleaseLink(next, before.activationId, link)
      })
      return { ok: true }
    },

    releaseLink,
  }
}

/** Returns the record with this release code for a seat that is owed. */
export function withReleaseLink(
  record: LicenseRecord,
  activationId: string,
  releaseLink: string | null,
): LicenseRecord {
  if (releaseLink === null) return record
  const owed = record.owed.map((entry) => (isOwedId(entry, activationId) ? { ...entry, releaseLink } : entry))
  return { ...record, owed }
}

/** The problem only asks the user to contact the developer. */
function notSetUp({ logger }: LicensingPorts): ProblemCause {
  logger.warn('An activation without internet was refused: the option offlineActivation is not set.')
  return { code: 'misconfigured' }
}

/** Creates the plain data for results of an activation without internet. `nowMs` is wall-clock time. */
export function describeOfflineProblem(cause: AnyCause, nowMs: number): OfflineProblem {
  const { code } = cause
  if (!isAboutAnswer(code)) return describeProblem({ ...cause, code }, nowMs)
  const message = offlineProblemMessages[code]
  return { code, message, isRetryable: false, occurredAt: formatTimestamp(nowMs) }
}

function isAboutAnswer(code: OfflineProblemCode | ProblemCode): code is OfflineProblemCode {
  return Object.hasOwn(offlineProblemMessages, code)
}

type AnswerVerdict =
  | {
      readonly ok: true
      readonly request: OpenOfflineRequest
      /** The time that the answer proves, in milliseconds since the epoch; `null` if the clock here agrees with it. */
      readonly provenMs: number | null
    }
  | { readonly ok: false; readonly code: OfflineProblemCode }

/**
 * Decides whether an answer with a valid signature activates this device. It must be for this app, device and request, and
 * must not have ended. Pure; `nowMs` is the high-water mark.
 */
function judgeAnswer(
  answer: OfflineAnswer,
  { activation, offline: request, owed }: LicenseRecord,
  fingerprint: string,
  nowMs: number,
): AnswerVerdict {
  if (activation?.offline?.jws === answer.jws) return { ok: false, code: 'offline-answer-used' }
  if (!answer.isForThisApp) return { ok: false, code: 'offline-answer-other-app' }
  if (answer.fingerprint !== fingerprint) return { ok: false, code: 'offline-answer-other-device' }
  // The request asked for another activation than those whose release codes may still be used.
  const isLeft = owed.some((entry) => hasReleaseCode(entry) && isOwedId(entry, answer.activationId))
  if (request === null || request.nonce !== answer.nonce || !answer.isAbout(request.licenseKey) || isLeft) {
    return { ok: false, code: 'offline-answer-other-request' }
  }
  const provenMs = timeProvenBy(answer, request.requestedAtMs, nowMs)
  return (provenMs ?? nowMs) < answer.expiresAtMs
    ? { ok: true, request, provenMs }
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
