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
import {
  goneStatus,
  type LeaseClaims,
  leaseHeader,
  nonceHeader,
  trustedKeysHeader,
} from '@latchkey/services/leases'
import type { Logger } from '../../core/ports.ts'
import type { LeaseVerifier } from './leases.ts'

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

  function exchange(call: ServiceCall | undefined): Exchange {
    const nonce = randomBytes(24).toString('base64url')
    let jws: string | null = null
    return {
      call: {
        ...call,
        headers: { ...call?.headers, [nonceHeader]: nonce, [trustedKeysHeader]: verifier.keyIds.join(',') },
        onResponse(response) {
          jws = response.headers.get(leaseHeader)
          call?.onResponse?.(response)
        },
      },
      claims(licenseKey, activationId) {
        const claims = jws === null ? null : verifier.claims(jws)
        const isOurs = claims?.nonce === nonce && verifier.areAbout(claims, { licenseKey, activationId })
        if (!isOurs) onUntrusted(jws === null ? null : verifier.signedBy(jws))
        return jws !== null && claims !== null && isOurs ? { jws, claims } : null
      },
    }
  }

  function signed(
    outcome: Outcome<ActivatedLicense>,
    { claims }: Exchange,
    licenseKey: string,
    acts: boolean,
  ): Outcome<ActivatedLicense> {
    if (outcome.kind !== 'answer') return { ...outcome, serverDateMs: null }
    const found = claims(licenseKey, outcome.value.activation.id)
    if (found === null || !saysTheSame(found.claims, outcome.value)) return untrusted(acts)
    return { ...outcome, serverDateMs: found.claims.iat * 1000, proof: found.jws }
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

  return {
    ...gateway,
    capabilities: { ...gateway.capabilities, signsItsAnswers: true },
    async activate(request, call) {
      const one = exchange(call)
      return signed(await gateway.activate(request, one.call), one, request.licenseKey, true)
    },
    async validate(request, call) {
      const one = exchange(call)
      return signed(await gateway.validate(request, one.call), one, request.licenseKey, false)
    },
    async deactivate(request, call) {
      return { ...(await gateway.deactivate(request, call)), serverDateMs: null }
    },
    ...(listActivations && {
      async listActivations(request, call) {
        return { ...(await listActivations(request, call)), serverDateMs: null }
      },
    }),
    showActivation: show,
  }
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
