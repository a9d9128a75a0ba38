import { GatewayConfigError } from '../gateway-config-error.ts'
import { generateSigningKey, leaseKeysOf, parseSigningKeys, type SigningKey } from '../leases/signing-keys.ts'
import type { KeysVerb } from './command-line.ts'
import { isUnset } from './variable-names.ts'

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
