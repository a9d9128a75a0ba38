import { nearestName } from '@latchkey/services/environment'
import type { Command } from 'commander'
import { namedCommands } from './named-commands.ts'

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
 * Rewrites commander's message about an unknown command. It repeats the whole word, which may be a license key, and it
 * suggests no command of another group.
 *
 * @param message as commander writes it. Other messages stay the same.
 * @param words the arguments after the program's name.
 */
export function explainUnknownCommand(message: string, program: Command, words: readonly string[]): string {
  const [, name, suggested] =
    /^error: unknown command '(.*?)'(?:\n(\(Did you mean [^\n]*\)))?\n*$/su.exec(message) ?? []
  if (name === undefined) return message
  const group = namedCommands(program, words)[1]?.name()
  const isAboutLicense = group !== undefined && Object.hasOwn(commandsForKeys, group)
  if (!/^[a-z]{1,12}$/iu.test(name)) return messageOf('…', adviceOnKeys(isAboutLicense ? group : undefined))
  const lower = name.toLowerCase()
  const isNear =
    Object.hasOwn(commandsWithGroup, lower) &&
    (group === undefined || isAboutLicense || commandsWithGroup[lower]?.startsWith(`${group} `))
  // It shows the license, while `keys show` shows one of its devices.
  const isLicense = group === 'license' && lower === 'show'
  const near =
    swappedWords(program, words) ?? (isNear ? commandsWithGroup[isLicense ? 'check' : lower] : undefined)
  return messageOf(name, near === undefined ? suggested : `(Did you mean latchkey ${near}?)`)
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

function messageOf(name: string, advice: string | undefined): string {
  return `error: unknown command '${name}'\n${advice === undefined ? '' : `${advice}\n`}`
}

function adviceOnKeys(group: string | undefined): string {
  return group === undefined
    ? '(For a license key: latchkey keys list <license>, or latchkey license check <license>)'
    : `(Did you mean latchkey ${commandsForKeys[group]} <license>?)`
}
