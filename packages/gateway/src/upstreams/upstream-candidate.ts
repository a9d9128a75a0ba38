import type { Reply } from '../http/reply.ts'
import type { LicenseOperations } from '../licenses/license-operations.ts'
import { notReached } from './without-second-seat.ts'

/**
 * Whether a service knows a license key. `maybe` is an empty list, which some services return for unknown keys too.
 * `denied` is unclear as well, until the vendor corrects the service's token.
 */
export type Knowledge = 'yes' | 'no' | 'maybe' | 'unclear' | 'denied'

/** One of several services behind a gateway. */
export interface UpstreamCandidate {
  /** The service's name, for the log. */
  readonly name: string
  readonly operations: LicenseOperations
  /** Whether a text has the form of the service's license keys. */
  mayKnow(licenseKey: string): boolean
  /** Asks the service whether it knows a license key. */
  knows(licenseKey: string): Promise<Knowledge>
}

/** Asks a service whether it knows a license key. It never rejects. */
export function knowledgeOf({ knows }: UpstreamCandidate, licenseKey: string): Promise<Knowledge> {
  return knows(licenseKey).catch((): Knowledge => 'unclear')
}

/** Whether a service can't be asked. */
export function isUnclear(knowledge: Knowledge): boolean {
  return knowledge === 'unclear' || knowledge === 'denied'
}

/** Returns the reply if a service can't be asked. It differs only in the log. */
export function unreached({ name }: UpstreamCandidate, knowledge: Knowledge): Reply {
  if (knowledge !== 'denied') return notReached
  return { ...notReached, remark: 'token-refused', detail: `${name} refuses the gateway's token` }
}
