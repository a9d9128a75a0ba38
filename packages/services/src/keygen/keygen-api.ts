import { isAnyId, parseDocument } from '@latchkey/commerce/http'
import * as z from 'zod/mini'
import {
  type LicenseFacts,
  type LicenseService,
  type LicenseStatus,
  nothingTold,
  type Refusal,
  type RefusalReason,
  refusal,
  type ServiceCall,
  type Unavailable,
  unavailable,
  type WebCrypto,
} from '../license-service.ts'
import { createSend, type Reply, type ServiceRequest, undocumented } from '../request.ts'
import { count, endOf, lenient, limitOf, text } from '../wire.ts'
import { isSigned, type SignedResponse, signedAtMs, signedResponseOf } from './signed-response.ts'

/** The adapter's checked options. */
export interface KeygenSettings {
  /** Address of the account's API, without a trailing slash. */
  readonly api: string
  readonly product: string
  readonly publicKey: string | undefined
  readonly token: string | undefined
  /** Whether a license's features are its entitlements. */
  readonly entitlements: boolean
}

/** A verified reply. */
export interface SignedReply extends Reply {
  /** See `Answer.proof`. */
  readonly proof: string | null
}

/** A license as returned by *validate key*. */
export interface ValidatedLicense {
  readonly kind: 'license'
  /** `null` if the license can be used. */
  readonly refusal: Refusal | Unavailable | null
  readonly license: LicenseFacts & { readonly id: string }
  readonly reply: SignedReply
}

/** The requests that all of the adapter's operations are made of. */
export interface KeygenApi {
  /**
   * Sends a request. If a public key is set, only a response with a valid signature is accepted.
   *
   * @param licenseKey authorizes the request, unless the vendor's token does.
   * @param notBeforeMs the signed date of a response known to be fresh. An older response is a replay.
   */
  send(
    request: Pick<ServiceRequest, 'method' | 'json' | 'acts'> & { readonly path: string },
    licenseKey: string | null,
    call: ServiceCall | undefined,
    notBeforeMs?: number | null,
  ): Promise<SignedReply | Unavailable>
  /** Validates a license and, with a fingerprint, one device. A nonce proves that the response is fresh. */
  validateKey(
    licenseKey: string,
    fingerprint: string | null,
    call: ServiceCall | undefined,
  ): Promise<ValidatedLicense | Refusal | Unavailable>
  /** Adds the license's features if they are its entitlements. */
  withFeatures(
    licenseKey: string,
    seen: ValidatedLicense,
    call: ServiceCall | undefined,
  ): Promise<ValidatedLicense | Unavailable>
  /** Verifies a stored response of *validate key* offline; absent without a public key. */
  readonly readProof: LicenseService['readProof']
}

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

const validateAnswerSchema = z.object({
  meta: z.object({
    valid: z.boolean(),
    code: z.string(),
    nonce: z.optional(z.number()),
    scope: z.nullish(z.object({ fingerprint: z.optional(z.string()), product: z.optional(z.string()) })),
  }),
  data: z.nullable(licenseSchema),
})

/** The body of every refusal. */
const errorsSchema = z.object({ errors: z.array(z.object({ code: z.optional(z.string()) })) })

const entitlementsSchema = z.object({ data: z.array(z.unknown()) })
const entitlementSchema = z.object({ attributes: z.object({ code: z.string() }) })

const signedResponseSchema = z.object({
  method: z.string(),
  target: z.string(),
  host: z.string(),
  date: z.string(),
  body: z.string(),
  signature: z.string(),
})
/** A stored response to *validate key*, with the one that lists the license's entitlements, if it was requested. */
const proofSchema = z.extend(signedResponseSchema, { entitlements: z.optional(signedResponseSchema) })

const contentType = 'application/vnd.api+json'
/** How much older than a fresh response a later one may be: https://keygen.sh/docs/api/signatures/ */
const replayWindowMs = 5 * 60_000

export function createKeygenApi(settings: KeygenSettings): KeygenApi {
  const { api, product, publicKey, token, entitlements } = settings
  const sendPlain = createSend()

  const send: KeygenApi['send'] = async (request, licenseKey, call, notBeforeMs = null) => {
    const { path, ...rest } = request
    const url = api + path
    const reply = await sendPlain(
      {
        ...rest,
        url,
        headers: {
          ...(licenseKey !== null && { authorization: credential(token, licenseKey) }),
          accept: contentType,
          ...(request.json !== undefined && { 'content-type': contentType }),
          ...(publicKey !== undefined && { 'keygen-accept-signature': 'algorithm="ed25519"' }),
        },
      },
      call,
    )
    if (reply.kind !== 'reply') return reply
    if (publicKey === undefined) return { ...reply, proof: null }
    const signed = signedResponseOf(reply, url)
    const crypto = call?.crypto ?? cryptoOfPlatform()
    const isGood = signed !== null && crypto !== undefined && (await isSigned(signed, publicKey, crypto))
    const dateMs = signed === null ? null : signedAtMs(signed)
    const isOld = notBeforeMs !== null && (dateMs === null || dateMs < notBeforeMs - replayWindowMs)
    if (isGood && !isOld) return { ...reply, serverDateMs: dateMs, proof: JSON.stringify(signed) }
    return unavailable('unsigned-answer', {
      httpStatus: reply.status,
      bodyIsJson: reply.body !== undefined,
      mayHaveActed: request.acts === true,
      detail: crypto === undefined ? 'this platform has no Web Crypto' : null,
    })
  }

  return {
    send,

    async validateKey(licenseKey, fingerprint, call) {
      const nonce = createNonce(call?.crypto ?? cryptoOfPlatform())
      const scope = { product, ...(fingerprint !== null && { fingerprint }) }
      const json = { meta: { key: licenseKey, nonce, scope } }
      const path = '/licenses/actions/validate-key'
      const reply = await send({ method: 'POST', path, json }, null, call)
      if (reply.kind !== 'reply') return reply
      const parsed = validateAnswerSchema.safeParse(reply.body)
      // This route answers every license key with 200, so an error of the service itself is about the account.
      if (reply.status === 404 && errorCodeOf(reply)) return readCode('ACCOUNT', reply, null)
      if (reply.status !== 200 || !parsed.success) return undocumented(reply)
      const { meta, data } = parsed.data
      if (meta.nonce !== nonce) return undocumented(reply)
      if (data === null) return readCode(meta.code, reply, null)
      const isAboutUs =
        (data.attributes.key ?? licenseKey) === licenseKey &&
        (fingerprint === null || (meta.scope?.fingerprint ?? fingerprint) === fingerprint)
      if (!isAboutUs) return undocumented(reply)
      const facts = factsOf(data, product, meta.valid ? 'active' : null, meta.code)
      const license = { ...facts, id: data.id }
      const refused = meta.valid ? null : readCode(meta.code, reply, license)
      return { kind: 'license', refusal: refused, license, reply }
    },

    async withFeatures(licenseKey, seen, call) {
      if (!entitlements) return seen
      const { license, reply } = seen
      const request = { method: 'GET', path: entitlementsPath(license.id) } as const
      const got = await send(request, licenseKey, call, reply.serverDateMs)
      if (got.kind !== 'reply') return got
      const features = got.status === 200 ? codesOf(got.body) : null
      if (features !== null) {
        return { ...seen, license: { ...license, features }, reply: { ...reply, proof: joined(reply, got) } }
      }
      // Without its features, the license would look like one that doesn't include them. It was just validated, so it
      // isn't refused either.
      const failure = readError(got)
      return failure.kind === 'refusal' ? undocumented(got) : failure
    },

    readProof: publicKey === undefined ? undefined : readProofWith(settings, publicKey),
  }
}

function readProofWith(
  { api, product, entitlements }: KeygenSettings,
  publicKey: string,
): NonNullable<LicenseService['readProof']> {
  const { hostname, pathname } = new URL(`${api}/licenses/actions/validate-key`)

  /** What the license's own entitlements grant; none if they weren't signed within minutes of its validation. */
  async function featuresOf(
    signed: SignedResponse,
    licenseId: string,
    validatedAtMs: number,
    crypto: WebCrypto,
  ): Promise<readonly string[]> {
    const { pathname: path, search } = new URL(api + entitlementsPath(licenseId))
    if (signed.host !== hostname || signed.target !== path + search) return []
    if (signed.method !== 'get' || !(await isSigned(signed, publicKey, crypto))) return []
    const apartMs = Math.abs((signedAtMs(signed) ?? Number.NaN) - validatedAtMs)
    return apartMs <= replayWindowMs ? (codesOf(parseDocument(signed.body)) ?? []) : []
  }

  return async (proof, { licenseKey, fingerprint }, call) => {
    const { data: signed } = proofSchema.safeParse(parseDocument(proof))
    const crypto = call?.crypto ?? globalThis.crypto
    if (signed?.host !== hostname || signed.target !== pathname) return null
    if (!(await isSigned(signed, publicKey, crypto))) return null
    const parsed = validateAnswerSchema.safeParse(parseDocument(signed.body))
    const dateMs = signedAtMs(signed)
    if (!parsed.success || dateMs === null) return null
    const { meta, data } = parsed.data
    const isAboutUs =
      data?.attributes.key === licenseKey &&
      meta.scope?.fingerprint === fingerprint &&
      meta.scope.product === product
    const hasEnded = !meta.valid && meta.code === 'EXPIRED'
    if (data === null || !isAboutUs || !(meta.valid || hasEnded)) return null
    const license = factsOf(data, product, hasEnded ? 'expired' : 'active', meta.code)
    // A proof from before the option was set has only the features in the license's metadata.
    if (!entitlements || signed.entitlements === undefined) return { license, signedAtMs: dateMs }
    const features = await featuresOf(signed.entitlements, data.id, dateMs, crypto)
    return { license: { ...license, features }, signedAtMs: dateMs }
  }
}

/** Returns the path of a machine; `null` for an ID that can't be Keygen's. */
export function machinePath(idOrFingerprint: string): string | null {
  return isAnyId(idOrFingerprint) ? `/machines/${encodeURIComponent(idOrFingerprint)}` : null
}

/** Authorizes with the license key, or with the vendor's token if it is set: https://keygen.sh/docs/api/authentication/ */
function credential(token: string | undefined, licenseKey: string): string {
  if (token !== undefined) return `Bearer ${token}`
  if (/^[\x21-\x7e]+$/u.test(licenseKey)) return `License ${licenseKey}`
  // A header can't contain other characters, such as a custom key's letters.
  const bytes = new TextEncoder().encode(`license:${licenseKey}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}

/** `undefined` in the main process of Electron before 28. There, the caller passes `crypto` with the call. */
function cryptoOfPlatform(): WebCrypto | undefined {
  return globalThis.crypto
}

/** Returns an integer, because Keygen doesn't accept a string. */
function createNonce(crypto: WebCrypto | undefined): number {
  const [high = 0, low = 0] = crypto?.getRandomValues(new Uint32Array(2)) ?? [
    Math.random() * 2 ** 32,
    Math.random() * 2 ** 32,
  ]
  return (Math.floor(high) % 2 ** 21) * 2 ** 32 + Math.floor(low)
}

/**
 * The path and query of one page of a license's entitlements, which are more features than a license can have:
 * https://keygen.sh/docs/api/licenses/#licenses-relationships-list-entitlements
 */
function entitlementsPath(licenseId: string): string {
  return `/licenses/${encodeURIComponent(licenseId)}/entitlements?limit=100`
}

/** Returns the codes of the entitlements in a response; `null` if it isn't that response. */
function codesOf(body: unknown): readonly string[] | null {
  const { data } = entitlementsSchema.safeParse(body)
  return data?.data.flatMap((item) => entitlementSchema.safeParse(item).data?.attributes.code ?? []) ?? null
}

/** One proof of two responses. */
function joined({ proof }: SignedReply, { proof: entitlements }: SignedReply): string | null {
  if (proof === null || entitlements === null) return null
  return JSON.stringify({ ...JSON.parse(proof), entitlements: JSON.parse(entitlements) })
}

// https://keygen.sh/docs/api/licenses/#licenses-actions-validate-key, and the codes of 401, 403 and 422:
// https://keygen.sh/docs/api/errors/
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

/** Converts an error code to an outcome. An unknown code is not a refusal. */
function readCode(code: string, reply: Reply, license: LicenseFacts | null): Refusal | Unavailable {
  const reason = reasons[code]
  if (reason !== undefined) return refusal(reason, reply, license)
  const { status, serverDateMs } = reply
  // Codes are documented by the service and contain no secret.
  const detail = vendorSettings[code] ?? (/^[A-Z_]{1,60}$/u.test(code) ? code : null)
  return unavailable('misconfigured', { httpStatus: status, serverDateMs, bodyIsJson: true, detail })
}

/** Returns the first error's code; `null` if the body isn't from the service. */
export function errorCodeOf(reply: Reply): string | null {
  const parsed = errorsSchema.safeParse(reply.body)
  return parsed.success && reply.status >= 400 ? (parsed.data.errors[0]?.code ?? null) : null
}

function factsOf(
  { id, attributes, relationships }: z.output<typeof licenseSchema>,
  product: string,
  status: LicenseStatus | null,
  code: string,
): LicenseFacts {
  return {
    ...nothingTold,
    id,
    status,
    endsAtMs: endOf(attributes.expiry),
    // A policy can keep licenses valid after their end. The response is then `valid` with the code EXPIRED.
    worksAfterEnd: status === 'active' && code === 'EXPIRED',
    seatLimit: limitOf(attributes.maxMachines),
    seatsInUse: relationships?.machines?.meta?.count ?? null,
    product,
    plan: attributes.metadata?.plan ?? attributes.name ?? null,
    features: attributes.metadata?.features?.filter((item) => typeof item === 'string') ?? null,
  }
}

/** Converts a 4xx of the service. */
export function readError(reply: Reply, license: LicenseFacts | null = null): Refusal | Unavailable {
  const code = errorCodeOf(reply)
  if (code === null || (reasons[code] === undefined && vendorSettings[code] === undefined)) {
    return undocumented(reply)
  }
  return code === 'NOT_FOUND' ? undocumented(reply) : readCode(code, reply, license)
}
