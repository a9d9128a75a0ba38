import { randomUUID } from 'node:crypto'
import { type CallOptions, type CommerceError, isCommerceError, type License } from '@latchkey/commerce'
import type { CommandContext } from '../command-context.ts'
import type { LeaseRequest } from './examine-leases.ts'
import { unknownLicense } from './examine-not-found.ts'
import { explainRefusal, isUnknownAtGateway } from './explain-failure.ts'
import { explainLicense, isUnexplained, judgeUnexplained, judgeValidated } from './explain-license.ts'
import { type AnswerWatch, watchAnswers } from './explain-proxy.ts'
import type { Finding } from './finding.ts'
import { freeSeat, type TriedActivation } from './free-seat.ts'
import { type KeyList, type Licenses, listKeys } from './key-list.ts'

type Route = 'list keys' | 'activate' | 'show key' | 'validate' | 'deactivate'
type Result = Pick<Finding, 'verdict' | 'detail'>

/**
 * Sends each of the five license requests through a gateway, as an app would: takes a seat with a unique name, shows
 * and validates it, and frees it again, even after Ctrl-C.
 *
 * @param lease asks for a lease with the validation.
 * @param onSeat receives how freeing the seat went, even if the promise then rejects because of Ctrl-C.
 */
export async function examineGateway(
  { commerce, terminal, baseUrl }: CommandContext,
  licenseId: string,
  lease: LeaseRequest | null,
  onSeat: (finding: Finding) => void,
): Promise<readonly Finding[]> {
  const { licenses } = commerce
  const findings: Finding[] = []
  const watch = watchAnswers({ baseUrl, whose: 'gateway' })
  const { onAnswer } = watch
  const call = { signal: terminal.signal, onAnswer }
  let isListed = false
  const judgeFailure = (error: CommerceError): Result => judgeError(error, watch, isListed)
  const attempt = async <T>(check: Route, work: () => Promise<T>, judge: (value: T) => Result) => {
    try {
      const value = await work()
      findings.push({ check, ...judge(value) })
      return value
    } catch (error) {
      if (!isCommerceError(error) || error.code === 'cancelled') throw error
      findings.push({ check, ...judgeFailure(error) })
      return null
    }
  }

  const list = await attempt('list keys', () => listKeys(licenses, licenseId, call), judgeList)
  if (list === null) return findings
  isListed = list.missing === null

  const name = `latchkey doctor ${randomUUID().slice(0, 8)}`
  let activation: Activation = { keyId: null, mayHaveSeat: true, isUnknown: false, unexplained: null }
  try {
    const { finding, ...activated } = await activate(licenses, licenseId, name, call, judgeFailure)
    activation = activated
    if (isUnknown(list, activation)) {
      return [{ check: 'license', verdict: 'bad', detail: unknownLicense }]
    }
    findings.push(finding)
    const keyId = activation.keyId ?? list.keys[0]?.id ?? null
    let license: License | null = null
    if (keyId === null) {
      findings.push(notTried('show key'), notTried('validate'))
    } else {
      await attempt(
        'show key',
        () => licenses.key(licenseId, keyId, call),
        () => good('shown'),
      )
      const validate = () => licenses.validate(licenseId, { key: keyId }, withLease(call, lease))
      const validated = await attempt('validate', validate, (answer) => judgeValidated(answer.license))
      license = validated?.license ?? null
    }
    if (activation.unexplained !== null) {
      const isUnused = isListed && list.keys.length === 0
      const result = judgeUnexplained(activation.unexplained, license, isUnused)
      findings.splice(findings.indexOf(finding), 1, { ...finding, ...result })
    }
  } finally {
    if (!isUnknown(list, activation)) {
      const finding = await freeSeat(licenses, licenseId, name, activation, terminal.signal, watch)
      findings.push(finding)
      onSeat(finding)
    }
  }
  return findings
}

function withLease(call: CallOptions, lease: LeaseRequest | null): CallOptions {
  if (lease === null) return call
  return {
    ...call,
    headers: lease.headers,
    onAnswer: (answer) => {
      call.onAnswer?.(answer)
      lease.onAnswer(answer)
    },
  }
}

function judgeList({ keys, missing }: KeyList): Result {
  return missing === null ? good(countOf(keys)) : { verdict: 'note', detail: missing }
}

function good(detail: string): Result {
  return { verdict: 'good', detail }
}

/** Returns how many keys a license has, as text. */
export function countOf({ length }: readonly unknown[]): string {
  return length === 1 ? '1 key' : `${length} keys`
}

function notTried(check: Route): Finding {
  return { check, verdict: 'note', detail: 'not tried: no key is known to try it with' }
}

interface Activation extends TriedActivation {
  /** Whether the gateway says that no service knows the license. */
  readonly isUnknown: boolean
  /** The refusal, if it has no reason. */
  readonly unexplained: CommerceError | null
}

async function activate(
  licenses: Licenses,
  licenseId: string,
  name: string,
  call: CallOptions,
  judgeFailure: (error: CommerceError) => Result,
): Promise<Activation & { readonly finding: Finding }> {
  try {
    const { key } = await licenses.activate(licenseId, { name }, call)
    const finding: Finding = { check: 'activate', ...good(`took a seat as ${name}`) }
    return { keyId: key.id, mayHaveSeat: true, isUnknown: false, unexplained: null, finding }
  } catch (error) {
    if (!isCommerceError(error) || error.code === 'cancelled') throw error
    const finding: Finding = { check: 'activate', ...judgeFailure(error) }
    // A proxy's refusal says nothing about the license.
    const unexplained = finding.verdict === 'note' && isUnexplained(error) ? error : null
    const mayHaveSeat = !isRefused(error)
    return { keyId: null, mayHaveSeat, isUnknown: isUnknownAtGateway(error), unexplained, finding }
  }
}

/** @param isListed whether the service accepted the gateway's access token for the list of keys. */
function judgeError(error: CommerceError, watch: AnswerWatch, isListed: boolean): Result {
  const explained = explainLicense(error)
  if (explained !== null) return explained
  const reason = watch.explain(error)?.detail ?? explainForbidden(error, isListed) ?? explainRefusal(error)
  if (reason === null && isUnexplained(error)) return judgeUnexplained(error, null)
  return { verdict: 'bad', detail: reason ?? error.message }
}

/** Explains a refusal of the token that the service has just accepted; `null` for other errors. */
function explainForbidden({ refusalCode }: CommerceError, isListed: boolean): string | null {
  if (!isListed || refusalCode !== 'upstream-unauthorized') return null
  return `the gateway answers, but the service forbids this request, although it accepts the access token for the list of keys: the license may be suspended or have ended, or the token may not allow it (${refusalCode})`
}

/** Whether the gateway or the service refused before it took a seat. */
function isRefused({ code, status, bodyIsJson, refusalCode }: CommerceError): boolean {
  if (code === 'not-found') return bodyIsJson === true
  if (code === 'rejected' || code === 'unauthorized') return true
  const isDefinite = refusalCode === 'upstream-unauthorized' || refusalCode === 'upstream-misconfigured'
  return status === 429 || isDefinite
}

/** Whether neither the list nor the activation found the license, so that no seat was taken. */
function isUnknown(list: KeyList, activation: Activation): boolean {
  return list.isUnknown && activation.isUnknown
}
