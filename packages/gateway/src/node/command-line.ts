import { parseArgs } from 'node:util'
import { environmentHelp } from './gateway-environment.ts'

/** The parsed command line. */
export type CommandLine =
  | { readonly kind: 'help' }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'run'; readonly settingsFile: string | null }
  | {
      readonly kind: 'keys'
      readonly verb: KeysVerb
      readonly json: boolean
      readonly settingsFile: string | null
    }

/** The commands for signing keys. */
export type KeysVerb = 'generate' | 'rotate' | 'public'

const keysVerbs: readonly string[] = ['generate', 'rotate', 'public'] satisfies KeysVerb[]

/** The text of `--help`. */
export const helpText: string = `latchkey-gateway: the server between apps and a licensing service

Usage:
  latchkey-gateway                 runs the gateway; one line of JSON for each request
  latchkey-gateway keys generate   makes a signing key, and prints where each half of it belongs
  latchkey-gateway keys rotate     makes a new one and puts it before those of LATCHKEY_SIGNING_KEY
  latchkey-gateway keys public     prints the public halves of LATCHKEY_SIGNING_KEY, for the app
    --json                         prints the keys alone, as JSON
    --settings <file>              reads the environment below from a file of NAME=value lines; what is set already wins

${environmentHelp}

SIGTERM and Ctrl-C let requests under way end; a second one ends at once. Exit codes: 0 ended, 1 could not start, 2 wrong arguments.`

/** Reads the arguments. */
export function parseCommandLine(args: string[]): CommandLine {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        settings: { type: 'string' },
        help: { type: 'boolean', default: false, short: 'h' },
      },
    })
    if (values.help) return { kind: 'help' }
    const [command, verb, ...rest] = positionals
    const settingsFile = values.settings ?? null
    if (command === undefined) return { kind: 'run', settingsFile }
    if (command === 'keys' && isKeysVerb(verb) && rest.length === 0)
      return { kind: 'keys', verb, json: values.json, settingsFile }
    return { kind: 'error', message: `There is no command "${positionals.join(' ')}".` }
  } catch (error) {
    return { kind: 'error', message: error instanceof Error ? error.message : String(error) }
  }
}

function isKeysVerb(verb: string | undefined): verb is KeysVerb {
  return verb !== undefined && keysVerbs.includes(verb)
}
