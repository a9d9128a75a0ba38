import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A new certificate for `localhost` with its private key, as PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** Creates a self-signed certificate that is valid for a day. Node has no API to create one. */
export function makeCertificate(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const content = toBeSigned(publicKey)
  const signature = sign('sha256', content, privateKey)
  const der = sequence(content, sequence(ecdsaWithSha256), tagged(0x03, Buffer.from([0]), signature))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  }
}

const dayMs = 86_400_000
const ecdsaWithSha256 = tagged(0x06, Buffer.from('2a8648ce3d040302', 'hex'))
const commonName = tagged(0x06, Buffer.from('550403', 'hex'))
const subjectAltName = tagged(0x06, Buffer.from('551d11', 'hex'))
const basicConstraints = tagged(0x06, Buffer.from('551d13', 'hex'))

function toBeSigned(publicKey: KeyObject): Buffer {
  const name = sequence(tagged(0x31, sequence(commonName, tagged(0x0c, Buffer.from('localhost')))))
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)])
  const dnsName = tagged(0x82, Buffer.from('localhost'))
  const extensions = sequence(
    sequence(subjectAltName, tagged(0x04, sequence(dnsName))),
    sequence(basicConstraints, tagged(0x04, sequence(tagged(0x01, Buffer.from([0xff]))))),
  )
  return sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, serial),
    sequence(ecdsaWithSha256),
    name,
    sequence(utcTime(Date.now() - dayMs), utcTime(Date.now() + dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, extensions),
  )
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14)
  return tagged(0x17, Buffer.from(`${digits}Z`))
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, ...parts)
}

/** One DER value: tag, length, content. */
function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const size = content.byteLength
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}
