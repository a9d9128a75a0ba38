import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import * as z from 'zod/mini'
import { GatewayConfigError } from '../gateway-config-error.ts'

/** A private Ed25519 key as a JWK. Keep it secret, and only on the gateway. */
export interface SigningKey {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  /** The public part. */
  readonly x: string
  /** The private part. */
  readonly d: string
}

/** The public part of a {@link SigningKey}, which you ship with your app. */
export interface LeaseKey {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  /** RFC 7638 thumbprint of the key. */
  readonly kid: string
  readonly alg: 'EdDSA'
  readonly use: 'sig'
}

/** A JWKS of {@link LeaseKey}s: the value of the app's `leaseKeys` option. */
export interface LeaseKeys {
  readonly keys: readonly LeaseKey[]
}

const coordinateSchema = z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/))

const signingKeySchema: z.ZodMiniType<SigningKey> = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: coordinateSchema,
  d: coordinateSchema,
})

const publicKeySchema = z.object({ kty: z.literal('OKP'), x: coordinateSchema, d: z.optional(z.undefined()) })

const publicSetSchema = z.object({ keys: z.array(z.unknown()).check(z.minLength(1)) })

const signingKeysSchema = z.union([
  z.pipe(
    signingKeySchema,
    z.transform((key: SigningKey) => [key]),
  ),
  z.pipe(
    z.object({ keys: z.array(signingKeySchema).check(z.minLength(1)) }),
    z.transform((set) => set.keys),
  ),
])

/** Whether a value is a private Ed25519 key as a JWK. */
export function isSigningKey(value: unknown): value is SigningKey {
  return signingKeySchema.safeParse(value).success
}

/**
 * Parses the value of `LATCHKEY_SIGNING_KEY`: one private JWK, or a JWKS of private JWKs with the active one first.
 *
 * @throws {GatewayConfigError} if it is neither. The message doesn't contain any part of the key.
 */
export function parseSigningKeys(text: string): SigningKey[] {
  // Without types, a key that is parsed already gets here.
  if (typeof text === 'object' && text !== null) {
    throw new GatewayConfigError([
      'The signing key must be a text. Pass JSON.stringify(key) to parseSigningKeys.',
    ])
  }
  // Without types, an unset variable gets here as undefined.
  if (typeof text !== 'string' || text.trim() === '') {
    throw new GatewayConfigError([
      'The signing key is empty. Check the file or variable that it is read from.',
    ])
  }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw notJson(text)
  }
  // The whole key in quotes with backslashes is a JSON text.
  if (typeof json === 'string') throw notJson(text)
  const reading = signingKeysSchema.safeParse(json)
  if (reading.success) return reading.data
  if (isWholeOutput(json)) {
    throw new GatewayConfigError([
      'The signing key is the whole output of keys generate --json, or of keys rotate. Use only the value of its part signingKey, and give leaseKeys to the app.',
    ])
  }
  if (isPublicPart(json)) {
    throw new GatewayConfigError([
      'The signing key is only the public part, which belongs in the app as leaseKeys. Use its private part, the value that keys generate printed for LATCHKEY_SIGNING_KEY.',
    ])
  }
  throw new GatewayConfigError([
    'The signing key must be a private Ed25519 key as a JWK, or a JWKS of such keys. Create one with: latchkey-gateway keys generate',
  ])
}

/** Whether a value is a key of the app, or its `leaseKeys`. A new key would not be trusted by apps that have shipped. */
function isPublicPart(json: unknown): boolean {
  const keys = z.safeParse(publicSetSchema, json).data?.keys ?? [json]
  return keys.every((key) => z.safeParse(publicKeySchema, key).success)
}

/** What `keys generate --json` prints, instead of its part. */
function isWholeOutput(json: unknown): boolean {
  if (typeof json !== 'object' || json === null || !('signingKey' in json)) return false
  return signingKeysSchema.safeParse(json.signingKey).success
}

/** Suggests a new key only for something else than a key, because the apps that trust the current one would reject it. */
function notJson(text: string): GatewayConfigError {
  const hint = /[{}]/u.test(text)
    ? "Copy all of it, from { to }, and check its quotes: single quotes around the JSON in a settings file, and no quotes where they become part of the value, as in Docker's --env-file."
    : 'Create one with: latchkey-gateway keys generate'
  return new GatewayConfigError([`The signing key is not JSON. ${hint}`])
}

/** Generates a new signing key. */
export async function generateSigningKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  return signingKeySchema.parse(await exportJWK(privateKey))
}

/** Returns the public parts of signing keys, in the same order, for the app's `leaseKeys` option. */
export async function leaseKeysOf(signingKeys: readonly SigningKey[]): Promise<LeaseKeys> {
  return {
    keys: await Promise.all(
      signingKeys.map(async ({ kty, crv, x }): Promise<LeaseKey> => {
        const kid = await calculateJwkThumbprint({ kty, crv, x })
        return { kty, crv, x, kid, alg: 'EdDSA', use: 'sig' }
      }),
    ),
  }
}
