import type { ReleaseWithCode } from '../record/outbox-entries.ts'
import type { OfflineVerbs, OfflineVerbsOptions } from './offline-verbs.ts'

/** The verbs, and what only the core calls. */
export interface OfflineOnDemand extends Pick<OfflineVerbs, 'createOfflineRequest' | 'activateOffline'> {
  /** Returns the release code of this device's seat; `undefined` if it has none. Never rejects. */
  releaseCode(): Promise<ReleaseWithCode | undefined>
}

/** The verbs of an activation without internet, loaded when an app first calls one. */
export function createOfflineOnDemand(
  options: OfflineVerbsOptions & { readonly ready: () => Promise<void> },
): OfflineOnDemand {
  const load = async (): Promise<OfflineVerbs> => {
    const { createOfflineVerbs } = await import('./offline-verbs.ts')
    await options.ready()
    return createOfflineVerbs(options)
  }
  return {
    createOfflineRequest: async (text) => (await load()).createOfflineRequest(text),
    activateOffline: async (text) => (await load()).activateOffline(text),
    async releaseCode() {
      const { activation } = options.session.vault()
      const { jws, secret } = activation?.offline ?? {}
      if (activation === null || jws === undefined || secret === undefined) return undefined
      const { licenseId, keyId } = activation
      try {
        const releaseLink = await (await load()).releaseLink({ jws, secret })
        return releaseLink === undefined ? undefined : { licenseId, keyId, releaseLink }
      } catch {
        // The seat is still freed once the service can be reached.
        return undefined
      }
    },
  }
}
