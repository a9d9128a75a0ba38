import { createHash, createPublicKey, KeyObject, randomBytes, randomFillSync, verify } from 'node:crypto'
import { isSameId, toEndDate } from '@latchkey/commerce'
import {
  type ActivatedLicense,
  type LicenseFacts,
  type LicenseService,
  type Outcome,
  refusal,
  type ServiceCall,
  type Unavailable,
  unavailable,
  type WebCrypto,
} from '@latchkey/services'
import {
  goneStatus,
  type LeaseClaims,
  leaseClaimsSchema,
  leaseHeader,
  leaseType,
  nonceHeader,
  trustedKeysHeader,
} from '@latchkey/services/leases'
import { offlineClaimsSchema, offlineType } from '@latchkey/services/offline'
import * as z from 'zod/mini'
import type { Lease, LeasePort, LeaseSubject, Logger } from '../../core/ports.ts'
import type { OfflineProblemCode } from '../../shared/offline-problem.ts'
import { formatTimestamp } from '../../shared/timestamp.ts'
import type { LeaseKey } from '../options/licensing-options.ts'

const headerSchema = z.object({
  alg: z.literal('EdDSA'),
  typ: z.string(),
  kid: z.string(),
  // Reject a lease with critical extensions, because none is supported.
  crit: z.optional(z.undefined()),
})

/** The claims of a signed text, or why it is not trusted, as the problem of an answer that was brought to this computer. */
export type OpenedJws =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly code: OfflineProblemCode }

/** Verifies leases with the keys this app trusts. */
export interface LeaseVerifier extends LeasePort {
  /** Ids of the trusted keys. */
  readonly keyIds: readonly string[]
  /** Returns the claims of a signed text of this type, not parsed. */
  open(jws: string, type: string): OpenedJws
  /** Returns the claims of a lease with a valid signature; `null` for any other. */
  claims(jws: string): LeaseClaims | null
  /** Whether claims are about this activation of this license. */
  areAbout(
    claims: Pick<LeaseClaims, 'lid' | 'key'>,
    subject: Pick<LeaseSubject, 'licenseKey' | 'activationId'>,
  ): boolean
  /** Returns the id of the key that a lease claims to be signed with, unverified; `null` if it names none. */
  signedBy(jws: string): string | null
  verifyOffline(jws: string, subject: LeaseSubject): Lease | null
}

const longestLease = 8_192

/**
 * Creates a verifier for compact JWS that uses Node's own crypto, because Electron before 28 has no global WebCrypto.
 *
 * @throws if a key isn't an Ed25519 key.
 */
export function createLeaseVerifier(leaseKeys: readonly LeaseKey[]): LeaseVerifier {
  const keys = new Map(leaseKeys.map((key) => [thumbprint(key), publicKey(key)]))

  function open(jws: string, type: string): OpenedJws {
    const refuse = (code: OfflineProblemCode): OpenedJws => ({ ok: false, code })
    if (jws.length > longestLease) return refuse('offline-answer-edited')
    const [header, payload, signature, ...rest] = jws.split('.')
    if (header === undefined || payload === undefined || signature === undefined || rest.length > 0)
      return refuse('offline-answer-edited')
    const parsed = headerSchema.safeParse(decode(header))
    if (!parsed.success) return refuse('offline-answer-edited')
    if (parsed.data.typ !== type) return refuse('online-lease-as-answer')
    const key = keys.get(parsed.data.kid)
    if (key === undefined) return refuse('offline-answer-unknown-key')
    const signed = Buffer.from(`${header}.${payload}`)
    const isGenuine = verify(null, signed, key, Buffer.from(signature, 'base64url'))
    return isGenuine ? { ok: true, payload: decode(payload) } : refuse('offline-answer-edited')
  }

  function claims(jws: string): LeaseClaims | null {
    const opened = open(jws, leaseType)
    const parsed = opened.ok ? leaseClaimsSchema.safeParse(opened.payload) : null
    return parsed?.success === true ? parsed.data : null
  }

  const areAbout: LeaseVerifier['areAbout'] = ({ lid, key }, { licenseKey, activationId }) => {
    // The commerce service's UUIDs are hashed in lower case, other services' license keys exactly.
    const hashes = [licenseKey, licenseKey.toLowerCase()].map(sha256)
    return hashes.includes(lid) && isSameId(key, activationId)
  }

  return {
    keyIds: [...keys.keys()],
    open,
    claims,
    areAbout,
    signedBy(jws) {
      const header = headerSchema.safeParse(decode(jws.slice(0, longestLease).split('.')[0] ?? ''))
      return header.success ? header.data.kid.slice(0, 64) : null
    },
    verify(jws, subject) {
      const found = claims(jws)
      return found !== null && areAbout(found, subject) ? leaseOf(jws, found) : null
    },
    verifyOffline(jws, subject) {
      const opened = open(jws, offlineType)
      const parsed = opened.ok ? offlineClaimsSchema.safeParse(opened.payload) : null
      if (parsed?.success !== true || !areAbout(parsed.data, subject)) return null
      return leaseOf(jws, { ...parsed.data, ent: true, sus: null })
    },
  }
}

/** Converts claims to the core's form. */
function leaseOf(
  jws: string,
  { fp, ent, sus, iat, exp, lex, plan, feat }: Omit<LeaseClaims, 'sta' | 'nonce'>,
): Lease {
  const endMs = lex === null ? null : (toEndDate(lex)?.getTime() ?? null)
  return {
    jws,
    fingerprint: fp,
    isEntitled: ent,
    // It may have been issued later in that second.
    hasEnded: !ent && sus === null && endMs !== null && endMs < (iat + 1) * 1000,
    issuedAtMs: iat * 1000,
    expiresAtMs: exp * 1000,
    license: { expiresAt: lex, plan: plan ?? null, features: feat ?? [] },
  }
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

/**
 * Reads a service's signed answers as leases; `undefined` if its answers aren't signed. They have no end of their own.
 *
 * @param lastsMs how long a signed answer entitles offline, in milliseconds.
 */
export function createSignedAnswers(service: LicenseService, lastsMs: number): LeasePort | undefined {
  const { readProof, capabilities } = service
  if (readProof === undefined || !capabilities.signsItsAnswers) return undefined
  return {
    async verify(proof, { licenseKey, fingerprint }): Promise<Lease | null> {
      const request = { licenseKey, fingerprint }
      const signed = await readProof(proof, request, { crypto: nodeCrypto }).catch(() => null)
      if (signed === null) return null
      const { signedAtMs, license } = signed
      const hasEnded = license.status === 'expired'
      return {
        jws: proof,
        fingerprint,
        isEntitled: !hasEnded,
        hasEnded,
        issuedAtMs: signedAtMs,
        expiresAtMs: signedAtMs + lastsMs,
        license: { expiresAt: endOf(license), plan: license.plan, features: license.features ?? [] },
      }
    },
  }
}

/** A license that keeps working after its end has none. */
function endOf({ endsAtMs, worksAfterEnd }: LicenseFacts): string | null {
  return typeof endsAtMs === 'number' && !worksAfterEnd ? formatTimestamp(endsAtMs) : null
}

function publicKey({ kty, crv, x }: LeaseKey): KeyObject {
  return createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
}

/** RFC 7638: the hash of the key's required members, sorted by name. */
function thumbprint({ kty, crv, x }: LeaseKey): string {
  return sha256(JSON.stringify({ crv, kty, x }))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}

/**
 * The part of Web Crypto that adapters use, with Node's own crypto. Web Crypto passes each step to another thread, and the
 * launch would have to wait for all of them. Electron before 28 has no global Web Crypto in its main process.
 */
export const nodeCrypto: WebCrypto = {
  getRandomValues: (array) => randomFillSync(array),
  subtle: {
    async digest(_algorithm, data) {
      return Uint8Array.from(createHash('sha256').update(data).digest()).buffer
    },
    async importKey(_format, keyData) {
      const x = Buffer.from(keyData).toString('base64url')
      return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    },
    async verify(_algorithm, key, signature, data) {
      return key instanceof KeyObject && verify(null, data, key, signature)
    },
  },
}
