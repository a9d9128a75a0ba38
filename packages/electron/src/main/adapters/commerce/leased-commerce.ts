import { randomBytes } from 'node:crypto'
import {
  type AnswerMeta,
  CommerceError,
  isCommerceError,
  type KeyInput,
  type License,
  type Licenses,
  type Operation,
} from '@latchkey/commerce'
import type { Answer, CommercePort } from '../../../core/ports/commerce-port.ts'
import { isSameId } from '../../../core/record/same-id.ts'
import { goneStatus, type LeaseClaims, leaseHeader, nonceHeader, trustedKeysHeader } from './lease-claims.ts'
import type { LeaseVerifier } from './lease-verifier.ts'

/** The nil UUID, which no key has. */
const noKeyId = '00000000-0000-0000-0000-000000000000'

/** Options of the routes. */
export interface LeasedCommerceOptions {
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Creates the body of *validate* and *deactivate*. @default the key's id alone */
  readonly keyInput?: ((keyId: string, fingerprint: string | undefined) => KeyInput) | undefined
  /** Called for an untrusted answer with the id of the key it claims to be signed with, or `null` if it names none. */
  readonly onUntrusted?: ((signedBy: string | null) => void) | undefined
  /** Called with the signed time of each answer, in milliseconds since the epoch. */
  readonly onServerDate?: ((serverDateMs: number) => void) | undefined
}

/** The commerce service's own body. */
export const keyOnly = (keyId: string): KeyInput => ({ key: keyId })

/**
 * The time limit for listing the devices of a license, in milliseconds. If the list takes longer, only adoption fails,
 * never the activation.
 */
export const listWithinMs = 20_000

/** One signed exchange: the headers of the request and the lease of the answer. */
interface Exchange {
  readonly call: { readonly headers: Record<string, string>; readonly onAnswer: (answer: AnswerMeta) => void }
  /** Returns the answer's lease if it is signed, fresh and about this key. */
  claims(licenseId: string, keyId: string): { readonly jws: string; readonly claims: LeaseClaims } | null
}

/**
 * The license routes through a gateway that signs its answers. An answer that entitles or revokes only counts with a
 * fresh lease that says the same. Listing and freeing seats doesn't entitle, so those answers are unsigned.
 *
 * The time is only taken from leases, because an unsigned `Date` could set back the clock that old leases are checked
 * with.
 */
export function createLeasedCommerce(
  licenses: Licenses,
  verifier: LeaseVerifier,
  options: LeasedCommerceOptions = {},
): CommercePort {
  const { headers = {}, keyInput = keyOnly, onUntrusted } = options
  // Whether an earlier answer has proven that answers can be verified.
  let isProven = false
  const listedLicenses = new Set<string>()
  const unsigned = async <Value>(value: Promise<Value>): Promise<Answer<Value>> => ({
    value: await value,
    serverDateMs: null,
  })

  function exchange(): Exchange {
    const nonce = randomBytes(24).toString('base64url')
    let jws: string | null = null
    return {
      call: {
        headers: { ...headers, [nonceHeader]: nonce, [trustedKeysHeader]: verifier.keyIds.join(',') },
        onAnswer: (answer) => {
          jws = answer.headers.get(leaseHeader)
        },
      },
      claims(licenseId, keyId) {
        const claims = jws === null ? null : verifier.claims(jws)
        const isOurs = claims?.nonce === nonce && verifier.areAbout(claims, licenseId, keyId)
        if (isOurs) isProven = true
        else onUntrusted?.(jws === null ? null : verifier.signedBy(jws))
        return jws !== null && claims !== null && isOurs ? { jws, claims } : null
      },
    }
  }

  function signed<Value extends { readonly license: License; readonly key: { readonly id: string } }>(
    value: Value,
    { claims }: Exchange,
    licenseId: string,
  ): Answer<Value> {
    const found = claims(licenseId, value.key.id)
    if (found === null || !saysTheSame(found.claims, value.license)) throw untrusted()
    const lease = verifier.leaseOf(found.jws, found.claims)
    options.onServerDate?.(lease.issuedAtMs)
    return { value, serverDateMs: lease.issuedAtMs, lease }
  }

  /**
   * Checks whether answers can be verified before a seat is taken. If the keys of a license can be listed, the gateway
   * signs that a key that can't exist is gone.
   *
   * @throws CommerceError if the answer has no lease that this app trusts.
   */
  async function proveSigned(licenseId: string): Promise<void> {
    if (isProven || !listedLicenses.has(licenseId)) return
    const one = exchange()
    try {
      await licenses.key(licenseId, noKeyId, one.call)
    } catch (error) {
      // A proxy in front of the gateway may replace every "not found" with an answer of its own, which has no lease. The
      // answer to the activation itself must have one.
      if (isCommerceError(error) && error.status !== null && error.refusalCode === null) return
      if (!isCommerceError(error) || error.code !== 'not-found') throw error
      if (one.claims(licenseId, noKeyId) === null) throw untrusted('licenses.key')
    }
  }

  return {
    async keys(licenseId) {
      const { keys, isWhole } = await licenses.keyList(licenseId, {
        headers: { ...headers },
        withinMs: listWithinMs,
      })
      if (isWhole) listedLicenses.add(licenseId)
      return { value: keys, serverDateMs: null, isWhole }
    },
    deactivate: (licenseId, keyId, fingerprint) =>
      unsigned(licenses.deactivate(licenseId, keyInput(keyId, fingerprint), { headers: { ...headers } })),
    async activate(licenseId, name) {
      await proveSigned(licenseId)
      const one = exchange()
      return signed(await licenses.activate(licenseId, { name }, one.call), one, licenseId)
    },
    async validate(licenseId, keyId, fingerprint) {
      const one = exchange()
      const value = await licenses.validate(licenseId, keyInput(keyId, fingerprint), one.call)
      if (!isSameId(value.key.id, keyId)) throw untrusted()
      return signed(value, one, licenseId)
    },
    async key(licenseId, keyId) {
      const one = exchange()
      try {
        return await unsigned(licenses.key(licenseId, keyId, one.call))
      } catch (error) {
        const isGone = isCommerceError(error) && error.code === 'not-found'
        // Only a signed "gone" revokes a device.
        if (isGone && one.claims(licenseId, keyId)?.claims.sta !== goneStatus) throw untrusted()
        throw error
      }
    },
  }
}

/** Whether body and signature agree. */
function saysTheSame({ sta, sus, lex }: LeaseClaims, license: License): boolean {
  return sta === license.status && sus === license.suspended_at && lex === license.expires_at
}

/** The error for an answer that isn't from the gateway. `field` names what is missing or wrong. */
function untrusted(operation: Operation | null = null): CommerceError {
  return new CommerceError('unexpected-answer', { field: leaseHeader, hint: 'no valid lease', operation })
}
