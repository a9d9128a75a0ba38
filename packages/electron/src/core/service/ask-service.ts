import { isCommerceError } from '@latchkey/commerce'
import type { LicensingSession } from '../licensing-session.ts'
import type { Answer } from '../ports/commerce-port.ts'
import { type Failure, readFailure } from './read-answer.ts'

/** The outcome of a request to the service. */
export type Asked<Value> =
  | { readonly kind: 'answer'; readonly answer: Answer<Value> }
  | {
      readonly kind: 'failure'
      readonly failure: Failure
      readonly serverDateMs: number | null
      /** Whether the request succeeded but the answer is about something else. */
      readonly isAboutOther: boolean
    }

/**
 * Sends a request to the service, records the time of the answer, and classifies errors. Never rejects.
 *
 * @param call sends the request.
 * @param isMeant whether an answer is about the requested item. @default accepts every answer
 */
export async function askService<Value>(
  session: Pick<LicensingSession, 'noteServerTime' | 'stateTime'>,
  call: () => Promise<Answer<Value>>,
  isMeant: (value: Value) => boolean = () => true,
): Promise<Asked<Value>> {
  try {
    const answer = await call()
    if (!isMeant(answer.value)) return aboutOther
    session.noteServerTime(answer.serverDateMs)
    return { kind: 'answer', answer }
  } catch (error) {
    const serverDateMs = isCommerceError(error) ? error.serverDateMs : null
    const failure = readFailure(error)
    // A clock that was set ahead must not make two refusals look like a day apart, which would be a proof.
    if (failure.kind === 'refused' && failure.serverDateMs !== null) session.stateTime(failure.serverDateMs)
    return { kind: 'failure', failure, serverDateMs, isAboutOther: false }
  }
}

const aboutOther: Asked<never> = {
  kind: 'failure',
  failure: { kind: 'unreachable', cause: { code: 'unexpected-answer' } },
  serverDateMs: null,
  isAboutOther: true,
}
