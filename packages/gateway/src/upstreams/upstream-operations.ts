import { isCommerceError, type Licenses } from '@latchkey/commerce'
import type { LicenseService, ServiceCall } from '@latchkey/services'
import { uuidOnly } from '../http/ids.ts'
import { refused } from '../http/reply.ts'
import type { LeaseIssuer } from '../leases/lease-issuer.ts'
import type { AllowRule } from '../licenses/allow-rule.ts'
import { createLicenseOperations, type LicenseOperations } from '../licenses/license-operations.ts'
import type { TermsRules } from '../licenses/license-terms.ts'
import type { CheckedUpstream } from './checked-upstream.ts'
import { createServiceOperations } from './service-operations.ts'
import { createUpstreamChoice, type Knowledge, type UpstreamCandidate } from './upstream-choice.ts'

/** Creates the operations for one or more services. */
export function createUpstreamOperations(
  upstreams: readonly CheckedUpstream[],
  leases: LeaseIssuer,
  allow: AllowRule | null,
  rules: TermsRules,
  clock: () => number,
): LicenseOperations {
  const operationsOf = (upstream: CheckedUpstream): LicenseOperations =>
    upstream.kind === 'commerce'
      ? createLicenseOperations(upstream.licenses, leases, allow, rules, clock)
      : createServiceOperations({ ...upstream, leases, allow, rules, clock })
  const [only, ...others] = upstreams
  // With a single service there is nothing to choose.
  if (only !== undefined && others.length === 0) return operationsOf(only)
  return createUpstreamChoice(
    upstreams.map((upstream): UpstreamCandidate => {
      const operations = operationsOf(upstream)
      return upstream.kind === 'commerce'
        ? {
            operations: withUuids(operations),
            mayKnow: (licenseKey) => uuidOnly.test(licenseKey),
            knows: (licenseKey) => commerceKnows(upstream.licenses, licenseKey),
          }
        : {
            operations,
            mayKnow: (licenseKey) => isKeyOf(upstream.service, licenseKey),
            knows: (licenseKey) => serviceKnows(upstream.service, licenseKey, upstream.call),
          }
    }),
  )
}

function isKeyOf(service: LicenseService, licenseKey: string): boolean {
  const found = service.findLicenseKey(licenseKey)
  return found.ok && found.licenseKey === licenseKey
}

async function serviceKnows(
  service: LicenseService,
  licenseKey: string,
  call: ServiceCall,
): Promise<Knowledge> {
  const ask = service.showLicense ?? service.listActivations
  if (ask === undefined) return 'unclear'
  const outcome = await ask({ licenseKey }, call)
  if (outcome.kind === 'answer') return 'yes'
  if (outcome.kind === 'unavailable') return 'unclear'
  return outcome.reason === 'unknown-license' || outcome.reason === 'wrong-product' ? 'no' : 'yes'
}

/** The service doesn't document this case, so an unknown license may be a 404 or an empty list. */
async function commerceKnows(licenses: Licenses, licenseKey: string): Promise<Knowledge> {
  try {
    const { keys } = await licenses.keyList(licenseKey, { until: () => true })
    return keys.length > 0 ? 'yes' : 'maybe'
  } catch (error) {
    const isRefusal = isCommerceError(error) && (error.code === 'not-found' || error.code === 'rejected')
    return isRefusal && error.bodyIsJson === true ? 'no' : 'unclear'
  }
}

/** Converts IDs to the commerce service's lowercase UUIDs. */
function withUuids(operations: LicenseOperations): LicenseOperations {
  const lower = (id: string): string => id.toLowerCase()
  const ofKey = async <Result>(keyId: string, run: (keyId: string) => Promise<Result>) =>
    uuidOnly.test(keyId) ? run(lower(keyId)) : refused(404, 'not-found')
  return {
    keys: (licenseId, page) => operations.keys(lower(licenseId), page),
    key: (licenseId, keyId, lease) => ofKey(keyId, (id) => operations.key(lower(licenseId), id, lease)),
    activate: (licenseId, name, lease) => operations.activate(lower(licenseId), name, lease),
    validate: (licenseId, keyId, lease) =>
      ofKey(keyId, (id) => operations.validate(lower(licenseId), id, lease)),
    deactivate: (licenseId, keyId) => ofKey(keyId, (id) => operations.deactivate(lower(licenseId), id)),
  }
}
