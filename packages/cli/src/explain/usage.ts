import { nearestName } from '@latchkey/services/environment'
import type { Command } from 'commander'

/** Names that people try for a secret, such as `--token`, `--access-token` and `--api-key`. */
const secretName = /^--?(?:\w+-)*(?:token|secret|password|api-?key|signing-key)$/iu

/** Commands that people try without their group, or in the other group about a license. */
const commandsWithGroup: Readonly<Record<string, string>> = {
  list: 'keys list',
  show: 'keys show',
  release: 'keys release',
  check: 'license check',
  find: 'customers find',
  search: 'customers find',
  sign: 'offline sign',
}

/** The command of each group about a license that takes a license key alone. */
const commandsForKeys: Readonly<Record<string, string>> = { keys: 'keys list', license: 'license check' }

/**
 * Rewrites commander's message about a wrong command line. Commander repeats words, which may be a secret or a license key,
 * and it doesn't show the form of the command.
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
  // Reading the words again would repeat other errors for ever.
  if (!/^error: (?:unknown|missing required argument|too many arguments)/u.test(message)) return message
  const named = namedCommands(program, words)
  const suggestion = /\(Did you mean [^\n]*\)/u.exec(message)?.[0]
  const [, problem] = /^error: (missing required argument|too many arguments)/u.exec(message) ?? []
  if (problem !== undefined) return `${message.trimEnd()}\n${formOf(named, problem)}`
  const [, option] = /^error: unknown option '(--[^\s=']*|-[^\s=']?)/u.exec(message) ?? []
  if (option !== undefined) {
    const known = named.flatMap((command) => command.options)
    if (message.includes(`'${option}=`) && known.some(({ long }) => long === option)) {
      return `error: option '${option}' takes no value\n`
    }
    return withAdvice(`unknown option '${option}'`, adviceOnOption(option, named, service) ?? suggestion)
  }
  const [, word] = /^error: unknown command '(.*?)'\n*(?:\(|$)/su.exec(message) ?? []
  if (word === undefined) return message
  return withAdvice(...adviceOnCommand(word, program, words, named, suggestion))
}

function withAdvice(problem: string, advice: string | undefined): string {
  return `error: ${problem}\n${advice === undefined ? '' : `${advice}\n`}`
}

/**
 * Returns the program and the commands that the words name, such as `latchkey`, `keys` and `list`. The value of an option
 * names none.
 */
function namedCommands(command: Command, words: readonly string[]): readonly Command[] {
  const { operands, unknown } = command.parseOptions([...words])
  const [name, ...others] = operands
  const next = command.commands.find((one) => one.name() === name)
  return next === undefined ? [command] : [command, ...namedCommands(next, [...others, ...unknown])]
}

/** Shows how the named command is written. */
function formOf(named: readonly Command[], problem: string): string {
  const command = named.at(-1)
  const form = named.map((one) => one.name())
  if (command !== undefined && command.options.length > 0) form.push('[options]')
  for (const argument of command?.registeredArguments ?? []) form.push(`<${argument.name()}>`)
  const usage = `(Usage: ${form.join(' ')})\n`
  if (problem === 'missing required argument') return usage
  if (command?.name() === 'doctor') {
    return `Pass a license with --license, and the address of a gateway with --gateway.\n${usage}`
  }
  const takesText = command !== undefined && command.registeredArguments.length > 0
  return takesText ? `Put a text that contains spaces in quotation marks.\n${usage}` : usage
}

function adviceOnOption(option: string, named: readonly Command[], service: string): string | undefined {
  if (secretName.test(option)) {
    const why = 'Other users of this computer can read a command line, so no secret is taken from it.'
    return service === 'commerce'
      ? `${why}\nSet LATCHKEY_ACCESS_TOKEN, or name a file that contains the token: --token-file <file>.`
      : `${why}\nSet the variables of ${service}. latchkey --help lists them.`
  }
  const [, group, command] = named.map((one) => one.name())
  if (command === 'export' && option === '--all') return '(An export contains all of them: leave it out)'
  const isCustomers = group === 'customers' && command === 'list' && option === '--all'
  return isCustomers ? '(Did you mean latchkey customers export?)' : undefined
}

/** Returns the problem and the advice. A word that may be a license key isn't repeated. */
function adviceOnCommand(
  word: string,
  program: Command,
  words: readonly string[],
  named: readonly Command[],
  suggestion: string | undefined,
): readonly [problem: string, advice: string | undefined] {
  const group = named[1]?.name()
  const forKeys = group === undefined ? undefined : commandsForKeys[group]
  if (!/^[a-z]{1,12}$/iu.test(word)) {
    const advice =
      forKeys === undefined
        ? '(For a license key: latchkey keys list <license>, or latchkey license check <license>)'
        : `(Did you mean latchkey ${forKeys} <license>?)`
    return ["unknown command '…'", advice]
  }
  const lower = word.toLowerCase()
  // It shows the license, while `keys show` shows one of its devices.
  const name = group === 'license' && lower === 'show' ? 'check' : lower
  const known = Object.hasOwn(commandsWithGroup, name) ? commandsWithGroup[name] : undefined
  const isNear = group === undefined || forKeys !== undefined || known?.startsWith(`${group} `)
  const near = swappedWords(program, words) ?? (isNear ? known : undefined)
  return [`unknown command '${word}'`, near === undefined ? suggestion : `(Did you mean latchkey ${near}?)`]
}

/** Returns the command of words in another order, such as `export customers`. */
function swappedWords(program: Command, words: readonly string[]): string | undefined {
  const [name = '', groupName] = program.parseOptions([...words]).operands.map((word) => word.toLowerCase())
  const group = program.commands.find((one) => one.name() === groupName)
  return group?.commands.some((one) => one.name() === name) ? `${groupName} ${name}` : undefined
}

/**
 * Refuses `help` for an unknown command, such as `latchkey help frob`. Commander shows the whole help instead.
 *
 * @param words the arguments after the program's name.
 * @throws {CommanderError}
 */
export function refuseUnknownTopic(program: Command, words: readonly string[]): void {
  if (!words.includes('help')) return
  const { operands } = program.parseOptions([...words])
  const at = operands.indexOf('help')
  const parent = at === 0 ? program : program.commands.find((one) => at === 1 && one.name() === operands[0])
  const topic = operands[at + 1]
  if (parent === undefined || topic === undefined) return
  const names = parent.commands.map((one) => one.name())
  if (names.length === 0 || [...names, 'help'].includes(topic)) return
  const nearest = nearestName(topic.toLowerCase(), names)
  parent.error(`error: unknown command '${topic}'${nearest === null ? '' : `\n(Did you mean ${nearest}?)`}`)
}
