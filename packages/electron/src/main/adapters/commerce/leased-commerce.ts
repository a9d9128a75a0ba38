import { randomBytes } from 'node:crypto'
import {
  type AnswerMeta,
  CommerceError,
  isCommerceError,
  type License,
  type Licenses,
} from '@latchkey/commerce'
import type { Answer, CommercePort } from '../../../core/ports/commerce-port.ts'
import { goneStatus, type LeaseClaims, leaseHeader, nonceHeader, trustedKeysHeader } from './lease-claims.ts'
import type { LeaseVerifier } from './lease-verifier.ts'

/** The nil UUID: no key has it. */
const noKeyId = '00000000-0000-0000-0000-000000000000'

/** What the routes need besides the service. */
export interface LeasedCommerceOptions {
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Told of an answer that is not trusted: the id of the key it says it is signed with, `null` for none. */
  readonly onUntrusted?: ((signedBy: string | null) => void) | undefined
}

/**
 * How long the devices of a license are listed for, in milliseconds. A list that is too long for that costs adoption, never
 * the activation.
 */
export const listWithinMs = 20_000

/** One signed exchange: what is sent with the request, and what came back with the answer. */
interface Exchange {
  readonly call: { readonly headers: Record<string, string>; readonly onAnswer: (answer: AnswerMeta) => void }
  /** The lease of the answer, when it is signed, fresh and about this key. */
  claims(licenseId: string, keyId: string): { readonly jws: string; readonly claims: LeaseClaims } | null
}

/**
 * The license routes through a gateway that signs its word. An answer that entitles or revokes counts only with a
 * fresh lease that says the same; any other is as good as none. Listing and freeing seats entitle nobody: unsigned.
 *
 * Time is taken from leases alone: an unsigned `Date` could set back the clock an old lease is read by.
 */
export function createLeasedCommerce(
  licenses: Licenses,
  verifier: LeaseVerifier,
  options: LeasedCommerceOptions = {},
): CommercePort {
  const { headers = {}, onUntrusted } = options
  // Whether an answer has proven that answers can be verified at all.
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
    return { value, serverDateMs: lease.issuedAtMs, lease }
  }

  /**
   * Learns before a seat is taken whether answers can be verified. Where the keys of a license can be listed, the gateway
   * signs that one is gone which cannot exist.
   *
   * @throws CommerceError when the answer bears no lease this app trusts.
   */
  async function proveSigned(licenseId: string): Promise<void> {
    if (isProven || !listedLicenses.has(licenseId)) return
    const one = exchange()
    try {
      await licenses.key(licenseId, noKeyId, one.call)
    } catch (error) {
      if (!isCommerceError(error) || error.code !== 'not-found') throw error
      if (one.claims(licenseId, noKeyId) === null) throw untrusted()
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
    deactivate: (licenseId, keyId) =>
      unsigned(licenses.deactivate(licenseId, { key: keyId }, { headers: { ...headers } })),
    async activate(licenseId, name) {
      await proveSigned(licenseId)
      const one = exchange()
      return signed(await licenses.activate(licenseId, { name }, one.call), one, licenseId)
    },
    async validate(licenseId, keyId) {
      const one = exchange()
      const value = await licenses.validate(licenseId, { key: keyId }, one.call)
      if (value.key.id.toLowerCase() !== keyId.toLowerCase()) throw untrusted()
      return signed(value, one, licenseId)
    },
    async key(licenseId, keyId) {
      const one = exchange()
      try {
        return await unsigned(licenses.key(licenseId, keyId, one.call))
      } catch (error) {
        const isGone = isCommerceError(error) && error.code === 'not-found'
        // Only a signed "gone" takes a seat from a device.
        if (isGone && one.claims(licenseId, keyId)?.claims.sta !== goneStatus) throw untrusted()
        throw error
      }
    },
  }
}

/** Whether body and signature tell one story. */
function saysTheSame({ sta, sus, lex }: LeaseClaims, license: License): boolean {
  return sta === license.status && sus === license.suspended_at && lex === license.expires_at
}

/** Somebody answered who is not the gateway: `field` names what was missing or wrong. */
function untrusted(): CommerceError {
  return new CommerceError('unexpected-answer', { field: leaseHeader, hint: 'no valid lease' })
}
