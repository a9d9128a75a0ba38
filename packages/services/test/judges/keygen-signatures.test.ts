import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { keygen } from '../../src/keygen.ts'
import { device, startService } from '../faces.ts'

// https://keygen.sh/docs/api/signatures/#response-signatures, signing and verifying. Both are written
// from that page alone and share no code with the adapter or the emulator.

/** Verifies a response as that page describes: first the digest of the body, then the signature of four lines. */
function isGenuine(response: Response, body: string, method: string, publicKeyHex: string): boolean {
  const header = response.headers.get('Keygen-Signature') ?? ''
  const parameters = new Map(
    Array.from(header.matchAll(/(\w+)="([^"]*)"/gu), ([, name = '', value = '']) => [name, value]),
  )
  const digest = `sha-256=${createHash('sha256').update(body).digest('base64')}`
  if (response.headers.get('Digest') !== digest) return false
  const { pathname, search, hostname } = new URL(response.url)
  const values = new Map([
    ['(request-target)', `${method} ${pathname}${search}`],
    ['host', hostname],
    ['date', response.headers.get('Date') ?? ''],
    ['digest', digest],
  ])
  const names = parameters.get('headers')?.split(' ') ?? []
  const text = names.map((name) => `${name}: ${values.get(name)}`).join('\n')
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKeyHex, 'hex').toString('base64url') },
    format: 'jwk',
  })
  return verify(null, Buffer.from(text), key, Buffer.from(parameters.get('signature') ?? '', 'base64'))
}

describe('a verifier written from Keygen’s documentation', () => {
  it('accepts every response of the emulated service that the adapter accepts', async () => {
    const { service, licenseKey, emulator } = await startService('keygen')
    const publicKey = emulator.settings['publicKey'] ?? ''
    const seen: [method: string, status: number, genuine: boolean][] = []
    const watch = async (sent: Request, init?: RequestInit): Promise<Response> => {
      const response = await fetch(sent, init)
      const body = await response.clone().text()
      seen.push([
        sent.method,
        response.status,
        isGenuine(response, body, sent.method.toLowerCase(), publicKey),
      ])
      return response
    }
    const call = { fetch: watch }
    const outcome = await service.activate({ licenseKey, ...device }, call)
    const activationId = outcome.kind === 'answer' ? outcome.value.activation.id : ''
    await service.listActivations?.({ licenseKey }, call)
    await service.deactivate({ licenseKey, activationId, ...device }, call)
    await service.deactivate({ licenseKey, activationId, ...device }, call)
    expect(seen).toEqual([
      ['POST', 200, true],
      ['POST', 201, true],
      ['POST', 200, true],
      ['POST', 200, true],
      ['GET', 200, true],
      ['DELETE', 204, true],
      ['DELETE', 404, true],
    ])
  })

  it('rejects responses that were changed in transit', async () => {
    const { licenseKey, emulator } = await startService('keygen')
    const { account, publicKey = '' } = emulator.settings
    emulator.control.faults.inject({ fault: 'set-fields', fields: { 'meta.valid': true } })
    const response = await fetch(`${emulator.baseUrl}/v1/accounts/${account}/licenses/actions/validate-key`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ meta: { key: licenseKey } }),
    })
    expect(isGenuine(response, await response.text(), 'post', publicKey)).toBe(false)
  })
})

describe('the adapter, with responses signed as documented', () => {
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })

  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const publicKeyHex = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')

  /** Answers *validate key* with "valid", signed with a key of this test. */
  async function startSigning(change: (lines: string[]) => string[], signedAt?: string): Promise<string> {
    const server = createServer((request, response) => {
      let sent = ''
      request.on('data', (chunk) => {
        sent += chunk
      })
      request.on('end', () => {
        const { meta } = JSON.parse(sent)
        const attributes = { key: meta.key, expiry: null, maxMachines: 5 }
        const body = JSON.stringify({
          data: { id: '1', type: 'licenses', attributes },
          meta: { valid: true, code: 'VALID', nonce: meta.nonce, scope: meta.scope },
        })
        const date = signedAt ?? new Date().toUTCString()
        const digest = `sha-256=${createHash('sha256').update(body).digest('base64')}`
        const lines = change([
          `(request-target): post ${request.url}`,
          'host: 127.0.0.1',
          `date: ${date}`,
          `digest: ${digest}`,
        ])
        const signature = sign(null, Buffer.from(lines.join('\n')), privateKey).toString('base64')
        response.setHeader(
          'Keygen-Signature',
          `keyid="1", algorithm="ed25519", signature="${signature}", headers="(request-target) host date digest"`,
        )
        response.setHeader('Digest', digest)
        response.setHeader('Date', date)
        response.end(body)
      })
    })
    servers.push(server)
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const address = server.address()
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  }

  async function validate(baseUrl: string): Promise<unknown> {
    const service = keygen({ baseUrl, account: 'inkwell', product: 'inkwell', publicKey: publicKeyHex })
    return service.validate({ licenseKey: 'ABCDEF-1', activationId: 'm1', ...device })
  }

  it('accepts them', async () => {
    const outcome = await validate(await startSigning((lines) => lines))
    expect(outcome).toMatchObject({ kind: 'answer', value: { license: { endsAtMs: 'never', seatLimit: 5 } } })
  })

  it('uses the signed date as the service’s time', async () => {
    const date = new Date(Date.now() - 3_600_000).toUTCString()
    const outcome = await validate(await startSigning((lines) => lines, date))
    expect(outcome).toMatchObject({ kind: 'answer', serverDateMs: Date.parse(date) })
  })

  it.each<[what: string, change: (lines: string[]) => string[]]>([
    ['another path', ([, ...rest]) => ['(request-target): post /v1/other', ...rest]],
    ['another method', ([line = '', ...rest]) => [line.replace('post', 'get'), ...rest]],
    ['another host', ([first = '', , ...rest]) => [first, 'host: api.keygen.sh', ...rest]],
    ['another date', ([a = '', b = '', , d = '']) => [a, b, 'date: Thu, 01 Jan 2026 00:00:00 GMT', d]],
    ['another digest', (lines) => [...lines.slice(0, 3), 'digest: sha-256=AAAA']],
  ])('rejects a signature over %s', async (_what, change) => {
    expect(await validate(await startSigning(change))).toMatchObject({
      kind: 'unavailable',
      cause: 'unsigned-answer',
    })
  })
})
