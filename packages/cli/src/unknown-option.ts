import type { Command } from 'commander'
import { namedCommands } from './input/named-commands.ts'

/** Names that people try for a secret, such as `--token`, `--access-token` and `--api-key`. */
const secretName = /^--?(?:\w+-)*(?:token|secret|password|api-?key|signing-key)$/iu

/**
 * Rewrites commander's message about an unknown option. It repeats the whole word, which may contain a secret:
 * `--token=…`.
 *
 * @param message as commander writes it. Other messages stay the same.
 * @param words the arguments after the program's name.
 * @param service the name in `LATCHKEY_SERVICE`; `null` for the commerce service.
 */
export function explainUnknownOption(
  message: string,
  program: Command,
  words: readonly string[],
  service: string | null,
): string {
  const [start, name] = /^error: unknown option '(--[^\s=']*|-[^\s=']?)/u.exec(message) ?? []
  if (start === undefined || name === undefined) return message
  const suggestion = /\(Did you mean [^\n]*\)/u.exec(message)?.[0]
  const ofAll = name === '--all' ? adviceOnAll(program, words) : undefined
  const advice = secretName.test(name) ? adviceOnSecrets(service) : (ofAll ?? suggestion)
  return `${start}'\n${advice === undefined ? '' : `${advice}\n`}`
}

/**
 * Rewrites commander's message about an option that has a value and takes none, such as `--json=true`. Commander calls it
 * unknown.
 *
 * @param message as commander writes it. Other messages stay the same.
 * @param words the arguments after the program's name.
 */
export function explainFlagValue(message: string, program: Command, words: readonly string[]): string {
  const [, name] = /^error: unknown option '(--[a-z-]+)=/u.exec(message) ?? []
  if (name === undefined) return message
  const options = namedCommands(program, words).flatMap((command) => command.options)
  return options.some(({ long }) => long === name) ? `error: option '${name}' takes no value\n` : message
}

/** Only `discounts list` has this option, because discounts are few. */
function adviceOnAll(program: Command, words: readonly string[]): string | undefined {
  const [, group, command] = namedCommands(program, words).map((one) => one.name())
  if (command === 'export') return '(An export contains all of them: leave it out)'
  return group === 'customers' && command === 'list' ? '(Did you mean latchkey customers export?)' : undefined
}

function adviceOnSecrets(service: string | null): string {
  const why = 'Other users of this computer can read a command line, so no secret is taken from it.'
  return service === null
    ? `${why}\nSet LATCHKEY_ACCESS_TOKEN, or name a file that contains the token: --token-file <file>.`
    : `${why}\nSet the variables of ${service}. latchkey --help lists them.`
}
