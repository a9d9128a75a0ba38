/**
 * Returns the command line that runs pnpm with these arguments. It is the same pnpm that started this process, because
 * pnpm may not be on the PATH.
 */
export function pnpmCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): readonly string[] {
  const pnpm = env['npm_execpath']
  if (pnpm === undefined || !/pnpm/.test(pnpm)) return ['pnpm', ...args]
  // Older releases are a script, newer ones a binary.
  return /\.[cm]?js$/.test(pnpm) ? [process.execPath, pnpm, ...args] : [pnpm, ...args]
}
