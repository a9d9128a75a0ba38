import type { LicenseKey } from '@latchkey/commerce'
import type { ProblemCode } from '../shared/problem.ts'
import type { Desk } from './desk.ts'
import { composeKeyName } from './key-name.ts'
import { type Listing, listKeys } from './own-keys.ts'
import type { Trouble } from './problem.ts'
import { type Failure, type Reading, readFailure, readLicense } from './read-answer.ts'
import { readKey } from './validation.ts'
import type { LicenseFacts, Verdict } from './vault.ts'

/** How an activation ended. A success may still carry a trouble worth telling. */
export type ActivationOutcome =
  | { readonly ok: true; readonly trouble: Trouble | null }
  | { readonly ok: false; readonly trouble: Trouble }

type Licensed = Extract<Reading, { kind: 'licensed' }>

/**
 * Brings the pending activation to its end: adopts a key this device already has, and takes a seat only when
 * there is none. Whatever is lost on the way is found again by listing, at once or at the next try.
 *
 * @param isUserRequest whether a person asked just now. By itself Latchkey never sends a second activation that
 * it cannot first prove to be needed.
 */
export async function pursueActivation(desk: Desk, isUserRequest: boolean): Promise<ActivationOutcome> {
  const { pending } = desk.vault()
  if (pending === null) return failed({ code: 'unexpected' })
  const { licenseId } = pending

  const listing = await listKeys(desk, licenseId)
  switch (listing.kind) {
    case 'no-license':
      return refuse(desk, { code: 'license-not-found' })
    case 'undecided':
      return failed(listing.trouble)
    case 'refused':
      if (pending.isSent && !isUserRequest)
        return failed({ ...listing.trouble, code: 'activation-unconfirmed' })
      return takeSeat(desk, licenseId, listing)
    case 'keys':
      return (await adopt(desk, licenseId, listing.own)) ?? takeSeat(desk, licenseId, listing)
  }
}

/** Makes this device's oldest key the record; `null` when there is none to make it of. */
async function adopt(
  desk: Desk,
  licenseId: string,
  own: readonly LicenseKey[],
): Promise<ActivationOutcome | null> {
  for (const [index, key] of own.entries()) {
    const reading = await readKey(desk, licenseId, key.id)
    if (reading.kind === 'licensed') return keep(desk, key.id, reading, own.slice(index + 1), false)
    if (reading.kind === 'undecided') {
      const { trouble } = reading
      // The service shows the key and will not validate it: asking for another seat would not change its mind.
      return trouble.code === 'unconfirmed'
        ? refuse(desk, { ...trouble, code: 'activation-refused' })
        : failed(trouble)
    }
  }
  return null
}

async function takeSeat(desk: Desk, licenseId: string, before: Listing): Promise<ActivationOutcome> {
  const { fingerprint, label } = await desk.identity()
  await desk.record({ type: 'activation-sent' })
  try {
    const answer = await desk.ports.commerce.activate(licenseId, composeKeyName(label, fingerprint))
    const { license, key } = answer.value
    desk.answered(answer.serverDateMs)
    const reading = readLicense(license, answer.serverDateMs ?? desk.nowMs())
    if (reading.kind !== 'licensed') return failed({ code: 'unexpected' })

    if (before.kind === 'refused') {
      const outcome = await keep(desk, key.id, reading, [], false)
      return outcome.ok ? { ok: true, trouble: { code: 'adoption-unavailable' } } : outcome
    }
    // Another process of this device may have done the same: all of them keep the oldest key.
    const after = await listKeys(desk, licenseId)
    const own = after.kind === 'keys' ? after.own : []
    const [oldest = key, ...others] = own
    return await keep(desk, oldest.id, reading, others, after.kind !== 'keys')
  } catch (error) {
    return afterFailedRequest(desk, licenseId, readFailure(error), before)
  }
}

/** A lost answer may have left a key, and a refusal does not say why: the list of keys knows more. */
async function afterFailedRequest(
  desk: Desk,
  licenseId: string,
  failure: Failure,
  before: Listing,
): Promise<ActivationOutcome> {
  const isRefusal = failure.kind !== 'unreachable'
  const refusal: Trouble =
    failure.kind === 'unauthorized' ? failure.trouble : { ...failure.trouble, code: 'activation-refused' }
  if (before.kind === 'refused') return isRefusal ? refuse(desk, refusal) : failed(failure.trouble)

  const after = await listKeys(desk, licenseId)
  switch (after.kind) {
    case 'keys': {
      const adopted = await adopt(desk, licenseId, after.own)
      if (adopted !== null) return adopted
      if (!isRefusal) return failed(failure.trouble)
      return refuse(desk, (await reasonOf(desk, licenseId, after.keys)) ?? refusal)
    }
    case 'no-license':
      return refuse(desk, { code: 'license-not-found' })
    case 'refused':
    case 'undecided':
      return isRefusal ? refuse(desk, refusal) : failed({ ...after.trouble, code: 'activation-unconfirmed' })
  }
}

/** Finds out from the interface's own facts why a license takes no further device. */
async function reasonOf(desk: Desk, licenseId: string, keys: readonly LicenseKey[]): Promise<Trouble | null> {
  const [anyKey] = keys
  if (anyKey === undefined) return null
  const reading = await readKey(desk, licenseId, anyKey.id)
  if (reading.kind !== 'licensed') return null
  const code = refusalCode(reading.verdict) ?? (hasSeat(reading.license) ? null : 'no-seat-left')
  return code === null ? null : { code }
}

function hasSeat({ activationUsage, activationLimit }: LicenseFacts): boolean {
  return activationUsage < activationLimit
}

/** The problem that goes with a verdict; `null` for a valid license. */
export function refusalCode(verdict: Verdict): ProblemCode | null {
  switch (verdict) {
    case 'valid':
      return null
    case 'expired':
      return 'license-expired'
    case 'suspended':
      return 'license-suspended'
    case 'inactive':
      return 'license-inactive'
    case 'revoked':
      return 'moved-to-another-device'
  }
}

async function keep(
  desk: Desk,
  keyId: string,
  reading: Licensed,
  duplicates: readonly LicenseKey[],
  mayHaveDuplicates: boolean,
): Promise<ActivationOutcome> {
  const { pending, activation } = desk.vault()
  if (pending === null) return failed({ code: 'unexpected' })
  const { fingerprint } = await desk.identity()
  const nowMs = desk.nowMs()
  const { verdict, license } = reading
  const code = refusalCode(verdict)
  // A license that works is not given up for one that does not.
  if (code !== null && activation?.verdict === 'valid' && activation.licenseId !== pending.licenseId) {
    await desk.record({ type: 'activation-refused', unusedKeyId: keyId })
    return failed({ code })
  }
  await desk.record({
    type: 'activated',
    record: {
      licenseId: pending.licenseId,
      keyId,
      fingerprint,
      activatedAtMs: nowMs,
      verdict,
      decidedAtMs: nowMs,
      validAtMs: nowMs,
      license,
    },
    duplicateKeyIds: duplicates.map((key) => key.id),
    mayHaveDuplicates,
  })
  return code === null ? { ok: true, trouble: null } : failed({ code })
}

/** The service said no: nothing is pending any more. */
async function refuse(desk: Desk, trouble: Trouble): Promise<ActivationOutcome> {
  await desk.record({ type: 'activation-refused', unusedKeyId: null })
  return failed(trouble)
}

function failed(trouble: Trouble): ActivationOutcome {
  return { ok: false, trouble }
}
