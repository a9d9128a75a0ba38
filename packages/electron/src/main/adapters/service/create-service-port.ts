import { type Fetch, type LicenseKey, readFeatures, readPlan } from '@latchkey/commerce'
import type {
  ActivatedLicense,
  Activation,
  LicenseFacts,
  LicenseService,
  Outcome,
  ServiceCall,
} from '@latchkey/services'
import type { Answer } from '../../../core/ports/commerce-port.ts'
import type { Lease, LeasePort } from '../../../core/ports/lease-port.ts'
import type { ReportedLicense, ServicePort } from '../../../core/ports/service-port.ts'
import { composeKeyName } from '../../../core/service/key-name.ts'
import { ServiceFailure } from '../../../core/service/service-failure.ts'
import { formatTimestamp } from '../../../shared/timestamp.ts'
import { nodeCrypto } from './node-crypto.ts'

/** What an adapter needs from the app. */
export interface ServicePortOptions {
  readonly service: LicenseService
  /** Whether license keys of the service's test mode may be activated. @default true */
  readonly allowsTestLicense?: boolean | undefined
  /** Fetches over Electron's network stack, which knows the system's proxies and certificates. */
  readonly fetch: Fetch
  /** Reads signed answers, so that one entitles this device offline. */
  readonly signedAnswers?: LeasePort | undefined
  /** Called with the server's time, in milliseconds since the epoch, for every answer that has it. */
  readonly onServerDate?: ((serverDateMs: number) => void) | undefined
  /** Called with what is wrong with the vendor's settings at the service; it holds no secret. */
  readonly onMisconfigured?: ((detail: string) => void) | undefined
  /** Called with every license key and ID before it is sent, so that logs can mask it. */
  readonly onSecret?: ((text: string) => void) | undefined
}

/** Creates the core's port from an adapter of `@latchkey/services`. */
export function createServicePort(options: ServicePortOptions): ServicePort {
  const { service, onServerDate, onSecret, allowsTestLicense } = options
  const ending = new AbortController()
  const call: ServiceCall = {
    // The cookies of the app's windows don't belong in these requests.
    fetch: (request, init) =>
      options.fetch(request, { ...init, credentials: 'omit', cache: 'no-store', redirect: 'manual' }),
    signal: ending.signal,
    onResponse: ({ serverDateMs }) => {
      if (serverDateMs !== null) onServerDate?.(serverDateMs)
    },
    crypto: nodeCrypto,
  }

  /**
   * @param leaseOf verifies the signed text of an answer, or of the refusal of a license that has ended.
   * @throws {ServiceFailure} for every outcome except an answer.
   */
  async function answered<Value, Read>(
    secrets: readonly string[],
    outcome: () => Promise<Outcome<Value>>,
    read: (value: Value) => Read,
    leaseOf?: (proof: string) => Promise<Lease | null> | Lease | null | undefined,
  ): Promise<Answer<Read>> {
    for (const secret of secrets) onSecret?.(secret)
    const got = await outcome()
    if (got.kind === 'unavailable' && got.cause === 'misconfigured' && got.detail !== null) {
      options.onMisconfigured?.(got.detail)
    }
    const proof = got.kind === 'unavailable' ? null : (got.proof ?? null)
    const lease = (proof === null ? null : await leaseOf?.(proof)) ?? undefined
    if (got.kind !== 'answer') throw new ServiceFailure(got, lease)
    return { value: read(got.value), serverDateMs: got.serverDateMs, lease }
  }

  /** An answer about this device, with what the service signed. */
  const proven = (
    licenseKey: string,
    fingerprint: string,
    secrets: readonly string[],
    outcome: () => Promise<Outcome<ActivatedLicense>>,
  ): Promise<Answer<ReturnType<typeof licensed>>> =>
    answered(
      secrets,
      outcome,
      (value) => licensed(licenseKey, value),
      // A signed answer names the device, not the activation.
      (proof) => options.signedAnswers?.verify(proof, licenseKey, '', fingerprint),
    )

  const showLicense = service.showLicense?.bind(service)
  const tellsSeats = service.capabilities.tellsSeatsInUse === true && showLicense !== undefined

  return {
    name: service.name,
    capabilities: service.capabilities,
    findLicenseKey: (text) => service.findLicenseKey(text),
    async keys(licenseKey) {
      const list = service.listActivations?.bind(service)
      if (list === undefined) throw new ServiceFailure(notOffered)
      const { value, ...rest } = await answered(
        [licenseKey],
        () => list({ licenseKey }, call),
        (listed) => listed,
      )
      return { ...rest, value: value.activations.map(keyOf), isWhole: value.isWhole }
    },
    ...(tellsSeats && {
      seatsInUse: (licenseKey: string) =>
        answered(
          [licenseKey],
          () => showLicense({ licenseKey }, call),
          ({ seatsInUse }) => seatsInUse,
        ),
    }),
    activate: (licenseKey, _name, { fingerprint, label }) =>
      proven(licenseKey, fingerprint, [licenseKey], () =>
        service.activate({ licenseKey, deviceName: label, fingerprint, allowsTestLicense }, call),
      ),
    validate: (licenseKey, activationId, fingerprint) =>
      proven(licenseKey, fingerprint, [licenseKey, activationId], () =>
        service.validate({ licenseKey, activationId, fingerprint }, call),
      ),
    deactivate: (licenseKey, activationId, fingerprint) =>
      answered(
        [licenseKey, activationId],
        () => service.deactivate({ licenseKey, activationId, fingerprint }, call),
        (value) => value,
      ),
    end: () => ending.abort(),
  }
}

const notOffered = {
  kind: 'unavailable',
  cause: 'misconfigured',
  httpStatus: null,
  retryAfterMs: null,
  serverDateMs: null,
  bodyIsJson: null,
  mayHaveActed: false,
  detail: 'the service has no list',
} as const

/**
 * Converts a license. The adapter has already compared license and activation. The record uses the license key as id.
 */
function licensed(
  licenseKey: string,
  { license, activation }: ActivatedLicense,
): { readonly license: ReportedLicense; readonly key: LicenseKey } {
  return { license: licenseOf(licenseKey, license), key: keyOf(activation) }
}

function licenseOf(id: string, facts: LicenseFacts): ReportedLicense {
  const { seatLimit, seatsInUse, endsAtMs, worksAfterEnd, status, plan, features } = facts
  // If the license keeps working after its end, it has no end.
  const hasEnd = typeof endsAtMs === 'number' && !worksAfterEnd
  return {
    id,
    activation_limit: typeof seatLimit === 'number' ? seatLimit : null,
    activation_usage: seatsInUse,
    activation_usage_formatted: null,
    expires_at: hasEnd ? formatTimestamp(endsAtMs) : null,
    suspended_at: null,
    status: status === null || status === 'active' ? 'ACTIVE' : status,
    created_at: null,
    updated_at: null,
    plan: readPlan(plan ?? undefined),
    features: readFeatures(features),
    ...(endsAtMs === null && { isEndUnknown: true }),
  }
}

function keyOf({ id, deviceName, fingerprint, createdAtMs }: Activation): LicenseKey {
  const label = deviceName ?? ''
  return {
    id,
    name: fingerprint === null ? label : composeKeyName(label, fingerprint, Number.POSITIVE_INFINITY),
    created_at: createdAtMs === null ? null : formatTimestamp(createdAtMs),
    updated_at: null,
  }
}
