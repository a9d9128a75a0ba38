import type { Refusal, Unavailable } from '@latchkey/services'

/** What an adapter returned in place of an answer. A call of the service port rejects with it. Holds no secret. */
export class ServiceFailure extends Error {
  override readonly name = 'ServiceFailure' as const
  readonly outcome: Refusal | Unavailable

  constructor(outcome: Refusal | Unavailable) {
    super(outcome.kind === 'refusal' ? outcome.reason : outcome.cause)
    this.outcome = outcome
  }
}
