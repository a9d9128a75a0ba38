import type { Dialect } from '../dialects/dialect.ts'
import { type DialectName, resolveDialect } from '../dialects/dialects.ts'
import type { FaultRule } from '../faults/fault.ts'
import type { FaultRules, InjectedFault } from '../faults/fault-rules.ts'
import { faultRuleSchema } from '../faults/fault-schema.ts'
import type { Listener } from '../listener.ts'
import type { RequestLog, RequestRecord } from '../request-log.ts'
import { showLicense } from '../service/license-answers.ts'
import type { ServiceState } from '../service/service-state.ts'
import type { StoredLicense } from '../store/license-store.ts'
import type { License, LicenseKey } from '../wire.ts'
import { ControlError } from './control-error.ts'
import {
  type LicenseInput,
  type LicensePatch,
  parse,
  parseLicenseInput,
  parseLicensePatch,
} from './license-input.ts'

/** What the vendor's back office, another device, and bad luck can do: the same verbs in-process and under `/_control`. */
export interface EmulatorControl {
  licenses(): License[]
  /** @throws ControlError when there is no such license. */
  license(licenseId: string): License
  createLicense(input?: LicenseInput): License
  updateLicense(licenseId: string, patch: LicensePatch): License
  /** Suspends from now on. */
  suspend(licenseId: string): License
  /** Lets the license end now. */
  expire(licenseId: string): License
  /** Undoes suspension, expiry and a status other than ACTIVE. */
  reinstate(licenseId: string): License
  /** The service does not know the license any more. */
  deleteLicense(licenseId: string): void
  /** Every key, oldest first. */
  keys(licenseId: string): LicenseKey[]
  /** A key as if another device had activated; no limit holds here. */
  addKey(licenseId: string, name: string): LicenseKey
  /** Removes a key as if another device had deactivated it. */
  removeKey(licenseId: string, keyId: string): void
  /** What the service was asked, oldest first. */
  requests(): RequestRecord[]
  clearRequests(): void
  /** What goes wrong, and for which requests. */
  readonly faults: FaultControl
  /** How the service behaves where the interface leaves it open. */
  readonly dialect: Dialect
  useDialect(dialect: Dialect | DialectName): void
  /** Whether connections are taken. */
  readonly isListening: boolean
  /**
   * Closes the listening socket and all connections: a service that is down.
   *
   * @param forMs Listens again by itself after so long; without it, until `resume`.
   */
  pause(forMs?: number): Promise<void>
  /** Listens again, on the same port. */
  resume(): Promise<void>
  /** Back to the start: data, log, faults, dialect. */
  reset(): void
}

/** The faults in force. */
export interface FaultControl {
  /** Lets something go wrong from now on. Of several rules that match, the first one strikes. */
  inject(rule: FaultRule): InjectedFault
  list(): InjectedFault[]
  /** @throws ControlError when there is no such fault. */
  remove(id: number): void
  clear(): void
}

/** What control has its hands on. */
export interface ControlParts {
  state: ServiceState
  log: RequestLog
  faults: FaultRules
  listener: Listener
  /** Puts the first data back. */
  restoreData(): void
  initialDialect: Dialect
}

const yearMs = 365 * 24 * 60 * 60 * 1000

/** The default end of a license: a year from now. */
export function inOneYear(nowMs: number): string {
  return new Date(nowMs + yearMs).toISOString()
}

/** Puts the verbs together. */
export function createControl({
  state,
  log,
  faults,
  listener,
  restoreData,
  initialDialect,
}: ControlParts): EmulatorControl {
  const { licenses, clock } = state
  const find = (licenseId: string): StoredLicense => {
    const license = licenses.get(licenseId)
    if (!license) throw new ControlError('not-found', 'There is no such license.')
    return license
  }
  const update = (licenseId: string, patch: LicensePatch): License => {
    const license = find(licenseId)
    const { activation_limit, expires_at, suspended_at, status } = parseLicensePatch(patch)
    licenses.update(license, {
      ...(activation_limit !== undefined && { activation_limit }),
      ...(expires_at !== undefined && { expires_at }),
      ...(suspended_at !== undefined && { suspended_at }),
      ...(status !== undefined && { status }),
    })
    return showLicense(state, license)
  }
  return {
    licenses: () => licenses.list().map((license) => showLicense(state, license)),
    license: (licenseId) => showLicense(state, find(licenseId)),
    createLicense(input = {}) {
      const fields = parseLicenseInput(input)
      if (fields.id !== undefined && licenses.get(fields.id)) {
        throw new ControlError('invalid', 'id: there is a license with this id already.')
      }
      const license = licenses.create({
        id: fields.id,
        activation_limit: fields.activation_limit ?? 3,
        expires_at:
          fields.expires_at === undefined
            ? (parseLicensePatch({ expires_at: inOneYear(clock.nowMs()) }).expires_at ?? null)
            : fields.expires_at,
        suspended_at: fields.suspended_at ?? null,
        status: fields.status ?? 'ACTIVE',
      })
      for (const name of fields.keys ?? []) licenses.addKey(license, name)
      return showLicense(state, license)
    },
    updateLicense: update,
    suspend: (licenseId) => update(licenseId, { suspended_at: clock.timestamp() }),
    expire: (licenseId) => update(licenseId, { expires_at: new Date(clock.nowMs()).toISOString() }),
    reinstate(licenseId) {
      const { expires_at } = find(licenseId)
      const isOver = expires_at !== null && Date.parse(expires_at) <= clock.nowMs()
      return update(licenseId, {
        suspended_at: null,
        status: 'ACTIVE',
        ...(isOver && { expires_at: inOneYear(clock.nowMs()) }),
      })
    },
    deleteLicense: (licenseId) => licenses.delete(find(licenseId)),
    keys: (licenseId) => structuredClone(find(licenseId).keys),
    addKey: (licenseId, name) => ({ ...licenses.addKey(find(licenseId), name) }),
    removeKey(licenseId, keyId) {
      if (!licenses.removeKey(find(licenseId), keyId)) {
        throw new ControlError('not-found', 'There is no such key.')
      }
    },
    requests: log.list,
    clearRequests: log.clear,
    faults: {
      inject: (rule) => faults.inject(parse(faultRuleSchema, rule)),
      list: faults.list,
      remove(id) {
        if (!faults.remove(id)) throw new ControlError('not-found', 'There is no such fault.')
      },
      clear: faults.clear,
    },
    get dialect() {
      return state.dialect
    },
    useDialect(dialect) {
      state.dialect = resolveDialect(dialect)
      licenses.changes.publish()
    },
    get isListening() {
      return listener.isListening
    },
    pause: listener.close,
    resume: listener.open,
    reset() {
      restoreData()
      log.clear()
      faults.clear()
      state.dialect = initialDialect
    },
  }
}
