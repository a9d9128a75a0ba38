import type { RefusalReason } from '@latchkey/services'
import type { Lease } from '../ports/lease-port.ts'
import type { ProblemCause } from '../problem.ts'
import type { LicenseFacts, Verdict } from './vault.ts'

/** The meaning of an answer about this device's key. */
export type Reading =
  | LicensedReading
  /** The service lists the keys of the license, and this one is missing. */
  | {
      readonly kind: 'revoked'
      /**
       * The keys with this device's fingerprint in that list, oldest first: another user of this computer may have activated
       * again. Absent if no list was read, because the gateway signed that the key is gone.
       */
      readonly ownKeyIds?: readonly string[]
    }
  /** The service documents that it doesn't know the license or the activation. One such refusal proves nothing. */
  | {
      readonly kind: 'unknown'
      readonly reason: UnknownReason
      /** What it means once it is proven. @default 'revoked' */
      readonly verdict?: LicensedReading['verdict']
      readonly isRefused?: undefined
      readonly cause: ProblemCause
    }
  /** Nothing definite, so the record stays as it is. */
  | {
      readonly kind: 'undecided'
      /** Whether the service itself refused this key, although the key may still exist. */
      readonly isRefused?: boolean
      /** Whether the service refused for a reason that it documents, such as another product. */
      readonly isDocumented?: boolean
      readonly cause: ProblemCause
    }

/** What a service can report as unknown. */
export type UnknownReason = Extract<RefusalReason, 'unknown-license' | 'unknown-activation'>

/** The service's answer about the license: valid, or definitely not valid. */
export interface LicensedReading {
  readonly kind: 'licensed'
  readonly verdict: Exclude<Verdict, 'revoked'>
  readonly license: LicenseFacts
  /** The gateway's signed lease, if one is required. */
  readonly lease?: Lease | undefined
}
