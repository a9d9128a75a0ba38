import {
  type AnswerMeta,
  type CallOptions,
  type CommerceError,
  composeKeyName,
  isCommerceError,
  isSameId,
  type KeyInput,
  type KeyList,
  type License,
  type LicenseKey,
  type Licenses,
  parseKeyName,
} from '@latchkey/commerce'
import { faultOf, mayHaveArrived, networkCode } from '@latchkey/commerce/http'
import { baseUrlOption, checkOptions, secretOption, tokenStaysPrivate } from '@latchkey/commerce/options'
import * as z from 'zod/mini'
import { findLicenseKey } from './license-key.ts'
import {
  type Activation,
  type ActivationRequest,
  type Answer,
  answer,
  isOlderThan,
  type LicenseFacts,
  type LicenseService,
  type LicenseStatus,
  type ListRequest,
  nothingTold,
  type Outcome,
  type Refusal,
  type RefusalReason,
  refusal,
  type ServiceCall,
  type Unavailable,
  type UnavailableCause,
  unavailable,
} from './license-service.ts'
import { serviceOptions } from './service-options.ts'
import { endOf, timestampMs } from './wire.ts'

/** The request header with the fingerprint of the device that asks for a list. */
export const fingerprintHeader = 'latchkey-fingerprint'

/** The response header, `1`, of a gateway that serves its page for customers' devices, at `/devices` below the base URL. */
export const devicesPageHeader = 'latchkey-devices-page'

/** Options for {@link commerce}. */
export interface CommerceOptions {
  /** Base URL of the service or gateway, including the version segment: `https://commerce.example/v1`. */
  baseUrl: string
  /**
   * The service's access token, which can list all customers. Use it only in a gateway or support tool, never in an
   * app.
   */
  accessToken?: string | undefined
  /** Allows sending the access token over plain HTTP to another machine. @default false */
  allowInsecure?: boolean | undefined
  /**
   * Form of license keys and IDs. `any` is for a gateway in front of another service, which takes any text and gives a
   * reason for what it refuses.
   * @default 'uuid'
   */
  licenseKeys?: 'uuid' | 'any' | undefined
  /** Additional request headers. */
  headers?: Readonly<Record<string, string>> | undefined
  /** URL of the page where customers manage their devices. */
  customerPortal?: string | undefined
}

const optionsSchema = z
  .strictObject({
    baseUrl: baseUrlOption,
    accessToken: z.optional(secretOption),
    allowInsecure: z.optional(z.boolean()),
    licenseKeys: z.optional(z.enum(['uuid', 'any'])),
    headers: z.optional(z.record(z.string(), z.string())),
    customerPortal: serviceOptions.customerPortal,
  })
  .check(tokenStaysPrivate)

/**
 * Creates the adapter for the commerce service, or for a gateway. The app's option `service: { baseUrl }` uses it.
 *
 * @throws {TypeError} if an option is invalid. The message names the option.
 *
 * @example
 * ```ts
 * const service = commerce({ baseUrl: 'https://licensing.example.com/v1' })
 * ```
 */
export function commerce(options: CommerceOptions): LicenseService {
  const settings = checkOptions('commerce', optionsSchema, options)
  const { baseUrl, accessToken, allowInsecure, customerPortal, licenseKeys: ids = 'uuid' } = settings
  const isAny = ids === 'any'
  let licenses: Licenses | null = null

  /** Loads the client, which a launch doesn't need before its first window. */
  async function connect(): Promise<Licenses> {
    const { createCommerceClient } = await import('@latchkey/commerce/client')
    licenses ??= createCommerceClient({ baseUrl, accessToken, allowInsecure, ids }).licenses
    return licenses
  }

  /** Sends requests and records their status and date. Of several pages, the oldest date counts. */
  async function ask<Value>(
    call: ServiceCall | undefined,
    { acts = false, mayBeRefused = false }: { readonly acts?: boolean; readonly mayBeRefused?: boolean },
    send: (client: Licenses, options: CallOptions) => Promise<Value>,
  ): Promise<Answer<Value> | Refusal | Unavailable> {
    let serverDateMs: number | null = null
    const onAnswer = (meta: AnswerMeta): void => {
      const { status, headers, serverDateMs: dateMs } = meta
      if (serverDateMs === null || (dateMs !== null && dateMs < serverDateMs)) serverDateMs = dateMs
      call?.onResponse?.({ status, headers, serverDateMs: dateMs })
    }
    const { fetch, signal, timeoutMs: timeout, headers } = call ?? {}
    try {
      const sent = { ...settings.headers, ...headers }
      const value = await send(licenses ?? (await connect()), {
        fetch,
        signal,
        timeout,
        headers: sent,
        onAnswer,
      })
      return answer(value, serverDateMs)
    } catch (error) {
      return (mayBeRefused ? readReason(error, isAny) : null) ?? readError(error, acts)
    }
  }

  function list(request: ListRequest, call?: ServiceCall): Promise<Outcome<KeyList>> {
    const { licenseKey, page, withinMs, fingerprint } = request
    return ask(call, { mayBeRefused: true }, (client, sent) => {
      const headers = { ...sent.headers, ...(fingerprint && { [fingerprintHeader]: fingerprint }) }
      return client.keyList(licenseKey, { ...sent, headers, page, withinMs })
    })
  }

  const keyInput = ({ activationId, fingerprint }: ActivationRequest): KeyInput => ({
    key: activationId,
    ...(isAny && { fingerprint }),
  })

  return {
    name: 'commerce',
    baseUrl,
    capabilities: {
      listsActivations: true,
      // Activating twice with one name uses two seats, so callers must look for an earlier activation first.
      idempotentByFingerprint: false,
      tellsTheEnd: true,
      signsItsAnswers: false,
    },
    links: { customerPortal },
    vendorSecrets: accessToken === undefined ? [] : ['accessToken'],

    findLicenseKey(text) {
      if (isAny) return findLicenseKey(text, 'any')
      const found = findLicenseKey(text, 'uuid')
      // The license key is a UUID. Latchkey has always stored it in lowercase.
      return found.ok ? { ok: true, licenseKey: found.licenseKey.toLowerCase() } : found
    },

    async activate({ licenseKey, deviceName, fingerprint }, call) {
      const name = composeKeyName(deviceName, fingerprint)
      const outcome = await ask(call, { acts: true, mayBeRefused: true }, (client, sent) =>
        client.activate(licenseKey, { name }, sent),
      )
      if (outcome.kind !== 'answer') return outcome
      const { license, key } = outcome.value
      const named = parseKeyName(key.name).fingerprint
      const isOurs = isSameId(license.id, licenseKey) && (named === null || named === fingerprint)
      if (!isOurs) return notAboutUs(true)
      return { ...outcome, value: { license: factsOf(license), activation: activationOf(key) } }
    },

    async validate(request, call) {
      const { licenseKey, activationId } = request
      // A refusal has no reason here, because only an answer, which a gateway can sign, decides about an active device.
      const outcome = await ask(call, {}, (client, sent) =>
        client.validate(licenseKey, keyInput(request), sent),
      )
      if (outcome.kind !== 'answer') return outcome
      const { license, key } = outcome.value
      if (!isSameId(license.id, licenseKey) || !isSameId(key.id, activationId)) return notAboutUs(false)
      return { ...outcome, value: { license: factsOf(license), activation: activationOf(key) } }
    },

    async deactivate(request, call) {
      const { licenseKey, activationId } = request
      const outcome = await ask(call, { acts: true }, (client, sent) =>
        client.deactivate(licenseKey, keyInput(request), sent),
      )
      if (outcome.kind === 'answer') return { ...outcome, value: null }
      const isSuccess = outcome.httpStatus !== null && outcome.httpStatus >= 200 && outcome.httpStatus < 300
      if (!isSuccess) return outcome
      // A success without the documented body counts only if the activation is no longer listed.
      const seen = await list({ licenseKey, fingerprint: request.fingerprint }, call)
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
      const outcome = await ask(call, {}, (client, sent) => client.key(licenseKey, activationId, sent))
      if (outcome.kind !== 'answer') return outcome
      if (!isSameId(outcome.value.id, activationId)) return notAboutUs(false)
      return { ...outcome, value: activationOf(outcome.value) }
    },
  }
}

function factsOf(license: License): LicenseFacts {
  return {
    ...nothingTold,
    id: license.id,
    status: statusOf(license),
    rawStatus: license.status,
    suspendedAtMs: timestampMs(license.suspended_at),
    createdAtMs: timestampMs(license.created_at),
    updatedAtMs: timestampMs(license.updated_at),
    endsAtMs: endOf(license.expires_at),
    endsAt: license.expires_at ?? undefined,
    seatLimit: license.activation_limit,
    seatsInUse: license.activation_usage,
    // Only a gateway reports these.
    plan: license.plan ?? null,
    features: license.features,
  }
}

function statusOf({ status, suspended_at }: License): LicenseStatus {
  if (suspended_at != null) return 'suspended'
  return status === 'ACTIVE' ? 'active' : 'inactive'
}

function activationOf({ id, name, created_at, updated_at }: LicenseKey): Activation {
  const { label, fingerprint } = parseKeyName(name)
  const [createdAtMs, updatedAtMs] = [timestampMs(created_at), timestampMs(updated_at)]
  return { id, deviceName: label, fingerprint, createdAtMs, updatedAtMs }
}

/** The outcome for a valid response about another license or activation. */
function notAboutUs(acts: boolean): Outcome<never> {
  return unavailable('unexpected-answer', { httpStatus: 200, bodyIsJson: true, mayHaveActed: acts })
}

/** The reasons that a gateway passes on from the service behind it. */
const reasons: Readonly<Record<string, RefusalReason>> = {
  'no-seat-left': 'no-seat-left',
  'wrong-product': 'wrong-product',
  'test-license': 'test-license',
  'license-expired': 'expired',
  'license-suspended': 'suspended',
  'license-inactive': 'inactive',
}

/**
 * Returns the reason that a gateway states for a refusal; `null` if there is none. In front of the commerce service, whose
 * 404 proves nothing, it only states why a license can't be activated.
 */
function readReason(error: unknown, isAny: boolean): Refusal | Unavailable | null {
  if (!isCommerceError(error) || error.refusalCode === null || error.status === null) return null
  const { status, serverDateMs, refusalCode: code } = error
  if (isAny && code === 'upstream-misconfigured') {
    // It may be about a later request than the one that took a seat.
    const known = { httpStatus: status, serverDateMs, bodyIsJson: true, mayHaveActed: true }
    return unavailable('misconfigured', known)
  }
  const reason = status === 422 && Object.hasOwn(reasons, code) ? reasons[code] : undefined
  if (reason !== undefined) return refusal(reason, { status, serverDateMs })
  return isAny && status === 404 && code === 'not-found'
    ? refusal('unknown-license', { status, serverDateMs })
    : null
}

/**
 * Converts the error of a failed call. The service doesn't document its errors, so a status alone never becomes a
 * refusal. Only the list shows whether an activation is gone.
 *
 * @param acts whether the call uses or releases a seat.
 */
export function readError(error: unknown, acts: boolean): Unavailable {
  if (!isCommerceError(error)) return unavailable('network', { mayHaveActed: acts })
  const code = networkCode(error.cause)
  const wasSent = error.code !== 'invalid-argument' && (error.status !== null || mayHaveArrived(code))
  return unavailable(causeOf(error), {
    httpStatus: error.status,
    retryAfterMs: error.retryAfterMs,
    serverDateMs: error.serverDateMs,
    // An empty body says nothing about who sent it.
    bodyIsJson: error.bodyIsTooLarge || (error.bodyIsEmpty ? null : error.bodyIsJson),
    // A gateway checks its own limits before it asks the service.
    mayHaveActed: acts && wasSent && error.refusalCode !== 'too-many-requests',
    // A gateway's code names what is wrong with it or behind it.
    detail: error.refusalCode ?? (error.field === null ? code : `field ${error.field}`),
  })
}

function causeOf({ code, status, reason, bodyIsCut }: CommerceError): UnavailableCause {
  if (bodyIsCut) return 'incomplete-answer'
  if (code === 'cancelled') return 'cancelled'
  if (code === 'invalid-argument') return 'misconfigured'
  if (reason === 'network' || reason === 'timeout') return reason
  return status === null ? 'unexpected-answer' : faultOf(status)
}
