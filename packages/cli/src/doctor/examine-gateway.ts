import { randomUUID } from 'node:crypto'
import { type CommerceClient, type CommerceError, isCommerceError, type LicenseKey } from '@latchkey/commerce'
import type { CommandContext } from '../command-context.ts'
import { explainRefusal } from './explain-failure.ts'
import type { Finding } from './finding.ts'

type Route = 'list keys' | 'activate' | 'show key' | 'validate' | 'deactivate'

/**
 * Sends each of the five license requests through a gateway, as an app would: takes a seat with a unique name, shows
 * and validates it, and frees it again, even after Ctrl-C.
 */
export async function examineGateway(
  { commerce, terminal }: CommandContext,
  licenseId: string,
): Promise<readonly Finding[]> {
  const { licenses } = commerce
  const findings: Finding[] = []
  const call = { signal: terminal.signal }
  const attempt = async <T>(check: Route, work: () => Promise<T>, say: (result: T) => string) => {
    try {
      const result = await work()
      findings.push({ check, verdict: 'good', detail: say(result) })
      return result
    } catch (error) {
      if (!isCommerceError(error) || error.code === 'cancelled') throw error
      findings.push({ check, verdict: 'bad', detail: explainRefusal(error) ?? error.message })
      return null
    }
  }

  const keys = await attempt('list keys', () => licenses.keys(licenseId, call), countOf)
  if (keys === null) return findings

  const name = `latchkey doctor ${randomUUID().slice(0, 8)}`
  let ownKeyId: string | null = null
  try {
    const activation = await activate(licenses, licenseId, name, call)
    findings.push(activation.finding)
    ownKeyId = activation.keyId
    const keyId = ownKeyId ?? keys[0]?.id ?? null
    if (keyId === null) {
      findings.push(notTried('show key'), notTried('validate'))
    } else {
      await attempt(
        'show key',
        () => licenses.key(licenseId, keyId, call),
        () => 'shown',
      )
      const validate = () => licenses.validate(licenseId, { key: keyId }, call)
      await attempt('validate', validate, ({ license }) => `the license’s status is ${license.status}`)
    }
  } finally {
    findings.push(await freeSeat(licenses, licenseId, name, ownKeyId))
  }
  return findings
}

/** Returns how many keys a license has, as text. */
export function countOf({ length }: readonly unknown[]): string {
  return length === 1 ? '1 key' : `${length} keys`
}

function notTried(check: Route): Finding {
  return { check, verdict: 'note', detail: 'not tried: the license has no key to try it with' }
}

async function activate(
  licenses: CommerceClient['licenses'],
  licenseId: string,
  name: string,
  call: { readonly signal: AbortSignal },
): Promise<{ readonly keyId: string | null; readonly finding: Finding }> {
  try {
    const { key } = await licenses.activate(licenseId, { name }, call)
    return {
      keyId: key.id,
      finding: { check: 'activate', verdict: 'good', detail: `took a seat as ${name}` },
    }
  } catch (error) {
    if (!isCommerceError(error) || error.code === 'cancelled') throw error
    return { keyId: null, finding: { check: 'activate', ...judgeRefusal(error) } }
  }
}

function judgeRefusal(error: CommerceError): Pick<Finding, 'verdict' | 'detail'> {
  const { code, message, status } = error
  if (code !== 'rejected') return { verdict: 'bad', detail: explainRefusal(error) ?? message }
  return {
    verdict: 'note',
    detail: `refused with status ${status}: use a license with a free seat to try it`,
  }
}

/** Ignores the abort signal, so that a taken seat is freed even after Ctrl-C. */
async function freeSeat(
  licenses: CommerceClient['licenses'],
  licenseId: string,
  name: string,
  knownKeyId: string | null,
): Promise<Finding> {
  try {
    // The activation may have taken a seat even if its answer was lost.
    const keyId = knownKeyId ?? (await findKey(licenses, licenseId, name))
    if (keyId === null) {
      return { check: 'deactivate', verdict: 'note', detail: 'not tried: no seat was taken' }
    }
    await licenses.deactivate(licenseId, { key: keyId })
    const isFree = (await findKey(licenses, licenseId, name)) === null
    return isFree
      ? { check: 'deactivate', verdict: 'good', detail: 'freed the seat again' }
      : { check: 'deactivate', verdict: 'bad', detail: stillTaken(name, 'it is still in the list of keys.') }
  } catch (error) {
    if (!isCommerceError(error)) throw error
    return { check: 'deactivate', verdict: 'bad', detail: stillTaken(name, error.message) }
  }
}

async function findKey(
  licenses: CommerceClient['licenses'],
  licenseId: string,
  name: string,
): Promise<string | null> {
  // A gateway in front of another service adds a fingerprint to the name.
  const isOurs = (key: LicenseKey): boolean => key.name === name || key.name.startsWith(`${name} [`)
  return (await licenses.keys(licenseId)).find(isOurs)?.id ?? null
}

function stillTaken(name: string, why: string): string {
  return `the seat of "${name}" could not be freed: ${why} Free it with latchkey keys release.`
}
