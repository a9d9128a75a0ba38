import type { Reply } from '../http/reply.ts'
import type { LicenseOperations } from '../licenses/license-operations.ts'
import { makeRoom } from '../make-room.ts'
import { isUnclear, knowledgeOf, type UpstreamCandidate, unreached } from './upstream-candidate.ts'

/** Maximum number of keys of a license to remember. */
const maxOwnKeys = 1_000

/**
 * A service that knows the license key, beside others that may know it too. A device may have been activated at one of
 * them while this one couldn't be asked, so they are asked before a key counts as unknown. That can take long, so a key
 * that this service confirmed since the gateway started is its own.
 */
export function besideOthers(
  service: LicenseOperations,
  others: readonly UpstreamCandidate[],
  licenseKey: string,
): LicenseOperations {
  const ownKeys = new Set<string>()

  function confirming(keyId: string, reply: Reply): Reply {
    // A refusal because of the license is the same for every key.
    if (reply.status === 200 && reply.isRefusal !== true && !ownKeys.has(keyId)) {
      makeRoom(ownKeys, maxOwnKeys)
      ownKeys.add(keyId)
    }
    return reply
  }

  async function elsewhere(
    keyId: string,
    reply: Reply,
    ask: (other: LicenseOperations) => Promise<Reply>,
  ): Promise<Reply> {
    if ((reply.status !== 404 && reply.status !== 410) || ownKeys.has(keyId)) return reply
    for (const candidate of others) {
      const knowledge = await knowledgeOf(candidate, licenseKey)
      if (isUnclear(knowledge)) return unreached(candidate, knowledge)
      const other = knowledge === 'no' ? reply : await ask(candidate.operations)
      if (other.status === 200) return other
      if (other.status >= 500)
        return unreached(candidate, other.code === 'upstream-unauthorized' ? 'denied' : 'unclear')
    }
    return reply
  }

  return {
    ...service,
    async key(licenseId, keyId, lease) {
      const reply = confirming(keyId, await service.key(licenseId, keyId, lease))
      return elsewhere(keyId, reply, (other) => other.key(licenseId, keyId, lease))
    },
    async validate(licenseId, keyId, ...rest) {
      const reply = confirming(keyId, await service.validate(licenseId, keyId, ...rest))
      return elsewhere(keyId, reply, (other) => other.validate(licenseId, keyId, ...rest))
    },
    async deactivate(licenseId, keyId, ...rest) {
      const reply = await service.deactivate(licenseId, keyId, ...rest)
      return elsewhere(keyId, reply, (other) => other.deactivate(licenseId, keyId, ...rest))
    },
  }
}
