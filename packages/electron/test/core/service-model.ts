import { CommerceError, type CommerceErrorDetails, type License, type LicenseKey } from '@latchkey/commerce'
import type { CommercePort } from '../../src/core/ports/commerce-port.ts'
import type { ServicePort } from '../../src/core/ports/service-port.ts'
import { longestDeliveryMs } from '../../src/core/record/outbox-entries.ts'

/** What happens to one request and its answer. */
export type Fate =
  | { readonly kind: 'served' }
  /** The request never arrives. */
  | { readonly kind: 'request-lost' }
  /** The service acts, and its answer is lost. */
  | { readonly kind: 'answer-lost' }
  /** The sender times out. The request arrives when the test decides. */
  | { readonly kind: 'late' }
  /** A proxy answers instead, and the service never gets the request. */
  | {
      readonly kind: 'status'
      readonly status: number
      readonly isJson: boolean
      readonly retryAfterMs?: number
    }
  /** The same, after the service acted. */
  | { readonly kind: 'status-after'; readonly status: number }
  /** A captive portal's page. */
  | { readonly kind: 'portal' }

export type ModelOperation = keyof CommercePort

/** A license and its keys at the service. */
export interface ModelLicense {
  readonly id: string
  readonly limit: number
  expiresAtMs: number | null
  isSuspended: boolean
  status: string
  keys: readonly LicenseKey[]
}

/** A minimal service: licenses with seats, and nothing else. */
export interface ServiceModel {
  readonly licenses: readonly ModelLicense[]
  addLicense(limit: number): ModelLicense
  addKey(license: ModelLicense, name: string): LicenseKey
  removeKey(license: ModelLicense, keyId: string): boolean
  /** Delivers the requests whose senders timed out. */
  deliverLate(): void
  /** Whether a request may still arrive whose sender no longer waits. */
  sendLate(arrive: () => void): void
  /**
   * The service as one process reaches it.
   *
   * @param fateOf decides what becomes of each request.
   * @param travel waits on the way there, and on the way back.
   */
  reachedBy(fateOf: (operation: ModelOperation) => Fate, travel?: Travel): CommercePort
}

/** A service for stories: the model, or an adapter with an emulated service. */
export interface StoryModel extends Omit<ServiceModel, 'reachedBy'> {
  reachedBy(fateOf: (operation: ModelOperation) => Fate, travel?: Travel): ServicePort
  /** Whether a call is running without waiting for its turn. @default never */
  isWorking?(): boolean
  /** Activations whose answer was lost. Without a list, each may leave a seat behind. @default none */
  lostActivations?(): number
}

/**
 * One way of a request.
 *
 * @param arrive what happens if the request arrives after its sender has timed out.
 */
export type Travel = (arrive: (() => void) | null) => Promise<void>

export function createServiceModel(nowMs: () => number): ServiceModel {
  const licenses: ModelLicense[] = []
  let late: (readonly [sentAtMs: number, arrive: () => void])[] = []
  let count = 0

  const uuid = (kind: string): string => {
    count += 1
    // No variant of RFC 9562: the service promises a UUID, and no version of it.
    return `${kind.repeat(8)}-0000-0000-0000-${String(count).padStart(12, '0')}`
  }
  const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, -1)}000Z`

  function addKey(license: ModelLicense, name: string): LicenseKey {
    const id = uuid('a')
    const at = timestamp(nowMs())
    // Keys created in the same millisecond still have an order.
    const created_at = `${at.slice(0, -4)}${String(count % 1000).padStart(3, '0')}Z`
    const key = { id, name, created_at, updated_at: created_at }
    license.keys = [...license.keys, key]
    return key
  }

  function removeKey(license: ModelLicense, keyId: string): boolean {
    const before = license.keys.length
    license.keys = license.keys.filter((key) => key.id !== keyId)
    return license.keys.length < before
  }

  function find(operation: ModelOperation, licenseId: string): ModelLicense {
    const license = licenses.find(({ id }) => id === licenseId)
    if (license === undefined) throw refused(operation, 404, nowMs())
    return license
  }

  function findKey(operation: ModelOperation, license: ModelLicense, keyId: string): LicenseKey {
    const key = license.keys.find(({ id }) => id === keyId)
    if (key === undefined) throw refused(operation, 404, nowMs())
    return key
  }

  function show(license: ModelLicense): License {
    const at = timestamp(0)
    return {
      id: license.id,
      activation_limit: license.limit,
      activation_usage: license.keys.length,
      activation_usage_formatted: `${license.keys.length}/${license.limit}`,
      expires_at: license.expiresAtMs === null ? null : timestamp(license.expiresAtMs),
      suspended_at: license.isSuspended ? at : null,
      status: license.status,
      created_at: at,
      updated_at: at,
    }
  }

  function activate(licenseId: string, name: string): { license: License; key: LicenseKey } {
    const license = find('activate', licenseId)
    const isOver = license.expiresAtMs !== null && nowMs() >= license.expiresAtMs
    if (license.isSuspended || isOver || license.status !== 'ACTIVE') throw refused('activate', 422, nowMs())
    if (license.keys.length >= license.limit) throw refused('activate', 422, nowMs())
    const key = addKey(license, name)
    return { license: show(license), key }
  }

  return {
    licenses,
    addLicense(limit) {
      const license: ModelLicense = {
        id: uuid('b'),
        limit,
        expiresAtMs: null,
        isSuspended: false,
        status: 'ACTIVE',
        keys: [],
      }
      licenses.push(license)
      return license
    },
    addKey,
    removeKey,
    deliverLate() {
      const arriving = late
      late = []
      // No network delays a request for longer than this.
      for (const [sentAtMs, arrive] of arriving) if (nowMs() < sentAtMs + longestDeliveryMs) arrive()
    },
    sendLate(arrive) {
      late.push([nowMs(), arrive])
    },
    reachedBy(fateOf, travel = async () => {}) {
      async function request<Value>(
        operation: ModelOperation,
        act: () => Value,
      ): Promise<{ value: Value; serverDateMs: number }> {
        const fate = fateOf(operation)
        const arrives = fate.kind !== 'request-lost' && fate.kind !== 'status' && fate.kind !== 'portal'
        await travel(arrives ? () => attempt(act) : null)
        const outcome = await play(fate, operation, act)
        return { value: outcome, serverDateMs: Math.floor(nowMs() / 1000) * 1000 }
      }

      async function play<Value>(fate: Fate, operation: ModelOperation, act: () => Value): Promise<Value> {
        switch (fate.kind) {
          case 'served': {
            const settled = attempt(act)
            await travel(null)
            if (settled.ok) return settled.value
            throw settled.error
          }
          case 'request-lost':
            throw unreachable(operation, { reason: 'network' })
          case 'answer-lost':
            attempt(act)
            await travel(null)
            throw unreachable(operation, { reason: 'timeout' })
          case 'late':
            late.push([nowMs(), () => attempt(act)])
            throw unreachable(operation, { reason: 'timeout' })
          case 'status-after':
            attempt(act)
            await travel(null)
            throw refused(operation, fate.status, nowMs())
          case 'status':
            throw refused(operation, fate.status, nowMs(), fate.isJson, fate.retryAfterMs)
          case 'portal':
            throw new CommerceError('unexpected-answer', { status: 200, bodyIsJson: false })
        }
      }

      return {
        keys: (licenseId) => request('keys', () => [...find('keys', licenseId).keys]),
        key: (licenseId, keyId) => request('key', () => findKey('key', find('key', licenseId), keyId)),
        activate: (licenseId, name) => request('activate', () => activate(licenseId, name)),
        validate: (licenseId, keyId) =>
          request('validate', () => {
            const license = find('validate', licenseId)
            return { key: findKey('validate', license, keyId), license: show(license) }
          }),
        deactivate: (licenseId, keyId) =>
          request('deactivate', () => {
            if (!removeKey(find('deactivate', licenseId), keyId)) throw refused('deactivate', 404, nowMs())
            return { message: 'gone' }
          }),
      }
    },
  }
}

/** The result, or the error of a refusal. If the sender no longer waits, the error is ignored. */
function attempt<Value>(
  act: () => Value,
): { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: unknown } {
  try {
    return { ok: true, value: act() }
  } catch (error) {
    return { ok: false, error }
  }
}

function unreachable(operation: ModelOperation, details: CommerceErrorDetails): CommerceError {
  return new CommerceError('unreachable', { operation: `licenses.${operation}`, ...details })
}

/** The client's error for a status. Refusals have a `Date`, as from every HTTP server. */
function refused(
  operation: ModelOperation,
  status: number,
  serverDateMs: number,
  bodyIsJson = true,
  retryAfterMs: number | null = null,
): CommerceError {
  const details = {
    operation: `licenses.${operation}`,
    status,
    bodyIsJson,
    retryAfterMs,
    serverDateMs,
  } as const
  if (status >= 500 || [408, 425, 429].includes(status)) {
    return new CommerceError('unreachable', { ...details, reason: 'http-status' })
  }
  if ([401, 403, 407].includes(status)) return new CommerceError('unauthorized', details)
  if ([404, 410].includes(status)) return new CommerceError('not-found', details)
  return new CommerceError('rejected', details)
}
