import type { Command } from 'commander'

/** Names that people try for a secret, such as `--token`, `--access-token` and `--api-key`. */
const secretName = /^--?(?:\w+-)*(?:token|secret|password|api-?key|signing-key)$/iu

/**
 * Rewrites commander's message about a wrong command line. Commander repeats words, which may be a secret or a license key,
 * and it knows neither the commands of the other groups nor the form of this one.
 *
 * @param message as commander writes it. Other messages stay the same.
 * @param words the arguments after the program's name.
 * @param service the service's name in the environment.
 */
export function explainUsage(
  message: string,
  program: Command,
  words: readonly string[],
  service: string,
): string {
  const suggestion = /\(Did you mean [^\n]*\)/u.exec(message)?.[0] ?? ''
  const [, option] = /^error: unknown option '(--[^\s=']*|-[^\s=']?)/u.exec(message) ?? []
  if (option !== undefined) {
    const value = message.includes(`'${option}=`) ? '=…' : ''
    return problem(`unknown option '${option}${value}'`, adviceOnSecret(option, service) ?? suggestion)
  }
  const [, word] = /^error: unknown command '(.*?)'\n*(?:\(|$)/su.exec(message) ?? []
  if (word !== undefined) {
    const advice = '(For a license key: latchkey devices list <license>, or latchkey license check <license>)'
    if (!/^[a-z]{1,12}$/iu.test(word)) return problem("unknown command '…'", advice)
    const elsewhere = program.commands.flatMap((group) =>
      group
        .createHelp()
        .visibleCommands(group)
        .filter((command) => command.name() === word)
        .map(() => `latchkey ${group.name()} ${word}`),
    )
    const or = new Intl.ListFormat('en', { type: 'disjunction' })
    const near = elsewhere.length === 0 ? suggestion : `(Did you mean ${or.format(elsewhere)}?)`
    return problem(`unknown command '${word}'`, near)
  }
  if (!/^error: (?:missing required argument|too many arguments)/u.test(message)) return message
  return `${message.trimEnd()}\n(Usage: ${formOf(program, words)})`
}

function problem(what: string, advice: string): string {
  return `error: ${what}\n${advice}`.trimEnd()
}

function adviceOnSecret(option: string, service: string): string | null {
  if (!secretName.test(option)) return null
  const why = 'Other users of this computer can read a command line, so no secret is taken from it.'
  return service === 'commerce'
    ? `${why}\nSet LATCHKEY_ACCESS_TOKEN, or name a file that contains the token: --token-file <file>.`
    : `${why}\nSet the variables of ${service}. latchkey --help lists them.`
}

/** Shows how the command that the words name is written. */
function formOf(command: Command, words: readonly string[]): string {
  const { operands, unknown } = command.parseOptions([...words])
  const [name, ...others] = operands
  const next = command.commands.find((one) => one.name() === name)
  if (next !== undefined) return `${command.name()} ${formOf(next, [...others, ...unknown])}`
  return `${command.name()} ${command.usage()}`
}
