import { Command, InvalidArgumentError, Option } from 'commander'
import * as z from 'zod/mini'
import manifest from '../package.json' with { type: 'json' }
import { formatNames } from './formats/format.ts'
import type { EmulatorOptions } from './start-emulator.ts'

/** The options of the command line. */
export interface CommandOptions extends EmulatorOptions {
  /** The access token. */
  token?: string
  /** The file to start with. */
  data?: string
  /** Whether to write the data back at exit. */
  save: boolean
  json: boolean
  exitWithParent: boolean
}

const notEmpty = readBy(z.string().check(z.minLength(1, 'It is empty.')))
const maxItems = 1_000_000_000

/** Creates the command. `run` gets its options. */
export function createCommand(run: (options: CommandOptions) => Promise<void> | void): Command {
  return new Command('latchkey-emulator')
    .description('The commerce service on localhost.')
    .option('--port <number>', 'port to listen on; 0 uses any free port', wholeNumber(65_535), 4010)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--token <text>', 'access token that requests must send (default: none)', notEmpty)
    .option('--seed <number>', 'the same seed gives the same data', wholeNumber(0xffff_ffff), 1)
    .option('--customers <number>', 'how many customers to generate', wholeNumber(maxItems), 60)
    .option('--discounts <number>', 'how many discounts to generate', wholeNumber(maxItems), 30)
    .option('--data <file.json>', 'start with the data in this file instead of generated data', notEmpty)
    .option('--save', 'write the data back to that file at exit; its folder must exist', false)
    .addOption(
      new Option('--face <name>', 'the service whose wire format to use')
        .choices(formatNames)
        .default('commerce'),
    )
    .option('--rate-limits', 'limit requests like the real service, if its limit is known', false)
    .option('--json', 'print one line of JSON when ready', false)
    .option('--exit-with-parent', 'exit when standard input closes', false)
    .version(manifest.version, '--version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', '\nExit codes: 0 stopped, 1 could not start, 2 wrong arguments.')
    .showHelpAfterError('To see all options, run latchkey-emulator --help.')
    .action((options: CommandOptions, command) => {
      if (options.save && options.data === undefined) {
        command.error('error: --save needs the file: pass it with --data.')
      }
      return run(options)
    })
}

/** Reads the value of an option by a schema, whose message says what it must be. */
function readBy<Value>(schema: z.ZodMiniType<Value>): (text: string) => Value {
  return (text) => {
    const { success, data, error } = schema.safeParse(text)
    if (success) return data
    throw new InvalidArgumentError(error.issues[0]?.message ?? 'It is unusable.')
  }
}

function wholeNumber(max: number): (text: string) => number {
  const range = `It must be a whole number from 0 to ${max}.`
  const digits = z.string().check(z.regex(/^\d+$/u, range))
  return readBy(z.pipe(digits, z.coerce.number<string>().check(z.maximum(max, range))))
}
