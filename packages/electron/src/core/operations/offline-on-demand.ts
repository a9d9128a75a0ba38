import type { OfflineVerbs, OfflineVerbsOptions } from './offline-verbs.ts'

/** The verbs of an activation without internet, loaded when an app first calls one. */
export function createOfflineOnDemand(
  options: OfflineVerbsOptions & { readonly ready: () => Promise<void> },
): OfflineVerbs {
  const load = async (): Promise<OfflineVerbs> => {
    const { createOfflineVerbs } = await import('./offline-verbs.ts')
    await options.ready()
    return createOfflineVerbs(options)
  }
  return {
    createOfflineRequest: async (text) => (await load()).createOfflineRequest(text),
    activateOffline: async (text) => (await load()).activateOffline(text),
  }
}
