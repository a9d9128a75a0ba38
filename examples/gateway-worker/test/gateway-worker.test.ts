import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createCommerceClient } from '@latchkey/commerce'
import { type Emulator, startEmulator } from '@latchkey/emulator'
import { generateSigningKey, leaseKeysOf, verifyLease } from '@latchkey/gateway'
import {
  findOfflineText,
  offlineClaimsSchema,
  releaseStatement,
  writeOfflineRequest,
  writeReleaseCode,
} from '@latchkey/services/offline'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { runWorker } from './run-worker.ts'

const accessToken = 'token-of-the-worker-0123456789'
const nonce = 'n0nce-n0nce-n0nce-n0nce'

interface RunningWorker {
  emulator: Emulator
  origin: string
  lines: string[]
}

async function startWorker(secrets: Record<string, string> = {}): Promise<RunningWorker> {
  const emulator = await startEmulator({ accessToken })
  onTestFinished(() => emulator.close())
  const worker = await runWorker({
    LATCHKEY_UPSTREAM: emulator.baseUrl,
    LATCHKEY_ACCESS_TOKEN: accessToken,
    ...secrets,
  })
  return { emulator, ...worker }
}

describe('the gateway on workerd', () => {
  test('takes a device from activation to deactivation, with a lease for each answer that wants one', async () => {
    const signingKey = await generateSigningKey()
    const { emulator, origin } = await startWorker({ LATCHKEY_SIGNING_KEY: JSON.stringify(signingKey) })
    const leases: string[] = []
    const app = createCommerceClient({
      baseUrl: `${origin}/v1`,
      fetch: async (request, init) => {
        const asking = new Request(request, init)
        asking.headers.set('latchkey-nonce', nonce)
        const answer = await fetch(asking)
        leases.push(answer.headers.get('latchkey-lease') ?? '')
        return answer
      },
    })
    const licenseId = emulator.demoLicense.id

    const { key } = await app.licenses.activate(licenseId, { name: 'Edge [0123456789abcdef]' })
    // The first concurrent requests of an isolate share one gateway.
    await Promise.all(Array.from({ length: 8 }, () => app.licenses.validate(licenseId, { key: key.id })))
    expect(await app.licenses.keys(licenseId)).toEqual([key])
    await app.licenses.deactivate(licenseId, { key: key.id })
    await expect(app.licenses.key(licenseId, key.id)).rejects.toMatchObject({
      code: 'not-found',
      bodyIsJson: true,
    })

    const leaseKeys = await leaseKeysOf([signingKey])
    const verdicts = await Promise.all(
      leases
        .filter((lease) => lease !== '')
        .map((lease) =>
          verifyLease(lease, { leaseKeys, nowMs: Date.now(), nonce, licenseId, keyId: key.id }),
        ),
    )
    expect(verdicts.map((verdict) => verdict.trusted && verdict.claims.sta)).toEqual([
      ...Array(9).fill('ACTIVE'),
      'GONE',
    ])
  })

  test('activates a computer without internet, and frees its one seat by the release code', async () => {
    const signingKey = await generateSigningKey()
    const { emulator, origin } = await startWorker({
      LATCHKEY_SIGNING_KEY: JSON.stringify(signingKey),
      LATCHKEY_OFFLINE_DAYS: '365',
    })
    const page = await fetch(`${origin}/v1/offline`)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await page.text()).toContain('Activate a computer without internet')

    const licenseKey = emulator.demoLicense.id
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const request = writeOfflineRequest({
      app: 'com.example.notes',
      deviceName: 'Lab',
      fingerprint: '0123456789abcdef',
      nonce,
      licenseKey,
      trustedKeys: [],
      releaseKey: String(publicKey.export({ format: 'jwk' }).x),
    })
    const send = async (text: string): Promise<Readonly<Record<string, string>>> => {
      const asked = await fetch(`${origin}/v1/offline`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ request: text, code: true }),
      })
      return asked.json()
    }
    const answers = await Promise.all([send(request), send(request)])
    expect(emulator.control.keys(licenseKey)).toHaveLength(1)
    expect(answers[0]?.['code']).toContain('<svg')

    const found = findOfflineText('answer', answers[0]?.['answer'] ?? '')
    const [, payload = ''] = found.ok ? found.payload.split('.') : []
    const { rel = '' } = offlineClaimsSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()))
    const statement = releaseStatement(rel, Date.now())
    const signed = (key: KeyObject): string =>
      writeReleaseCode(statement, sign(null, Buffer.from(statement), key).toString('base64url'))
    const stranger = generateKeyPairSync('ed25519').privateKey
    expect(await send(signed(stranger))).toEqual({ error: 'release-code-edited' })
    expect(await send(signed(privateKey))).toMatchObject({ released: true })
    expect(emulator.control.keys(licenseKey)).toEqual([])
  })

  test('sends the time, and none of the service’s headers', async () => {
    const { emulator, origin } = await startWorker()
    const answer = await fetch(`${origin}/v1/licenses/${emulator.demoLicense.id}/keys`)
    expect(answer.status).toBe(200)
    expect(Math.abs(Date.parse(answer.headers.get('date') ?? '') - Date.now())).toBeLessThan(60_000)
    expect(answer.headers.has('latchkey-lease')).toBe(false)
    expect([...answer.headers.keys()].filter((name) => /cf-|server|x-powered|x-emulator/.test(name))).toEqual(
      [],
    )
  })

  test('serves nothing but the five routes', async () => {
    const { emulator, origin } = await startWorker()
    const license = '/v1/licenses/11111111-2222-4333-8444-555555555555'
    for (const path of [
      '/',
      '/v1/customers',
      `${license}%2fkeys`,
      `${license}/%2e%2e/%2e%2e/customers`,
      `${license}/keys/`,
      '/v1/licenses/%252e%252e/keys',
      `/v1/licenses/${'a'.repeat(10_000)}/keys`,
    ]) {
      const answer = await fetch(`${origin}${path}`)
      expect(answer.status).toBe(404)
      expect(await answer.text()).toBe('Not found\n')
    }
    expect((await fetch(`${origin}${license}/keys`, { method: 'HEAD' })).status).toBe(404)
    const tooLarge = await fetch(`${origin}${license}/activate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'x'.repeat(100_000) }),
    })
    expect(tooLarge.status).toBe(413)
    expect(emulator.control.requests()).toEqual([])
  })

  test('logs a line for each request, without a secret', async () => {
    const { emulator, origin, lines } = await startWorker()
    await fetch(`${origin}/v1/licenses/${emulator.demoLicense.id}/keys`)
    await vi.waitFor(() => expect(lines).toHaveLength(1))
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ event: 'request', route: 'keys', status: 200 })
    for (const secret of [accessToken, emulator.demoLicense.id]) expect(lines[0]).not.toContain(secret)
  })

  test('limits a license by the binding', async () => {
    const { emulator, origin } = await startWorker()
    const minute = () => Math.floor(Date.now() / 60_000)
    let statuses: number[]
    let startedIn: number
    // The binding counts per minute of the clock, so a run into the next minute proves nothing.
    do {
      startedIn = minute()
      const { id } = emulator.control.createLicense()
      statuses = await Promise.all(
        Array.from({ length: 140 }, async () => (await fetch(`${origin}/v1/licenses/${id}/keys`)).status),
      )
    } while (minute() !== startedIn)
    expect(statuses.filter((status) => status === 200)).toHaveLength(120)
    expect(statuses.filter((status) => status === 429)).toHaveLength(20)
  })

  test('with a service that is down answers as unreachable', async () => {
    const { emulator, origin } = await startWorker()
    await emulator.control.pause()
    const answer = await fetch(`${origin}/v1/licenses/${emulator.demoLicense.id}/keys`)
    expect(answer.status).toBe(502)
    expect(await answer.json()).toEqual({ error: 'upstream-unreachable' })
  })
})
