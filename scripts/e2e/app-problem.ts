import * as z from 'zod/mini'

/** Something a healthy app never does. */
export interface AppProblem {
  readonly kind:
    | 'uncaught-exception'
    | 'unhandled-rejection'
    | 'preload-error'
    | 'renderer-gone'
    | 'page-error'
    | 'console-error'
    | 'bad-end'
  /** The message, with a stack where there is one. */
  readonly text: string
}

/** An app that was tested had problems nobody expected. */
export class AppProblemsError extends Error {
  override readonly name = 'AppProblemsError' as const
  readonly problems: readonly AppProblem[]

  constructor(problems: readonly AppProblem[], output: string) {
    const list = problems.map(({ kind, text }) => `- ${kind}: ${text}`).join('\n')
    super(`The app had problems:\n${list}\n\nIts output:\n${ownOutput(output) || '(none)'}`)
    this.problems = problems
  }
}

const problemSchema: z.ZodMiniType<AppProblem> = z.object({
  kind: z.enum([
    'uncaught-exception',
    'unhandled-rejection',
    'preload-error',
    'renderer-gone',
    'page-error',
    'console-error',
    'bad-end',
  ]),
  text: z.string(),
})

/** Finds what `main-process-watch.cjs` wrote into a process's output. */
export function problemsInOutput(output: string): AppProblem[] {
  const lines = output.matchAll(/^\[app-problem\] (\{.*\})$/gm)
  return [...lines].map((match) => problemSchema.parse(JSON.parse(match[1] ?? '')))
}

/** Whether the app has quit, its listeners of that included: what still runs is the runtime taking itself apart. */
export function hasQuit(output: string): boolean {
  return /^\[app-quit\]$/m.test(output)
}

/** Leaves out what Chromium and the debugger say in every run. */
export function ownOutput(output: string): string {
  const noise = /ERROR:bus\.cc|^Debugger |^For help, see|^DevTools listening|^\[app-(?:problem|quit)\]/
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !noise.test(line))
  return lines.join('\n')
}
