import type { ActivatedLicense, Activation, LicenseFacts } from '../contract/license-facts.ts'
import type { Outcome, Refusal, Unavailable } from '../contract/outcome.ts'
import { answer, unavailable } from '../contract/outcomes.ts'
import type { ServiceCall, WebCrypto } from '../contract/service-call.ts'
import { type Reply, send, undocumented, type WireRequest } from '../http/send.ts'
import type { KeygenSettings } from './options.ts'
import { errorCodeOf, factsOf, readCode } from './read-answer.ts'
import { isSigned, signedAtMs, signedResponseOf } from './signature.ts'
import { type ValidateAnswer, validateAnswerSchema } from './wire.ts'

const contentType = 'application/vnd.api+json'
/** How much older than a fresh response a later one may be: https://keygen.sh/docs/api/signatures/ */
export const replayWindowMs: number = 5 * 60_000

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

/**
 * Sends a request. If a public key is set, only a response with a valid signature is accepted.
 *
 * @param notBeforeMs the signed date of a response known to be fresh. An older response is a replay.
 */
export async function exchange(
  { api, publicKey }: KeygenSettings,
  request: Omit<WireRequest, 'url'> & { readonly path: string },
  call: ServiceCall | undefined,
  notBeforeMs: number | null = null,
): Promise<SignedReply | Unavailable> {
  const { path, ...rest } = request
  const reply = await send(
    {
      ...rest,
      url: api + path,
      headers: {
        ...request.headers,
        accept: contentType,
        ...(request.json !== undefined && { 'content-type': contentType }),
        ...(publicKey !== undefined && { 'keygen-accept-signature': 'algorithm="ed25519"' }),
      },
    },
    call,
  )
  if (reply.kind !== 'reply') return reply
  if (publicKey === undefined) return { ...reply, proof: null }
  const signed = signedResponseOf(reply)
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

/** Validates a license and, with a fingerprint, one device. A nonce proves that the response is fresh. */
export async function validateKey(
  settings: KeygenSettings,
  licenseKey: string,
  fingerprint: string | null,
  call: ServiceCall | undefined,
): Promise<ValidatedLicense | Refusal | Unavailable> {
  const nonce = createNonce(call?.crypto ?? cryptoOfPlatform())
  const scope = { product: settings.product, ...(fingerprint !== null && { fingerprint }) }
  const reply = await exchange(
    settings,
    {
      method: 'POST',
      path: '/licenses/actions/validate-key',
      json: { meta: { key: licenseKey, nonce, scope } },
    },
    call,
  )
  if (reply.kind !== 'reply') return reply
  const parsed = validateAnswerSchema.safeParse(reply.body)
  // This route answers every license key with 200, so an error of the service itself is about the account.
  if (reply.status === 404 && errorCodeOf(reply)) return readCode('ACCOUNT', reply, null)
  if (reply.status !== 200 || !parsed.success) return undocumented(reply)
  if (parsed.data.meta.nonce !== nonce) return undocumented(reply)
  return readValidation(settings, parsed.data, licenseKey, fingerprint, reply)
}

function readValidation(
  { product }: KeygenSettings,
  { meta, data }: ValidateAnswer,
  licenseKey: string,
  fingerprint: string | null,
  reply: SignedReply,
): ValidatedLicense | Refusal | Unavailable {
  const { valid, code, scope } = meta
  if (data === null) return readCode(code, reply, null)
  const isAboutUs =
    (data.attributes.key ?? licenseKey) === licenseKey &&
    (fingerprint === null || (scope?.fingerprint ?? fingerprint) === fingerprint)
  if (!isAboutUs) return undocumented(reply)
  const facts = factsOf(data, product, valid ? 'active' : null, code)
  const license = { ...facts, id: data.id }
  return { kind: 'license', refusal: valid ? null : readCode(code, reply, license), license, reply }
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

/** Adds the license's features if they are its entitlements. */
export async function withFeatures(
  settings: KeygenSettings,
  licenseKey: string,
  seen: ValidatedLicense,
  call: ServiceCall | undefined,
): Promise<ValidatedLicense | Unavailable> {
  if (!settings.entitlements) return seen
  // Few vendors need it. It gets `exchange`, because importing it would be a cycle.
  const { withEntitlements } = await import('./entitlements.ts')
  return withEntitlements(settings, licenseKey, seen, call, exchange)
}

/** Creates the outcome for a device with a valid license. */
export async function activated(
  settings: KeygenSettings,
  licenseKey: string,
  seen: ValidatedLicense,
  activation: Activation,
  call: ServiceCall | undefined,
): Promise<Outcome<ActivatedLicense>> {
  const whole = await withFeatures(settings, licenseKey, seen, call)
  if (whole.kind !== 'license') return whole
  const { license, reply } = whole
  return answer({ license, activation }, reply.serverDateMs, reply.proof)
}
