import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'

// Written from docs/license-key-format.md alone: it imports nothing of the package.

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** What a key says, as the vectors have it. */
export interface KeyContent {
  readonly product: string
  readonly id: string
  readonly name: string
  readonly email: string
  readonly plan: string
  readonly features: readonly string[]
  readonly lastDay: string | null
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}

function keyObjects(signingKey: string) {
  const [, d = '', x = ''] = /^latchkey-secret-(.{43})(.{43})$/u.exec(signingKey) ?? []
  const jwk = { kty: 'OKP', crv: 'Ed25519', x }
  return {
    x: Buffer.from(x, 'base64url'),
    privateKey: createPrivateKey({ key: { ...jwk, d }, format: 'jwk' }),
  }
}

/** Writes a key. Nothing is checked, so that tests can write keys that nobody should. */
export function writeKey(signingKey: string, content: KeyContent): string {
  const { x, privateKey } = keyObjects(signingKey)
  const { product, id, name, email, plan, features, lastDay } = content
  const lines = [name, email, plan, ...features]
  while (lines.at(-1) === '') lines.pop()
  const text = Buffer.from(lines.join('\n'), 'utf8')
  const end = Buffer.alloc(2)
  end.writeUInt16BE(lastDay === null ? 0 : Date.parse(`${lastDay}T00:00:00Z`) / 86_400_000)
  const payload = Buffer.concat([
    Buffer.from([text.length]),
    x.subarray(0, 2),
    sha256(product).subarray(0, 2),
    Buffer.from(id, 'hex'),
    end,
    text,
  ])
  const signature = sign(null, Buffer.concat([head(product), payload]), privateKey)
  return group(base32(Buffer.concat([payload, signature])))
}

/** Reads a key; `null` if it isn't genuine, or for another product. */
export function readKey(publicKey: string, product: string, key: string): KeyContent | null {
  if (!/^LK1(?:-[0-9A-HJKMNP-TV-Z]{8})+(?:-[0-9A-HJKMNP-TV-Z]{1,8})?$/u.test(key)) return null
  const bits = Array.from(key.slice(3).replaceAll('-', ''), (character) =>
    alphabet.indexOf(character).toString(2).padStart(5, '0'),
  ).join('')
  const byteCount = Math.floor(bits.length / 8)
  if (bits.length - byteCount * 8 > 4 || /1/u.test(bits.slice(byteCount * 8))) return null
  const bytes = Buffer.from(
    Array.from({ length: byteCount }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2)),
  )
  const payload = bytes.subarray(0, 15 + (bytes[0] ?? 0))
  const x = publicKey.replace('latchkey-public-', '')
  const keyObject = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  const signature = bytes.subarray(payload.length)
  if (!payload.subarray(1, 3).equals(Buffer.from(x, 'base64url').subarray(0, 2))) return null
  if (signature.length !== 64 || !verify(null, Buffer.concat([head(product), payload]), keyObject, signature))
    return null
  const [name = '', email = '', plan = '', ...features] = payload.subarray(15).toString('utf8').split('\n')
  const days = payload.readUInt16BE(13)
  const lastDay = days === 0 ? null : new Date(days * 86_400_000).toISOString().slice(0, 10)
  return { product, id: payload.subarray(5, 13).toString('hex'), name, email, plan, features, lastDay }
}

/** The id that a key carries. */
export function idOf(text: string): string {
  return /^[0-9a-f]{16}$/u.test(text) ? text : sha256(text).subarray(0, 8).toString('hex')
}

/** Signs a list of revoked keys. */
export function signList(
  signingKey: string,
  product: string,
  issuedAt: string,
  ids: readonly string[],
): string {
  const text = `latchkey-revoked-keys-1\n${[product, issuedAt, ...ids].join('\n')}`
  return sign(null, Buffer.from(text, 'utf8'), keyObjects(signingKey).privateKey).toString('base64url')
}

function head(product: string): Buffer {
  return Buffer.from(`latchkey-license-key-1\n${product}\n`, 'utf8')
}

function base32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/gu) ?? [])
    .map((five) => alphabet.charAt(Number.parseInt(five.padEnd(5, '0'), 2)))
    .join('')
}

function group(characters: string): string {
  return ['LK1', ...(characters.match(/.{1,8}/gu) ?? [])].join('-')
}
