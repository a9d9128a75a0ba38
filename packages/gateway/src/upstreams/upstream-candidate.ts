import type { LicenseOperations } from '../licenses/license-operations.ts'

/** Whether a service knows a license key. `maybe` is an empty list, which some services return for unknown keys too. */
export type Knowledge = 'yes' | 'no' | 'maybe' | 'unclear'

/** One of several services behind a gateway. */
export interface UpstreamCandidate {
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
