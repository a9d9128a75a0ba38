import { ControlError } from '../control-error.ts'
import type { EmulatorData } from '../data/emulator-data.ts'
import { emulatorDataSchema } from '../data/emulator-data-schema.ts'
import type { TotalsPatch } from '../data/service-data.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { DialectName } from '../dialects/dialects.ts'
import { resolveDialect } from '../dialects/resolve-dialect.ts'
import type { Face } from '../faces/face.ts'
import type { FaultRule } from '../faults/fault.ts'
import type { FaultRules, InjectedFault } from '../faults/fault-rules.ts'
import { faultRuleSchema } from '../faults/fault-schema.ts'
import type { Listener } from '../listener.ts'
import type { RequestLog, RequestRecord } from '../request-log.ts'
import type { ServiceState } from '../service/service-state.ts'
import { createLicenseControl, type LicenseControl } from './license-control.ts'
import { parseInput } from './parse-input.ts'
import { totalsSchema } from './totals-schema.ts'

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
  /** Changes the dialect from the next request on. */
  useDialect(dialect: Dialect | DialectName): void
  /** Whether the emulator accepts connections. */
  readonly isListening: boolean
  /**
   * Closes the listening socket and all connections, to simulate a service that is down.
   *
   * @param forMs Time in milliseconds after which it listens again; if omitted, it waits for `resume`.
   * @throws ControlError if this is no such time. The emulator keeps listening.
   */
  pause(forMs?: number): Promise<void>
  /** Listens again, on the same port. */
  resume(): Promise<void>
  /** Resets data, log, faults and dialect to the initial state. */
  reset(): void
}

/** The active faults. */
export interface FaultControl {
  /** Adds a fault. If several rules match a request, the first one applies. */
  inject(rule: FaultRule): InjectedFault
  /** Lists the active faults, with how often each one was applied. */
  list(): InjectedFault[]
  /** Removes a fault. @throws ControlError if it doesn't exist. */
  remove(id: number): void
  /** Removes all faults. */
  clear(): void
}

/** The parts that the control operates on. */
export interface ControlParts {
  state: ServiceState
  face: Face
  log: RequestLog
  faults: FaultRules
  listener: Listener
  initialData: EmulatorData
}

/** Creates the control. */
export function createControl(parts: ControlParts): EmulatorControl {
  const { state, face, log, faults, listener, initialData } = parts
  const { data, dialect: initialDialect } = state
  return {
    ...createLicenseControl(state, face),
    dumpData: data.dump,
    loadData: (replacement) => data.load(parseInput(emulatorDataSchema, replacement)),
    setTotals: (totals) => data.resize(parseInput(totalsSchema, totals)),
    requests: log.list,
    clearRequests: log.clear,
    faults: {
      inject: (rule) => faults.inject(parseInput(faultRuleSchema, rule)),
      list: faults.list,
      remove(id) {
        if (typeof id !== 'number') throw new ControlError('invalid', 'Pass the id of the fault, a number.')
        if (!faults.remove(id)) throw new ControlError('not-found', 'There is no such fault.')
      },
      clear: faults.clear,
    },
    get dialect() {
      return state.dialect
    },
    useDialect(dialect) {
      state.dialect = resolveDialect(dialect)
      data.licenses.changes.publish()
    },
    get isListening() {
      return listener.isListening
    },
    async pause(forMs) {
      if (forMs !== undefined && !isDelay(forMs)) {
        throw new ControlError('invalid', 'pause takes milliseconds, such as pause(5000).')
      }
      await listener.close(forMs)
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

/** The longest delay of a timer of Node.js, in milliseconds. After a longer one, it would fire at once. */
const longestDelayMs = 2 ** 31 - 1

function isDelay(ms: unknown): boolean {
  return typeof ms === 'number' && ms >= 0 && ms <= longestDelayMs
}
