import type { Reply } from '../http/reply.ts'
import type { LicenseOperations } from '../licenses/license-operations.ts'
import { knowledgeOf, type UpstreamCandidate } from './upstream-candidate.ts'
import { notReached } from './without-second-seat.ts'

/**
 * A service that knows the license key, beside others that may know it too. A device may have been activated at one of
 * them while this one couldn't be asked, so they are asked before a key counts as unknown.
 */
export function besideOthers(
  service: LicenseOperations,
  others: readonly UpstreamCandidate[],
  licenseKey: string,
): LicenseOperations {
  async function elsewhere(reply: Reply, ask: (other: LicenseOperations) => Promise<Reply>): Promise<Reply> {
    if (reply.status !== 404 && reply.status !== 410) return reply
    for (const candidate of others) {
      const knowledge = await knowledgeOf(candidate, licenseKey)
      if (knowledge === 'unclear') return notReached
      const other = knowledge === 'no' ? reply : await ask(candidate.operations)
      if (other.status === 200) return other
      if (other.status >= 500) return notReached
    }
    return reply
  }

  return {
    ...service,
    key: async (...request) => elsewhere(await service.key(...request), (other) => other.key(...request)),
    validate: async (...request) =>
      elsewhere(await service.validate(...request), (other) => other.validate(...request)),
    deactivate: async (...request) =>
      elsewhere(await service.deactivate(...request), (other) => other.deactivate(...request)),
  }
}
