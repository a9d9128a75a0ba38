import { setTimeout as delay } from 'node:timers/promises'
import type { Answer } from '../service/answer.ts'
import type { AccompanyingFault, FaultRule, SpoilingFault } from './fault.ts'
import type { StrikingFaults } from './fault-rules.ts'
import { type FaultStage, type Played, playReplacingFault, playSpoilingFault } from './play-fault.ts'

/** The service's answer, ready to send, or the effect of a fault on the connection. */
export type FaultyResult =
  | { kind: 'answer'; answer: Answer; faults: string[] }
  | ({ kind: 'played'; faults: string[] } & Played)

/**
 * Lets the service act at the moment that the faults allow.
 *
 * @param act Executes the request and returns the answer; called at most once.
 */
export async function answerWithFaults(
  stage: FaultStage,
  { main, accompanying }: StrikingFaults,
  act: () => Answer,
): Promise<FaultyResult> {
  const faults = accompanying.map(({ fault }): string => fault)
  setDate(stage, accompanying)
  await wait(accompanying.filter((rule) => !isLate(rule)))
  if (main === null) {
    const answer = act()
    await wait(accompanying.filter(isLate))
    return { kind: 'answer', answer, faults }
  }
  if (isSpoiling(main)) {
    const answer = act()
    await wait(accompanying.filter(isLate))
    const played = playSpoilingFault(stage, main, answer)
    // Otherwise a misspelled field would look like a client that handles the fault.
    faults.push(played.hasMissed ? `${main.fault} (no such field)` : main.fault)
    return { kind: 'played', faults, ...played }
  }
  if (isLate(main)) act()
  await wait(accompanying.filter(isLate))
  return { kind: 'played', faults: [...faults, main.fault], ...playReplacingFault(stage, main) }
}

const spoilingFaults: ReadonlySet<string> = new Set<SpoilingFault['fault']>([
  'slow-drip',
  'truncated',
  'cut',
  'wrong-types',
  'missing-fields',
  'set-fields',
  'content-type',
])

function isSpoiling(rule: { fault: string }): rule is SpoilingFault {
  return spoilingFaults.has(rule.fault)
}

function isLate(rule: FaultRule): boolean {
  return rule.when === 'after-acting'
}

async function wait(rules: readonly AccompanyingFault[]): Promise<void> {
  for (const rule of rules) {
    // A delayed answer must not keep a process from exiting.
    if (rule.fault === 'delay') await delay(rule.delayMs, undefined, { ref: false })
  }
}

function setDate({ outgoing }: FaultStage, rules: readonly AccompanyingFault[]): void {
  for (const rule of rules) {
    if (rule.fault === 'date-missing') outgoing.sendDate = false
    if (rule.fault === 'date-shift') {
      outgoing.setHeader('date', new Date(Date.now() + rule.shiftMs).toUTCString())
    }
  }
}
