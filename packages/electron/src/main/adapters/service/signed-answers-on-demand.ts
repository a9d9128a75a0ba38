import type { LicenseService } from '@latchkey/services'
import type { LeasePort } from '../../../core/ports/lease-port.ts'
import { onDemand } from '../../../shared/on-demand.ts'

/**
 * A service's signed answers as leases, loaded when the first one is verified.
 *
 * @param lastsMs how long a signed answer entitles offline, in milliseconds.
 * @returns `undefined` if the service's answers aren't signed.
 */
export function createSignedAnswersOnDemand(service: LicenseService, lastsMs: number): LeasePort | undefined {
  const { readProof, capabilities } = service
  if (readProof === undefined || !capabilities.signsItsAnswers) return undefined
  const load = onDemand(async () => {
    const { createSignedAnswers } = await import('./signed-answers.ts')
    return createSignedAnswers(readProof, lastsMs)
  })
  return { verify: async (...given) => (await load()).verify(...given) }
}
