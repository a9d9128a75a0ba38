import type { Command } from 'commander'
import { namedCommands } from './named-commands.ts'

const spacesAdvice = 'Put a text that contains spaces in quotation marks.'
const doctorAdvice = 'Pass a license with --license, and the address of a gateway with --gateway.'

/**
 * Adds the usage of the command to commander's message about a missing argument or too many.
 *
 * @param message as commander writes it. Other messages stay the same.
 * @param words the arguments after the program's name.
 */
export function explainArguments(message: string, program: Command, words: readonly string[]): string {
  const [, problem] = /^error: (missing required argument|too many arguments)/u.exec(message) ?? []
  if (problem === undefined) return message
  const named = namedCommands(program, words)
  const command = named.at(-1) ?? program
  const usage = named.map((one) => one.name())
  if (command.options.length > 0) usage.push('[options]')
  usage.push(...command.registeredArguments.map((argument) => `<${argument.name()}>`))
  return [message.trimEnd(), ...adviceOn(problem, command), `(Usage: ${usage.join(' ')})`, ''].join('\n')
}

function adviceOn(problem: string, command: Command): readonly string[] {
  if (problem === 'missing required argument') return []
  if (command.name() === 'doctor') return [doctorAdvice]
  return command.registeredArguments.length === 0 ? [] : [spacesAdvice]
}
