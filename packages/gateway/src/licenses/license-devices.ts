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
import { type Reply, refused } from '../http/reply.ts'
import { sha256 } from '../sha256.ts'
import type { LicenseOperations } from './license-operations.ts'
import { replyOfRefusal } from './replies.ts'

/** A device of a license, as the gateway's pages show it. */
export interface ShownDevice {
  /** Names the device in a request to release it. It isn't the activation's ID. */
  readonly device: string
  /** Without the fingerprint; empty if the service doesn't report one. */
  readonly name: string
  /** ISO 8601 in UTC; `null` if the service doesn't report it. */
  readonly activatedAt: string | null
  /** Until when it works without internet, so that it can't be released here; `null` if it can. */
  readonly offlineUntil: string | null
  /** Whether it was activated before all others. */
  readonly isOldest: boolean
}

/** Whose devices. */
export interface DevicesOf {
  readonly licenseKey: string
  /** The fingerprint of the only device to show. @default all */
  readonly only?: string | undefined
}

/** The devices of a license, for the gateway's pages. Each returns the reply if the service gives no answer. */
export interface LicenseDevices {
  /** Lists the devices, oldest activation first. */
  list(
    of: DevicesOf,
  ): Promise<{ readonly devices: readonly ShownDevice[]; readonly isWhole: boolean } | Reply>
  /** Finds a device; `found` is `null` if it is gone, which only a whole list shows. */
  find(of: DevicesOf, device: string): Promise<{ readonly found: ShownDevice | null } | Reply>
  /** Releases a device. `released` is `null` if its seat was free already. */
  release(of: DevicesOf, device: string): Promise<{ readonly released: ShownDevice | null } | Reply>
}

interface Listed {
  readonly activation: Activation
  readonly shown: ShownDevice
}

const dayMs = 86_400_000

/** The year 9999, for a device whose service doesn't report when it was activated. */
const latestDateMs = 253_402_300_799_000

/** @param offlineDays how long a device may run on an answer, in days. */
export function createLicenseDevices(
  outcomes: LicenseOutcomes,
  offlineDays: number,
  clock: () => number,
): LicenseDevices {
  async function read({
    licenseKey,
    only,
  }: DevicesOf): Promise<{ devices: Listed[]; isWhole: boolean } | Reply> {
    const listed = await outcomes.listActivations({ licenseKey })
    if (listed.kind !== 'answer') return replyOfFailed(listed)
    const { activations, isWhole } = listed.value
    // A license that the vendor's rule refuses looks like an unknown one.
    if (activations.length === 0 && !isWhole) return refused(404, 'not-found')
    const orderOf = ({ createdAtMs }: Activation): number => createdAtMs ?? latestDateMs
    const devices = activations
      .filter(({ fingerprint }) => only === undefined || fingerprint === only)
      .toSorted((one, other) => orderOf(one) - orderOf(other))
      .map(async (activation, index, { length }) => ({
        activation,
        shown: await shownOf(licenseKey, activation, index === 0 && length > 1),
      }))
    return { devices: await Promise.all(devices), isWhole }
  }

  async function shownOf(licenseKey: string, activation: Activation, isFirst: boolean): Promise<ShownDevice> {
    const { id, deviceName, createdAtMs } = activation
    const untilMs = offlineUntilMs(activation, offlineDays)
    const isHeld = untilMs !== null && untilMs > clock()
    return {
      // The same from every instance of the gateway. Only someone with the license key can use it.
      device: await sha256(JSON.stringify([licenseKey, id])),
      name: unmarkedName(deviceName ?? '').trim(),
      activatedAt: timeOf(createdAtMs),
      offlineUntil: isHeld ? timeOf(Math.min(untilMs, latestDateMs)) : null,
      isOldest: isFirst && createdAtMs !== null,
    }
  }

  async function look(of: DevicesOf, device: string): Promise<{ readonly found: Listed | null } | Reply> {
    const listed = await read(of)
    if ('status' in listed) return listed
    const found = listed.devices.find(({ shown }) => shown.device === device)
    return found === undefined && !listed.isWhole ? refused(502, 'list-unreadable') : { found: found ?? null }
  }

  return {
    async list(of) {
      const listed = await read(of)
      return 'status' in listed ? listed : { ...listed, devices: listed.devices.map(({ shown }) => shown) }
    },

    async find(of, device) {
      const looked = await look(of, device)
      return 'status' in looked ? looked : { found: looked.found?.shown ?? null }
    },

    async release(of, device) {
      const looked = await look(of, device)
      if ('status' in looked) return looked
      if (looked.found === null) return { released: null }
      const { shown, activation } = looked.found
      if (shown.offlineUntil !== null) return refused(422, 'offline-seat')
      const { id: activationId, fingerprint } = activation
      const { licenseKey } = of
      const freed = await outcomes.deactivate({ licenseKey, activationId, fingerprint: fingerprint ?? '' })
      if (freed.kind === 'answer') return { released: shown }
      // Somebody else was faster. The gateway says so only if it is proven.
      const isGone =
        freed.kind === 'refusal'
          ? freed.reason === 'unknown-activation'
          : freed.cause === 'not-found' && freed.bodyIsJson === true
      return isGone ? { released: null } : replyOfFailed(freed)
    },
  }
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

/**
 * Starts the name of a device that was activated without internet. A longer mark would leave no room for the name. The
 * space after it is lost if the device has no name, or one that is shortened.
 */
const mark = '✈'

/** Returns the device name for an activation without internet. The gateway stores nothing, so the name carries the mark. */
export function markedName(deviceName: string): string {
  return `${mark} ${deviceName}`
}

function unmarkedName(deviceName: string): string {
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

/** The operations as an app reads them: with outcomes in place of replies. */
export type LicenseOutcomes = OfflineActivationService<UndecidedReply>

/** Creates the operations as the gateway's own pages use them, in place of an app. */
export function createLicenseOutcomes(operations: LicenseOperations): LicenseOutcomes {
  return {
    async listActivations({ licenseKey }) {
      const reply = await operations.keys({ licenseKey })
      // A license that the vendor's rule refuses is shown with an empty list.
      const hidden = reply.remark === 'not-allowed' ? { activations: [], isWhole: false } : undefined
      const read = readReply<ActivationList>(reply, reply.list ?? hidden)
      if (read.kind !== 'answer') return read
      return answer({ ...read.value, activations: read.value.activations.map(asApp) })
    },
    async activate({ licenseKey, deviceName, fingerprint }) {
      const name = composeKeyName(deviceName, fingerprint)
      const reply = await operations.activate({ licenseKey, name })
      return readReply<ActivatedLicense>(reply, reply.activated)
    },
    async validate({ licenseKey, activationId, fingerprint }) {
      const reply = await operations.validate({ licenseKey, keyId: activationId, fingerprint })
      return readReply<ActivatedLicense>(reply, reply.activated)
    },
    async deactivate({ licenseKey, activationId, fingerprint }) {
      const reply = await operations.deactivate({ licenseKey, keyId: activationId, fingerprint })
      return readReply(reply, reply.status === 200 ? null : undefined)
    },
  }
}

/** Creates the reply if an outcome is no answer. */
export function replyOfFailed(outcome: Refusal | UndecidedReply): Reply {
  return outcome.kind === 'refusal' ? replyOfRefusal(outcome) : outcome.reply
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
