import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import * as z from 'zod/mini'
import { GatewayConfigError } from '../gateway-config-error.ts'

/** A private Ed25519 key as a JWK. It stays on the gateway. */
export interface SigningKey {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  /** The public half. */
  readonly x: string
  /** The private half. */
  readonly d: string
}

/** The public half of a {@link SigningKey}: what an app is shipped with. */
export interface LeaseKey {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  /** RFC 7638 thumbprint of the key. */
  readonly kid: string
  readonly alg: 'EdDSA'
  readonly use: 'sig'
}

/** A JWKS of {@link LeaseKey}s: the `leaseKeys` of an app. */
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

/**
 * Reads signing keys from what `LATCHKEY_SIGNING_KEY` holds: one private JWK, or a JWKS of them with the active one
 * first.
 *
 * @throws {GatewayConfigError} when it is neither. The message shows nothing of the key.
 */
export function parseSigningKeys(text: string): SigningKey[] {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new GatewayConfigError([
      'The signing key is not JSON. Make one with: latchkey-gateway keys generate',
    ])
  }
  const reading = signingKeysSchema.safeParse(json)
  if (reading.success) return reading.data
  throw new GatewayConfigError([
    'The signing key has to be a private Ed25519 key as a JWK, or a JWKS of such keys. Make one with: latchkey-gateway keys generate',
  ])
}

/** Makes a new signing key. */
export async function generateSigningKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  return signingKeySchema.parse(await exportJWK(privateKey))
}

/** The public halves of signing keys, in their order: what belongs into an app's `leaseKeys`. */
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
