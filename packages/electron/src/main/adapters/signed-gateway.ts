import { randomBytes } from 'node:crypto'
import {
  type ActivatedLicense,
  type LicenseService,
  type Outcome,
  refusal,
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

  /** Makes a call, whose answer must be signed for it. */
  async function exchange<Value>(
    send: (call: ServiceCall) => Promise<Outcome<Value>>,
    call: ServiceCall | undefined,
  ) {
    const nonce = randomBytes(24).toString('base64url')
    let jws: string | null = null
    const outcome = await send({
      ...call,
      headers: { ...call?.headers, [nonceHeader]: nonce, [trustedKeysHeader]: verifier.keyIds.join(',') },
      onResponse(response) {
        jws = response.headers.get(leaseHeader)
        call?.onResponse?.(response)
      },
    })
    /** Returns the lease of the answer if it is signed, fresh and about this activation. */
    function leaseAbout(licenseKey: string, activationId: string) {
      const claims = jws === null ? null : verifier.claims(jws)
      const isFresh = claims?.nonce === nonce
      if (jws !== null && isFresh && verifier.areAbout(claims, { licenseKey, activationId })) {
        return { jws, claims }
      }
      onUntrusted(jws === null ? null : verifier.signedBy(jws))
      return null
    }
    return { outcome: { ...outcome, serverDateMs: null }, leaseAbout }
  }

  async function signed(
    send: (call: ServiceCall) => Promise<Outcome<ActivatedLicense>>,
    licenseKey: string,
    call: ServiceCall | undefined,
    acts: boolean,
  ): Promise<Outcome<ActivatedLicense>> {
    const { outcome, leaseAbout } = await exchange(send, call)
    if (outcome.kind !== 'answer') return outcome
    const lease = leaseAbout(licenseKey, outcome.value.activation.id)
    if (lease === null || !saysTheSame(lease.claims, outcome.value)) return untrusted(acts)
    return { ...outcome, serverDateMs: lease.claims.iat * 1000, proof: lease.jws }
  }

  return {
    ...gateway,
    capabilities: { ...gateway.capabilities, signsItsAnswers: true },
    activate: (request, call) =>
      signed((own) => gateway.activate(request, own), request.licenseKey, call, true),
    validate: (request, call) =>
      signed((own) => gateway.validate(request, own), request.licenseKey, call, false),
    async deactivate(request, call) {
      return { ...(await gateway.deactivate(request, call)), serverDateMs: null }
    },
    ...(listActivations && {
      async listActivations(request, call) {
        return { ...(await listActivations(request, call)), serverDateMs: null }
      },
    }),
    ...(showActivation && {
      async showActivation(request, call) {
        const { outcome, leaseAbout } = await exchange((own) => showActivation(request, own), call)
        if (outcome.kind !== 'unavailable' || outcome.cause !== 'not-found') return outcome
        // Only a signed "gone" revokes a device.
        const lease = leaseAbout(request.licenseKey, request.activationId)
        if (lease?.claims.sta !== goneStatus) return untrusted(false)
        return refusal('unknown-activation', { status: outcome.httpStatus, serverDateMs: null })
      },
    }),
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
