import { httpDateMs, parseDocument } from '@latchkey/commerce/http'
import * as z from 'zod/mini'
import { decodeBytes } from './base64url.ts'
import { isSignedBy } from './ed25519.ts'
import {
  type LicenseFacts,
  type LicenseService,
  nothingTold,
  type Refusal,
  type RefusalReason,
  refusal,
  type Unavailable,
  unavailable,
  type WebCrypto,
} from './license-service.ts'
import { type Reply, undocumented } from './request.ts'
import { count, endOf, lenient, limitOf, text } from './wire.ts'

// https://keygen.sh/docs/api/licenses/#licenses-actions-validate-key
// Only fields that Latchkey needs are required.
const metadata = z.object({ plan: text, features: lenient(z.array(z.unknown())) })
const machinesMeta = z.object({ meta: z.optional(z.object({ count: z.optional(z.number()) })) })

const licenseSchema = z.object({
  id: z.string(),
  attributes: z.object({
    key: text,
    name: text,
    expiry: text,
    maxMachines: count,
    metadata: lenient(metadata),
  }),
  relationships: z.catch(z.optional(z.object({ machines: z.optional(machinesMeta) })), undefined),
})

const validationSchema = z.object({
  meta: z.object({
    valid: z.boolean(),
    code: z.string(),
    nonce: z.optional(z.number()),
    scope: z.nullish(z.object({ fingerprint: z.optional(z.string()), product: z.optional(z.string()) })),
  }),
  data: z.nullable(licenseSchema),
})

/** What a response to *validate key* says. */
export interface Validation {
  readonly isValid: boolean
  readonly code: string
  readonly nonce: number | undefined
  /** `null` if there is no license with this key. */
  readonly license: (LicenseFacts & { readonly id: string }) | null
  readonly licenseKey: string | null | undefined
  readonly scope: { readonly fingerprint?: string | undefined; readonly product?: string | undefined }
}

/** Reads the body of a response to *validate key*; `null` if it isn't one. */
export function readValidation(body: unknown, product: string): Validation | null {
  const { success, data } = validationSchema.safeParse(body)
  if (!success) return null
  const { meta, data: license } = data
  const { valid: isValid, code, nonce, scope } = meta
  return {
    isValid,
    code,
    nonce,
    license: license && factsOf(license, product, meta),
    licenseKey: license?.attributes.key,
    scope: scope ?? {},
  }
}

function factsOf(
  { id, attributes, relationships }: z.output<typeof licenseSchema>,
  product: string,
  { valid, code }: z.output<typeof validationSchema>['meta'],
): LicenseFacts & { readonly id: string } {
  return {
    ...nothingTold,
    id,
    status: valid ? 'active' : code === 'EXPIRED' ? 'expired' : null,
    endsAtMs: endOf(attributes.expiry),
    // A policy can keep licenses valid after their end. The response is then `valid` with the code EXPIRED.
    worksAfterEnd: valid && code === 'EXPIRED',
    seatLimit: limitOf(attributes.maxMachines),
    seatsInUse: relationships?.machines?.meta?.count ?? null,
    product,
    plan: attributes.metadata?.plan ?? attributes.name ?? null,
    features: attributes.metadata?.features?.filter((item) => typeof item === 'string') ?? null,
  }
}

const entitlementsSchema = z.object({ data: z.array(z.unknown()) })
const entitlementSchema = z.object({ attributes: z.object({ code: z.string() }) })

/**
 * The path and query of one page of a license's entitlements, which are more features than a license can have:
 * https://keygen.sh/docs/api/licenses/#licenses-relationships-list-entitlements
 */
export function entitlementsPath(licenseId: string): string {
  return `/licenses/${encodeURIComponent(licenseId)}/entitlements?limit=100`
}

/** Returns the codes of the entitlements in a response; `null` if it isn't that response. */
export function codesOf(body: unknown): readonly string[] | null {
  const { data } = entitlementsSchema.safeParse(body)
  return data?.data.flatMap((item) => entitlementSchema.safeParse(item).data?.attributes.code ?? []) ?? null
}

// The codes of *validate key*, and those of 401, 403 and 422: https://keygen.sh/docs/api/errors/
const reasons: Readonly<Record<string, RefusalReason>> = {
  NOT_FOUND: 'unknown-license',
  SUSPENDED: 'suspended',
  BANNED: 'suspended',
  EXPIRED: 'expired',
  OVERDUE: 'inactive',
  NO_MACHINE: 'unknown-activation',
  NO_MACHINES: 'unknown-activation',
  FINGERPRINT_SCOPE_MISMATCH: 'unknown-activation',
  PRODUCT_SCOPE_MISMATCH: 'wrong-product',
  TOO_MANY_MACHINES: 'no-seat-left',
  LICENSE_INVALID: 'unknown-license',
  LICENSE_SUSPENDED: 'suspended',
  LICENSE_BANNED: 'suspended',
  LICENSE_EXPIRED: 'expired',
  MACHINE_LIMIT_EXCEEDED: 'no-seat-left',
}

/** Error codes that only the vendor can fix. */
const vendorSettings: Readonly<Record<string, string>> = {
  LICENSE_NOT_ALLOWED: 'set authenticationStrategy of the policy to LICENSE or MIXED',
  HEARTBEAT_DEAD: 'the policy requires heartbeats, which are not sent',
  HEARTBEAT_NOT_STARTED: 'the policy requires heartbeats, which are not sent',
}

/** The body of every refusal. */
const errorsSchema = z.object({ errors: z.array(z.object({ code: z.optional(z.string()) })) })

/** Converts an error code to an outcome. An unknown code is not a refusal. */
export function readCode(
  code: string,
  reply: Reply,
  license: LicenseFacts | null = null,
): Refusal | Unavailable {
  const reason = reasons[code]
  if (reason !== undefined) return refusal(reason, reply, license)
  const { status, serverDateMs } = reply
  // Codes are documented by the service and contain no secret.
  const detail = vendorSettings[code] ?? (/^[A-Z_]{1,60}$/u.test(code) ? code : null)
  return unavailable('misconfigured', { httpStatus: status, serverDateMs, bodyIsJson: true, detail })
}

/** Returns the first error's code; `null` if the body isn't from the service. */
export function errorCodeOf(reply: Reply): string | null {
  const { data } = errorsSchema.safeParse(reply.body)
  return reply.status >= 400 ? (data?.errors[0]?.code ?? null) : null
}

/** Converts an error of a request about a license. */
export function readError(reply: Reply, license: LicenseFacts | null = null): Refusal | Unavailable {
  const code = errorCodeOf(reply) ?? ''
  const isKnown =
    code !== 'NOT_FOUND' && (Object.hasOwn(reasons, code) || Object.hasOwn(vendorSettings, code))
  return isKnown ? readCode(code, reply, license) : undocumented(reply)
}

/** Converts an error of a request about one machine. */
export function readMachineError(reply: Reply): Refusal | Unavailable {
  return errorCodeOf(reply) === 'NOT_FOUND' ? refusal('unknown-activation', reply) : readError(reply)
}

const signedResponseSchema = z.object({
  method: z.string(),
  /** The path and query of the request. */
  target: z.string(),
  /** The host name without a port. */
  host: z.string(),
  date: z.string(),
  body: z.string(),
  /** Base64. */
  signature: z.string(),
})
/** A stored response to *validate key*, with the one that lists the license's entitlements, if it was requested. */
const proofSchema = z.extend(signedResponseSchema, { entitlements: z.optional(signedResponseSchema) })

/** A response with everything its signature covers: https://keygen.sh/docs/api/signatures/#response-signatures */
type SignedResponse = z.output<typeof signedResponseSchema>

/** How much older than a fresh response a later one may be: https://keygen.sh/docs/api/signatures/ */
export const replayWindowMs: number = 5 * 60_000

/** Returns the proof of two responses. */
export function joinProofs(validation: string | null, entitlements: string | null): string | null {
  if (validation === null || entitlements === null) return null
  return JSON.stringify({ ...JSON.parse(validation), entitlements: JSON.parse(entitlements) })
}

/** Verifies a reply's signature. @returns when it was signed, and the reply as a proof; `null` unless it is genuine. */
export async function verifyReply(
  { request, headers, text: body }: Reply,
  publicKey: string,
  crypto: WebCrypto,
): Promise<{ readonly signedAtMs: number; readonly proof: string } | null> {
  const header = headers.get('keygen-signature') ?? ''
  const signature = /(?:^|[\s,])signature="([^"]+)"/u.exec(header)?.[1]
  // Some proxies replace the Date header, so the server also sends the signed date as Keygen-Date.
  const date = headers.get('keygen-date') ?? headers.get('date')
  if (signature === undefined || date === null || !/algorithm="ed25519"/u.test(header)) return null
  const { pathname, search, hostname: host } = new URL(request.url)
  const method = request.method.toLowerCase()
  const signed = { method, target: pathname + search, host, date, body: body ?? '', signature }
  const signedAtMs = await verify(signed, publicKey, crypto)
  return signedAtMs === null ? null : { signedAtMs, proof: JSON.stringify(signed) }
}

/** Returns when a response was signed, in milliseconds since the epoch; `null` without a valid signature. */
async function verify(
  { method, target, host, date, body, signature }: SignedResponse,
  publicKey: string,
  crypto: WebCrypto,
): Promise<number | null> {
  const bytes = decodeBytes(signature)
  if (bytes === null) return null
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body)))
  const lines = [
    `(request-target): ${method} ${target}`,
    `host: ${host}`,
    `date: ${date}`,
    `digest: sha-256=${btoa(String.fromCharCode(...digest))}`,
  ]
  const key = Uint8Array.from(publicKey.match(/../gu) ?? [], (byte) => Number.parseInt(byte, 16))
  return (await isSignedBy(key, bytes, lines.join('\n'), crypto)) ? httpDateMs(date) : null
}

/**
 * Creates the function that verifies a stored response to *validate key* offline.
 *
 * @param api address of the account's API.
 * @param usesEntitlements whether a license's features are its entitlements.
 */
export function createProofReader(
  api: string,
  product: string,
  publicKey: string,
  usesEntitlements: boolean,
): NonNullable<LicenseService['readProof']> {
  /** Verifies a response to a request. */
  async function open(signed: SignedResponse, method: string, path: string, crypto: WebCrypto) {
    const { hostname, pathname, search } = new URL(api + path)
    const isOurs = signed.host === hostname && signed.target === pathname + search
    return isOurs && signed.method === method ? verify(signed, publicKey, crypto) : null
  }

  return async (proof, { licenseKey, fingerprint }, call) => {
    const { data: signed } = proofSchema.safeParse(parseDocument(proof))
    const crypto = call?.crypto ?? globalThis.crypto
    if (signed === undefined) return null
    const signedAtMs = await open(signed, 'post', validatePath, crypto)
    const seen = readValidation(parseDocument(signed.body), product)
    if (signedAtMs === null || seen?.license == null) return null
    const { license, scope } = seen
    const isOfDevice = scope.fingerprint === fingerprint && scope.product === product
    if (seen.licenseKey !== licenseKey || !isOfDevice || license.status === null) return null
    // A proof from before the option was set has only the features in the license's metadata.
    const { entitlements } = signed
    if (!usesEntitlements || entitlements === undefined) return { license, signedAtMs }
    const listedAtMs = await open(entitlements, 'get', entitlementsPath(license.id), crypto)
    // Both must have been signed within minutes.
    const isListed = listedAtMs !== null && Math.abs(listedAtMs - signedAtMs) <= replayWindowMs
    const features = (isListed ? codesOf(parseDocument(entitlements.body)) : null) ?? []
    return { license: { ...license, features }, signedAtMs }
  }
}

/** The path of *validate key*. */
export const validatePath = '/licenses/actions/validate-key'
