import type { ActivationList } from '@latchkey/services'
import { fingerprintHeader } from '@latchkey/services/commerce'
import { longestOfflineDays } from '@latchkey/services/offline'
import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import { checkGatewayOptions, type GatewayOptions } from './gateway-options.ts'
import { answered, notServed, type Reply, refused, responseOf } from './http/reply.ts'
import { readBody } from './http/request-body.ts'
import { type GatewayLogLine, logLine, type RequestTrace, startTrace } from './http/request-log.ts'
import {
  isId,
  licenseRoutes,
  pageOf,
  type RoutePattern,
  rawPath,
  readPathId,
  uuidOnly,
} from './http/routes.ts'
import {
  createLeaseIssuer,
  createLeaseSigners,
  type LeaseCrypto,
  readLeaseRequest,
  webCrypto,
} from './leases/lease-signers.ts'
import { createLicenseDevices, createLicenseOutcomes } from './licenses/license-devices.ts'
import { createLicenseOperations, nilKeyId } from './licenses/license-operations.ts'
import { keyListOf, replyOfError } from './licenses/replies.ts'
import { createRequestLimits } from './limits/request-limits.ts'
import { createOfflineRoute, offlineOff } from './offline/offline-route.ts'
import { createDevicesRoute, devicesOff } from './site/devices-route.ts'
import { createSite, type PageRoute } from './site/site.ts'
import { createThanksRoute, thanksOff } from './site/thanks-route.ts'
import { chooseUpstream } from './upstreams/choose-upstream.ts'
import { type OpenedUpstream, viaHeader } from './upstreams/upstream.ts'

/** Handles one request, on any runtime that has `Request` and `Response`. It never rejects. */
export type Gateway = (request: Request) => Promise<Response>

/** The body of *activate*. The name is one line and not blank. */
const nameBodySchema = z.object({
  name: z.string().check(z.maxLength(255), z.regex(/\S/), z.regex(/^[^\p{Cc}\p{Cs}\u2028\u2029]*$/u)),
})

/** The body of *validate* and *deactivate*. Some services need the device's fingerprint. */
const keyBodySchema = z.object({
  key: z.string().check(z.refine(isId)),
  fingerprint: z.optional(z.string().check(z.regex(/^[0-9a-f]{16}$/))),
})

/** The same for the commerce service alone, which has no fingerprints. */
const uuidBodySchema = z.object({
  key: z.string().check(z.regex(uuidOnly), z.toLowerCase()),
  fingerprint: z.pipe(
    z.optional(z.unknown()),
    z.transform(() => undefined),
  ),
})

/** Headers that some frameworks use to override the method of a POST. */
const overrideHeaders = ['x-http-method-override', 'x-http-method', 'x-method-override']

/**
 * Creates a gateway in front of the commerce service, or any service that `@latchkey/services` has an adapter for. It
 * serves five license routes and `/healthz`. If their options are set, it serves pages for customers, too: activation for
 * computers that never go online, the devices of a license, and one for buyers. The app needs no token. If `signing` is
 * set, the gateway signs leases.
 *
 * @throws {GatewayConfigError} if an option is invalid, or isn't an option. The message names each one.
 *
 * @example
 * ```ts
 * const gateway = createGateway({
 *   upstream: { baseUrl: 'https://commerce.example/v1', accessToken },
 *   signing: { keys: parseSigningKeys(signingKey) },
 * })
 * export default { fetch: gateway } // Workers, Deno and Bun; on Node see @latchkey/gateway/node
 * ```
 */
export function createGateway(options: GatewayOptions): Gateway {
  return createGatewayWith(webCrypto, options)
}

/** Creates a gateway that signs with the runtime's own cryptography. */
export function createGatewayWith(leaseCrypto: LeaseCrypto, options: GatewayOptions): Gateway {
  const { upstreams, basePath, leaseDays, renewalGraceDays } = checkGatewayOptions(options)
  const takesAnyId = upstreams.some(({ usesUuids }) => !usesUuids)
  const clock = options.clock ?? Date.now
  const signers = options.signing === undefined ? null : createLeaseSigners(options.signing.keys, leaseCrypto)
  const issueLease = createLeaseIssuer(signers, leaseCrypto, { leaseDays, renewalGraceDays }, clock)
  const { allow, plan, features } = options
  const rules = { allow, plan, features, devices: options.devices }
  const candidates = upstreams.map((upstream) => ({
    upstream,
    operations: createLicenseOperations({ upstream, issueLease, rules, clock }),
  }))
  const [only, ...others] = candidates
  // With a single service there is nothing to choose.
  const operations = only === undefined || others.length > 0 ? chooseUpstream(candidates) : only.operations
  const limits = createRequestLimits(options.limits ?? {}, clock, options.clientAddress ?? (() => undefined))

  const site = createSite(options.site ?? {})

  const outcomes = createLicenseOutcomes(operations)
  // Answers of an earlier setting may still run.
  const offlineDays = options.offline?.days ?? longestOfflineDays
  const licenseDevices = createLicenseDevices(outcomes, offlineDays, clock)
  const offline =
    options.offline === undefined || signers === null
      ? null
      : createOfflineRoute({
          outcomes,
          devices: licenseDevices,
          signers,
          limits,
          site,
          days: offlineDays,
          clock,
          takesAnyId,
          seesAll: rules.devices !== 'own',
        })
  const devices =
    options.devicesPage === true
      ? createDevicesRoute({
          devices: licenseDevices,
          limits,
          site,
          findLicenseKey: (text) => findLicenseKey(upstreams, text),
        })
      : null
  const thanks = options.thanksPage ? createThanksRoute(options.thanksPage.scheme, site) : null
  const pages: readonly (readonly ['offline' | 'devices' | 'thanks', PageRoute | null, off: Reply])[] = [
    ['offline', offline, offlineOff],
    ['devices', devices, devicesOff],
    ['thanks', thanks, thanksOff],
  ]

  /** Every license request ends here, so that each one is logged and counted once. */
  const finish = (trace: RequestTrace, reply: Reply): Response => {
    const nowMs = clock()
    const line = logLine(trace, reply, nowMs)
    logQuietly(line, options)
    return responseOf(reply, trace.requestId, nowMs, devices !== null)
  }

  const operate = async (context: Context, trace: RequestTrace, { route }: RoutePattern): Promise<Reply> => {
    const leaseRequest = readLeaseRequest(context.req.raw.headers)
    if (leaseRequest === 'invalid') return refused(400, 'invalid-nonce')
    const { licenseId: licenseKey, keyId } = trace
    const asked = { licenseKey, leaseRequest }
    switch (route) {
      case 'keys': {
        const page = pageOf(context.req.raw)
        const fingerprint = context.req.raw.headers.get(fingerprintHeader)
        // Not an empty list, which would say that the app's own key is gone.
        if (rules.devices === 'own' && !fingerprint) return refused(403, 'list-not-allowed')
        const reply = await operations.keys({ licenseKey, page })
        const isCut = rules.devices === 'own' && reply.list !== undefined
        return isCut ? withOwnDevice(reply, reply.list, fingerprint, page) : reply
      }
      case 'key':
        return await operations.key({ ...asked, keyId })
      case 'activate':
        return await operations.activate({ ...asked, ...(await readBody(context, nameBodySchema)) })
      case 'validate':
      case 'deactivate': {
        const { key, fingerprint } = await readBody(context, takesAnyId ? keyBodySchema : uuidBodySchema)
        trace.keyId = key
        const about = { ...asked, keyId: key, fingerprint }
        if (route === 'validate') return await operations.validate(about)
        const refusal = await offline?.refusalToFree(licenseKey, key, context.req.raw.headers)
        return refusal ?? (await operations.deactivate(about))
      }
    }
  }

  const served = async ({ req }: Context, run: () => Promise<Reply>): Promise<Reply> => {
    if (overrideHeaders.some((name) => req.raw.headers.has(name))) return notServed('method-override')
    try {
      return await run()
    } catch (error) {
      return replyOfError(error)
    }
  }

  const serve = async (context: Context, trace: RequestTrace, pattern: RoutePattern): Promise<Reply> => {
    const { raw } = context.req
    // Hono routes HEAD to the GET handler.
    if (raw.method !== pattern.method) return notServed('no-such-route')
    return served(context, async () => {
      // Every app asks for the nil key before its first activation, and the service isn't asked.
      if (trace.keyId === nilKeyId)
        return (await limits.ofAddress(raw, trace)) ?? operate(context, trace, pattern)
      // At once, because a store may be slow.
      const [ofAddress, ofLicense] = await Promise.all([
        limits.ofAddress(raw, trace),
        limits.ofLicense(trace),
      ])
      const limited = ofAddress ?? ofLicense
      if (limited !== null) return limited
      const via = raw.headers.get(viaHeader)
      // An upstream that leads back to this gateway, or to another instance of it. After the limits, because a stranger who
      // knows its address can pretend that.
      if (upstreams.some(({ service, usesUuids }) => usesUuids && service.baseUrl === via)) return looping
      return limits.unlessGuessing(raw, trace, () => operate(context, trace, pattern))
    })
  }

  const app = new Hono({ getPath: rawPath })
  app.get('/healthz', (context) => {
    const isHealthy = options.isHealthy?.() ?? true
    return context.json({ healthy: isHealthy }, isHealthy ? 200 : 503, { 'cache-control': 'no-store' })
  })
  for (const [name, page, off] of pages) {
    app.on(['GET', 'POST'], `${basePath}/${name}`, async (context) => {
      const { raw } = context.req
      const trace = startTrace(raw.headers, name)
      const reply = await served(context, async () => {
        if (page === null) return off
        if (raw.method === 'POST') return page.post?.(context, trace) ?? notServed('no-such-route')
        // Hono routes HEAD to the GET handler.
        if (raw.method !== 'GET') return notServed('no-such-route')
        const overLimit = await limits.ofAddress(raw, trace)
        return overLimit ?? { ...answered({}), page: await page.page(raw, trace) }
      })
      return finish(trace, reply)
    })
  }
  const readId = takesAnyId ? readPathId : (id: string): string => id.toLowerCase()
  for (const pattern of licenseRoutes(takesAnyId)) {
    app.on(pattern.method, `${basePath}${pattern.path}`, async (context) => {
      const { license = '', key = '' }: Record<string, string> = context.req.param()
      const { headers } = context.req.raw
      const [licenseId, keyId] = [readId(license), readId(key)]
      if (licenseId === null || keyId === null) {
        return finish(startTrace(headers, null), notServed('no-such-route'))
      }
      const trace = startTrace(headers, pattern.route, licenseId, keyId)
      if (!isId(licenseId) || (keyId !== '' && !isId(keyId))) return finish(trace, refused(400, 'invalid-id'))
      return finish(trace, await serve(context, trace, pattern))
    })
  }
  app.notFound((context) => finish(startTrace(context.req.raw.headers, null), notServed('no-such-route')))

  return async (request) => await app.fetch(request)
}

/** Finds the license key of any service in pasted text. */
function findLicenseKey(upstreams: readonly OpenedUpstream[], text: string): string | null {
  for (const { service } of upstreams) {
    const found = service.findLicenseKey(text)
    if (found.ok && isId(found.licenseKey)) return found.licenseKey
  }
  return null
}

/** Leaves out all other devices. No device knows the fingerprint of another one. */
function withOwnDevice(reply: Reply, list: ActivationList, fingerprint: string | null, page: number): Reply {
  const activations = list.activations.filter((one) => one.fingerprint === fingerprint)
  return { ...reply, ...answered(keyListOf({ ...list, activations }, page)) }
}

const looping: Reply = {
  ...refused(508, 'upstream-loop'),
  detail:
    "LATCHKEY_UPSTREAM, or upstream.baseUrl in code, leads back to this gateway: set it to the license service's address",
}

/** Ignores errors of `log` and `metrics`, so that the client still gets its response. */
export function logQuietly(
  line: GatewayLogLine,
  { metrics, log }: Pick<GatewayOptions, 'metrics' | 'log'>,
): void {
  try {
    metrics?.observe(line)
    log?.(line)
  } catch {
    // Logging is what failed, so there is no place to report the error.
  }
}
