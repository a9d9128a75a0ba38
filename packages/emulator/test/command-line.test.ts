import { describe, expect, it } from 'vitest'
import { type CommandOptions, createCommand } from '../src/command-line.ts'

/** Parses arguments. Returns the options, or what is printed instead. */
function parse(...args: readonly string[]): CommandOptions | string {
  let options: CommandOptions | undefined
  let text = ''
  const write = (part: string): void => {
    text += part
  }
  const command = createCommand((given) => {
    options = given
  })
  command.exitOverride().configureOutput({ writeOut: write, writeErr: write })
  try {
    command.parse(args, { from: 'user' })
  } catch {}
  return options ?? text
}

describe('the arguments', () => {
  it.each([
    [['--port', 'http'], "'http' is invalid. It must be a whole number from 0 to 65535."],
    [['--port', '70000'], "'70000' is invalid. It must be a whole number from 0 to 65535."],
    [['--customers', '1.5'], "'1.5' is invalid. It must be a whole number from 0 to 1000000000."],
    [['--face'], "option '--face <name>' argument missing"],
    [['--face', 'keygn'], 'Allowed choices are commerce, dodo, keygen, lemon-squeezy, polar.'],
    [['--token', ''], "'' is invalid. It is empty."],
    [['--save'], '--save needs the file: pass it with --data.'],
    [['--data', '', '--save'], "'' is invalid. It is empty."],
    [['--verbose'], "unknown option '--verbose'"],
    [['serve'], 'too many arguments'],
  ])('%j are refused', (args, message) => {
    expect(parse(...args)).toContain(message)
  })

  it('have defaults', () => {
    expect(parse()).toEqual({
      port: 4010,
      host: '127.0.0.1',
      seed: 1,
      customers: 60,
      discounts: 30,
      face: 'commerce',
      rateLimits: false,
      save: false,
      json: false,
      exitWithParent: false,
    })
    expect(parse('-h')).toContain('--exit-with-parent')
    expect(parse('--version')).toMatch(/^\d+\.\d+\.\d+\n$/u)
  })
})
