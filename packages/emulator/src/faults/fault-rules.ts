import type { Operation } from '../operations.ts'
import { createSubscriptions, type Subscriptions } from '../subscriptions.ts'
import type { AccompanyingFault, FaultRule } from './fault.ts'

/** A rule in force. */
export interface InjectedFault {
  id: number
  rule: FaultRule
  /** How many matching requests passed before it began to strike. */
  passed: number
  /** How often it struck. */
  struck: number
}

/** The faults that strike one request. */
export interface StrikingFaults {
  /** At most one: the first rule that matches. */
  main: Exclude<FaultRule, AccompanyingFault> | null
  accompanying: (FaultRule & AccompanyingFault)[]
}

/** The rules in force. */
export interface FaultRules {
  changes: Subscriptions<void>
  inject(rule: FaultRule): InjectedFault
  list(): InjectedFault[]
  /** `false` when there is no such rule. */
  remove(id: number): boolean
  clear(): void
  /** The faults that strike this request; they count it. */
  take(request: { operation: Operation; licenseId: string }): StrikingFaults
}

/** Rules that have struck as often as they should are shown a while longer; a long soak injects many. */
const maxSpentRules = 100

/** No rules. */
export function createFaultRules(): FaultRules {
  let injected: InjectedFault[] = []
  let spent: InjectedFault[] = []
  let count = 0
  const changes = createSubscriptions<void>()
  return {
    changes,
    inject(rule) {
      count += 1
      const fault = { id: count, rule: structuredClone(rule), passed: 0, struck: 0 }
      injected.push(fault)
      changes.publish()
      return structuredClone(fault)
    },
    list: () => structuredClone([...spent, ...injected].sort((one, other) => one.id - other.id)),
    remove(id) {
      const isAnother = (fault: InjectedFault): boolean => fault.id !== id
      const before = injected.length + spent.length
      injected = injected.filter(isAnother)
      spent = spent.filter(isAnother)
      changes.publish()
      return injected.length + spent.length < before
    },
    clear() {
      injected = []
      spent = []
      changes.publish()
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
        changes.publish()
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
