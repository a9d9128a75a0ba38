import type { Refusal, Unavailable } from '@latchkey/services'
import type { Lease } from '../ports/lease-port.ts'

/** An adapter's failure. A call of the service port rejects with it. Contains no secret. */
export class ServiceFailure extends Error {
  override readonly name = 'ServiceFailure' as const
  readonly outcome: Refusal | Unavailable
  /** What the service signed about a license that has ended; absent if its answers aren't signed. */
  readonly lease: Lease | undefined

  constructor(outcome: Refusal | Unavailable, lease?: Lease) {
    super(outcome.kind === 'refusal' ? outcome.reason : outcome.cause)
    this.outcome = outcome
    this.lease = lease
  }
}
