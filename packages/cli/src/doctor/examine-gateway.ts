import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type CallOptions,
  type CommerceClient,
  type CommerceError,
  isCommerceError,
  type License,
  type LicenseKey,
} from '@latchkey/commerce'
import type { CommandContext } from '../command-context.ts'
import type { LeaseRequest } from './examine-leases.ts'
import { unknownLicense } from './examine-not-found.ts'
import {
  explainMissingList,
  explainNothingListed,
  explainRefusal,
  isUnknownAtGateway,
} from './explain-failure.ts'
import {
  explainLicense,
  explainUnusable,
  isUnexplained,
  judgeUnexplained,
  judgeValidated,
} from './explain-license.ts'
import { type AnswerWatch, watchAnswers } from './explain-proxy.ts'
import type { Finding } from './finding.ts'

type Route = 'list keys' | 'activate' | 'show key' | 'validate' | 'deactivate'
type Result = Pick<Finding, 'verdict' | 'detail'>
type Licenses = CommerceClient['licenses']

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
  const attempt = async <T>(check: Route, work: () => Promise<T>, judge: (value: T) => Result) => {
    try {
      const value = await work()
      findings.push({ check, ...judge(value) })
      return value
    } catch (error) {
      if (!isCommerceError(error) || error.code === 'cancelled') throw error
      findings.push({ check, ...judgeError(error, watch) })
      return null
    }
  }

  const list = await attempt('list keys', () => listKeys(licenses, licenseId, call), judgeList)
  if (list === null) return findings

  const name = `latchkey doctor ${randomUUID().slice(0, 8)}`
  let activation: Activation = { keyId: null, mayHaveSeat: true, isUnknown: false, unexplained: null }
  try {
    const { finding, ...activated } = await activate(licenses, licenseId, name, call, watch)
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
      const isUnused = list.missing === null && list.keys.length === 0
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

interface KeyList {
  readonly keys: readonly LicenseKey[]
  /** Why the gateway has no list; `null` if it has one. */
  readonly missing: string | null
  /** Whether it says that no service knows the license. */
  readonly isUnknown: boolean
}

/** Lists the keys of a license, or says why the gateway can't. Apps work without that list. */
async function listKeys(licenses: Licenses, licenseId: string, call?: CallOptions): Promise<KeyList> {
  try {
    return { keys: await licenses.keys(licenseId, call), missing: null, isUnknown: false }
  } catch (error) {
    if (!isCommerceError(error)) throw error
    const missing = explainMissingList(error) ?? explainNothingListed(error) ?? explainUnusable(error)
    if (missing === null) throw error
    return { keys: [], missing, isUnknown: isUnknownAtGateway(error) }
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

interface Activation {
  readonly keyId: string | null
  /** Whether it took a seat, or may have taken one. */
  readonly mayHaveSeat: boolean
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
  watch: AnswerWatch,
): Promise<Activation & { readonly finding: Finding }> {
  try {
    const { key } = await licenses.activate(licenseId, { name }, call)
    const finding: Finding = { check: 'activate', ...good(`took a seat as ${name}`) }
    return { keyId: key.id, mayHaveSeat: true, isUnknown: false, unexplained: null, finding }
  } catch (error) {
    if (!isCommerceError(error) || error.code === 'cancelled') throw error
    const finding: Finding = { check: 'activate', ...judgeError(error, watch) }
    // A proxy's refusal says nothing about the license.
    const unexplained = finding.verdict === 'note' && isUnexplained(error) ? error : null
    const mayHaveSeat = !isRefused(error)
    return { keyId: null, mayHaveSeat, isUnknown: isUnknownAtGateway(error), unexplained, finding }
  }
}

function judgeError(error: CommerceError, watch: AnswerWatch): Result {
  const explained = explainLicense(error)
  if (explained !== null) return explained
  const reason = watch.explain(error)?.detail ?? explainRefusal(error)
  if (reason === null && isUnexplained(error)) return judgeUnexplained(error, null)
  return { verdict: 'bad', detail: reason ?? error.message }
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

const noSeat: Finding = { check: 'deactivate', verdict: 'note', detail: 'not tried: no seat was taken' }

/** A taken seat is freed even after Ctrl-C. Only the wait for one ends then. */
async function freeSeat(
  licenses: Licenses,
  licenseId: string,
  name: string,
  activation: Activation,
  signal: AbortSignal,
  watch: AnswerWatch,
): Promise<Finding> {
  const check = 'deactivate'
  const { onAnswer } = watch
  try {
    // The activation may have taken a seat even if its answer was lost.
    const find = () => findKey(licenses, licenseId, name)
    const found =
      activation.keyId === null ? await findLate(find, activation.mayHaveSeat ? pausesMs : [], signal) : null
    const keyId = activation.keyId ?? found?.keyId ?? null
    if (keyId === null) {
      return activation.mayHaveSeat
        ? { check, verdict: 'bad', detail: perhapsTaken(name, found?.missing ?? null) }
        : noSeat
    }
    await licenses.deactivate(licenseId, { key: keyId }, { onAnswer })
    const left = await find()
    if (left.missing !== null) return { check, ...good('freed the seat again, which no list can confirm') }
    return left.keyId === null
      ? { check, ...good('freed the seat again') }
      : { check, verdict: 'bad', detail: stillTaken(name, 'it is still in the list of keys.') }
  } catch (error) {
    if (!isCommerceError(error)) throw error
    // The limit that stopped the activation also stops the list.
    if (!activation.mayHaveSeat) return noSeat
    const proxied = watch.explain(error)?.detail ?? null
    const explained = proxied ?? explainRefusal(error)
    const reason = explained === null ? error.message : `${explained}.`
    return { check, verdict: 'bad', detail: stillTaken(name, reason, proxied !== null) }
  }
}

interface Found {
  readonly keyId: string | null
  /** Why the gateway has no list; `null` if it has one. */
  readonly missing: string | null
}

/** How long to wait before each further look for a seat that a slow service may still take, in milliseconds. */
const pausesMs = [1000, 2000, 3000, 4000, 5000, 5000]

/** Looks for a key, and again after each pause. After Ctrl-C, it looks only once. */
async function findLate(
  find: () => Promise<Found>,
  pauses: readonly number[],
  signal: AbortSignal,
): Promise<Found> {
  let found = await find()
  for (const pauseMs of pauses) {
    if (found.keyId !== null || found.missing !== null || signal.aborted) break
    await delay(pauseMs, undefined, { signal }).catch(() => {})
    found = await find()
  }
  return found
}

async function findKey(licenses: Licenses, licenseId: string, name: string): Promise<Found> {
  const { keys, missing, isUnknown } = await listKeys(licenses, licenseId)
  // A gateway in front of another service adds a fingerprint to the name.
  const isOurs = (key: LicenseKey): boolean => key.name === name || key.name.startsWith(`${name} [`)
  // A gateway for several services doesn't know a license without devices.
  return { keyId: keys.find(isOurs)?.id ?? null, missing: isUnknown ? null : missing }
}

function perhapsTaken(name: string, missing: string | null): string {
  const advice =
    missing === null
      ? 'the list doesn’t show it yet: look for it in a few minutes with latchkey keys list'
      : 'no list shows it: look for it at your service'
  return `the activation may have taken a seat as "${name}", and ${advice}`
}

/** @param isProxied whether a proxy answered, as it would answer `latchkey keys release`. */
function stillTaken(name: string, why: string, isProxied = false): string {
  const where = isProxied ? ' directly at the service, or once the proxy lets DELETE through' : ''
  return `the seat of "${name}" could not be freed: ${why} Free it with latchkey keys release${where}.`
}
