import {
  type AnswerMeta,
  type CallOptions,
  composeKeyName,
  createCommerceClient,
  isSameId,
  type KeyList,
  type License,
  type LicenseKey,
  parseKeyName,
  toDate,
  toEndDate,
} from '@latchkey/commerce'
import { isOlderThan } from '../contract/is-older-than.ts'
import type { Activation, LicenseFacts, LicenseStatus } from '../contract/license-facts.ts'
import type { LicenseService, ListRequest } from '../contract/license-service.ts'
import type { Outcome } from '../contract/outcome.ts'
import { answer, nothingTold, unavailable } from '../contract/outcomes.ts'
import type { ServiceCall } from '../contract/service-call.ts'
import { findAnyLicenseKey } from '../text/find-any-license-key.ts'
import { findLicenseKey } from '../text/find-license-key.ts'
import { uuidForms } from '../text/uuid-forms.ts'
import type { CommerceOptions } from './options.ts'
import { readError, readReason } from './read-error.ts'

/**
 * Creates the adapter for the commerce service, or for a gateway. The app's option `service: { baseUrl }` uses it.
 *
 * @throws {CommerceError} with the code `invalid-argument` if an option is invalid. The message names the option.
 *
 * @example
 * ```ts
 * const service = commerce({ baseUrl: 'https://licensing.example.com/v1' })
 * ```
 */
export function commerce(options: CommerceOptions): LicenseService {
  const { accessToken, customerPortal, licenseKeys = 'uuid' } = options
  const isAny = licenseKeys === 'any'
  // Throws for invalid options now, and not on the first call.
  createCommerceClient(clientOptions(options, undefined))

  /** Sends requests and records their status and date. Of several pages, the oldest date counts. */
  async function ask<Value>(
    call: ServiceCall | undefined,
    acts: boolean,
    send: (
      licenses: ReturnType<typeof createCommerceClient>['licenses'],
      options: CallOptions,
    ) => Promise<Value>,
    givesReasons = false,
  ): Promise<Outcome<Value>> {
    const { licenses } = createCommerceClient(clientOptions(options, call))
    let serverDateMs: number | null = null
    const onAnswer = (meta: AnswerMeta): void => {
      const { status, headers, serverDateMs: dateMs } = meta
      if (serverDateMs === null || (dateMs !== null && dateMs < serverDateMs)) serverDateMs = dateMs
      call?.onResponse?.({ status, headers, serverDateMs: dateMs })
    }
    try {
      const value = await send(licenses, {
        signal: call?.signal,
        headers: { ...options.headers, ...call?.headers },
        onAnswer,
      })
      return answer(value, serverDateMs)
    } catch (error) {
      return (givesReasons ? readReason(error) : null) ?? readError(error, acts)
    }
  }

  async function list(
    { licenseKey, page, withinMs }: ListRequest,
    call?: ServiceCall,
  ): Promise<Outcome<KeyList>> {
    return ask(
      call,
      false,
      (licenses, options) => licenses.keyList(licenseKey, { ...options, page, withinMs }),
      isAny,
    )
  }

  /** A gateway may stand in front of a service that asks for the device. */
  const keyInput = (key: string, fingerprint: string): { key: string; fingerprint?: string } =>
    isAny ? { key, fingerprint } : { key }

  return {
    name: 'commerce',
    baseUrl: options.baseUrl,
    capabilities: {
      listsActivations: true,
      // Activating twice with one name uses two seats, so callers must look for an earlier activation first.
      idempotentByFingerprint: false,
      tellsTheEnd: true,
      signsItsAnswers: false,
    },
    links: { customerPortal: customerPortal ?? null },
    vendorSecrets: accessToken === undefined ? [] : ['accessToken'],

    findLicenseKey(text) {
      if (isAny) return findAnyLicenseKey(text)
      const found = findLicenseKey(text.normalize('NFKC'), uuidForms())
      // The license key is a UUID. Latchkey has always stored it in lowercase.
      return found.ok ? { ok: true, licenseKey: found.licenseKey.toLowerCase() } : found
    },

    async activate({ licenseKey, deviceName, fingerprint }, call) {
      const name = composeKeyName(deviceName, fingerprint)
      const outcome = await ask(
        call,
        true,
        (licenses, options) => licenses.activate(licenseKey, { name }, options),
        isAny,
      )
      if (outcome.kind !== 'answer') return outcome
      const { license, key } = outcome.value
      const named = parseKeyName(key.name).fingerprint
      const isOurs = isSameId(license.id, licenseKey) && (named === null || named === fingerprint)
      if (!isOurs) return notAboutUs(true)
      return { ...outcome, value: { license: factsOf(license), activation: activationOf(key) } }
    },

    async validate({ licenseKey, activationId, fingerprint }, call) {
      const outcome = await ask(call, false, (licenses, options) =>
        licenses.validate(licenseKey, keyInput(activationId, fingerprint), options),
      )
      if (outcome.kind !== 'answer') return outcome
      const { license, key } = outcome.value
      if (!isSameId(license.id, licenseKey) || !isSameId(key.id, activationId)) return notAboutUs(false)
      return { ...outcome, value: { license: factsOf(license), activation: activationOf(key) } }
    },

    async deactivate({ licenseKey, activationId, fingerprint }, call) {
      const outcome = await ask(call, true, (licenses, options) =>
        licenses.deactivate(licenseKey, keyInput(activationId, fingerprint), options),
      )
      if (outcome.kind === 'answer') return { ...outcome, value: null }
      if (outcome.kind === 'refusal') return outcome
      const isSuccess = outcome.httpStatus !== null && outcome.httpStatus >= 200 && outcome.httpStatus < 300
      if (!isSuccess) return outcome
      // A success without the documented body counts only if the activation is no longer listed.
      const seen = await list({ licenseKey }, call)
      const isGone =
        seen.kind === 'answer' &&
        seen.value.isWhole &&
        !isOlderThan(outcome.serverDateMs, seen.serverDateMs) &&
        !seen.value.keys.some(({ id }) => isSameId(id, activationId))
      return isGone ? { ...seen, value: null } : outcome
    },

    async listActivations(request, call) {
      const outcome = await list(request, call)
      if (outcome.kind !== 'answer') return outcome
      const { keys, ...rest } = outcome.value
      return { ...outcome, value: { activations: keys.map(activationOf), ...rest } }
    },

    async showActivation({ licenseKey, activationId }, call) {
      const outcome = await ask(call, false, (licenses, options) =>
        licenses.key(licenseKey, activationId, options),
      )
      if (outcome.kind !== 'answer') return outcome
      if (!isSameId(outcome.value.id, activationId)) return notAboutUs(false)
      return { ...outcome, value: activationOf(outcome.value) }
    },
  }
}

function clientOptions(
  { baseUrl, accessToken, allowInsecure, licenseKeys }: CommerceOptions,
  call: ServiceCall | undefined,
): Parameters<typeof createCommerceClient>[0] {
  const sent = { fetch: call?.fetch, timeout: call?.timeoutMs }
  return { baseUrl, accessToken, allowInsecure, ids: licenseKeys, ...sent }
}

function factsOf(license: License): LicenseFacts {
  return {
    ...nothingTold,
    id: license.id,
    status: statusOf(license),
    rawStatus: license.status,
    suspendedAtMs: timeOf(license.suspended_at),
    createdAtMs: timeOf(license.created_at),
    updatedAtMs: timeOf(license.updated_at),
    endsAtMs: endMs(license),
    endsAt: license.expires_at ?? undefined,
    seatLimit: license.activation_limit ?? null,
    seatsInUse: license.activation_usage ?? null,
    // Only a gateway reports these.
    plan: license.plan ?? null,
    features: license.features,
  }
}

function endMs({ expires_at }: License): number | 'never' | null {
  return expires_at === null ? 'never' : (toEndDate(expires_at)?.getTime() ?? null)
}

function statusOf({ status, suspended_at }: License): LicenseStatus {
  if (suspended_at != null) return 'suspended'
  return status === 'ACTIVE' ? 'active' : 'inactive'
}

function activationOf({ id, name, created_at, updated_at }: LicenseKey): Activation {
  const { label, fingerprint } = parseKeyName(name)
  return {
    id,
    deviceName: label,
    fingerprint,
    createdAtMs: timeOf(created_at),
    updatedAtMs: timeOf(updated_at),
  }
}

function timeOf(timestamp: string | null): number | null {
  return toDate(timestamp ?? '')?.getTime() ?? null
}

/** The outcome for a valid response about another license or activation. */
function notAboutUs(acts: boolean): Outcome<never> {
  return unavailable('unexpected-answer', { httpStatus: 200, bodyIsJson: true, mayHaveActed: acts })
}
