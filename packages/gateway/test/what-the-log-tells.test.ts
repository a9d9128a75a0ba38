import { spawn } from 'node:child_process'
import { open } from 'node:fs/promises'
import { installedCommand } from '@latchkey/scripts/packages/installed-command'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { generateSigningKey } from '../src/index.ts'
import { startGatewayServer } from '../src/node/index.ts'
import { freePort } from './free-port.ts'
import { accessToken, gatewayOf, keyName, nonce, startGateway, startService } from './gateway-fixture.ts'
import { startGatewayProcess } from './gateway-process.ts'
import { rawExchange } from './raw-connection.ts'

describe('the log', () => {
  test('has one line per request, with masked ids and without secrets or personal data', async () => {
    const signingKey = await generateSigningKey()
    const { emulator, call, lines, licenseId } = await startGateway({
      signing: { keys: [signingKey] },
      clientAddress: () => '203.0.113.9',
    })
    const headers = { 'latchkey-nonce': nonce }
    const activated = await call('POST', `/licenses/${licenseId}/activate`, {
      json: { name: keyName },
      headers,
    })
    const key = emulator.control.keys(licenseId)[0]?.id ?? ''
    await call('GET', `/licenses/${licenseId}/keys/${key}`)
    await call('GET', `/licenses/${licenseId}/secrets-in-the-path`)
    await call('POST', `/licenses/${licenseId}/validate`, { json: { key: 'no uuid' } })

    const masked = (id: string) => `${id.slice(0, 4)}…${id.slice(-4)}`
    expect(lines[0]).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: 'info',
      event: 'request',
      requestId: activated.headers.get('x-request-id'),
      route: 'activate',
      status: 200,
      durationMs: expect.any(Number),
      code: null,
      remark: null,
      upstreamStatus: null,
      detail: null,
      lease: 'entitling',
      isUncounted: false,
      license: masked(licenseId),
      key: null,
    })
    expect(lines.slice(1)).toMatchObject([
      { route: 'key', status: 200, license: masked(licenseId), key: masked(key) },
      { route: null, status: 404, code: 'no-such-route', license: null },
      { route: 'validate', status: 400, code: 'invalid-body', key: null },
    ])
    const text = JSON.stringify(lines)
    for (const secret of [
      licenseId,
      key,
      accessToken,
      signingKey.d,
      'Ada',
      '0123456789abcdef',
      '203.0.113.9',
      'secrets-in',
    ]) {
      expect(text).not.toContain(secret)
    }
  })

  test('names the address to check if a page comes back instead of JSON, also for a gateway in code', async () => {
    const emulator = await startService()
    const baseUrl = emulator.baseUrl.replace(/\/v1$/u, '')
    const { call, lines, licenseId } = gatewayOf(emulator, { upstream: { baseUrl } })
    await call('GET', `/licenses/${licenseId}/keys`)
    const detail = expect.stringMatching(/^a page instead of JSON: .*upstream\.baseUrl.*\/v1$/u)
    expect(lines).toMatchObject([{ route: 'keys', status: 404, upstreamStatus: 404, detail }])
  })

  test.each<[string, (plain: string) => string | Promise<string>, RegExp]>([
    ['a wrong port', async () => `http://127.0.0.1:${await freePort()}/v1`, /^ECONNREFUSED$/],
    ['https to a port of http', (plain) => plain.replace('http:', 'https:'), /^(EPROTO|ERR_SSL_\w+)$/],
    ['an unknown host', () => 'https://commerce.invalid/v1', /^(ENOTFOUND|EAI_AGAIN)$/],
  ])('has the code of a network error for %s', async (_what, addressOf, code) => {
    const emulator = await startService()
    const { id: licenseId } = emulator.demoLicense
    const baseUrl = await addressOf(emulator.baseUrl)
    const { call, lines } = gatewayOf(emulator, { upstream: { baseUrl } })
    await call('GET', `/licenses/${licenseId}/keys`)
    const server = await startGatewayServer({
      upstream: { baseUrl, accessToken },
      host: '127.0.0.1',
      port: 0,
      log: (line) => lines.push(line),
    })
    onTestFinished(() => server.close())
    await fetch(`http://127.0.0.1:${server.port}/v1/licenses/${licenseId}/keys`)
    const line = { code: 'upstream-unreachable', detail: expect.stringMatching(code) }
    expect(lines).toMatchObject([line, line])
  })

  test('uses the request id of the proxy in front', async () => {
    const { call, lines, licenseId } = await startGateway()
    const answer = await call('GET', `/licenses/${licenseId}/keys`, {
      headers: { 'x-request-id': 'proxy-4711_a' },
    })
    expect(answer.headers.get('x-request-id')).toBe('proxy-4711_a')
    expect(lines).toMatchObject([{ requestId: 'proxy-4711_a' }])
  })

  test.each(['short', 'a'.repeat(65), 'has a space', '{"level":"error"}'])(
    'does not repeat a request id like «%s»',
    async (requestId) => {
      const { call, lines, licenseId } = await startGateway()
      const answer = await call('GET', `/licenses/${licenseId}/keys`, {
        headers: { 'x-request-id': requestId },
      })
      expect(answer.headers.get('x-request-id')).not.toBe(requestId)
      expect(lines[0]?.requestId).toBe(answer.headers.get('x-request-id'))
    },
  )

  test('can fail without affecting the response', async () => {
    const { call, licenseId } = await startGateway({
      log: () => {
        throw new Error('disk full')
      },
    })
    expect((await call('GET', `/licenses/${licenseId}/keys`)).status).toBe(200)
  })

  test('that a server doesn’t have is replaced by one warning for each error', async () => {
    const emulator = await startService()
    const { id: licenseId } = emulator.demoLicense
    const { id: key } = emulator.control.addKey(licenseId, keyName)
    const warnings: string[] = []
    const server = await startGatewayServer({
      upstream: { baseUrl: emulator.baseUrl, accessToken },
      host: '127.0.0.1',
      port: 0,
      log: undefined,
      warn: (sentence) => warnings.push(sentence),
      features: () => {
        throw new Error(`no entry for ${licenseId}, ada@example.com`)
      },
    })
    onTestFinished(() => server.close())
    const send = async (action: string, body: object) => {
      const url = `http://127.0.0.1:${server.port}/v1/licenses/${licenseId}/${action}`
      const headers = { 'content-type': 'application/json' }
      return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status
    }
    expect(await send('validate', {})).toBe(400)
    expect(await send('validate', { key })).toBe(500)
    expect(await send('activate', { name: keyName })).toBe(500)
    expect(warnings).toEqual([
      expect.stringMatching(
        /^The gateway .* \(internal, route validate\): rule features: Error: no entry for /u,
      ),
    ])
    emulator.control.faults.inject({ fault: 'status', status: 401 })
    expect(await send('validate', { key })).toBe(502)
    expect(warnings.slice(1)).toEqual([expect.stringContaining('(upstream-unauthorized, route validate)')])
    for (const secret of [licenseId, key, accessToken, 'ada@example.com']) {
      expect(warnings.join()).not.toContain(secret)
    }
  })

  test('can fail for a malformed request without ending the process', async () => {
    let asked = 0
    const server = await startGatewayServer({
      port: 0,
      host: '127.0.0.1',
      upstream: { baseUrl: 'https://commerce.example/v1', accessToken },
      log: () => {
        asked += 1
        throw new Error('disk full')
      },
    })
    onTestFinished(() => server.close())
    const said = await rawExchange(`http://127.0.0.1:${server.port}`, 'no HTTP at all\r\n\r\n')
    expect(said).toContain('400 Bad Request')
    expect(asked).toBe(1)
  })
})

test('a log that nobody reads anymore does not end the gateway', async () => {
  const emulator = await startService()
  const { child, baseUrl, ended, stop } = await startGatewayProcess({
    LATCHKEY_UPSTREAM: emulator.baseUrl,
    LATCHKEY_ACCESS_TOKEN: accessToken,
  })
  child.stdout?.destroy()
  const list = async () => (await fetch(`${baseUrl}/licenses/${emulator.demoLicense.id}/keys`)).status
  for (let request = 0; request < 4; request += 1) expect(await list()).toBe(200)
  await stop()
  const { stderr } = await ended
  expect(stderr.match(/The log can't be written/gu)).toHaveLength(1)
})

test.skipIf(process.platform !== 'linux')('a full log disk does not end the gateway', async () => {
  const emulator = await startService()
  const port = await freePort()
  const { script } = await installedCommand('gateway')
  const full = await open('/dev/full', 'w')
  const child = spawn(process.execPath, [script], {
    env: {
      PORT: String(port),
      HOST: '127.0.0.1',
      LATCHKEY_UPSTREAM: emulator.baseUrl,
      LATCHKEY_ACCESS_TOKEN: accessToken,
    },
    stdio: ['ignore', full.fd, 'pipe'],
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = new Promise((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    await full.close()
  })
  const list = async () =>
    (await fetch(`http://127.0.0.1:${port}/v1/licenses/${emulator.demoLicense.id}/keys`)).status
  await vi.waitFor(async () => expect(await list()).toBe(200), { timeout: 60_000 })
  for (let request = 0; request < 4; request += 1) expect(await list()).toBe(200)
  await expect
    .poll(() => stderr)
    .toBe("The log can't be written (ENOSPC), so lines are lost. The gateway keeps serving.\n")
})

test.skipIf(process.platform !== 'linux')('keys that a full disk has no room for are a failure', async () => {
  const { script } = await installedCommand('gateway')
  const full = await open('/dev/full', 'w')
  onTestFinished(() => full.close())
  const child = spawn(process.execPath, [script, 'keys', 'generate'], {
    env: {},
    stdio: ['ignore', full.fd, 'pipe'],
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const exitCode = await new Promise((resolve) => child.once('close', resolve))
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^The keys can't be written \(ENOSPC\)\. /u)])
})
