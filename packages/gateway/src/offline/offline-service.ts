import { composeKeyName, parseKeyName, toDate, toEndDate } from '@latchkey/commerce'
import type {
  Activation,
  Answer,
  LicenseFacts,
  Refusal,
  RefusalReason,
  Unavailable,
  UnavailableCause,
} from '@latchkey/services'
import type { OfflineActivationService } from '@latchkey/services/offline'
import type { GatewayCode } from '../gateway-codes.ts'
import type { Reply } from '../http/reply.ts'
import type { LicenseOperations } from '../licenses/license-operations.ts'

const dayMs = 86_400_000

/** Starts the name of a device that was activated without internet. A longer mark would leave no room for the name. */
const mark = '✈ '

/** Returns the device name for an activation without internet. The gateway stores nothing, so the name carries the mark. */
export function markedName(deviceName: string): string {
  return `${mark}${deviceName}`
}

/** Returns a device name without the mark. */
export function unmarkedName(deviceName: string): string {
  return deviceName.startsWith(mark) ? deviceName.slice(mark.length) : deviceName
}

/**
 * Returns until when a device may run on an answer, in milliseconds since the epoch: nobody but its user and your support
 * can free its seat before, because the answer can't be taken back. `null` if it wasn't activated without internet.
 *
 * @param days how many days an answer is valid.
 */
export function offlineUntilMs({ deviceName, createdAtMs }: Activation, days: number): number | null {
  if (deviceName === null || !deviceName.startsWith(mark)) return null
  // A request that is sent again within a day gets an answer for the same activation.
  return createdAtMs === null ? Number.MAX_SAFE_INTEGER : createdAtMs + (days + 1) * dayMs
}

/** Whether an answer may be about an activation that exists. An older one would run longer than its name says. */
export function mayAnswerFor({ deviceName, createdAtMs }: Activation, nowMs: number): boolean {
  if (deviceName === null || !deviceName.startsWith(mark)) return false
  return createdAtMs === null || nowMs - createdAtMs < dayMs
}

import * as z from 'zod/mini'

/** A reply that decides nothing. It is passed on as it is. */
export interface UndecidedReply extends Unavailable {
  readonly reply: Reply
}

type Read<Value> = Answer<Value> | Refusal | UndecidedReply

/** Most pages of a device list that are read. A longer list costs adoption, never the activation. */
const mostPages = 50

/** The operations as an app with internet uses them, for activations without. */
export function createOfflineService(
  operations: LicenseOperations,
): OfflineActivationService<UndecidedReply> {
  return {
    async listActivations({ licenseKey }) {
      const activations: Activation[] = []
      let isWhole = true
      for (let page = 1; page <= mostPages; page += 1) {
        const reply = await operations.keys(licenseKey, page)
        const list = readReply(reply, listSchema)
        if (list.kind !== 'answer') return list
        activations.push(...list.value.data.map(activationOf))
        // A license that the vendor's rule refuses is shown with an empty list.
        if (reply.remark === 'not-allowed' || (list.value.meta?.unreadable ?? 0) > 0) isWhole = false
        const next = /[?&]page=(\d+)/u.exec(list.value.links?.next ?? '')
        if (next === null) return { ...list, value: { activations, isWhole } }
      }
      return { kind: 'answer', value: { activations, isWhole: false }, serverDateMs: null, proof: null }
    },
    async activate({ licenseKey, deviceName, fingerprint }) {
      const name = composeKeyName(markedName(deviceName), fingerprint)
      // Without an end, the license may have none, or the service may not have told it.
      return activatedOf(await operations.activate(licenseKey, name, null), null)
    },
    async validate({ licenseKey, activationId, fingerprint }) {
      return activatedOf(await operations.validate(licenseKey, activationId, null, fingerprint), 'never')
    },
    async deactivate({ licenseKey, activationId, fingerprint }) {
      const outcome = readReply(
        await operations.deactivate(licenseKey, activationId, fingerprint),
        z.unknown(),
      )
      return outcome.kind === 'answer' ? { ...outcome, value: null } : outcome
    },
  }
}

const keySchema = z.object({
  id: z.string(),
  name: z.string(),
  created_at: z.nullable(z.string()),
})

const listSchema = z.object({
  data: z.array(keySchema),
  links: z.optional(z.object({ next: z.nullable(z.string()) })),
  meta: z.optional(z.object({ unreadable: z.optional(z.number()) })),
})

const licenseSchema = z.object({
  activation_limit: z.nullable(z.number()),
  activation_usage: z.nullable(z.number()),
  expires_at: z.nullable(z.string()),
  suspended_at: z.nullable(z.string()),
  status: z.string(),
  plan: z.optional(z.nullable(z.string())),
  features: z.optional(z.array(z.string())),
})

const activatedSchema = z.object({ license: licenseSchema, key: keySchema })

/** @param withoutEnd what it means if the reply states no end. */
function activatedOf(
  reply: Reply,
  withoutEnd: 'never' | null,
): Read<{ readonly license: LicenseFacts; readonly activation: Activation }> {
  const read = readReply(reply, activatedSchema)
  if (read.kind !== 'answer') return read
  const { license, key } = read.value
  return { ...read, value: { license: factsOf(license, withoutEnd), activation: activationOf(key) } }
}

function activationOf({ id, name, created_at }: z.infer<typeof keySchema>): Activation {
  const { label, fingerprint } = parseKeyName(name)
  return { id, deviceName: label, fingerprint, createdAtMs: toDate(created_at ?? '')?.getTime() ?? null }
}

function factsOf(license: z.infer<typeof licenseSchema>, withoutEnd: 'never' | null): LicenseFacts {
  const { expires_at, activation_limit, activation_usage } = license
  return {
    id: null,
    status: statusOf(license),
    endsAtMs: expires_at === null ? withoutEnd : (toEndDate(expires_at)?.getTime() ?? null),
    worksAfterEnd: false,
    seatLimit: activation_limit,
    seatsInUse: activation_usage,
    product: null,
    plan: license.plan ?? null,
    features: license.features ?? null,
    isTest: null,
  }
}

function statusOf({ status, suspended_at }: z.infer<typeof licenseSchema>): LicenseFacts['status'] {
  if (suspended_at !== null) return 'suspended'
  if (status === 'EXPIRED') return 'expired'
  return status === 'ACTIVE' ? 'active' : 'inactive'
}

const reasons: { readonly [Code in GatewayCode]?: RefusalReason } = {
  'not-found': 'unknown-license',
  gone: 'unknown-license',
  'no-seat-left': 'no-seat-left',
  'wrong-product': 'wrong-product',
  'test-license': 'test-license',
  'license-expired': 'expired',
  'license-suspended': 'suspended',
  'license-inactive': 'inactive',
}

const causes: { readonly [Code in GatewayCode]?: UnavailableCause } = {
  rejected: 'rejected',
  'not-found': 'not-found',
  gone: 'not-found',
  'list-not-allowed': 'access-denied',
  'upstream-unauthorized': 'access-denied',
  'upstream-timeout': 'timeout',
  'upstream-unreachable': 'network',
  'upstream-busy': 'server-error',
}

/** Reads a reply as an app reads its JSON. A refusal in plain text is a proxy's, and decides nothing. */
function readReply<Value>(reply: Reply, schema: z.ZodMiniType<Value>): Read<Value> {
  const { status, body, code, retryAfterMs = null, upstreamStatus: httpStatus = null } = reply
  if (status === 200) {
    const parsed = schema.safeParse(body)
    if (parsed.success) return { kind: 'answer', value: parsed.data, serverDateMs: null, proof: null }
  }
  const reason = code === null || body === null ? undefined : reasons[code]
  if (reason !== undefined) {
    return {
      kind: 'refusal',
      reason,
      license: null,
      leftoverActivationId: null,
      httpStatus,
      serverDateMs: null,
    }
  }
  return {
    kind: 'unavailable',
    cause: (code === null ? undefined : causes[code]) ?? 'unexpected-answer',
    httpStatus,
    retryAfterMs,
    serverDateMs: null,
    bodyIsJson: body !== null,
    mayHaveActed: true,
    detail: null,
    reply,
  }
}
