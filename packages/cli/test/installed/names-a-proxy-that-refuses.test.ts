import { once } from 'node:events'
import { createServer } from 'node:http'
import { prepareInstalled } from '@latchkey/scripts/packages/start-installed'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { beforeAll, expect, test } from 'vitest'
import { latchkey, newestNode } from './installed-cli.ts'

/** A proxy for outgoing requests that asks for a password. */
async function refusingProxy(): Promise<string> {
  const server = createServer()
  server.on('connect', (_request, socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'))
  onTestEnd(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

const polar = {
  LATCHKEY_SERVICE: 'polar',
  LATCHKEY_POLAR_ORGANIZATION_ID: 'fda84e25-7b55-4d67-916d-60ead04ff72f',
  LATCHKEY_POLAR_ACCESS_TOKEN: 'secret',
}
const someKey = '1f0a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b'

beforeAll(() => prepareInstalled('cli'), 180_000)

// Older releases of Node don't use the proxy.
test.each([
  ['a command', ['keys', 'list', someKey], {}, 3],
  ['the doctor', ['doctor'], {}, 1],
  ['the doctor of a gateway', ['doctor', '--gateway', 'https://a.invalid/v1', '--license', someKey], {}, 1],
  ['another service', ['keys', 'list', 'INKWELL-1C285B2D-6CE6-4BC7-B8BE-ADB6A7E304DA'], polar, 3],
  ['the doctor of another service', ['doctor'], polar, 1],
])('%s names a proxy for outgoing requests that refuses them', async (_what, words, env, code) => {
  const service = { baseUrl: 'https://commerce.invalid/v1', accessToken: 'secret' }
  const { exitCode, out, err } = await latchkey(newestNode ?? '', service, words, {
    env: { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: await refusingProxy(), ...env },
  })
  expect(`${out}${err}`).toContain('the proxy for outgoing requests doesn’t let this one through')
  expect(`${out}${err}`).not.toMatch(/try again later|LATCHKEY_POLAR_BASE_URL/u)
  expect(exitCode).toBe(code)
})
