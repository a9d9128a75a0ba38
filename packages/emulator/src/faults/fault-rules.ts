import { ControlError, parseInput } from '../control/input.ts'
import type { Operation } from '../formats/format.ts'
import { type AccompanyingFault, type FaultRule, faultRuleSchema } from './fault.ts'

/** An active rule. */
export interface InjectedFault {
  id: number
  rule: FaultRule
  /** How many matching requests passed before the first fault. */
  passed: number
  /** How often the fault was applied. */
  struck: number
}

/** The active faults. */
export interface FaultControl {
  /** Adds a fault. If several rules match a request, the first one applies. @throws ControlError for an invalid rule. */
  inject(rule: FaultRule): InjectedFault
  /** Lists the active faults, with how often each one was applied. */
  list(): InjectedFault[]
  /** Removes a fault. @throws ControlError if it doesn't exist. */
  remove(id: number): void
  /** Removes all faults. */
  clear(): void
}

/** The faults for one request. */
export interface StrikingFaults {
  /** At most one: the first rule that matches. */
  main: Exclude<FaultRule, AccompanyingFault> | null
  accompanying: (FaultRule & AccompanyingFault)[]
}

/** The active rules, and what they mean for a request. */
export interface FaultRules extends FaultControl {
  /** Returns the faults for this request, and counts them. */
  take(request: { operation: Operation; licenseId: string }): StrikingFaults
}

/** Of the newest so many, those that are used up are still listed. A long test injects many more. */
const keptRules = 100

/** Creates an empty set of rules. */
export function createFaultRules(): FaultRules {
  let injected: InjectedFault[] = []
  let count = 0
  return {
    inject(given) {
      const rule = structuredClone(parseInput('faults.inject', faultRuleSchema, given))
      count += 1
      const fault = { id: count, rule, passed: 0, struck: 0 }
      injected = [...injected.filter((one) => !isSpent(one) || one.id > count - keptRules), fault]
      return structuredClone(fault)
    },
    list: () => structuredClone(injected),
    remove(id) {
      const others = injected.filter((fault) => fault.id !== id)
      if (others.length === injected.length) throw new ControlError('not-found', 'There is no such fault.')
      injected = others
    },
    clear() {
      injected = []
    },
    take(request) {
      const striking: StrikingFaults = { main: null, accompanying: [] }
      for (const fault of injected) {
        const { rule } = fault
        if (isSpent(fault) || !matches(rule, request)) continue
        if (!isAccompanying(rule) && striking.main) continue
        if (!strikes(fault)) continue
        if (isAccompanying(rule)) striking.accompanying.push(rule)
        else striking.main = rule
      }
      return striking
    },
  }
}

function matches(rule: FaultRule, request: { operation: Operation; licenseId: string }): boolean {
  const { operation, licenseId } = rule
  if (licenseId !== undefined && licenseId.toLowerCase() !== request.licenseId.toLowerCase()) return false
  return operation === undefined || [operation].flat().includes(request.operation)
}

function strikes(fault: InjectedFault): boolean {
  const { after = 0 } = fault.rule
  if (fault.passed < after) {
    fault.passed += 1
    return false
  }
  fault.struck += 1
  return true
}

function isSpent({ rule, struck }: InjectedFault): boolean {
  return rule.times !== undefined && struck >= rule.times
}

function isAccompanying(rule: FaultRule): rule is FaultRule & AccompanyingFault {
  return rule.fault === 'delay' || rule.fault === 'date-shift' || rule.fault === 'date-missing'
}
