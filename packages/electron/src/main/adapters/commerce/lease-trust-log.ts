import type { Logger } from '../../../core/ports/logger-port.ts'

/**
 * Logs why answers aren't trusted, each reason once.
 *
 * @param trustedKeyIds key ids of `leaseKeys`
 * @param baseUrl the service's address. On this machine, an emulator may answer.
 */
export function createLeaseTrustLog(
  logger: Logger,
  trustedKeyIds: readonly string[],
  baseUrl: string | URL,
): (signedBy: string | null) => void {
  const told = new Set<string | null>()
  return (signedBy) => {
    if (told.has(signedBy)) return
    told.add(signedBy)
    const found =
      signedBy === null
        ? 'An answer from the license service contains no lease'
        : trustedKeyIds.includes(signedBy)
          ? `An answer from the license service contains a lease signed with key ${signedBy}, but the lease isn't valid for this request`
          : `An answer from the license service is signed with key ${signedBy}`
    const isLocal = signedBy === null && /^http:\/\/(?:localhost|127\.|\[::1\])/iu.test(String(baseUrl))
    const hint = isLocal
      ? '. The emulator signs nothing: start a gateway in front of it, or leave leaseKeys out while you develop'
      : ''
    logger.error(
      `${found}. This app trusts ${trustedKeyIds.join(', ')}. Check leaseKeys, the signing key of your gateway, and service.baseUrl${hint}`,
    )
  }
}
