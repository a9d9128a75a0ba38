import { emulatorDataSchema } from '../data/data-schema.ts'
import { isExpired } from '../data/license-store.ts'
import { type EmulatorData, inOneYear, type LicenseData, type TotalsPatch } from '../data/service-data.ts'
import type { FaultControl, FaultRules } from '../faults/fault-rules.ts'
import { showLicense } from '../formats/commerce.ts'
import { type Dialect, type DialectChanges, resolveDialect } from '../formats/dialect.ts'
import type { Format, ServiceState } from '../formats/format.ts'
import type { Listener } from '../listener.ts'
import type { RequestLog, RequestRecord } from '../request-log.ts'
import type { License, LicenseKey } from '../wire.ts'
import {
  ControlError,
  deviceNameSchema,
  idTextSchema,
  type LicenseInput,
  type LicensePatch,
  licenseInputSchema,
  licensePatchSchema,
  parseInput,
  pauseSchema,
  totalsSchema,
} from './input.ts'

/** A license of the emulated service, as the vendor's back office shows it. */
export interface ShownLicense extends License {
  /** The text that a user pastes, in the service's form. For the commerce service and Lemon Squeezy, it is the `id`. */
  license_key: string
  /** Only Keygen's licenses have features. */
  features?: readonly string[] | undefined
}

/**
 * Changes that the vendor's back office and other devices can make to licenses. An unknown ID or an invalid field
 * throws a {@link ControlError}.
 */
export interface LicenseControl {
  /** Lists all licenses. */
  licenses(): ShownLicense[]
  /** Returns a license. */
  license(licenseId: string): ShownLicense
  /** Creates a license. */
  createLicense(input?: LicenseInput): ShownLicense
  /** Changes these fields of a license. */
  updateLicense(licenseId: string, patch: LicensePatch): ShownLicense
  /** Suspends the license now. */
  suspend(licenseId: string): ShownLicense
  /** Ends the license now. */
  expire(licenseId: string): ShownLicense
  /** Undoes suspension, expiry and a status other than ACTIVE. */
  reinstate(licenseId: string): ShownLicense
  /** Deletes the license, so that the service no longer knows it. */
  deleteLicense(licenseId: string): void
  /** Lists all keys, oldest first. */
  keys(licenseId: string): LicenseKey[]
  /** Adds a key as if another device had activated. The limit doesn't apply. */
  addKey(licenseId: string, name: string): LicenseKey
  /** Removes a key as if another device had deactivated it. */
  removeKey(licenseId: string, keyId: string): void
}

/**
 * Simulates the vendor's back office, other devices, and failures. The same operations exist under `/_control`. Invalid
 * input throws a {@link ControlError}.
 */
export interface EmulatorControl extends LicenseControl {
  /** Returns a copy of all the service's data, in the format of a data file. */
  dumpData(): EmulatorData
  /** Replaces all data. */
  loadData(data: EmulatorData): void
  /** Grows or shrinks the seeded lists, which may happen while a client walks them. */
  setTotals(totals: TotalsPatch): void
  /** Returns the service's requests, oldest first. */
  requests(): RequestRecord[]
  /** Empties the list of requests. */
  clearRequests(): void
  /** The simulated failures, and the requests they apply to. */
  readonly faults: FaultControl
  /** How the service behaves where the interface leaves it open. */
  readonly dialect: Dialect
  /** Uses the default dialect with these changes from the next request on. */
  useDialect(changes: DialectChanges): void
  /** Whether the emulator accepts connections. */
  readonly isListening: boolean
  /**
   * Closes the listening socket and all connections, to simulate a service that is down.
   *
   * @param forMs Time in milliseconds after which it listens again; if omitted, it waits for `resume`.
   * @throws ControlError if this is no such time, at most an hour. The emulator keeps listening.
   */
  pause(forMs?: number): Promise<void>
  /** Listens again, on the same port. */
  resume(): Promise<void>
  /** Resets data, log, faults and dialect to the initial state. */
  reset(): void
}

/** The parts that the control operates on. */
export interface ControlParts {
  state: ServiceState
  format: Format
  log: RequestLog
  faults: FaultRules
  listener: Listener
  initialData: EmulatorData
}

/** Creates the control. */
export function createControl(parts: ControlParts): EmulatorControl {
  const { state, format, log, faults, listener, initialData } = parts
  const { data, dialect: initialDialect } = state
  return {
    ...createLicenseControl(state, format),
    dumpData: data.dump,
    loadData: (replacement) => data.load(parseInput('loadData', emulatorDataSchema, replacement)),
    setTotals: (totals) => data.resize(parseInput('setTotals', totalsSchema, totals)),
    requests: log.list,
    clearRequests: log.clear,
    faults: { inject: faults.inject, list: faults.list, remove: faults.remove, clear: faults.clear },
    get dialect() {
      return state.dialect
    },
    useDialect(changes) {
      state.dialect = resolveDialect(changes)
    },
    get isListening() {
      return listener.isListening
    },
    async pause(forMs) {
      await listener.close(forMs === undefined ? undefined : parseInput('pause', pauseSchema, forMs))
    },
    resume: listener.open,
    reset() {
      data.load(initialData)
      log.clear()
      faults.clear()
      state.dialect = initialDialect
    },
  }
}

const noFeatures =
  'features: only Keygen’s licenses have features. For another service, set them with the gateway’s rule features, or with the option features of createLicensing.'

function createLicenseControl(state: ServiceState, format: Format): LicenseControl {
  const { clock } = state
  const checkFeatures = (features: readonly string[] = []): void => {
    // The service's answers would lack them, and a test would look for the mistake elsewhere.
    if (features.length > 0 && format.name !== 'keygen') throw new ControlError('invalid', noFeatures)
  }
  const { licenses } = state.data
  const show = (license: LicenseData): ShownLicense => ({
    ...showLicense(state, license),
    license_key: format.licenseKeyOf(license.id),
    ...(license.features !== undefined && { features: [...license.features] }),
  })
  const find = (licenseId: string): LicenseData => {
    const license = licenses.get(parseInput('control', idTextSchema, licenseId))
    if (license) return license
    const isLicenseKey = licenses.list().some(({ id }) => format.licenseKeyOf(id) === licenseId)
    const advice = isLicenseKey ? ' This is its license_key: pass the id.' : ''
    throw new ControlError('not-found', `There is no such license.${advice}`)
  }
  const update = (licenseId: string, patch: LicensePatch): ShownLicense => {
    const license = find(licenseId)
    const fields = parseInput('updateLicense', licensePatchSchema, patch)
    checkFeatures(fields.features)
    const given = Object.entries(fields).filter(([, value]) => value !== undefined)
    licenses.update(license, Object.fromEntries(given))
    return show(license)
  }
  return {
    licenses: () => licenses.list().map(show),
    license: (licenseId) => show(find(licenseId)),
    createLicense(input = {}) {
      const {
        id,
        activation_limit = 3,
        expires_at = inOneYear(clock.nowMs()),
        suspended_at = null,
        status = 'ACTIVE',
        features,
        keys = [],
      } = parseInput('createLicense', licenseInputSchema, input)
      checkFeatures(features)
      if (id !== undefined && licenses.get(id)) {
        throw new ControlError('invalid', 'id: a license with this ID already exists.')
      }
      const fields = { activation_limit, expires_at, suspended_at, status, ...(features && { features }) }
      const license = licenses.create({ id, ...fields })
      for (const name of keys) licenses.addKey(license, name)
      return show(license)
    },
    updateLicense: update,
    suspend: (licenseId) => update(licenseId, { suspended_at: clock.timestamp() }),
    // In whole seconds, because the `Date` of the next answer has no fractions, and a client compares the two.
    expire: (licenseId) =>
      update(licenseId, { expires_at: new Date(Math.floor(clock.nowMs() / 1000) * 1000).toISOString() }),
    reinstate(licenseId) {
      const isOver = isExpired(find(licenseId), clock.nowMs())
      return update(licenseId, {
        suspended_at: null,
        status: 'ACTIVE',
        ...(isOver && { expires_at: inOneYear(clock.nowMs()) }),
      })
    },
    deleteLicense: (licenseId) => licenses.delete(find(licenseId)),
    keys: (licenseId) => structuredClone(find(licenseId).keys),
    addKey(licenseId, name) {
      return { ...licenses.addKey(find(licenseId), parseInput('addKey', deviceNameSchema, name)) }
    },
    removeKey(licenseId, keyId) {
      if (!licenses.removeKey(find(licenseId), parseInput('removeKey', idTextSchema, keyId))) {
        throw new ControlError('not-found', 'There is no such key.')
      }
    },
  }
}
