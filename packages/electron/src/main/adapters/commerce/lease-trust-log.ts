import type { Logger } from '../../../core/ports/logger-port.ts'

/** Tells the developer why answers are not trusted, each reason once. @param trustedKeyIds key ids of `leaseKeys` */
export function createLeaseTrustLog(
  logger: Logger,
  trustedKeyIds: readonly string[],
): (signedBy: string | null) => void {
  const told = new Set<string | null>()
  return (signedBy) => {
    if (told.has(signedBy)) return
    told.add(signedBy)
    const found =
      signedBy === null
        ? 'An answer of the license service holds no lease'
        : trustedKeyIds.includes(signedBy)
          ? `An answer of the license service holds a lease that names key ${signedBy} and is not its word about this request`
          : `An answer of the license service is signed by key ${signedBy}`
    logger.error(
      `${found}. This app trusts ${trustedKeyIds.join(', ')}. Check leaseKeys, the signing key of your gateway, and service.baseUrl`,
    )
  }
}
