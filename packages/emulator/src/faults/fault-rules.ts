import { EventEmitter } from 'node:events'
import type { Operation } from '../formats/format.ts'
import type { AccompanyingFault, FaultRule } from './fault.ts'

/** An active rule. */
export interface InjectedFault {
  id: number
  rule: FaultRule
  /** How many matching requests passed before the first fault. */
  passed: number
  /** How often the fault was applied. */
  struck: number
}

/** The faults for one request. */
export interface StrikingFaults {
  /** At most one: the first rule that matches. */
  main: Exclude<FaultRule, AccompanyingFault> | null
  accompanying: (FaultRule & AccompanyingFault)[]
}

/** The active rules. */
export interface FaultRules {
  /** Emits `change`. */
  readonly changes: EventEmitter
  inject(rule: FaultRule): InjectedFault
  list(): InjectedFault[]
  /** Returns `false` if the rule doesn't exist. */
  remove(id: number): boolean
  clear(): void
  /** Returns the faults for this request, and counts them. */
  take(request: { operation: Operation; licenseId: string }): StrikingFaults
}

/** How many used-up rules to keep for display, because a long test injects many. */
const maxSpentRules = 100

/** Creates an empty set of rules. */
export function createFaultRules(): FaultRules {
  let injected: InjectedFault[] = []
  let spent: InjectedFault[] = []
  let count = 0
  const changes = new EventEmitter()
  return {
    changes,
    inject(rule) {
      count += 1
      const fault = { id: count, rule: structuredClone(rule), passed: 0, struck: 0 }
      injected.push(fault)
      changes.emit('change')
      return structuredClone(fault)
    },
    list: () => structuredClone([...spent, ...injected].sort((one, other) => one.id - other.id)),
    remove(id) {
      const isAnother = (fault: InjectedFault): boolean => fault.id !== id
      const before = injected.length + spent.length
      injected = injected.filter(isAnother)
      spent = spent.filter(isAnother)
      changes.emit('change')
      return injected.length + spent.length < before
    },
    clear() {
      injected = []
      spent = []
      changes.emit('change')
    },
    take(request) {
      const striking: StrikingFaults = { main: null, accompanying: [] }
      for (const fault of injected) {
        const { rule } = fault
        if (!matches(rule, request)) continue
        if (!isAccompanying(rule) && striking.main) continue
        if (!strikes(fault)) continue
        if (isAccompanying(rule)) striking.accompanying.push(rule)
        else striking.main = rule
      }
      if (striking.main || striking.accompanying.length > 0) {
        spent = [...spent, ...injected.filter(isSpent)].slice(-maxSpentRules)
        injected = injected.filter((fault) => !isSpent(fault))
        changes.emit('change')
      }
      return striking
    },
  }
}

function matches(rule: FaultRule, request: { operation: Operation; licenseId: string }): boolean {
  const { operation, licenseId } = rule
  if (licenseId !== undefined && licenseId.toLowerCase() !== request.licenseId.toLowerCase()) return false
  if (operation === undefined) return true
  return Array.isArray(operation) ? operation.includes(request.operation) : operation === request.operation
}

function strikes(fault: InjectedFault): boolean {
  const { after = 0 } = fault.rule
  if (fault.passed < after) {
    fault.passed += 1
    return false
  }
  if (isSpent(fault)) return false
  fault.struck += 1
  return true
}

function isSpent({ rule, struck }: InjectedFault): boolean {
  return rule.times !== undefined && struck >= rule.times
}

function isAccompanying(rule: FaultRule): rule is FaultRule & AccompanyingFault {
  return rule.fault === 'delay' || rule.fault === 'date-shift' || rule.fault === 'date-missing'
}
