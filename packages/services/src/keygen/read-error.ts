import type { LicenseFacts } from '../contract/license-facts.ts'
import type { Refusal, Unavailable } from '../contract/outcome.ts'
import { type Reply, undocumented } from '../http/send.ts'
import { errorCodeOf, readCode, reasons, settings } from './read-answer.ts'

/** Converts a 4xx of the service. A launch doesn't need it, because *validate key* answers with 200. */
export function readError(reply: Reply, license: LicenseFacts | null = null): Refusal | Unavailable {
  const code = errorCodeOf(reply)
  if (code === null || (reasons[code] === undefined && settings[code] === undefined)) {
    return undocumented(reply)
  }
  return code === 'NOT_FOUND' ? undocumented(reply) : readCode(code, reply, license)
}
