import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../src/command-line.ts'

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
    const text = expect.stringContaining(message)
    expect(parseCommandLine(args)).toEqual({ kind: 'error', text })
  })

  it('have defaults', () => {
    expect(parseCommandLine([])).toEqual({
      kind: 'run',
      options: {
        port: 4010,
        host: '127.0.0.1',
        accessToken: null,
        seed: 1,
        customers: 60,
        discounts: 30,
        face: 'commerce',
        rateLimits: false,
      },
      data: undefined,
      save: false,
      json: false,
      exitWithParent: false,
    })
    expect(parseCommandLine(['--no-token'])).toEqual(parseCommandLine([]))
    expect(parseCommandLine(['-h'])).toMatchObject({ kind: 'help' })
    const version = expect.stringMatching(/^\d+\.\d+\.\d+$/u)
    expect(parseCommandLine(['--version'])).toEqual({ kind: 'help', text: version })
  })
})
