import type { OfflineProblem, OfflineProblemCode } from '../../shared/offline-problem.ts'
import type { OfflineActivationResult, OfflineRequestResult } from '../../shared/results.ts'
import type { LicensingSession } from '../licensing-session.ts'
import type { OfflinePort, OfflineRelease } from '../ports/offline-port.ts'
import { describeProblem, type ProblemCause } from '../problem.ts'
import { keysWithReleaseCode } from '../record/outbox-entries.ts'
import { isSameId } from '../record/same-id.ts'
import { judgeOfflineAnswer } from '../record/seats/judge-offline-answer.ts'
import { describeOfflineProblem } from './describe-offline-problem.ts'
import { findLicenseKey } from './find-license-key.ts'
import type { OfflineOnDemand } from './offline-on-demand.ts'

/** Outcome of `activateOffline`, before its state is added. */
type AnswerOutcome = { readonly ok: true } | { readonly ok: false; readonly problem: OfflineProblem }

/** What the verbs share with the others. */
export interface OfflineVerbsOptions {
  readonly session: LicensingSession
  /**
   * Runs an operation alone and shows it as an activation. `onDefect` gives its result if it fails unexpectedly.
   *
   * @param subject what it works on. Two calls with the same one share an operation.
   */
  run<Outcome>(
    subject: string,
    operation: () => Promise<Outcome>,
    onDefect: (cause: ProblemCause) => Outcome,
  ): Promise<Outcome>
}

/** Activation without internet. */
export interface OfflineVerbs {
  createOfflineRequest(licenseKeyText: string): Promise<OfflineRequestResult>
  activateOffline(text: string): Promise<OfflineActivationResult>
  /** Returns the address of the page with this device's release code; `undefined` if it has none. */
  releaseLink(answer: OfflineRelease): Promise<string | undefined>
}

/**
 * Creates the verbs. They are loaded when an app first calls one.
 *
 * @param releaseCode returns the release code of this device's seat; `undefined` if it has none. Never rejects.
 */
export function createOfflineVerbs(
  { session, run }: OfflineVerbsOptions,
  releaseCode: OfflineOnDemand['releaseCode'],
): OfflineVerbs {
  const { ports, published, journal } = session

  async function loadPort(): Promise<OfflinePort | null> {
    return ports.offline === undefined ? null : ports.offline()
  }

  /** The problem only asks the user to contact the developer. */
  function notSetUp(): ProblemCause {
    ports.logger.warn('An activation without internet was refused: the option offlineActivation is not set.')
    return { code: 'misconfigured' }
  }

  async function request(port: OfflinePort, licenseId: string): Promise<OfflineRequestResult> {
    const { fingerprint, label } = await session.identity()
    const { offlineRequest } = session.vault()
    // The answer to a request that was shown before stays usable.
    const isOpen = offlineRequest !== undefined && isSameId(offlineRequest.licenseId, licenseId)
    const { nonce, secret } = isOpen ? offlineRequest : await openRequest(port, licenseId)
    const leaves = keysWithReleaseCode(session.vault(), licenseId)
    return {
      ok: true,
      ...(await port.writeRequest({ licenseId, fingerprint, label, nonce, secret, leaves })),
    }
  }

  async function openRequest(
    port: OfflinePort,
    licenseId: string,
  ): Promise<{ readonly nonce: string; readonly secret: string }> {
    const opened = { nonce: port.createNonce(), secret: port.createSecret() }
    await session.record({ type: 'offline-requested', licenseId, ...opened })
    return opened
  }

  async function activate(port: OfflinePort, text: string): Promise<AnswerOutcome> {
    const refuse = (code: OfflineProblemCode): AnswerOutcome => {
      journal.note('activate without internet', { code })
      return { ok: false, problem: describeOfflineProblem({ code }, ports.clock.now()) }
    }
    const { fingerprint } = await session.identity()
    const reading = port.readAnswer(text)
    if (!reading.ok) return refuse(reading.code)
    const { answer } = reading
    const verdict = judgeOfflineAnswer(answer, session.vault(), fingerprint, session.time.nowMs())
    if (!verdict.ok) return refuse(verdict.code)
    const { licenseId, provenMs, secret } = verdict
    if (provenMs !== null) session.noteServerTime(provenMs)
    const { jws, keyId, issuedAtMs, expiresAtMs, license } = answer
    const { activation: replaced } = session.vault()
    const isRenewed = replaced !== null && isSameId(replaced.keyId, keyId)
    // An activation that waits for the network is finished by this one. One of another license is given up.
    await session.record({ type: 'activation-requested', licenseId })
    await session.record({
      type: 'activated',
      record: {
        licenseId,
        keyId,
        fingerprint,
        activatedAtMs: session.time.nowMs(),
        verdict: 'valid',
        decidedAtMs: issuedAtMs,
        validAtMs: issuedAtMs,
        license,
        offline: { jws, issuedAtMs, expiresAtMs, secret },
      },
      duplicateKeyIds: [],
      evidence: { isAnswered: false, list: { kind: 'unread' }, mustReadAgain: false },
      // This device may never go online to free the other seat itself.
      code: isRenewed ? undefined : await releaseCode(),
    })
    session.report('activate without internet', null)
    return { ok: true }
  }

  return {
    async createOfflineRequest(licenseKeyText) {
      const refuse = (cause: ProblemCause): OfflineRequestResult => ({
        ok: false,
        problem: describeProblem(cause, ports.clock.now()),
      })
      const port = await loadPort()
      if (port === null) return refuse(notSetUp())
      const found = findLicenseKey(ports, licenseKeyText)
      if (!found.ok) return refuse({ code: found.code })
      const { licenseKey } = found
      return run(`request\n${licenseKey}`, () => request(port, licenseKey), refuse)
    },
    async activateOffline(text) {
      if (typeof text !== 'string') ports.logger.warn('activateOffline() takes the answer as a text.')
      const refuse = (cause: ProblemCause): AnswerOutcome => ({
        ok: false,
        problem: describeOfflineProblem(cause, ports.clock.now()),
      })
      const port = await loadPort()
      const outcome =
        port === null
          ? refuse(notSetUp())
          : await run(`answer\n${text}`, () => activate(port, String(text ?? '')), refuse)
      // Read after the operation has ended: until then, the state shows it as running.
      return { ...outcome, state: published.current }
    },
    async releaseLink(answer) {
      const port = await loadPort()
      return port?.writeRelease(answer, session.time.nowMs()) ?? undefined
    },
  }
}
