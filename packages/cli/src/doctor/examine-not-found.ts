import { type CommerceClient, type CommerceError, isCommerceError } from '@latchkey/commerce'
import { isUuid } from '../identifiers.ts'
import { isUnknownAtGateway } from './explain-failure.ts'
import type { Finding } from './finding.ts'

/** A gateway answers that it doesn't know this key, without asking the service. */
export const nilId = '00000000-0000-0000-0000-000000000000'

const noGateway =
  'no gateway answers at this path: its address ends with LATCHKEY_BASE_PATH, which is /v1 by default. If a reverse proxy passes on a prefix of its own, remove it there, or begin LATCHKEY_BASE_PATH with it'
// A gateway in front of the commerce service has no route for such a license.
const notAUuid =
  'this license key isn’t a UUID: in front of the commerce service, a gateway answers only about UUIDs'
const notTheService =
  'the gateway answers, but something else answers it in place of the service: check LATCHKEY_UPSTREAM in its settings, which ends with the version segment, such as /v1'
/** Where neither the list nor an activation finds the license. */
export const unknownLicense =
  'the gateway answers, but the service behind it doesn’t know this license key: check the key, and in the gateway’s settings the service’s address and the organization, store or product'

/** Explains a 404 of the service. */
export function examineNotFound(error: CommerceError, licenseId: string | null): Finding {
  if (licenseId === null) {
    const detail = isUnknownAtGateway(error)
      ? 'this is probably the address of a gateway, which serves no lists: check it with --gateway and --license'
      : `the service has nothing at this address (status ${error.status}): check the address. A gateway serves no lists: check it with --gateway and --license.`
    return { check: 'base URL', verdict: 'bad', detail }
  }
  const detail = isUnknownAtGateway(error)
    ? 'the gateway answers that it doesn’t know this license key: --gateway with its address tells a license without devices from an unknown one'
    : 'the service doesn’t know this license, or the address is not the service’s: check both'
  return { check: 'license', verdict: 'bad', detail }
}

/**
 * Explains a 404 at the address of a gateway: from the gateway itself, from the service behind it, or neither.
 *
 * @returns `null` if an activation can tell more.
 */
export async function examineNotFoundAtGateway(
  error: CommerceError,
  commerce: CommerceClient,
  licenseId: string,
  signal: AbortSignal,
): Promise<Finding | null> {
  if (isUnknownAtGateway(error)) return null
  // A gateway names the reason only if the service behind it answers as documented.
  if (error.refusalCode !== null) return { check: 'license', verdict: 'bad', detail: unknownLicense }
  const isGateway = await answersLikeGateway(commerce, signal)
  if (!isUuid(licenseId)) {
    const detail = isGateway ? notAUuid : `${noGateway}. ${notAUuid.replace(/^t/u, 'T')}`
    return { check: isGateway ? 'license' : 'base URL', verdict: 'bad', detail }
  }
  return isGateway
    ? { check: 'service', verdict: 'bad', detail: notTheService }
    : { check: 'base URL', verdict: 'bad', detail: noGateway }
}

async function answersLikeGateway({ licenses }: CommerceClient, signal: AbortSignal): Promise<boolean> {
  try {
    await licenses.key(nilId, nilId, { signal })
    return false
  } catch (error) {
    if (!isCommerceError(error) || error.code === 'cancelled') throw error
    return error.refusalCode === 'not-found'
  }
}
