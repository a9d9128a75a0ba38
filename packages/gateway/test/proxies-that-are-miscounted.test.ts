import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { expect, test } from 'vitest'
import { type GatewayServerOptions, startGatewayServer } from '../src/node/index.ts'
import { accessToken, startService } from './gateway-fixture.ts'

/** Returns the warnings of a server after requests with these headers. */
async function warningsAfter(
  options: Pick<GatewayServerOptions, 'trustedProxies' | 'limits'>,
  headers: readonly (string | null)[],
  path?: string,
  name = 'x-forwarded-for',
): Promise<readonly string[]> {
  const emulator = await startService()
  const warnings: string[] = []
  const server = await startGatewayServer({
    upstream: { baseUrl: emulator.baseUrl, accessToken },
    host: '127.0.0.1',
    port: 0,
    warn: (sentence) => warnings.push(sentence),
    ...options,
  })
  onTestEnd(() => server.close())
  const url = `http://127.0.0.1:${server.port}${path ?? `/v1/licenses/${emulator.demoLicense.id}/keys`}`
  for (const header of headers) {
    const answer = await fetch(url, { headers: header === null ? {} : { [name]: header } })
    expect(answer.status).toBe(200)
  }
  return warnings
}

test('warns once if the trusted proxy appends no address, so that all clients share a limit', async () => {
  expect(await warningsAfter({ trustedProxies: 1 }, [null, null, ''])).toEqual([
    expect.stringMatching(
      /has no address, although LATCHKEY_TRUSTED_PROXIES .* is 1\. .* \$proxy_add_x_forwarded_for/u,
    ),
  ])
})

test('warns if there are fewer proxies than trusted, because clients can avoid the limit', async () => {
  expect(await warningsAfter({ trustedProxies: 3 }, ['203.0.113.9, 10.0.0.1'])).toEqual([
    expect.stringMatching(/has 2 of 3 addresses.* clients can avoid the limit: set their number/u),
  ])
})

test('warns if a proxy only sends X-Real-IP, and none is trusted', async () => {
  const warnings = await warningsAfter({ trustedProxies: 0 }, ['203.0.113.9'], undefined, 'x-real-ip')
  expect(warnings).toEqual([expect.stringContaining('set LATCHKEY_TRUSTED_PROXIES')])
})

test('does not warn if each proxy appends an address, about a health check, or without a limit', async () => {
  const headers = ['203.0.113.9, 10.0.0.1', 'made-up, 203.0.113.9, 10.0.0.1']
  expect(await warningsAfter({ trustedProxies: 2 }, headers)).toEqual([])
  expect(await warningsAfter({ trustedProxies: 1 }, [null], '/healthz')).toEqual([])
  expect(await warningsAfter({ trustedProxies: 1, limits: { perAddress: false } }, [null])).toEqual([])
  expect(await warningsAfter({ trustedProxies: 0 }, [null])).toEqual([])
})
