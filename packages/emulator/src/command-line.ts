import { parseArgs } from 'node:util'
import { dialects, isDialectName } from './dialects/dialects.ts'
import { faceNames, isFaceName } from './faces/face.ts'
import type { EmulatorOptions } from './start-emulator.ts'

/** The parsed command line. */
export type CommandLine =
  | { kind: 'help' }
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

  --port <number>       port to listen on; 0 takes any free one (default 4010)
  --host <address>      address to listen on (default 127.0.0.1)
  --token <text>        access token that requests must carry (default demo)
  --no-token            ask for no access token
  --seed <number>       the same seed gives the same data (default 1)
  --customers <number>  how many customers are made from the seed (default 60)
  --discounts <number>  how many discounts are made from the seed (default 30)
  --data <file.json>    start with the data in this file, in place of made data
  --save                write the data back to that file at the end; it need not be there yet
  --face <name>         whose wire format to speak: ${faceNames.join(', ')}
                        (default commerce)
  --rate-limits         limit requests as the service does, where that is known (polar)
  --dialect <name>      ${Object.keys(dialects).join(', ')}: how the service behaves where its interface
                        leaves it open (default default)
  --json                print one line of JSON when ready: baseUrl, face, licenseKey, settings,
                        license, accessToken, page
  --exit-with-parent    end when standard input closes
  --help                this text

Ctrl-C ends it. Exit codes: 0 ended, 1 could not start, 2 wrong arguments.`

/** Parses the arguments. */
export function parseCommandLine(args: string[]): CommandLine {
  try {
    const { values } = parseArgs({
      args,
      allowPositionals: false,
      options: {
        port: { type: 'string', default: '4010' },
        host: { type: 'string', default: '127.0.0.1' },
        token: { type: 'string', default: 'demo' },
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
        help: { type: 'boolean', default: false, short: 'h' },
      },
    })
    if (values.help) return { kind: 'help' }
    if (!isDialectName(values.dialect)) {
      return fail(
        `--dialect: there is no dialect "${values.dialect}"; take one of ${Object.keys(dialects).join(', ')}.`,
      )
    }
    if (!isFaceName(values.face)) {
      return fail(`--face: there is no face "${values.face}"; take one of ${faceNames.join(', ')}.`)
    }
    if (values.token === '') return fail('--token: an empty token cannot be sent; use --no-token for none.')
    if (values.save && values.data === undefined) return fail('--save: name the file with --data.')
    return {
      kind: 'run',
      dataFile: values.data === undefined ? null : { path: values.data, save: values.save },
      json: values.json,
      exitWithParent: values['exit-with-parent'],
      options: {
        port: wholeNumber('port', values.port, 65_535),
        host: values.host,
        accessToken: values['no-token'] ? null : values.token,
        seed: wholeNumber('seed', values.seed, 0xffff_ffff),
        customers: wholeNumber('customers', values.customers, maxItems),
        discounts: wholeNumber('discounts', values.discounts, maxItems),
        dialect: values.dialect,
        face: values.face,
        rateLimits: values['rate-limits'],
      },
    }
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

function fail(message: string): CommandLine {
  return { kind: 'error', message }
}

function wholeNumber(name: string, text: string, max: number): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number > max) {
    throw new Error(`--${name}: "${text}" is no whole number from 0 to ${max}.`)
  }
  return number
}
