import { runCommand } from './run-command.ts'

/**
 * Runs a command quietly.
 *
 * @returns `null` when it ended well, and otherwise its output, which is never empty: a tool that was killed or failed
 * without a word must not pass for one that found nothing.
 */
export async function failureOf(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<string | null> {
  const lines: string[] = []
  if (await runCommand(command, env, (line) => lines.push(line))) return null
  return lines.join('\n').trim() === '' ? `${command.join(' ')} failed without a word.` : lines.join('\n')
}
