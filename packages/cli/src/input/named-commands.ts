import type { Command } from 'commander'

/**
 * Returns a command and those below it that the words name, such as `latchkey`, `keys` and `list`. The value of an option
 * names none.
 *
 * @param words the arguments after the command's name. Commander has accepted their options.
 */
export function namedCommands(command: Command, words: readonly string[]): readonly Command[] {
  const { operands, unknown } = command.parseOptions([...words])
  const [name, ...others] = operands
  const next = command.commands.find((one) => one.name() === name)
  return next === undefined ? [command] : [command, ...namedCommands(next, [...others, ...unknown])]
}
