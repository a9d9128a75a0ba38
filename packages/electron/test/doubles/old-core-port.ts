import { CommerceError, type CommerceErrorDetails, type License, type LicenseKey } from '@latchkey/commerce'
import type {
  ActivatedLicense,
  Activation,
  LicenseFacts,
  LicenseService,
  Outcome,
  Unavailable,
} from '@latchkey/services'
import type { Answer, EndableCommercePort } from '../../src/core/ports/commerce-port.ts'
import type { Lease, LeasePort } from '../../src/core/ports/lease-port.ts'
import type { ServicePort } from '../../src/core/ports/service-port.ts'
import { composeKeyName, parseKeyName } from '../../src/core/service/key-name.ts'
import { ServiceFailure } from '../../src/core/service/service-failure.ts'
import { createServicePort } from '../../src/main/adapters/service/create-service-port.ts'

/**
 * A licensing service as the core's earlier port. It goes with that port.
 *
 * @param leases verifies the proofs in the service's answers.
 */
export function oldCorePort(service: LicenseService, leases?: LeasePort): ServicePort {
  return service.name === 'commerce'
    ? oldCommercePort(service, leases)
    : createServicePort({ service, fetch: globalThis.fetch, signedAnswers: leases })
}

/** The commerce service as the core's earlier port, for tests that change its answers. */
export function oldCommercePort(
  service: LicenseService,
  leases?: LeasePort,
): EndableCommercePort & Pick<ServicePort, 'ids'> {
  const { listActivations, showActivation } = service
  const ending = new AbortController()
  const call = { signal: ending.signal }

  async function licensed(licenseKey: string, fingerprint: string, outcome: Outcome<ActivatedLicense>) {
    const answer = read(outcome, ({ license, activation }) => ({
      license: licenseOf(licenseKey, license),
      key: keyOf(activation),
    }))
    const proof = outcome.kind === 'answer' ? outcome.proof : null
    const verify = (jws: string): Promise<Lease | null> | Lease | null | undefined =>
      leases?.verify(jws, licenseKey, answer.value.key.id, fingerprint)
    return { ...answer, lease: (proof === null ? undefined : await verify(proof)) ?? undefined }
  }

  return {
    ids: 'uuid',
    async keys(licenseKey) {
      if (listActivations === undefined) throw new Error('The service has no list')
      const { value, ...rest } = read(await listActivations({ licenseKey }, call), (list) => list)
      return { ...rest, value: value.activations.map(keyOf), isWhole: value.isWhole }
    },
    async key(licenseKey, activationId) {
      if (showActivation === undefined) throw new Error('The service shows no activation')
      const outcome = await showActivation({ licenseKey, activationId, fingerprint: '' }, call)
      return read(outcome, keyOf, { operation: 'licenses.key' })
    },
    async activate(licenseKey, name) {
      const { label: deviceName, fingerprint } = parseKeyName(name)
      const request = { licenseKey, deviceName, fingerprint: fingerprint ?? '' }
      return licensed(licenseKey, request.fingerprint, await service.activate(request, call))
    },
    validate: async (licenseKey, activationId, fingerprint = '') =>
      licensed(
        licenseKey,
        fingerprint,
        await service.validate({ licenseKey, activationId, fingerprint }, call),
      ),
    deactivate: async (licenseKey, activationId, fingerprint = '') =>
      read(await service.deactivate({ licenseKey, activationId, fingerprint }, call), (value) => value),
    end: () => ending.abort(),
  }
}

function read<Value, Read>(
  outcome: Outcome<Value>,
  readValue: (value: Value) => Read,
  known: CommerceErrorDetails = {},
): Answer<Read> {
  if (outcome.kind === 'unavailable') throw commerceErrorOf(outcome, known)
  if (outcome.kind === 'refusal') throw new ServiceFailure(outcome)
  return { value: readValue(outcome.value), serverDateMs: outcome.serverDateMs }
}

function licenseOf(id: string, facts: LicenseFacts): License {
  const { status, rawStatus, endsAtMs, endsAt, seatLimit, seatsInUse, plan, features } = facts
  return {
    id,
    activation_limit: typeof seatLimit === 'number' ? seatLimit : null,
    activation_usage: seatsInUse,
    activation_usage_formatted: null,
    expires_at: typeof endsAtMs === 'number' ? (endsAt ?? new Date(endsAtMs).toISOString()) : null,
    suspended_at: status === 'suspended' ? new Date(0).toISOString() : null,
    status: status === 'active' ? 'ACTIVE' : (rawStatus ?? String(status)),
    created_at: null,
    updated_at: null,
    plan: plan ?? undefined,
    features: features ?? undefined,
  }
}

function keyOf({ id, deviceName, fingerprint, createdAtMs }: Activation): LicenseKey {
  const label = deviceName ?? ''
  return {
    id,
    name: fingerprint === null ? label : composeKeyName(label, fingerprint, Number.POSITIVE_INFINITY),
    created_at: createdAtMs === null ? null : new Date(createdAtMs).toISOString(),
    updated_at: null,
  }
}

function commerceErrorOf(outcome: Unavailable, known: CommerceErrorDetails): CommerceError {
  const { cause, httpStatus: status, retryAfterMs, serverDateMs, bodyIsJson } = outcome
  const bodyIsEmpty = status !== null && bodyIsJson === null
  const details = { ...known, status, retryAfterMs, serverDateMs, bodyIsJson, bodyIsEmpty }
  switch (cause) {
    case 'network':
    case 'timeout':
      return new CommerceError('unreachable', { ...details, reason: cause })
    case 'rate-limited':
    case 'server-error':
      return new CommerceError('unreachable', { ...details, reason: 'http-status' })
    case 'access-denied':
      return new CommerceError('unauthorized', details)
    case 'not-found':
    case 'rejected':
    case 'cancelled':
      return new CommerceError(cause, details)
    case 'misconfigured':
      return new CommerceError('invalid-argument', details)
    case 'incomplete-answer':
      return new CommerceError('unexpected-answer', { ...details, bodyIsJson: false, bodyIsCut: true })
    case 'redirected':
    case 'unexpected-answer':
    case 'unsigned-answer':
      return new CommerceError('unexpected-answer', details)
  }
}
