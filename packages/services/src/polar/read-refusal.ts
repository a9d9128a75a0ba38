import type { Refusal, RefusalReason, Unavailable } from '../contract/outcome.ts'
import { refusal } from '../contract/outcomes.ts'
import { type Reply, undocumented } from '../http/send.ts'
import { uuid } from './options.ts'
import { errorSchema } from './wire.ts'

// The reason is only in `detail`. The texts are from the server's source:
// https://github.com/polarsource/polar/blob/c6c3645e639ee8eeaa05aa0835cf8e39e330382f/server/polar/license_key/service.py
const reasons: readonly (readonly [start: string, reason: RefusalReason])[] = [
  ['License key has expired', 'expired'],
  ['License key is no longer active', 'suspended'],
  ['License key activation limit', 'no-seat-left'],
  ['License key does not match given benefit', 'wrong-product'],
]

/**
 * Converts a 4xx. Every refusal has one of two error names, so a proxy's error page isn't read as a refusal.
 *
 * @param activationId the activation that was asked about. One that can't be Polar's is unknown.
 * @returns `null` if the license key or the activation is unknown. The response doesn't say which.
 */
export function readRefusal(reply: Reply | Unavailable, activationId?: string): Refusal | Unavailable | null {
  if (reply.kind !== 'reply') return reply
  // Only a refusal's body has an error.
  const { data } = errorSchema.safeParse(reply.status < 400 ? null : reply.body)
  const error = data?.error
  const detail = data?.detail
  if (error === 'RequestValidationError') {
    // Polar's IDs are UUIDs of version 4. It doesn't look for any other, such as one of a service that was used before.
    if (activationId !== undefined && !(uuid.test(activationId) && activationId[14] === '4')) return null
    // Polar rejected the request as invalid, so nothing changed.
    return { ...undocumented(reply), mayHaveActed: false }
  }
  if ((error !== 'ResourceNotFound' && error !== 'NotPermitted') || detail == null) {
    return undocumented(reply, false)
  }
  // The activation was found, and it belongs to another device.
  if (detail.startsWith('License key does not match required conditions')) {
    return { ...refusal('unknown-activation', reply), isOtherDevices: true }
  }
  const known = reasons.find(([start]) => detail.startsWith(start))
  if (known !== undefined) return refusal(known[1], reply)
  if (detail.startsWith('This license key does not support activations')) {
    return {
      ...undocumented(reply),
      mayHaveActed: false,
      cause: 'misconfigured',
      detail: 'the license key benefit needs an activation limit',
    }
  }
  return reply.status === 404 && detail === 'Not found' ? null : undocumented(reply)
}
