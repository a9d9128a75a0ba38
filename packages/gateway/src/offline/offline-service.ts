import { composeKeyName, parseKeyName } from '@latchkey/commerce'
import {
  type ActivatedLicense,
  type Activation,
  type ActivationList,
  type Answer,
  type Refusal,
  type Unavailable,
  type UnavailableCause,
  unavailable,
} from '@latchkey/services'
import type { OfflineActivationService } from '@latchkey/services/offline'
import type { Reply } from '../http/reply.ts'
import type { LicenseOperations } from '../licenses/license-operations.ts'

const dayMs = 86_400_000

/**
 * Starts the name of a device that was activated without internet. A longer mark would leave no room for the name. The
 * space after it is lost if the device has no name, or one that is shortened.
 */
const mark = '✈'

/** Returns the device name for an activation without internet. The gateway stores nothing, so the name carries the mark. */
export function markedName(deviceName: string): string {
  return `${mark} ${deviceName}`
}

/** Returns a device name without the mark. */
export function unmarkedName(deviceName: string): string {
  return deviceName.startsWith(mark) ? deviceName.slice(mark.length).trimStart() : deviceName
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

/** A reply that decides nothing. It is passed on as it is. */
export interface UndecidedReply extends Unavailable {
  readonly reply: Reply
}

type Read<Value> = Answer<Value> | Refusal | UndecidedReply

/** Most requests for a device list. A longer list costs adoption, never the activation. */
const mostRequests = 50

/** The operations as an app with internet uses them, for activations without. */
export function createOfflineService(
  operations: LicenseOperations,
): OfflineActivationService<UndecidedReply> {
  return {
    async listActivations({ licenseKey }) {
      const activations: Activation[] = []
      let isWhole = true
      let page: number | null = 1
      for (let requests = 0; page !== null && requests < mostRequests; requests += 1) {
        const reply = await operations.keys(licenseKey, page)
        // A license that the vendor's rule refuses is shown with an empty list.
        const hidden = reply.remark === 'not-allowed' ? { activations: [], isWhole: false } : undefined
        const read = readReply<ActivationList>(reply, reply.list ?? hidden)
        if (read.kind !== 'answer') return read
        const { activations: listed, isWhole: isEnd, nextPage = null, unreadableCount = 0 } = read.value
        activations.push(...listed.map(asApp))
        if (unreadableCount > 0 || (!isEnd && nextPage === null)) isWhole = false
        page = nextPage
      }
      return answer({ activations, isWhole: isWhole && page === null })
    },
    async activate({ licenseKey, deviceName, fingerprint }) {
      const reply = await operations.activate(
        licenseKey,
        composeKeyName(markedName(deviceName), fingerprint),
        null,
      )
      return readReply<ActivatedLicense>(reply, reply.activated)
    },
    async validate({ licenseKey, activationId, fingerprint }) {
      const reply = await operations.validate(licenseKey, activationId, null, fingerprint)
      return readReply<ActivatedLicense>(reply, reply.activated)
    },
    async deactivate({ licenseKey, activationId, fingerprint }) {
      const reply = await operations.deactivate(licenseKey, activationId, fingerprint)
      return readReply(reply, reply.status === 200 ? null : undefined)
    },
  }
}

/** Finds the fingerprint as an app does, also in a name that was changed at the service. */
function asApp(activation: Activation): Activation {
  if (activation.fingerprint !== null || activation.deviceName === null) return activation
  const { label, fingerprint } = parseKeyName(activation.deviceName)
  return { ...activation, deviceName: label, fingerprint }
}

function answer<Value>(value: Value): Answer<Value> {
  return { kind: 'answer', value, serverDateMs: null, proof: null }
}

/** How a reply without the service's own outcome is read, for example of a license that the vendor's rule refuses. */
const causes: Readonly<Record<number, UnavailableCause>> = {
  404: 'not-found',
  410: 'not-found',
  422: 'rejected',
}

/** @param value what the reply answers; `undefined` if it is no answer. */
function readReply<Value>(reply: Reply, value: Value | undefined): Read<Value> {
  const { status, body, outcome } = reply
  if (value !== undefined) return answer(value)
  if (outcome?.kind === 'refusal') return outcome
  // The gateway's own doubt about a refusal counts, too.
  const bodyIsJson = body !== null && (outcome?.bodyIsJson ?? true)
  const known = { mayHaveActed: true, ...outcome, bodyIsJson }
  return { ...unavailable(causes[status] ?? 'unexpected-answer', known), reply }
}
