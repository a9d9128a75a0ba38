import type { LicenseService } from '../contract/license-service.ts'
import type { Refusal, Unavailable } from '../contract/outcome.ts'
import type { ServiceCall, WebCrypto } from '../contract/service-call.ts'
import { codesOf, entitlementsPath } from './entitlements.ts'
import { replayWindowMs, type ValidatedLicense, withFeatures } from './exchange.ts'
import { parseProof } from './kept-proof.ts'
import type { KeygenSettings } from './options.ts'
import { factsOf } from './read-answer.ts'
import { isSigned, type SignedResponse, signedAtMs } from './signature.ts'
import { validateAnswerSchema } from './wire.ts'

/** Verifies a stored response of *validate key* offline. */
export function readKeptProof(
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
    return apartMs <= replayWindowMs ? (codesOf(parseJson(signed.body)) ?? []) : []
  }

  return async (proof, { licenseKey, fingerprint }, call) => {
    const signed = parseProof(proof)
    const crypto = call?.crypto ?? globalThis.crypto
    if (signed === null || signed.host !== hostname || signed.target !== pathname) return null
    if (!(await isSigned(signed, publicKey, crypto))) return null
    const parsed = validateAnswerSchema.safeParse(parseJson(signed.body))
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
    if (entitlements !== true || signed.entitlements === undefined) return { license, signedAtMs: dateMs }
    const features = await featuresOf(signed.entitlements, data.id, dateMs, crypto)
    return { license: { ...license, features }, signedAtMs: dateMs }
  }
}

/**
 * Adds the proof to the refusal of a license that has ended. A license can entitle the builds that it covers after its
 * end, so the proof contains its features too.
 */
export async function withProof(
  settings: KeygenSettings,
  licenseKey: string,
  seen: ValidatedLicense,
  refused: Refusal | Unavailable,
  call: ServiceCall | undefined,
): Promise<Refusal | Unavailable> {
  if (seen.reply.proof === null || refused.kind !== 'refusal' || refused.reason !== 'expired') return refused
  const whole = await withFeatures(settings, licenseKey, seen, call)
  // Some policies deny an ended license its entitlements.
  const known = whole.kind === 'unavailable' && whole.cause === 'access-denied' ? seen : whole
  return known.kind === 'license' ? { ...refused, proof: known.reply.proof } : known
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
