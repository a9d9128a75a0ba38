/** One part of `pnpm test`. */
export interface Step {
  readonly name: string
  readonly command: readonly string[]
  /** Steps that must pass first. */
  readonly after: readonly string[]
  /** How many processor cores it uses. Steps share {@link runSteps}' `slots`. */
  readonly slots: number
  /** Environment variables that only this step gets. @default none */
  readonly env?: Readonly<Record<string, string>>
  /** Whether it only runs in long runs. @default false */
  readonly isLongOnly?: boolean
  /** The path of a vitest step's report, to count its tests. */
  readonly reportPath?: string
}

/** The result of a step. */
export type StepOutcome = {
  readonly name: string
  readonly durationMs: number
} & ({ readonly status: 'passed' | 'failed' } | { readonly status: 'not-run'; readonly because: string })

/** Runs one step and returns whether it passed. */
export type StepRunner = (step: Step) => Promise<boolean>

/**
 * Runs steps in parallel as far as their order and the slots allow, otherwise in the given order.
 *
 * A step whose predecessor failed is skipped. All others run, so that one run shows every failure.
 */
export async function runSteps(
  steps: readonly Step[],
  slots: number,
  runStep: StepRunner,
  nowMs: () => number = () => performance.now(),
): Promise<readonly StepOutcome[]> {
  const outcomes = new Map<string, StepOutcome>()
  const running = new Map<string, Promise<void>>()
  let waiting = [...steps]
  let freeSlots = slots

  const start = (step: Step) => {
    const neededSlots = Math.min(step.slots, slots)
    const startedMs = nowMs()
    freeSlots -= neededSlots
    running.set(
      step.name,
      runStep(step).then((passed) => {
        const status = passed ? 'passed' : 'failed'
        outcomes.set(step.name, { name: step.name, status, durationMs: nowMs() - startedMs })
        running.delete(step.name)
        freeSlots += neededSlots
      }),
    )
  }

  while (waiting.length > 0 || running.size > 0) {
    for (const step of waiting) {
      const blocker = step.after.find((name) => (outcomes.get(name)?.status ?? 'passed') !== 'passed')
      if (blocker !== undefined) {
        const because = `${blocker} did not pass`
        outcomes.set(step.name, { name: step.name, status: 'not-run', because, durationMs: 0 })
      } else if (step.after.every((name) => outcomes.has(name)) && Math.min(step.slots, slots) <= freeSlots) {
        start(step)
      }
    }
    const before = waiting.length
    waiting = waiting.filter((step) => !running.has(step.name) && !outcomes.has(step.name))
    if (running.size > 0) await Promise.race(running.values())
    else if (waiting.length === before && before > 0) {
      throw new Error(`These steps wait for each other: ${waiting.map(({ name }) => name).join(', ')}`)
    }
  }
  return steps.flatMap(({ name }) => outcomes.get(name) ?? [])
}
