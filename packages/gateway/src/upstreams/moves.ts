import {
  type ActivatedLicense,
  type LicenseFacts,
  type LicenseRequest,
  type LicenseService,
  type Outcome,
  type Refusal,
  refusal,
  type ServiceCall,
  type Unavailable,
  unavailable,
} from '@latchkey/services'
import * as z from 'zod/mini'
import { checkedOptions, withMethod } from '../gateway-config-error.ts'

/** Options for {@link moves}. */
export interface MovesOptions {
  /** Verifies the license keys that you signed: `signedKeys({ publicKeys, product })`. */
  readonly from: LicenseService
  /** The service that has the licenses now: an adapter with your secret, as in `createGateway({ upstream })`. */
  readonly to: LicenseService
  /**
   * Returns the service's license key for one that you signed; `null` if there is none. Called with each request about a
   * key that you signed, once it is verified.
   *
   * @param signedKey the license key as you issued it.
   * @param license what it says.
   * @default the same text, for a service that takes license keys of your own
   */
  readonly licenseKeyOf?:
    | ((signedKey: string, license: LicenseFacts) => string | null | Promise<string | null>)
    | undefined
}

const anAdapter = (example: string) => withMethod<LicenseService>('findLicenseKey', `must be ${example}`)

const optionsSchema = z.strictObject({
  from: anAdapter('signedKeys({ publicKeys, product })'),
  to: anAdapter('an adapter such as commerce({ baseUrl, accessToken })'),
  licenseKeyOf: z.optional(
    z.custom<MovesOptions['licenseKeyOf']>((value) => typeof value === 'function', 'must be a function'),
  ),
})

/**
 * Creates an upstream of a gateway for a vendor who moves from signed license keys to a licensing service. Both kinds of
 * license keys stay good, and each takes a seat at the service.
 *
 * @throws {GatewayConfigError} if an option is missing, invalid, or isn't an option.
 *
 * @example
 * ```ts
 * const upstream = moves({
 *   from: signedKeys({ publicKeys, product: 'inkwell' }),
 *   to: commerce({ baseUrl, accessToken }),
 *   licenseKeyOf: (signedKey) => database.licenseOf(signedKey),
 * })
 * createGateway({ upstream })
 * ```
 */
export function moves(options: MovesOptions): LicenseService {
  const { from, to, licenseKeyOf = (key: string) => key } = checkedOptions('moves', optionsSchema, options)

  /** Makes a method of the service take both kinds of license keys. @param takesRevoked whether also revoked ones */
  function translated<Request extends LicenseRequest, Value>(
    ask: (request: Request, call?: ServiceCall) => Promise<Outcome<Value>>,
    takesRevoked = false,
  ): typeof ask {
    return async (request, call) => {
      const { licenseKey: signedKey } = request
      const found = from.findLicenseKey(signedKey)
      // A key with text around it would count as another license, with a rate limit of its own.
      if (!found.ok || found.licenseKey !== signedKey) return ask(request, call)
      // *Validate* also fails if it can't be known whether the key is revoked.
      const signed = await from.validate({ licenseKey: signedKey, activationId: '', fingerprint: '' }, call)
      const license = licenseIn(signed, takesRevoked)
      if ('kind' in license) return license
      try {
        const licenseKey = await licenseKeyOf(signedKey, license)
        // A map returns `undefined`.
        if (typeof licenseKey !== 'string') return refusal('unknown-license', null)
        return await ask({ ...request, licenseKey }, call)
      } catch {
        return unavailable('server-error', { detail: 'licenseKeyOf failed' })
      }
    }
  }

  const { listActivations, showActivation, showLicense } = to
  return {
    ...to,
    findLicenseKey(text) {
      const found = from.findLicenseKey(text)
      return found.ok ? found : to.findLicenseKey(text)
    },
    activate: translated(to.activate),
    validate: translated(to.validate),
    deactivate: translated(to.deactivate, true),
    ...(listActivations && { listActivations: translated(listActivations) }),
    ...(showActivation && { showActivation: translated(showActivation) }),
    ...(showLicense && { showLicense: translated(showLicense) }),
  }
}

/** Returns the license of a signed key, or why it can't be used. */
function licenseIn(
  signed: Outcome<ActivatedLicense>,
  takesRevoked: boolean,
): LicenseFacts | Refusal | Unavailable {
  if (signed.kind === 'answer') return signed.value.license
  const revoked = takesRevoked && signed.kind === 'refusal' ? signed.license : null
  return revoked ?? signed
}
