import { isCommerceError, type Licenses } from '@latchkey/commerce'
import type { LicenseService, ServiceCall } from '@latchkey/services'
import { uuidOnly } from '../http/ids.ts'
import { type Reply, refused, unproven } from '../http/reply.ts'
import type { LeaseIssuer } from '../leases/lease-issuer.ts'
import type { AllowRule } from '../licenses/allow-rule.ts'
import { createLicenseOperations, type LicenseOperations, nilKeyId } from '../licenses/license-operations.ts'
import type { TermsRules } from '../licenses/license-terms.ts'
import type { CheckedUpstream } from './checked-upstream.ts'
import { createServiceOperations } from './service-operations.ts'
import type { Knowledge, UpstreamCandidate } from './upstream-candidate.ts'
import { createUpstreamChoice } from './upstream-choice.ts'

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
            name: 'commerce',
            operations: withUuids(operations),
            mayKnow: (licenseKey) => uuidOnly.test(licenseKey),
            knows: (licenseKey) => commerceKnows(upstream.licenses, licenseKey),
          }
        : {
            name: upstream.service.name,
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
  if (outcome.kind === 'unavailable') return outcome.cause === 'access-denied' ? 'denied' : 'unclear'
  return outcome.reason === 'unknown-license' || outcome.reason === 'wrong-product' ? 'no' : 'yes'
}

/** The service doesn't document this case, so an unknown license may be a 404 or an empty list. */
async function commerceKnows(licenses: Licenses, licenseKey: string): Promise<Knowledge> {
  try {
    const { keys } = await licenses.keyList(licenseKey, { until: () => true })
    return keys.length > 0 ? 'yes' : 'maybe'
  } catch (error) {
    if (!isCommerceError(error)) return 'unclear'
    if (error.code === 'unauthorized') return 'denied'
    const isRefusal = error.code === 'not-found' || error.code === 'rejected'
    return isRefusal && error.bodyIsJson === true ? 'no' : 'unclear'
  }
}

/**
 * Converts IDs to the commerce service's lowercase UUIDs. If no service has keys of a text's form, it may get here. The
 * replies are then the ones about a license that the commerce service doesn't know: none of them proves that a key is gone.
 */
function withUuids(operations: LicenseOperations): LicenseOperations {
  const lower = (id: string): string => id.toLowerCase()
  const ofLicense = async (licenseId: string, reply: Reply, run: (licenseId: string) => Promise<Reply>) =>
    uuidOnly.test(licenseId) ? run(lower(licenseId)) : reply
  const ofKey = async (keyId: string, run: (keyId: string) => Promise<Reply>) =>
    uuidOnly.test(keyId) ? run(lower(keyId)) : unknown
  return {
    keys: (licenseId, page) => ofLicense(licenseId, unknown, (license) => operations.keys(license, page)),
    async key(licenseId, keyId, lease) {
      // Doesn't ask the service. An app compares the license in this lease exactly.
      if (keyId === nilKeyId) return operations.key(licenseId, keyId, lease)
      return ofLicense(licenseId, unproven(null), (license) =>
        ofKey(keyId, (key) => operations.key(license, key, lease)),
      )
    },
    activate: (licenseId, name, lease) =>
      ofLicense(licenseId, unknown, (license) => operations.activate(license, name, lease)),
    validate: (licenseId, keyId, lease) =>
      ofLicense(licenseId, unknown, (license) =>
        ofKey(keyId, (key) => operations.validate(license, key, lease)),
      ),
    deactivate: (licenseId, keyId) =>
      ofLicense(licenseId, unproven(null), (license) =>
        ofKey(keyId, (key) => operations.deactivate(license, key)),
      ),
  }
}

const unknown: Reply = refused(404, 'not-found')
