import type { Problem } from '../../shared/problem.ts'
import { describeProblem } from '../problem.ts'
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
    return createOfflineVerbs(options, releaseCode)
  }
  const { ports, published } = options.session
  /** An update may have replaced the app's files, so that what is loaded on demand is missing. */
  const unexpected = (what: string, error: unknown): { ok: false; problem: Problem } => {
    ports.logger.error(`The ${what} (${nameError(error)})`)
    return { ok: false, problem: describeProblem({ code: 'unexpected' }, ports.clock.now()) }
  }
  const releaseCode = async (): Promise<ReleaseWithCode | undefined> => {
    const { activation } = options.session.vault()
    const { jws, secret } = activation?.offline ?? {}
    if (activation === null || jws === undefined || secret === undefined) return undefined
    const { licenseId, keyId } = activation
    try {
      const releaseLink = await (await load()).releaseLink({ jws, secret })
      return releaseLink === undefined ? undefined : { licenseId, keyId, releaseLink }
    } catch (error) {
      // The seat is still freed once the service can be reached.
      unexpected('release code could not be created', error)
      return undefined
    }
  }
  return {
    createOfflineRequest: async (text) =>
      load()
        .then((verbs) => verbs.createOfflineRequest(text))
        .catch((error: unknown) =>
          unexpected('request for an activation without internet could not be created', error),
        ),
    activateOffline: async (text) =>
      load()
        .then((verbs) => verbs.activateOffline(text))
        .catch((error: unknown) => ({
          ...unexpected('answer for an activation without internet could not be read', error),
          state: published.current,
        })),
    releaseCode,
  }
}

/** Names an error without its message, which may hold anything. */
function nameError(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
