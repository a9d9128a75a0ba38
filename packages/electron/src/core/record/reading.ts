import type { RefusalReason } from '@latchkey/services'
import type { Lease } from '../ports/lease-port.ts'
import type { ProblemCause } from '../problem.ts'
import type { LicenseFacts, Verdict } from './vault.ts'

/** What an answer about this device's key means. */
export type Reading =
  | LicensedReading
  /** The service lists the keys of the license, and this one is missing. */
  | { readonly kind: 'revoked' }
  /** The service, by its documented refusal, doesn't know the license or the activation. Once alone, that proves nothing. */
  | { readonly kind: 'unknown'; readonly reason: UnknownReason; readonly cause: ProblemCause }
  /** Nothing definite: the record stays as it is. */
  | {
      readonly kind: 'undecided'
      /** Whether the service itself refused this key, by what it says, and it may be there all the same. */
      readonly isRefused?: boolean
      readonly cause: ProblemCause
    }

/** What a service may say it doesn't know. */
export type UnknownReason = Extract<RefusalReason, 'unknown-license' | 'unknown-activation'>

/** The service's word about the license: valid, or definitely not. */
export interface LicensedReading {
  readonly kind: 'licensed'
  readonly verdict: Exclude<Verdict, 'revoked'>
  readonly license: LicenseFacts
  /** The gateway's signature under it, where one is required. */
  readonly lease?: Lease | undefined
}
