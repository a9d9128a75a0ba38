import * as z from 'zod/mini'

/** Something that doesn't happen in a healthy app. */
export interface AppProblem {
  readonly kind:
    | 'uncaught-exception'
    | 'unhandled-rejection'
    | 'preload-error'
    | 'renderer-gone'
    | 'page-error'
    | 'console-error'
    | 'bad-end'
  /** The message, with a stack if there is one. */
  readonly text: string
}

/** The tested app had unexpected problems. */
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

/** Whether the app has quit, including its quit listeners. Only the runtime is still shutting down. */
export function hasQuit(output: string): boolean {
  return /^\[app-quit\]$/m.test(output)
}

/** Removes what Chromium and the debugger write in every run. */
export function ownOutput(output: string): string {
  const noise = /ERROR:bus\.cc|^Debugger |^For help, see|^DevTools listening|^\[app-(?:problem|quit)\]/
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !noise.test(line))
  return lines.join('\n')
}
