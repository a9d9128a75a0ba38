import { setTimeout as delay } from 'node:timers/promises'
import { type CommerceError, isCommerceError, type LicenseKey } from '@latchkey/commerce'
import { explainRefusal } from './explain-failure.ts'
import type { AnswerWatch } from './explain-proxy.ts'
import type { Finding } from './finding.ts'
import { type Licenses, listKeys } from './key-list.ts'

const noSeat: Finding = { check: 'deactivate', verdict: 'note', detail: 'not tried: no seat was taken' }

interface Found {
  readonly keyId: string | null
  /** Why the gateway has no list; `null` if it has one. */
  readonly missing: string | null
}

/** What an activation did. */
export interface TriedActivation {
  readonly keyId: string | null
  /** Whether it took a seat, or may have taken one. */
  readonly mayHaveSeat: boolean
}

/** A taken seat is freed even after Ctrl-C. Only the wait for one ends then. */
export async function freeSeat(
  licenses: Licenses,
  licenseId: string,
  name: string,
  activation: TriedActivation,
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
    const failure = await deactivate(licenses, licenseId, keyId, onAnswer)
    if (failure !== null) {
      const isFree = await find().then(
        (left) => left.keyId === null && left.missing === null,
        () => false,
      )
      if (!isFree) throw failure
      return {
        check,
        verdict: 'bad',
        detail: `freed the seat again, but the answer was lost: ${reasonOf(failure, watch)}`,
      }
    }
    const left = await find()
    if (left.missing !== null)
      return { check, verdict: 'good', detail: 'freed the seat again, which no list can confirm' }
    return left.keyId === null
      ? { check, verdict: 'good', detail: 'freed the seat again' }
      : { check, verdict: 'bad', detail: stillTaken(name, 'it is still in the list of keys.') }
  } catch (error) {
    if (!isCommerceError(error)) throw error
    // The limit that stopped the activation also stops the list.
    if (!activation.mayHaveSeat) return noSeat
    const isProxied = watch.explain(error) !== null
    return { check, verdict: 'bad', detail: stillTaken(name, `${reasonOf(error, watch)}.`, isProxied) }
  }
}

function reasonOf(error: CommerceError, watch: AnswerWatch): string {
  return watch.explain(error)?.detail ?? explainRefusal(error) ?? error.message.replace(/\.$/u, '')
}

/** Returns the failure of a deactivation; `null` if it was answered. */
async function deactivate(
  licenses: Licenses,
  licenseId: string,
  keyId: string,
  onAnswer: AnswerWatch['onAnswer'],
): Promise<CommerceError | null> {
  try {
    await licenses.deactivate(licenseId, { key: keyId }, { onAnswer })
    return null
  } catch (error) {
    if (!isCommerceError(error)) throw error
    return error
  }
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
