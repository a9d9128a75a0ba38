import type { Context } from 'hono'
import { uuidOnly } from '../ids.ts'
import type { RequestLimits } from '../limits/request-limits.ts'
import { type Reply, refused } from '../reply.ts'
import type { RequestTrace } from '../request-log.ts'
import type { OfflineIssuer } from './offline-issuer.ts'
import { readOfflineBody } from './read-offline-request.ts'

/** What the route needs. */
export interface OfflineRouteOptions {
  readonly issuer: OfflineIssuer
  readonly limits: RequestLimits
  /** Whether a service behind the gateway has license keys that aren't UUIDs. */
  readonly takesAnyId: boolean
}

/** Creates the handler of `POST /offline`, which answers a request with a signed answer. */
export function createOfflineRoute({
  issuer,
  limits,
  takesAnyId,
}: OfflineRouteOptions): (context: Context, trace: RequestTrace) => Promise<Reply> {
  return async (context, trace) => {
    const overLimit = await limits.refusalOfAddress(context.req.raw, trace)
    if (overLimit !== null) return overLimit
    const reading = await readOfflineBody(context)
    if (!reading.holds) return reading.refusal
    const licenseKey = takesAnyId ? reading.request.licenseKey : reading.request.licenseKey.toLowerCase()
    // Everything else becomes a part of a path at the service.
    if (!takesAnyId && !uuidOnly.test(licenseKey)) return refused(404, 'not-found')
    trace.licenseId = licenseKey
    return (await limits.refusalOfLicense(trace)) ?? (await issuer.answer({ ...reading.request, licenseKey }))
  }
}
