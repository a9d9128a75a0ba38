import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { mostTrustedKeys, type ReleaseTicketKey, trustedKeyLength } from '@latchkey/services/offline'
import * as z from 'zod/mini'
import { CommandError } from '../command-error.ts'

/** Signs an answer for an app that trusts one of these keys. */
export interface AnswerSigner {
  /**
   * Call it before anything is activated. Requests that list no trusted keys are accepted.
   *
   * @throws {CommandError} if the app trusts none of the keys, so that it would reject the answer.
   */
  checkTrusted(trustedKeys: readonly string[]): void
  /**
   * @param trustedKeys how the ids of the keys that the app trusts begin; empty if it didn't say.
   * @returns a compact JWS, signed by the first key that the app trusts, else by the first one.
   */
  sign(claims: object, type: string, trustedKeys: readonly string[]): string
  /** The key that `sign` uses for this app, as what seals its release ticket. */
  ticketKeyFor(trustedKeys: readonly string[]): ReleaseTicketKey
  /** All keys, as what opens release tickets. */
  readonly ticketKeys: readonly ReleaseTicketKey[]
}

const coordinate = z.string().check(z.regex(/^[\w-]{43}$/u))
const keySchema = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: coordinate,
  d: coordinate,
})
const keysSchema = z.union([keySchema, z.object({ keys: z.array(keySchema).check(z.minLength(1)) })])
/** What `latchkey-gateway keys generate --json` prints. */
const outputSchema = z.object({ signingKey: keysSchema })

/**
 * Creates the signer from the gateway's `LATCHKEY_SIGNING_KEY`.
 *
 * @throws {CommandError} if it is missing or no private Ed25519 key, or if its two halves don't belong together. No message
 * shows any of it.
 */
export function createAnswerSigner(setting: string | undefined): AnswerSigner {
  if (setting === undefined || setting.trim() === '') {
    throw new CommandError(
      'Set LATCHKEY_SIGNING_KEY to the signing key of your gateway: apps trust only that.',
    )
  }
  const keys = readKeys(setting)

  function trustedKey(trustedKeys: readonly string[]): Key | undefined {
    return keys.find(({ id }) => trustedKeys.some((start) => id.startsWith(start)))
  }

  function signerFor(trustedKeys: readonly string[]): Key {
    const key = trustedKey(trustedKeys) ?? keys[0]
    if (key === undefined) throw new CommandError('LATCHKEY_SIGNING_KEY has no key.')
    return key
  }

  return {
    checkTrusted(trustedKeys) {
      // An app that trusts more keys lists only the first ones.
      const isWhole = trustedKeys.length > 0 && trustedKeys.length < mostTrustedKeys
      if (!isWhole || trustedKey(trustedKeys) !== undefined) return
      const own = keys.map(({ id }) => id.slice(0, trustedKeyLength))
      throw new CommandError(
        `LATCHKEY_SIGNING_KEY has no key that the app trusts, so the app would reject the answer. Nothing was activated. The ids of the keys that the app trusts begin with: ${trustedKeys.join(', ')}. Yours: ${own.join(', ')}. Set LATCHKEY_SIGNING_KEY to the key whose public part is in the app’s leaseKeys.`,
      )
    },
    ticketKeys: keys,
    ticketKeyFor: signerFor,
    sign(claims, type, trustedKeys) {
      const key = signerFor(trustedKeys)
      const header = encode({ alg: 'EdDSA', typ: type, kid: key.id })
      const signed = `${header}.${encode(claims)}`
      return `${signed}.${sign(null, Buffer.from(signed), key.key).toString('base64url')}`
    },
  }
}

interface Key extends ReleaseTicketKey {
  readonly key: KeyObject
}

function readKeys(setting: string): readonly Key[] {
  checkQuotes(setting)
  let keys: readonly (Key & { readonly isWhole: boolean })[]
  let isOutput = false
  try {
    const json: unknown = JSON.parse(setting)
    isOutput = outputSchema.safeParse(json).success
    const parsed = keysSchema.parse(json)
    keys = ('keys' in parsed ? parsed.keys : [parsed]).map((jwk) => {
      const key = createPrivateKey({ key: jwk, format: 'jwk' })
      // Node signs with `d` and ignores `x`, which names the key that apps verify with.
      const isWhole = createPublicKey(key).export({ format: 'jwk' }).x === jwk.x
      return { id: thumbprint(jwk), d: jwk.d, key, isWhole }
    })
  } catch {
    if (isOutput) {
      throw new CommandError(
        'LATCHKEY_SIGNING_KEY is the whole output of latchkey-gateway keys generate --json, or of keys rotate. Use only the value of its part signingKey.',
      )
    }
    throw new CommandError(
      'LATCHKEY_SIGNING_KEY must be the private key that latchkey-gateway keys generate printed.',
    )
  }
  if (keys.every(({ isWhole }) => isWhole)) return keys
  throw new CommandError(
    'LATCHKEY_SIGNING_KEY has an x and a d of different keys, so no app could verify an answer. Copy the whole key again.',
  )
}

/** A good key in the wrong quotes needs other quotes, not another key. @throws {CommandError} */
function checkQuotes(setting: string): void {
  if (!/^\s*['"{]/u.test(setting)) return
  try {
    if (typeof JSON.parse(setting) !== 'string') return
  } catch {
    // The message of the error would show a part of the key.
  }
  throw new CommandError(
    'LATCHKEY_SIGNING_KEY is not JSON. Check its quotes: single quotes around the JSON in a shell or a settings file, and no quotes where they become part of the value, as in Docker’s --env-file.',
  )
}

/** RFC 7638: the hash of the key's required members, sorted by name. */
function thumbprint({ kty, crv, x }: z.infer<typeof keySchema>): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
