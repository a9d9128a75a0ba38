import { GatewayConfigError } from '../gateway-config-error.ts'
import { generateSigningKey, leaseKeysOf, parseSigningKeys, type SigningKey } from '../leases/signing-keys.ts'
import type { KeysVerb } from './command-line.ts'

/**
 * What `latchkey-gateway keys …` prints.
 *
 * @param current what `LATCHKEY_SIGNING_KEY` holds.
 * @throws {GatewayConfigError} when there is no usable key where one is needed.
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
  const publicHalf = `# The public half goes into the app: createLicensing({ leaseKeys: … }). It is no secret.
${leaseKeys}`
  if (verb === 'public') return publicHalf
  return `# The private half stays on the gateway: put this line into its environment, as a secret, and nowhere else.
LATCHKEY_SIGNING_KEY='${signingKey}'

${publicHalf}${verb === 'rotate' ? rotationNote : ''}`
}

const rotationNote = `

# Now: 1. give the gateway the line above; apps that trust the old key alone go on, they say so in their requests.
#      2. ship the next version of the app with these leaseKeys.
#      3. once nobody uses an app that trusts the old key alone, drop the old key from both.
# If the old key was stolen, drop it from the gateway at once: apps that trust it alone then need the update.`

async function signingKeysFor(verb: KeysVerb, current: string | undefined): Promise<SigningKey[]> {
  if (verb === 'generate') return [await generateSigningKey()]
  if (current === undefined || current.trim() === '') {
    throw new GatewayConfigError([
      'LATCHKEY_SIGNING_KEY is missing: this command reads the current key from it.',
    ])
  }
  const keys = parseSigningKeys(current)
  return verb === 'rotate' ? [await generateSigningKey(), ...keys] : keys
}
