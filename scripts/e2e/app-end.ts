import { type AppProblem, hasQuit } from './app-problem.ts'

/** How an app's main process exited. */
export interface AppEnd {
  readonly exitCode: number | null
  readonly signal: string | null
}

/** Returns what is wrong with an app's exit; `null` if it quit as its user requested. */
export function endProblem({ exitCode, signal }: AppEnd): AppProblem | null {
  if (exitCode === 0 && signal === null) return null
  const text = signal === null ? `The app ended with exit code ${exitCode}.` : `The app ended by ${signal}.`
  return { kind: 'bad-end', text }
}

/**
 * Whether a runtime that doesn't exit has this known bug: Electron 25 loops forever if an object in a
 * `FinalizationRegistry` is collected after the app has quit (https://github.com/nodejs/node/issues/47748).
 */
export function isPardonable(electronVersion: string, output: string): boolean {
  return electronVersion.startsWith('25.') && hasQuit(output)
}
