import { composeKeyName, isSameId, parseKeyName, toDate } from '@latchkey/commerce'
import type {
  ActivatedLicense,
  Activation,
  LicenseFacts,
  LicenseService,
  Outcome,
  Unavailable,
  UnavailableCause,
} from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import { unavailable } from '../doubles/scripted-service.ts'

/** No network delays a request for longer than this. */
const longestDeliveryMs = 10 * 60_000

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

export type ModelOperation = 'keys' | 'key' | 'activate' | 'validate' | 'deactivate'

/** A license and its keys at the service. */
export interface ModelLicense {
  readonly id: string
  readonly limit: number
  expiresAtMs: number | null
  isSuspended: boolean
  status: string
  keys: readonly ModelKey[]
}

/** An activation as the service stores it. */
export interface ModelKey {
  readonly id: string
  /** Device name and fingerprint. */
  readonly name: string
  readonly created_at: string | null
  readonly updated_at: string | null
}

/** A minimal service: licenses with seats, and nothing else. */
export interface ServiceModel {
  readonly licenses: readonly ModelLicense[]
  addLicense(limit: number): ModelLicense
  addKey(license: ModelLicense, name: string): ModelKey
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
  reachedBy(fateOf: (operation: ModelOperation) => Fate, travel?: Travel): LicenseService
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

/** Requests that may use or release a seat. */
const acting: readonly ModelOperation[] = ['activate', 'deactivate']

export function createServiceModel(nowMs: () => number): ServiceModel {
  const licenses: ModelLicense[] = []
  let late: (readonly [sentAtMs: number, arrive: () => void])[] = []
  let count = 0

  const uuid = (kind: string): string => {
    count += 1
    // No variant of RFC 9562: the service promises a UUID, and no version of it.
    return `${kind.repeat(8)}-0000-0000-0000-${String(count).padStart(12, '0')}`
  }

  function addKey(license: ModelLicense, name: string): ModelKey {
    const at = timestamp(nowMs())
    const key = { id: uuid('a'), name, created_at: at, updated_at: at }
    license.keys = [...license.keys, key]
    return key
  }

  function removeKey(license: ModelLicense, keyId: string): boolean {
    const before = license.keys.length
    license.keys = license.keys.filter((key) => !isSameId(key.id, keyId))
    return license.keys.length < before
  }

  function find(licenseKey: string): ModelLicense {
    const license = licenses.find(({ id }) => isSameId(id, licenseKey))
    if (license === undefined) throw new Refused(404)
    return license
  }

  function findKey(licenseKey: string, activationId: string): ActivatedLicense {
    const license = find(licenseKey)
    const key = license.keys.find(({ id }) => isSameId(id, activationId))
    if (key === undefined) throw new Refused(404)
    return { license: factsOf(license), activation: activationOf(key) }
  }

  function activate(licenseKey: string, name: string): ActivatedLicense {
    const license = find(licenseKey)
    const isOver = license.expiresAtMs !== null && nowMs() >= license.expiresAtMs
    const isUsable = !license.isSuspended && !isOver && license.status === 'ACTIVE'
    if (!isUsable || license.keys.length >= license.limit) throw new Refused(422)
    const key = addKey(license, name)
    return { license: factsOf(license), activation: activationOf(key) }
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
      for (const [sentAtMs, arrive] of arriving) if (nowMs() < sentAtMs + longestDeliveryMs) arrive()
    },
    sendLate(arrive) {
      late.push([nowMs(), arrive])
    },
    reachedBy(fateOf, travel = async () => {}) {
      async function request<Value>(operation: ModelOperation, act: () => Value): Promise<Outcome<Value>> {
        const fate = fateOf(operation)
        const mayHaveActed = acting.includes(operation)
        const arrives = fate.kind !== 'request-lost' && fate.kind !== 'status' && fate.kind !== 'portal'
        const actUnheard = (): void => void attempt(act)
        await travel(arrives ? actUnheard : null)
        const refused = (status: number, known: Partial<Unavailable> = {}): Unavailable =>
          refusedWith(status, { mayHaveActed, serverDateMs: secondsOf(nowMs()), ...known })
        switch (fate.kind) {
          case 'served': {
            const attempted = attempt(act)
            await travel(null)
            if (!attempted.ok) return refused(attempted.status)
            const serverDateMs = secondsOf(nowMs())
            return { kind: 'answer', value: attempted.value, serverDateMs, proof: null }
          }
          case 'request-lost':
            return unavailable('network', { mayHaveActed })
          case 'answer-lost':
            actUnheard()
            await travel(null)
            return unavailable('timeout', { mayHaveActed })
          case 'late':
            late.push([nowMs(), actUnheard])
            return unavailable('timeout', { mayHaveActed })
          case 'status-after':
            actUnheard()
            await travel(null)
            return refused(fate.status)
          case 'status':
            return refused(fate.status, { bodyIsJson: fate.isJson, retryAfterMs: fate.retryAfterMs ?? null })
          case 'portal':
            return unavailable('unexpected-answer', { mayHaveActed, httpStatus: 200, bodyIsJson: false })
        }
      }

      const { findLicenseKey, ...rest } = commerce({ baseUrl: 'https://service.example/v1' })
      return {
        ...rest,
        findLicenseKey,
        listActivations: ({ licenseKey }) =>
          request('keys', () => ({ activations: find(licenseKey).keys.map(activationOf), isWhole: true })),
        showActivation: ({ licenseKey, activationId }) =>
          request('key', () => findKey(licenseKey, activationId).activation),
        activate: ({ licenseKey, deviceName, fingerprint }) =>
          request('activate', () => activate(licenseKey, composeKeyName(deviceName, fingerprint))),
        validate: ({ licenseKey, activationId }) =>
          request('validate', () => findKey(licenseKey, activationId)),
        deactivate: ({ licenseKey, activationId }) =>
          request('deactivate', () => {
            if (!removeKey(find(licenseKey), activationId)) throw new Refused(404)
            return null
          }),
      }
    },
  }
}

/** The service refuses with a status, and gives no reason. */
class Refused extends Error {
  readonly status: number

  constructor(status: number) {
    super(`Refused with ${status}`)
    this.status = status
  }
}

/** The result, or the status of a refusal. If the sender no longer waits, it is ignored. */
function attempt<Value>(
  act: () => Value,
): { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly status: number } {
  try {
    return { ok: true, value: act() }
  } catch (error) {
    if (error instanceof Refused) return { ok: false, status: error.status }
    throw error
  }
}

/** The outcome of a status without a documented reason, in JSON unless `known` says otherwise. */
function refusedWith(status: number, known: Partial<Unavailable>): Unavailable {
  return unavailable(causeOf(status), { httpStatus: status, bodyIsJson: true, ...known })
}

function causeOf(status: number): UnavailableCause {
  if (status === 429) return 'rate-limited'
  if (status === 408) return 'timeout'
  if (status >= 500 || status === 425) return 'server-error'
  if ([401, 403, 407].includes(status)) return 'access-denied'
  return [404, 410].includes(status) ? 'not-found' : 'rejected'
}

function factsOf({ id, isSuspended, status, expiresAtMs, limit, keys }: ModelLicense): LicenseFacts {
  return {
    id,
    status: isSuspended ? 'suspended' : status === 'ACTIVE' ? 'active' : 'inactive',
    rawStatus: status,
    endsAtMs: expiresAtMs ?? 'never',
    worksAfterEnd: false,
    seatLimit: limit,
    seatsInUse: keys.length,
    product: null,
    plan: null,
    isTest: null,
  }
}

function activationOf({ id, name, created_at }: ModelKey): Activation {
  const { label, fingerprint } = parseKeyName(name)
  const createdAtMs = toDate(created_at ?? '')?.getTime() ?? null
  return { id, deviceName: label, fingerprint, createdAtMs }
}

/** Answers state their time in whole seconds. */
function secondsOf(ms: number): number {
  return Math.floor(ms / 1000) * 1000
}

function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z`
}
