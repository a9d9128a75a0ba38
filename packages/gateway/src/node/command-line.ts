import { parseArgs } from 'node:util'
import { GatewayConfigError } from '../gateway-config-error.ts'
import { generateSigningKey, leaseKeysOf, parseSigningKeys, type SigningKey } from '../leases/signing-keys.ts'
import { environmentHelp, isUnset } from './environment.ts'

/** The parsed command line. */
export type CommandLine =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
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
export const helpText: string = `latchkey-gateway: the server between your app and the licensing service

Usage:
  latchkey-gateway                 start the gateway; it logs one line of JSON for each request
  latchkey-gateway keys generate   create a signing key and print where to put its private and public part
  latchkey-gateway keys rotate     create a new signing key and put it in front of those in LATCHKEY_SIGNING_KEY
  latchkey-gateway keys public     print the public parts of LATCHKEY_SIGNING_KEY, for the app's leaseKeys

Options:
  --settings <file>                read the variables below from a file of NAME=value lines; variables that already
                                   have a value keep it
  --json                           print only the keys, as JSON
  --version                        print the version
  -h, --help                       print this help

${environmentHelp}

Ctrl-C and SIGTERM let running requests finish; a second one stops at once.
Exit codes: 0 stopped, 1 could not start, 2 wrong arguments.`

const options = {
  json: { type: 'boolean', default: false },
  settings: { type: 'string' },
  version: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false, short: 'h' },
} as const

/** Reads the arguments. */
export function parseCommandLine(args: string[]): CommandLine {
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
    if (values.help) return { kind: 'help' }
    if (values.version) return { kind: 'version' }
    const [command, verb, ...rest] = positionals
    const settingsFile = values.settings ?? null
    if (command === undefined) return { kind: 'run', settingsFile }
    if (command === 'keys' && isKeysVerb(verb) && rest.length === 0)
      return { kind: 'keys', verb, json: values.json, settingsFile }
    return { kind: 'error', message: unknownCommandText(positionals) }
  } catch (error) {
    return { kind: 'error', message: error instanceof Error ? error.message : String(error) }
  }
}

/** Repeats only what looks like a command: a key on the command line must not end up in a log. */
function unknownCommandText(words: readonly string[]): string {
  const shown = words.map((word) => (/^[a-z-]{0,20}$/u.test(word) ? word : '…')).join(' ')
  const commands = keysVerbs.map((verb) => `"keys ${verb}"`).join(', ')
  return `There is no command "${shown}". The commands are ${commands}, which take no other argument. To start the gateway with the settings of a file, pass --settings <file>.`
}

function isKeysVerb(verb: string | undefined): verb is KeysVerb {
  return verb !== undefined && keysVerbs.includes(verb)
}

/**
 * Returns the output of `latchkey-gateway keys …`.
 *
 * @param current the value of `LATCHKEY_SIGNING_KEY`.
 * @throws {GatewayConfigError} if the command needs the current key and it is missing or invalid.
 */
export async function keysCommand(
  verb: KeysVerb,
  current: string | undefined,
  json: boolean,
): Promise<string> {
  const signingKeys = await signingKeysFor(verb, current)
  const leaseKeys = JSON.stringify(await leaseKeysOf(signingKeys))
  const [only] = signingKeys
  const signingKey = JSON.stringify(signingKeys.length === 1 ? only : { keys: signingKeys })
  if (json) return verb === 'public' ? leaseKeys : `{"signingKey":${signingKey},"leaseKeys":${leaseKeys}}`
  const publicPart = `# The public part goes into the app: createLicensing({ leaseKeys: … }). It isn't secret.
${leaseKeys}`
  if (verb === 'public') return publicPart
  const isReplacing = verb === 'generate' && !isUnset(current)
  const note = verb === 'rotate' ? rotationNote : isReplacing ? replacementNote : ''
  return `# The private part stays on the gateway. Put this line into its environment as a secret, and nowhere else.
LATCHKEY_SIGNING_KEY='${signingKey}'

${publicPart}${note}`
}

const replacementNote = `

# LATCHKEY_SIGNING_KEY is already set. If you replace it with this key, apps that trust the current one stop working.
# To keep them working, run this instead: latchkey-gateway keys rotate`

const rotationNote = `

# Next steps:
# 1. Set the line above on the gateway. Apps that only trust the old key keep working.
# 2. Ship the next version of the app with these leaseKeys.
# 3. When no app that only trusts the old key is in use, remove the old key from both. If you activate computers without
#    internet, also wait until the last answer that the old key signed has ended.
# If the old key was stolen, remove it from the gateway now. Apps that only trust the old key must then be updated.`

async function signingKeysFor(verb: KeysVerb, current: string | undefined): Promise<SigningKey[]> {
  if (verb === 'generate') return [await generateSigningKey()]
  if (current === undefined || current.trim() === '') {
    throw new GatewayConfigError([
      'LATCHKEY_SIGNING_KEY is missing: this command reads the current key from it. Set it, or pass --settings <file>.',
    ])
  }
  const keys = parseSigningKeys(current)
  return verb === 'rotate' ? [await generateSigningKey(), ...keys] : keys
}
