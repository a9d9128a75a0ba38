import { randomBytes } from 'node:crypto'
import {
  type ActivatedLicense,
  type ActivationRequest,
  type LicenseService,
  type Outcome,
  type ServiceCall,
  type Unavailable,
  unavailable,
} from '@latchkey/services'
import type { Logger } from '../../core/ports.ts'
import { goneStatus, type LeaseClaims, type LeaseVerifier } from './leases.ts'

/** The request header that asks for a lease: a fresh random text that the lease must repeat. */
const nonceHeader = 'latchkey-nonce'
/** The request header that lists the signing keys this app trusts, so that a gateway can change its key. */
const trustedKeysHeader = 'latchkey-lease-keys'
/** The response header that contains the lease. */
const leaseHeader = 'latchkey-lease'
/** The nil UUID, which no activation has. */
const noActivationId = '00000000-0000-0000-0000-000000000000'

/** One signed exchange: the options of the call, and the lease of the answer. */
interface Exchange {
  readonly call: ServiceCall
  /** Returns the answer's lease if it is signed, fresh and about this activation. */
  claims(
    licenseKey: string,
    activationId: string,
  ): { readonly jws: string; readonly claims: LeaseClaims } | null
}

/**
 * A gateway that signs its answers. An answer that entitles or revokes only counts with a fresh lease that says the same;
 * without one, the gateway counts as unavailable. Listing and giving back seats doesn't entitle, so those answers are
 * unsigned.
 *
 * The time is only taken from leases, because an unsigned `Date` could set back the clock that old leases are checked with.
 */
export function signedGateway(
  gateway: LicenseService,
  verifier: LeaseVerifier,
  logger: Logger,
): LicenseService {
  const onUntrusted = trustLog(logger, verifier.keyIds)
  const { listActivations, showActivation } = gateway
  // Whether an earlier answer has proven that answers can be verified.
  let isProven = false
  const listedLicenses = new Set<string>()

  function exchange(call: ServiceCall | undefined): Exchange {
    const nonce = randomBytes(24).toString('base64url')
    let jws: string | null = null
    return {
      call: {
        ...call,
        headers: { ...call?.headers, [nonceHeader]: nonce, [trustedKeysHeader]: verifier.keyIds.join(',') },
        onResponse(response) {
          jws = response.headers.get(leaseHeader)
          call?.onResponse?.({ ...response, serverDateMs: null })
        },
      },
      claims(licenseKey, activationId) {
        const claims = jws === null ? null : verifier.claims(jws)
        const isOurs = claims?.nonce === nonce && verifier.areAbout(claims, { licenseKey, activationId })
        if (isOurs) isProven = true
        else onUntrusted(jws === null ? null : verifier.signedBy(jws))
        return jws !== null && claims !== null && isOurs ? { jws, claims } : null
      },
    }
  }

  function signed(
    outcome: Outcome<ActivatedLicense>,
    { claims }: Exchange,
    { licenseKey }: { readonly licenseKey: string },
    call: ServiceCall | undefined,
    acts: boolean,
  ): Outcome<ActivatedLicense> {
    if (outcome.kind !== 'answer') return { ...outcome, serverDateMs: null }
    const found = claims(licenseKey, outcome.value.activation.id)
    if (found === null || !saysTheSame(found.claims, outcome.value)) return untrusted(acts)
    const serverDateMs = found.claims.iat * 1000
    call?.onResponse?.({ status: 200, headers: new Headers(), serverDateMs })
    return { ...outcome, serverDateMs, proof: found.jws }
  }

  async function show(request: ActivationRequest, call?: ServiceCall) {
    if (showActivation === undefined) return untrusted(false)
    const one = exchange(call)
    const outcome = await showActivation(request, one.call)
    if (outcome.kind !== 'unavailable' || outcome.cause !== 'not-found')
      return { ...outcome, serverDateMs: null }
    // Only a signed "gone" revokes a device.
    const { claims } = one.claims(request.licenseKey, request.activationId) ?? {}
    if (claims?.sta !== goneStatus) return untrusted(false)
    return {
      kind: 'refusal',
      reason: 'unknown-activation',
      license: null,
      leftoverActivationId: null,
      httpStatus: outcome.httpStatus,
      serverDateMs: null,
    } as const
  }

  /**
   * Checks whether answers can be verified before a seat is taken. If the activations of a license can be listed, the
   * gateway signs that one that can't exist is gone.
   *
   * @returns why they can't; `null` if they can.
   */
  async function proveSigned(licenseKey: string, call?: ServiceCall): Promise<Unavailable | null> {
    if (isProven || !listedLicenses.has(licenseKey) || showActivation === undefined) return null
    const one = exchange(call)
    const request = { licenseKey, activationId: noActivationId, fingerprint: '' }
    const outcome = await showActivation(request, one.call)
    if (outcome.kind !== 'unavailable') return null
    // A proxy in front of the gateway may replace every "not found" with an answer of its own, which has no lease. The
    // gateway names what it refuses. The answer to the activation itself must have a lease.
    const isOfGateway = outcome.detail !== null && !outcome.detail.startsWith('field ')
    if (outcome.httpStatus !== null && !isOfGateway) return null
    if (outcome.cause !== 'not-found') return { ...outcome, serverDateMs: null }
    return one.claims(licenseKey, noActivationId) === null ? untrusted(false) : null
  }

  return {
    ...gateway,
    capabilities: { ...gateway.capabilities, signsItsAnswers: true },
    async activate(request, call) {
      const unproven = await proveSigned(request.licenseKey, call)
      if (unproven !== null) return unproven
      const one = exchange(call)
      return signed(await gateway.activate(request, one.call), one, request, call, true)
    },
    async validate(request, call) {
      const one = exchange(call)
      return signed(await gateway.validate(request, one.call), one, request, call, false)
    },
    async deactivate(request, call) {
      return { ...(await gateway.deactivate(request, undated(call))), serverDateMs: null }
    },
    ...(listActivations && {
      async listActivations(request, call) {
        const outcome = await listActivations(request, undated(call))
        if (outcome.kind === 'answer' && outcome.value.isWhole) listedLicenses.add(request.licenseKey)
        return { ...outcome, serverDateMs: null }
      },
    }),
    showActivation: show,
  }
}

function undated(call: ServiceCall | undefined): ServiceCall {
  return { ...call, onResponse: (response) => call?.onResponse?.({ ...response, serverDateMs: null }) }
}

/** Whether body and signature agree. */
function saysTheSame({ sta, sus, lex }: LeaseClaims, { license }: ActivatedLicense): boolean {
  const { rawStatus, status, endsAt = null } = license
  return sta === rawStatus && (sus !== null) === (status === 'suspended') && lex === endsAt
}

/** The outcome of an answer that isn't from the gateway. */
function untrusted(mayHaveActed: boolean): Unavailable {
  return unavailable('unsigned-answer', { mayHaveActed, detail: 'no valid lease' })
}

/** Logs why answers aren't trusted, each reason once. */
function trustLog(logger: Logger, trustedKeyIds: readonly string[]): (signedBy: string | null) => void {
  const told = new Set<string | null>()
  return (signedBy) => {
    if (told.has(signedBy)) return
    told.add(signedBy)
    const found =
      signedBy === null
        ? 'An answer from the license service contains no lease'
        : trustedKeyIds.includes(signedBy)
          ? `An answer from the license service contains a lease signed with key ${signedBy}, but the lease isn't valid for this request`
          : `An answer from the license service is signed with key ${signedBy}`
    logger.error(
      `${found}. This app trusts ${trustedKeyIds.join(', ')}. Check leaseKeys, the signing key of your gateway, and service.baseUrl`,
    )
  }
}
