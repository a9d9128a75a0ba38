import { describe, expect, test, vi } from 'vitest'
import { generateSigningKey, leaseKeysOf, verifyLease } from '../src/index.ts'
import { keysCommand, parseCommandLine } from '../src/node/command-line.ts'
import { accessToken, keyName, nonce, startService } from './gateway-fixture.ts'
import { runGatewayCommand, startGatewayHere, startGatewayProcess } from './gateway-process.ts'

describe('latchkey-gateway', () => {
  test('runs from its environment, signs, logs one JSON line per request, and stops on a signal', async () => {
    const emulator = await startService()
    const signingKey = await generateSigningKey()
    const { child, origin, lines, ended } = await startGatewayProcess({
      LATCHKEY_UPSTREAM: emulator.baseUrl,
      LATCHKEY_ACCESS_TOKEN: accessToken,
      LATCHKEY_SIGNING_KEY: JSON.stringify(signingKey),
      LATCHKEY_LEASE_DAYS: '2',
    })
    const licenseId = emulator.demoLicense.id
    const answer = await fetch(`${origin}/v1/licenses/${licenseId}/activate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'latchkey-nonce': nonce },
      body: JSON.stringify({ name: keyName }),
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.has('date')).toBe(true)
    const leaseKeys = await leaseKeysOf([signingKey])
    const verdict = await verifyLease(answer.headers.get('latchkey-lease') ?? '', {
      leaseKeys,
      nowMs: Date.now(),
      nonce,
    })
    expect(verdict).toMatchObject({ trusted: true, claims: { ent: true, fp: '0123456789abcdef' } })
    if (verdict.trusted) expect(verdict.claims.exp - verdict.claims.iat).toBe(2 * 86_400)

    expect((await fetch(`${origin}/healthz`)).status).toBe(200)
    await vi.waitFor(() => expect(lines()).toHaveLength(2), { timeout: 60_000 })
    expect(lines()).toMatchObject([
      { event: 'listening', basePath: '/v1', isSigning: true },
      { event: 'request', route: 'activate', status: 200, lease: 'entitling' },
    ])
    child.kill('SIGTERM')
    const { exitCode, stdout, stderr } = await ended
    expect(exitCode).toBe(0)
    for (const secret of [accessToken, signingKey.d, licenseId]) expect(stdout + stderr).not.toContain(secret)
  })

  test('serves metrics on a separate port, without labels that a client can choose', async () => {
    const emulator = await startService()
    const { origin, metricsPort } = await startGatewayHere({
      LATCHKEY_UPSTREAM: emulator.baseUrl,
      LATCHKEY_ACCESS_TOKEN: accessToken,
      LATCHKEY_METRICS_PORT: '0',
    })
    await fetch(`${origin}/v1/licenses/${emulator.demoLicense.id}/keys`)
    await fetch(`${origin}/v1/customers/${accessToken}`)
    expect((await fetch(`${origin}/metrics`)).status).toBe(404)
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    expect(metrics).toContain('latchkey_gateway_requests_total{route="keys",status="200",code="none"} 1')
    expect(metrics).toMatch(
      /latchkey_gateway_requests_total\{route="none",status="404",code="no-such-route"\} 2/,
    )
    expect(metrics).toContain('latchkey_gateway_request_duration_seconds_bucket')
    expect(metrics).toContain('process_resident_memory_bytes')
    expect(metrics).not.toContain(accessToken)
    expect(metrics).not.toContain(emulator.demoLicense.id)
  })

  test('without settings, names everything that is missing', async () => {
    const { exitCode, stderr, stdout } = await runGatewayCommand([])
    expect(exitCode).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/LATCHKEY_UPSTREAM is missing.*\nLATCHKEY_ACCESS_TOKEN is missing/)
  })

  test('prints help and its version, and rejects unknown arguments', async () => {
    const help = await runGatewayCommand(['--help'])
    expect(help.exitCode).toBe(0)
    expect(help.stdout).toContain('LATCHKEY_UPSTREAM')
    expect((await runGatewayCommand(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/)
    const wrong = await runGatewayCommand(['key', 'generate'])
    expect(wrong.exitCode).toBe(2)
    expect(wrong.stderr).toContain('There is no command "key generate". The commands are "keys generate", ')
    const missing = await runGatewayCommand(['--settings', 'no-such.env'])
    expect(missing.exitCode).toBe(1)
    expect(missing.stderr).toContain(
      "The settings file can't be read (ENOENT). Check the name after --settings",
    )
  })

  test.each([
    ['keys public {"d":"the-private-part"}', 'There is no command "keys public …".'],
    ['keys gen', 'There is no command "keys gen".'],
    ['gateway.env', 'pass --settings <file>'],
    ['--settings', '--settings'],
    ['--setings gateway.env', '--setings'],
    ['--port=the-private-part', '--port'],
  ])('says what is wrong with «%s», without a key in it', (words, message) => {
    const line = parseCommandLine(words.split(' '))
    expect(line).toEqual({ kind: 'error', message: expect.stringContaining(message) })
    expect(JSON.stringify(line)).not.toContain('the-private-part')
  })
})

describe('latchkey-gateway keys', () => {
  test('generate prints a key pair and says where each part belongs', async () => {
    const { stdout } = await runGatewayCommand(['keys', 'generate'])
    const signingKey = JSON.parse(/^LATCHKEY_SIGNING_KEY='(.*)'$/m.exec(stdout)?.[1] ?? '')
    const leaseKeys = JSON.parse(/^\{"keys".*$/m.exec(stdout)?.[0] ?? '')
    expect(leaseKeys).toEqual(await leaseKeysOf([signingKey]))
    expect(JSON.stringify(leaseKeys)).not.toContain(signingKey.d)
    expect(stdout).toMatch(/stays on the gateway/)
    expect(stdout).toMatch(/goes into the app/)
  })

  test('rotate puts a new key before the old one, and public prints the public part of both', async () => {
    const oldKey = await generateSigningKey()
    const rotated = JSON.parse(await keysCommand('rotate', JSON.stringify(oldKey), true))
    expect(rotated.signingKey.keys).toHaveLength(2)
    expect(rotated.signingKey.keys[1]).toEqual(oldKey)
    const shown = await keysCommand('public', JSON.stringify(rotated.signingKey), true)
    expect(JSON.parse(shown)).toEqual(rotated.leaseKeys)
    expect(shown).not.toContain(oldKey.d)
  })

  test('rotate says when the old key may be removed if computers were activated without internet', async () => {
    const printed = await keysCommand('rotate', JSON.stringify(await generateSigningKey()), false)
    expect(printed.replace(/\n#\s*/gu, ' ')).toContain(
      'If you activate computers without internet, also wait until the last answer that the old key signed has ended.',
    )
  })

  test('rotate without a current key is an error', async () => {
    await expect(keysCommand('rotate', '', true)).rejects.toThrow(
      /LATCHKEY_SIGNING_KEY is missing.* pass --settings <file>/,
    )
  })
})
