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

/** Whether a value is a private Ed25519 key as a JWK. */
export function isSigningKey(value: unknown): value is SigningKey {
  return signingKeySchema.safeParse(value).success
}

/** It doesn't suggest to create a key, because apps that trust the current one would reject the answers. */
const notAKey =
  "The signing key must be the private key that keys generate printed for LATCHKEY_SIGNING_KEY, or a JWKS of such keys: JSON from { to }, and not the app's leaseKeys. Check its quotes: single quotes around it in a settings file, and none where they become part of the value, as in Docker's --env-file."

/** One private JWK, or a JWKS of private JWKs with the active one first, as text. */
export const signingKeysText: z.ZodMiniType<SigningKey[], string> = z.pipe(
  z.pipe(z.string(), z.transform(jsonOf)),
  z.union(
    [
      z.pipe(
        signingKeySchema,
        z.transform((key) => [key]),
      ),
      z.pipe(
        z.object({ keys: z.array(signingKeySchema).check(z.minLength(1)) }),
        z.transform((set) => set.keys),
      ),
    ],
    notAKey,
  ),
)

/**
 * Parses the value of `LATCHKEY_SIGNING_KEY`: one private JWK, or a JWKS of private JWKs with the active one first.
 *
 * @throws {GatewayConfigError} if it is neither. The message doesn't contain any part of the key.
 */
export function parseSigningKeys(text: string): SigningKey[] {
  const reading = signingKeysText.safeParse(text)
  if (!reading.success) throw new GatewayConfigError([notAKey])
  return reading.data
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
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
