import { ControlError } from '../control-error.ts'
import type { EmulatorData } from '../data/emulator-data.ts'
import { emulatorDataSchema } from '../data/emulator-data-schema.ts'
import type { TotalsPatch } from '../data/service-data.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { type DialectName, resolveDialect } from '../dialects/dialects.ts'
import type { FaultRule } from '../faults/fault.ts'
import type { FaultRules, InjectedFault } from '../faults/fault-rules.ts'
import { faultRuleSchema } from '../faults/fault-schema.ts'
import type { Listener } from '../listener.ts'
import type { RequestLog, RequestRecord } from '../request-log.ts'
import type { ServiceState } from '../service/service-state.ts'
import { createLicenseControl, type LicenseControl } from './license-control.ts'
import { parseInput } from './parse-input.ts'

/** What the vendor's back office, another device, and bad luck can do: the same verbs in-process and under `/_control`. */
export interface EmulatorControl extends LicenseControl {
  /** A copy of everything the service knows, as a data file holds it. */
  dumpData(): EmulatorData
  /** Puts this data in the place of all there is. */
  loadData(data: EmulatorData): void
  /** Lets the lists made from a seed grow or shrink, as they do under a client that walks them. */
  setTotals(totals: TotalsPatch): void
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
  initialData: EmulatorData
}

/** Puts the verbs together. */
export function createControl({ state, log, faults, listener, initialData }: ControlParts): EmulatorControl {
  const { data, dialect: initialDialect } = state
  return {
    ...createLicenseControl(state),
    dumpData: data.dump,
    loadData: (replacement) => data.load(parseInput(emulatorDataSchema, replacement)),
    setTotals: data.resize,
    requests: log.list,
    clearRequests: log.clear,
    faults: {
      inject: (rule) => faults.inject(parseInput(faultRuleSchema, rule)),
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
      data.licenses.changes.publish()
    },
    get isListening() {
      return listener.isListening
    },
    pause: listener.close,
    resume: listener.open,
    reset() {
      data.load(initialData)
      log.clear()
      faults.clear()
      state.dialect = initialDialect
    },
  }
}
