import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type CommerceClient, type CommerceError, isCommerceError, type LicenseKey } from '@latchkey/commerce'
import type { CommandContext } from '../command-context.ts'
import { unknownLicense } from './examine-not-found.ts'
import {
  explainMissingList,
  explainNothingListed,
  explainRefusal,
  isUnknownAtGateway,
} from './explain-failure.ts'
import type { Finding } from './finding.ts'

type Route = 'list keys' | 'activate' | 'show key' | 'validate' | 'deactivate'
type Result = Pick<Finding, 'verdict' | 'detail'>
type Licenses = CommerceClient['licenses']

/**
 * Sends each of the five license requests through a gateway, as an app would: takes a seat with a unique name, shows
 * and validates it, and frees it again, even after Ctrl-C.
 *
 * @param onSeat receives how freeing the seat went, even if the promise then rejects because of Ctrl-C.
 */
export async function examineGateway(
  { commerce, terminal }: CommandContext,
  licenseId: string,
  onSeat: (finding: Finding) => void,
): Promise<readonly Finding[]> {
  const { licenses } = commerce
  const findings: Finding[] = []
  const call = { signal: terminal.signal }
  const attempt = async <T>(check: Route, work: () => Promise<T>, judge: (value: T) => Result) => {
    try {
      const value = await work()
      findings.push({ check, ...judge(value) })
      return value
    } catch (error) {
      if (!isCommerceError(error) || error.code === 'cancelled') throw error
      findings.push({ check, verdict: 'bad', detail: explainRefusal(error) ?? error.message })
      return null
    }
  }

  const list = await attempt('list keys', () => listKeys(licenses, licenseId, call), judgeList)
  if (list === null) return findings

  const name = `latchkey doctor ${randomUUID().slice(0, 8)}`
  let activation: Activation = { keyId: null, mayHaveSeat: true, isUnknown: false }
  try {
    const { finding, ...activated } = await activate(licenses, licenseId, name, call)
    activation = activated
    if (isUnknown(list, activation)) {
      return [{ check: 'license', verdict: 'bad', detail: unknownLicense }]
    }
    findings.push(finding)
    const keyId = activation.keyId ?? list.keys[0]?.id ?? null
    if (keyId === null) {
      findings.push(notTried('show key'), notTried('validate'))
    } else {
      await attempt(
        'show key',
        () => licenses.key(licenseId, keyId, call),
        () => good('shown'),
      )
      const validate = () => licenses.validate(licenseId, { key: keyId }, call)
      await attempt('validate', validate, ({ license }) => good(`the license’s status is ${license.status}`))
    }
  } finally {
    if (!isUnknown(list, activation)) {
      const finding = await freeSeat(licenses, licenseId, name, activation, terminal.signal)
      findings.push(finding)
      onSeat(finding)
    }
  }
  return findings
}

interface KeyList {
  readonly keys: readonly LicenseKey[]
  /** Why the gateway has no list; `null` if it has one. */
  readonly missing: string | null
  /** Whether it says that no service knows the license. */
  readonly isUnknown: boolean
}

/** Lists the keys of a license, or says why the gateway can't. Apps work without that list. */
async function listKeys(
  licenses: Licenses,
  licenseId: string,
  call?: { readonly signal: AbortSignal },
): Promise<KeyList> {
  try {
    return { keys: await licenses.keys(licenseId, call), missing: null, isUnknown: false }
  } catch (error) {
    if (!isCommerceError(error)) throw error
    const missing = explainMissingList(error) ?? explainNothingListed(error)
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
}

async function activate(
  licenses: Licenses,
  licenseId: string,
  name: string,
  call: { readonly signal: AbortSignal },
): Promise<Activation & { readonly finding: Finding }> {
  try {
    const { key } = await licenses.activate(licenseId, { name }, call)
    const finding: Finding = { check: 'activate', ...good(`took a seat as ${name}`) }
    return { keyId: key.id, mayHaveSeat: true, isUnknown: false, finding }
  } catch (error) {
    if (!isCommerceError(error) || error.code === 'cancelled') throw error
    const finding: Finding = { check: 'activate', ...judgeRefusal(error) }
    return { keyId: null, mayHaveSeat: !isRefused(error), isUnknown: isUnknownAtGateway(error), finding }
  }
}

function judgeRefusal(error: CommerceError): Result {
  const { code, message, status } = error
  if (code !== 'rejected') return { verdict: 'bad', detail: explainRefusal(error) ?? message }
  return {
    verdict: 'note',
    detail: `refused with status ${status}: use a license with a free seat to try it`,
  }
}

/** Whether the gateway or the service refused before it took a seat. */
function isRefused({ code, status, bodyIsJson, refusalCode }: CommerceError): boolean {
  if (code === 'not-found') return bodyIsJson === true
  if (code === 'rejected' || code === 'unauthorized') return true
  return status === 429 || refusalCode === 'upstream-unauthorized'
}

/** Whether neither the list nor the activation found the license, so that no seat was taken. */
function isUnknown(list: KeyList, activation: Activation): boolean {
  return list.isUnknown && activation.isUnknown
}

/** A taken seat is freed even after Ctrl-C. Only the wait for one ends then. */
async function freeSeat(
  licenses: Licenses,
  licenseId: string,
  name: string,
  activation: Activation,
  signal: AbortSignal,
): Promise<Finding> {
  const check = 'deactivate'
  try {
    // The activation may have taken a seat even if its answer was lost.
    const find = () => findKey(licenses, licenseId, name)
    const found =
      activation.keyId === null ? await findLate(find, activation.mayHaveSeat ? pausesMs : [], signal) : null
    const keyId = activation.keyId ?? found?.keyId ?? null
    if (keyId === null) {
      return activation.mayHaveSeat
        ? { check, verdict: 'bad', detail: perhapsTaken(name, found?.missing ?? null) }
        : { check, verdict: 'note', detail: 'not tried: no seat was taken' }
    }
    await licenses.deactivate(licenseId, { key: keyId })
    const left = await find()
    if (left.missing !== null) return { check, ...good('freed the seat again, which no list can confirm') }
    return left.keyId === null
      ? { check, ...good('freed the seat again') }
      : { check, verdict: 'bad', detail: stillTaken(name, 'it is still in the list of keys.') }
  } catch (error) {
    if (!isCommerceError(error)) throw error
    return { check, verdict: 'bad', detail: stillTaken(name, error.message) }
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

function stillTaken(name: string, why: string): string {
  return `the seat of "${name}" could not be freed: ${why} Free it with latchkey keys release.`
}
