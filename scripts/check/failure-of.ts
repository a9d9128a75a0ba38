import { runCommand } from './run-command.ts'

/**
 * Runs a command quietly.
 *
 * @returns `null` if it succeeded, otherwise its output. The output is never empty, so that a tool that was killed or
 * failed silently doesn't look like a success.
 */
export async function failureOf(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<string | null> {
  const lines: string[] = []
  if (await runCommand(command, env, (line) => lines.push(line))) return null
  return lines.join('\n').trim() === '' ? `${command.join(' ')} failed without a word.` : lines.join('\n')
}
