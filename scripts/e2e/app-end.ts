import { type AppProblem, hasQuit } from './app-problem.ts'

/** How an app's main process ended. */
export interface AppEnd {
  readonly exitCode: number | null
  readonly signal: string | null
}

/** What is wrong with an app's end; `null` for an app that quit as its user asked it to. */
export function endProblem({ exitCode, signal }: AppEnd): AppProblem | null {
  if (exitCode === 0 && signal === null) return null
  const text = signal === null ? `The app ended with exit code ${exitCode}.` : `The app ended by ${signal}.`
  return { kind: 'bad-end', text }
}

/**
 * Whether a runtime that does not end is known for it: Electron 25 runs in circles when garbage that something wants to
 * hear of (`FinalizationRegistry`) is found after the app has quit (https://github.com/nodejs/node/issues/47748).
 */
export function isPardonable(electronVersion: string, output: string): boolean {
  return electronVersion.startsWith('25.') && hasQuit(output)
}
