import { parseArgs } from 'node:util'
import { dialects, isDialectName } from './dialects/dialects.ts'
import { faceNames, isFaceName } from './faces/face.ts'
import type { EmulatorOptions } from './start-emulator.ts'
import { describeUnknownArgument, describeUnknownName, suggestion } from './unknown-argument.ts'

/** The parsed command line. */
export type CommandLine =
  | { kind: 'help' }
  | { kind: 'version' }
  | { kind: 'error'; message: string }
  | {
      kind: 'run'
      options: EmulatorOptions
      dataFile: DataFile | null
      json: boolean
      exitWithParent: boolean
    }

/** A data file to start with. */
export interface DataFile {
  path: string
  /** Whether to write the data back at exit. */
  save: boolean
}

const maxItems = 1_000_000_000

/** The text of `--help`. */
export const helpText: string = `latchkey-emulator: the commerce service on localhost

Usage: latchkey-emulator [options]

  --port <number>       port to listen on; 0 uses any free port (default 4010)
  --host <address>      address to listen on (default 127.0.0.1)
  --token <text>        access token that requests must send (default demo)
  --no-token            don't require an access token
  --seed <number>       the same seed gives the same data (default 1)
  --customers <number>  how many customers to generate from the seed (default 60)
  --discounts <number>  how many discounts to generate from the seed (default 30)
  --data <file.json>    start with the data in this file instead of generated data
  --save                write the data back to that file at exit; the file may not exist yet,
                        but its folder must
  --face <name>         the service whose wire format to use: ${faceNames.join(', ')}
                        (default commerce)
  --rate-limits         limit requests like the real service, if its limit is known (polar)
  --dialect <name>      ${Object.keys(dialects).join(', ')}: how the service behaves where its interface
                        doesn't say (default default)
  --json                print one line of JSON when ready: baseUrl, face, licenseKey, settings,
                        license, accessToken, page
  --exit-with-parent    exit when standard input closes
  --version             print the version
  --help                show this help

Press Ctrl-C to stop it. Exit codes: 0 stopped, 1 could not start, 2 wrong arguments.`

const options = {
  port: { type: 'string', default: '4010' },
  host: { type: 'string', default: '127.0.0.1' },
  token: { type: 'string' },
  'no-token': { type: 'boolean', default: false },
  seed: { type: 'string', default: '1' },
  customers: { type: 'string', default: '60' },
  discounts: { type: 'string', default: '30' },
  data: { type: 'string' },
  save: { type: 'boolean', default: false },
  face: { type: 'string', default: 'commerce' },
  'rate-limits': { type: 'boolean', default: false },
  dialect: { type: 'string', default: 'default' },
  json: { type: 'boolean', default: false },
  'exit-with-parent': { type: 'boolean', default: false },
  version: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false, short: 'h' },
} as const

const takesValue: Readonly<Record<string, boolean>> = Object.fromEntries(
  Object.entries(options).map(([name, { type }]) => [name, type === 'string']),
)

/** Parses the arguments. */
export function parseCommandLine(args: string[]): CommandLine {
  const unknown = describeUnknownArgument(args, takesValue)
  if (unknown !== null) return fail(unknown)
  try {
    const { values } = parseArgs({
      args,
      allowPositionals: false,
      options,
    })
    if (values.help) return { kind: 'help' }
    if (values.version) return { kind: 'version' }
    if (!isDialectName(values.dialect)) {
      return fail(`--dialect: ${describeUnknownName('dialect', values.dialect, Object.keys(dialects))}`)
    }
    if (!isFaceName(values.face)) {
      return fail(
        `--face: ${describeUnknownName('face', values.face, faceNames)}${suggestion(values.face, faceNames)}`,
      )
    }
    if (values.token === '') return fail('--token: the token is empty; to require none, use --no-token.')
    if (values.token !== undefined && values['no-token']) {
      return fail('--token and --no-token: pass only one of them.')
    }
    if (values.data === '') return fail('--data: the name of the file is empty.')
    if (values.save && values.data === undefined) return fail('--save: pass the file with --data.')
    return {
      kind: 'run',
      dataFile: values.data === undefined ? null : { path: values.data, save: values.save },
      json: values.json,
      exitWithParent: values['exit-with-parent'],
      options: {
        port: wholeNumber('port', values.port, 65_535),
        host: values.host,
        accessToken: values['no-token'] ? null : (values.token ?? 'demo'),
        seed: wholeNumber('seed', values.seed, 0xffff_ffff),
        customers: wholeNumber('customers', values.customers, maxItems),
        discounts: wholeNumber('discounts', values.discounts, maxItems),
        dialect: values.dialect,
        face: values.face,
        rateLimits: values['rate-limits'],
      },
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return fail(message.replace(/^Option '(\S+) <value>' argument missing$/u, '$1 needs a value.'))
  }
}

function fail(message: string): CommandLine {
  return { kind: 'error', message }
}

function wholeNumber(name: string, text: string, max: number): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number > max) {
    throw new Error(`--${name}: "${text}" is not a whole number from 0 to ${max}.`)
  }
  return number
}
