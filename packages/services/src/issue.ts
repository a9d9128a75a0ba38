import { toDate } from '@latchkey/commerce'
import { checkOptions } from '@latchkey/commerce/options'
import * as z from 'zod/mini'
import { encodeBytes } from './base64url.ts'
import { isSignedBy } from './ed25519.ts'
import { findLicenseKey } from './license-key.ts'
import {
  decodeKey,
  encodeKey,
  hexOf,
  type KeyTexts,
  keyIdentifierOf,
  keyText,
  longestText,
  type PublicKey,
  payloadOf,
  publicKeyPrefix,
  readPublicKey,
  signedBytes,
  signedListText,
  signingKeyPrefix,
} from './signed-key.ts'

/** What a license key holds of name, email address, plan and features. */
export { type KeyTexts, keyText, longestText }

/** A new pair of keys. */
export interface SigningKeyPair {
  /** Signs license keys. It is secret: keep it out of your app and your repository. */
  readonly signingKey: string
  /** Verifies them: the app's option `publicKeys`. */
  readonly publicKey: string
  /** How license keys name the public key: 4 hexadecimal digits. */
  readonly keyId: string
}

/** Options for {@link issueLicenseKey}. */
export interface IssueLicenseKeyOptions {
  /** The `signingKey` of {@link generateSigningKey}. It is secret. */
  signingKey: string
  /** The product, as in the app's option `product`: up to 100 characters. */
  product: string
  /**
   * Identifies the key, such as the ID of its payment: the same ID and the same other options give the same key. 16
   * lowercase hexadecimal digits are kept, and any other text is hashed to them. @default random
   */
  id?: string | undefined
  /** Whom the key is issued to. The app shows it. */
  name?: string | undefined
  /** Email address of whom the key is issued to. The app shows it. */
  email?: string | undefined
  /** The plan or edition. */
  plan?: string | undefined
  /** The features that the key includes. */
  features?: readonly string[] | undefined
  /**
   * The last day on which the key can be used, in UTC: `2027-12-31`, or a time on that day, until 2149. It can't be before
   * `issuedAt`.
   * @default the key has no end
   */
  expiresAt?: Date | string | undefined
  /** When the license began, such as the date of the payment. The key doesn't contain it. @default now */
  issuedAt?: Date | undefined
}

/** Options for {@link signRevokedKeys}. */
export interface SignRevokedKeysOptions {
  /** The `signingKey` of {@link generateSigningKey}. It is secret. */
  signingKey: string
  /** The product, as in the app's option `product`. */
  product: string
  /** All keys to revoke: their IDs, as passed to {@link issueLicenseKey}, or the license keys themselves. */
  keys: readonly string[]
  /** When the list is issued. Apps ignore a list that is older than the one they know. @default now */
  issuedAt?: Date | undefined
}

/** The list of revoked keys: the JSON document that the app's option `revoked` loads. */
export interface RevokedKeys {
  readonly product: string
  /** ISO 8601 UTC, with milliseconds. */
  readonly issuedAt: string
  /** 16 hexadecimal digits each, sorted. */
  readonly ids: readonly string[]
  /** Base64url. */
  readonly signature: string
}

const controls = /\p{Cc}/u
const line = z
  .string()
  .check(z.refine((text) => !controls.test(text), 'must be one line, without control characters'))
const productName = line.check(z.minLength(1), z.maxLength(100))
const signingKeyRule =
  'must be the signing key that keys generate printed, which begins with latchkey-secret-'
const signingKeyText = z
  .string(signingKeyRule)
  .check(z.regex(new RegExp(`^${signingKeyPrefix}[\\w-]{86}$`, 'u'), signingKeyRule))
const dayRule = 'must be a date, such as 2027-12-31'
const lastDay = z.pipe(
  z.pipe(
    z.union([z.date(), z.string()], dayRule),
    z.transform((given) => (given instanceof Date ? given : toDate(given))),
  ),
  z
    .date(dayRule)
    .check(z.lt(new Date('2149-06-07'), 'must be before 2149-06-07: leave it out for a key without an end')),
)
const issueDate = z._default(z.date(), () => new Date())
const dayOf = (date: Date): string => date.toISOString().slice(0, 10)
const issueSchema = z
  .strictObject({
    signingKey: signingKeyText,
    product: productName,
    id: z.optional(line.check(z.minLength(1))),
    name: z.optional(line),
    email: z.optional(line),
    plan: z.optional(line.check(z.maxLength(100))),
    features: z.optional(z.readonly(z.array(line.check(z.minLength(1), z.maxLength(100))))),
    expiresAt: z.optional(lastDay),
    issuedAt: issueDate,
  })
  .check(
    z.refine(({ expiresAt, issuedAt }) => expiresAt === undefined || dayOf(expiresAt) >= dayOf(issuedAt), {
      message: 'must not be in the past',
      path: ['expiresAt'],
    }),
    z.refine(
      (facts) => keyText(facts).length <= longestText,
      `must have at most ${longestText} bytes of name, email, plan, and features together`,
    ),
  )
const keyOrId = z.string().check(
  z.minLength(1),
  z.refine(
    (text) => !/^\s*LK\d+-/iu.test(text) || findLicenseKey(text, 'signed').ok,
    'must be a whole license key, or the ID that it was issued with',
  ),
)
const listSchema = z.strictObject({
  signingKey: signingKeyText,
  product: productName,
  keys: z.readonly(z.array(keyOrId)),
  issuedAt: issueDate,
})

/** Generates a new pair of keys. */
export async function generateSigningKey(): Promise<SigningKeyPair> {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new TypeError('This platform doesn’t support Ed25519.')
  const { d = '', x = '' } = await crypto.subtle.exportKey('jwk', pair.privateKey)
  const publicKey = publicKeyPrefix + x
  return { signingKey: signingKeyPrefix + d + x, publicKey, keyId: publicKeyOf(publicKey).id }
}

/**
 * Issues a license key that an app with the adapter `signedKeys` accepts. Runs wherever Web Crypto has Ed25519: Node,
 * Workers, Deno, Bun.
 *
 * @returns the license key, such as `LK1-28D5…`.
 * @throws {OptionsError} if an option is invalid. The message names the option, and contains no value.
 *
 * @example
 * ```ts
 * const licenseKey = await issueLicenseKey({
 *   signingKey: process.env.LATCHKEY_LICENSE_SIGNING_KEY ?? '',
 *   product: 'inkwell',
 *   id: payment.id,
 *   name: 'Ada Lovelace',
 *   plan: 'pro',
 *   expiresAt: '2027-12-31',
 * })
 * ```
 */
export async function issueLicenseKey(options: IssueLicenseKeyOptions): Promise<string> {
  const { signingKey, product, expiresAt, ...given } = checkOptions('issueLicenseKey', issueSchema, options)
  const { name, email, plan, features = [], id = hexOf(crypto.getRandomValues(new Uint8Array(8))) } = given
  const lastDay = expiresAt === undefined ? null : dayOf(expiresAt)
  const facts = { id: await keyIdentifierOf(id, crypto), name, email, plan, features, lastDay }
  const signer = await readSigningKey('issueLicenseKey', signingKey)
  const payload = await payloadOf(facts, signer.publicKey.id, product, crypto)
  return encodeKey(payload, await signer.sign(signedBytes(payload, product)))
}

/**
 * Signs the list of a product's revoked keys, for any host of static files. Pass all of them each time.
 *
 * @throws {OptionsError} if an option is invalid. The message names the option, and contains no value.
 */
export async function signRevokedKeys(options: SignRevokedKeysOptions): Promise<RevokedKeys> {
  const { signingKey, product, ...given } = checkOptions('signRevokedKeys', listSchema, options)
  const issuedAt = given.issuedAt.toISOString()
  const signer = await readSigningKey('signRevokedKeys', signingKey)
  const identifierOf = async (text: string): Promise<string> => {
    const found = findLicenseKey(text, 'signed')
    return (found.ok && decodeKey(found.licenseKey)?.id) || keyIdentifierOf(text, crypto)
  }
  const ids = [...new Set(await Promise.all(given.keys.map(identifierOf)))].sort()
  const text = new TextEncoder().encode(signedListText(product, issuedAt, ids))
  return { product, issuedAt, ids, signature: encodeBytes(await signer.sign(text)) }
}

function publicKeyOf(text: string): PublicKey {
  const publicKey = readPublicKey(text)
  if (publicKey === null) throw new TypeError('This platform exports Ed25519 keys in another form.')
  return publicKey
}

interface Signer {
  readonly publicKey: PublicKey
  sign(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>
}

/** @throws {TypeError} if the two halves don't belong together. The message contains no part of the key. */
async function readSigningKey(caller: string, text: string): Promise<Signer> {
  const halves = text.slice(signingKeyPrefix.length)
  const [d, x] = [halves.slice(0, 43), halves.slice(43)]
  const publicKey = publicKeyOf(publicKeyPrefix + x)
  const damaged = new TypeError(`${caller}: signingKey is damaged: copy the whole key again`)
  const jwk = { kty: 'OKP', crv: 'Ed25519', d, x }
  const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['sign']).catch(() => {
    throw damaged
  })
  return {
    publicKey,
    async sign(bytes) {
      const signature = new Uint8Array(await crypto.subtle.sign('Ed25519', key, bytes))
      if (!(await isSignedBy(publicKey.bytes, signature, bytes, crypto))) throw damaged
      return signature
    },
  }
}
