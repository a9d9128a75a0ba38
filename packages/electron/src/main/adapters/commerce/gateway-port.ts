import { isCommerceError } from '@latchkey/commerce'
import { type FoundLicenseKey, findAnyLicenseKey, type RefusalReason } from '@latchkey/services'
import type { EndableCommercePort } from '../../../core/ports/commerce-port.ts'
import { ServiceFailure } from '../../../core/service/service-failure.ts'

/** The reasons that a gateway passes on from the service behind it. */
const reasons: Readonly<Record<string, RefusalReason>> = {
  'no-seat-left': 'no-seat-left',
  'wrong-product': 'wrong-product',
  'test-license': 'test-license',
  'license-expired': 'expired',
  'license-suspended': 'suspended',
  'license-inactive': 'inactive',
}

/** The license routes, and how license keys look. */
export interface GatewayPort extends EndableCommercePort {
  /** @default finds a UUID */
  findLicenseKey?(text: string): FoundLicenseKey
}

/**
 * The port for a gateway in front of any licensing service. License keys have any form, and a refused activation or list
 * has a reason. A refused *validate* has none: only an answer, which a gateway can sign, decides about a device that is
 * already activated.
 */
export function createGatewayPort(port: EndableCommercePort, onSecret?: (text: string) => void): GatewayPort {
  const mask = (...secrets: readonly string[]): void => {
    for (const secret of secrets) onSecret?.(secret)
  }
  return {
    ...port,
    findLicenseKey: findAnyLicenseKey,
    keys(licenseKey) {
      mask(licenseKey)
      return port.keys(licenseKey).catch(throwReason)
    },
    activate(licenseKey, name) {
      mask(licenseKey)
      return port.activate(licenseKey, name).catch(throwReason)
    },
    validate(licenseKey, keyId, fingerprint) {
      mask(licenseKey, keyId)
      return port.validate(licenseKey, keyId, fingerprint)
    },
    deactivate(licenseKey, keyId, fingerprint) {
      mask(licenseKey, keyId)
      return port.deactivate(licenseKey, keyId, fingerprint)
    },
  }
}

/** @throws {ServiceFailure} if the gateway gives a reason; otherwise the error itself. */
function throwReason(error: unknown): never {
  if (isCommerceError(error) && error.refusalCode === 'upstream-misconfigured') {
    throw new ServiceFailure({
      kind: 'unavailable',
      cause: 'misconfigured',
      httpStatus: error.status,
      retryAfterMs: null,
      serverDateMs: error.serverDateMs,
      bodyIsJson: true,
      // It may come from a later request than the one that took a seat.
      mayHaveActed: true,
      detail: null,
    })
  }
  const reason = isCommerceError(error) ? reasonOf(error.status, error.refusalCode) : undefined
  if (!isCommerceError(error) || reason === undefined) throw error
  throw new ServiceFailure({
    kind: 'refusal',
    reason,
    license: null,
    leftoverActivationId: null,
    httpStatus: error.status,
    serverDateMs: error.serverDateMs,
  })
}

function reasonOf(status: number | null, code: string | null): RefusalReason | undefined {
  if (status === 404 && code === 'not-found') return 'unknown-license'
  return status === 422 && code !== null ? reasons[code] : undefined
}
