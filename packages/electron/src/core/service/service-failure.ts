import type { Refusal, Unavailable } from '@latchkey/services'

/** An adapter's failure. A call of the service port rejects with it. Contains no secret. */
export class ServiceFailure extends Error {
  override readonly name = 'ServiceFailure' as const
  readonly outcome: Refusal | Unavailable

  constructor(outcome: Refusal | Unavailable) {
    super(outcome.kind === 'refusal' ? outcome.reason : outcome.cause)
    this.outcome = outcome
  }
}
