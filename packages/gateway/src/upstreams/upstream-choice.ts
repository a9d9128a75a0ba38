import type { LicenseOperations } from '../license-operations.ts'

/** What a service says about a license key. `maybe`: an empty list, which some services have for unknown keys too. */
export type Knowledge = 'yes' | 'no' | 'maybe' | 'unclear'

/** One of several services behind a gateway. */
export interface UpstreamCandidate {
  readonly operations: LicenseOperations
  /** Whether a text has the form of the service's license keys. */
  mayKnow(licenseKey: string): boolean
  /** Asks the service whether it knows a license key. */
  knows(licenseKey: string): Promise<Knowledge>
}

/** License keys whose service is remembered at most. */
const maxRemembered = 50_000

const order: readonly Knowledge[] = ['yes', 'unclear', 'maybe', 'no']

/**
 * The five operations in front of several services. Each license key stays with the service that knows it. If two know
 * it, the first one of the list serves it.
 */
export function createUpstreamChoice(candidates: readonly UpstreamCandidate[]): LicenseOperations {
  const remembered = new Map<string, LicenseOperations>()

  async function choose(licenseKey: string): Promise<LicenseOperations> {
    const known = remembered.get(licenseKey)
    if (known !== undefined) return known
    const possible = candidates.filter(({ mayKnow }) => mayKnow(licenseKey))
    const [only = candidates[0], ...others] = possible
    if (only === undefined) throw new Error('There is no upstream.')
    if (others.length === 0) return only.operations
    const answers = await Promise.all(
      possible.map(async ({ operations, knows }) => ({ operations, knowledge: await knows(licenseKey) })),
    )
    const [best] = answers.sort((one, other) => order.indexOf(one.knowledge) - order.indexOf(other.knowledge))
    if (best === undefined) return only.operations
    if (best.knowledge === 'yes') remember(licenseKey, best.operations)
    return best.operations
  }

  function remember(licenseKey: string, operations: LicenseOperations): void {
    const [oldest] = remembered.keys()
    if (remembered.size >= maxRemembered && oldest !== undefined) remembered.delete(oldest)
    remembered.set(licenseKey, operations)
  }

  return {
    keys: async (licenseId, ...rest) => (await choose(licenseId)).keys(licenseId, ...rest),
    key: async (licenseId, ...rest) => (await choose(licenseId)).key(licenseId, ...rest),
    activate: async (licenseId, ...rest) => (await choose(licenseId)).activate(licenseId, ...rest),
    validate: async (licenseId, ...rest) => (await choose(licenseId)).validate(licenseId, ...rest),
    deactivate: async (licenseId, ...rest) => (await choose(licenseId)).deactivate(licenseId, ...rest),
  }
}
