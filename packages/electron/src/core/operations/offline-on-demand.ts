import type { OfflineVerbs, OfflineVerbsOptions } from './offline-verbs.ts'

/** The verbs, and what only the core calls. */
export interface OfflineOnDemand extends Pick<OfflineVerbs, 'createOfflineRequest' | 'activateOffline'> {
  /** Returns the address of the page with this device's release code; `undefined` if it has none. Never rejects. */
  releaseLink(): Promise<string | undefined>
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
    async releaseLink() {
      const { jws, secret } = options.session.vault().activation?.offline ?? {}
      if (jws === undefined || secret === undefined) return undefined
      try {
        return await (await load()).releaseLink({ jws, secret })
      } catch {
        // The seat is still freed once the service can be reached.
        return undefined
      }
    },
  }
}
