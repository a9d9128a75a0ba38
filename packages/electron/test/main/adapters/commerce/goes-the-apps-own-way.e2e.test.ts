import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type OpenApp, test } from '../../../fixtures/open-app-test.ts'
import { json, key, license, licenseKey, startRawService } from '../../../fixtures/raw-service.ts'

const nowhere = 'http://127.0.0.1:50009/v1'

async function activate(app: OpenApp): Promise<string> {
  return await app.electronApp.evaluate(async (_electron, given) => {
    const result = await globalThis.licensing.activate(given)
    return result.ok ? 'active' : result.problem.code
  }, licenseKey)
}

async function setProxy(app: OpenApp, proxyUrl: string): Promise<void> {
  await app.electronApp.evaluate(async ({ app: electronApp, session }, proxyRules) => {
    await electronApp.whenReady()
    await session.defaultSession.setProxy({ proxyRules, proxyBypassRules: '<-loopback>' })
  }, new URL(proxyUrl).origin)
}

test('an activation goes through the proxy the app has set', async ({ openApp }) => {
  const proxy = await startRawService(({ method }) =>
    method === 'GET' ? json('403 Forbidden', { message: 'no list' }) : json('201 Created', { key, license }),
  )
  const app = await openApp()
  await setProxy(app, proxy.baseUrl)
  await app.createLicensing({ service: { baseUrl: nowhere, accessToken: 'token' } })
  expect(await activate(app)).toBe('active')
  expect(proxy.sent('POST', '/activate').map(({ path: asked }) => asked.startsWith(nowhere))).toEqual([true])
})

test('a certificate the app trusts is good enough for an activation', async ({ openApp }) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'latchkey-certificate-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [keyFile, certificateFile] = [path.join(folder, 'key.pem'), path.join(folder, 'certificate.pem')]
  const request = ['req', '-x509', '-nodes', '-newkey', 'rsa:2048', '-days', '2', '-subj', '/CN=localhost']
  execFileSync('openssl', [...request, '-keyout', keyFile, '-out', certificateFile], { stdio: 'ignore' })
  const seen: string[] = []
  const server = createServer(
    { key: readFileSync(keyFile), cert: readFileSync(certificateFile) },
    ({ method = '' }, response) => {
      seen.push(method)
      response.setHeader('content-type', 'application/json')
      if (method === 'GET') response.writeHead(403).end('{}')
      else response.writeHead(201).end(JSON.stringify({ key, license }))
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The test server has no port')

  const app = await openApp()
  await app.electronApp.evaluate(async ({ app: electronApp, session }) => {
    await electronApp.whenReady()
    session.defaultSession.setCertificateVerifyProc((_request, accept) => accept(0))
  })
  await app.createLicensing({ service: { baseUrl: `https://127.0.0.1:${address.port}/v1` } })
  expect(await activate(app)).toBe('active')
  // The list, the activation, and another look at the list, which was refused.
  expect(seen).toEqual(['GET', 'POST', 'GET'])
})
