import type { Problem } from '../../shared/problem.ts'
import type { OfflineRelease } from '../ports/offline-port.ts'
import { describeProblem } from '../problem.ts'
import {
  type ReleaseWithCode,
  type ReleaseWithoutCode,
  releasesWithoutCode,
} from '../record/outbox-entries.ts'
import type { OfflineVerbs, OfflineVerbsOptions } from './offline-verbs.ts'

/** The verbs, and what only the core calls. */
export interface OfflineOnDemand extends Pick<OfflineVerbs, 'createOfflineRequest' | 'activateOffline'> {
  /**
   * Returns the release code of this device's seat, or what it is made of if it can't be made now; `undefined` if it has
   * none. Never rejects.
   */
  releaseCode(): Promise<ReleaseWithCode | ReleaseWithoutCode | undefined>
  /** Makes the release codes that couldn't be made when they were due. Never rejects. */
  makeLateCodes(): Promise<void>
}

/** The verbs of an activation without internet, loaded when an app first calls one. */
export function createOfflineOnDemand(
  options: OfflineVerbsOptions & {
    readonly ready: () => Promise<void>
    /** Runs an operation alone, without showing it. */
    readonly settle: (operation: () => Promise<null>) => Promise<unknown>
  },
): OfflineOnDemand {
  const load = async (): Promise<OfflineVerbs> => {
    const { createOfflineVerbs } = await import('./offline-verbs.ts')
    await options.ready()
    return createOfflineVerbs(options, releaseCode)
  }
  const { session } = options
  const { ports, published } = session
  /** An update may have replaced the app's files, so that what is loaded on demand is missing. */
  const unexpected = (what: string, error: unknown): { ok: false; problem: Problem } => {
    ports.logger.error(`The ${what} (${nameError(error)})`)
    return { ok: false, problem: describeProblem({ code: 'unexpected' }, ports.clock.now()) }
  }
  const linkOf = async (answer: OfflineRelease): Promise<string | undefined> => {
    try {
      return await (await load()).releaseLink(answer)
    } catch (error) {
      // The seat is still freed once the service can be reached.
      unexpected('release code could not be created', error)
      return undefined
    }
  }
  const releaseCode: OfflineOnDemand['releaseCode'] = async () => {
    const { activation } = session.vault()
    if (activation?.offline === undefined) return undefined
    const {
      licenseId,
      keyId,
      offline: { jws, secret },
    } = activation
    const releaseLink = await linkOf({ jws, secret })
    return releaseLink === undefined
      ? { licenseId, keyId, unmadeCode: { jws, secret } }
      : { licenseId, keyId, releaseLink }
  }
  const makeLateCodes = async (): Promise<null> => {
    for (const { licenseId, keyId, unmadeCode } of releasesWithoutCode(session.vault())) {
      const releaseLink = await linkOf(unmadeCode)
      if (releaseLink === undefined) continue
      await session.record({ type: 'release-code-made', code: { licenseId, keyId, releaseLink } })
    }
    return null
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
    async makeLateCodes() {
      if (releasesWithoutCode(session.vault()).length > 0) await options.settle(makeLateCodes)
    },
  }
}

/** Names an error without its message, which may hold anything. */
function nameError(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
