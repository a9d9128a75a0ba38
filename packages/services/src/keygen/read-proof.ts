import type { LicenseService } from '../contract/license-service.ts'
import type { KeygenSettings } from './options.ts'
import { factsOf } from './read-answer.ts'
import { isSigned, parseProof, signedAtMs } from './signature.ts'
import { validateAnswerSchema } from './wire.ts'

/** Verifies a stored response of *validate key* offline. */
export function readKeptProof(
  { api, product }: KeygenSettings,
  publicKey: string,
): NonNullable<LicenseService['readProof']> {
  const { hostname, pathname } = new URL(`${api}/licenses/actions/validate-key`)
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
    return data !== null && isAboutUs && meta.valid
      ? { license: factsOf(data, product, 'active', meta.code), signedAtMs: dateMs }
      : null
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
