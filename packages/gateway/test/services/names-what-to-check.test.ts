import { keygen } from '@latchkey/services/keygen'
import { describe, expect, test } from 'vitest'
import type { GatewayLogLine } from '../../src/index.ts'
import { keyName } from '../gateway-fixture.ts'
import { adapterOf, gatewayOf, startFace } from './face-fixture.ts'

const wrongKey = 'e8601e48b69383ba520245fd07971e983d06d22c4257cfd82304601479cee788'
const wrongAccount = '00000000-1111-4222-8333-444444444444'

/** The log of a list and an activation behind a gateway with these settings. */
async function logOf(
  wrong: { publicKey?: string | undefined; account?: string },
  status = 'ACTIVE',
): Promise<GatewayLogLine[]> {
  const emulator = await startFace('keygen')
  emulator.control.updateLicense(emulator.demoLicense.id, { status })
  const { account = '', product = '', publicKey } = emulator.settings
  const right = { account: String(account), product: String(product), publicKey: String(publicKey) }
  const { of, lines } = gatewayOf(keygen({ ...right, baseUrl: emulator.baseUrl, ...wrong }))
  await of(emulator.licenseKey).keys()
  await of(emulator.licenseKey).activate(keyName)
  return lines
}

describe('the log names the setting of Keygen to check', () => {
  test('for a public key that is not the account’s', async () => {
    const line = {
      level: 'warn',
      code: 'upstream-unexpected-answer',
      upstreamStatus: 200,
      detail: expect.stringMatching(/^an answer without a valid signature .* LATCHKEY_KEYGEN_PUBLIC_KEY/u),
    }
    expect(await logOf({ publicKey: wrongKey })).toMatchObject([line, line])
  })

  test('for an unknown account, whose 404 is not signed', async () => {
    const detail = expect.stringMatching(/^an answer without a valid signature .* LATCHKEY_KEYGEN_ACCOUNT/u)
    const line = { code: 'upstream-unexpected-answer', upstreamStatus: 404, detail }
    expect(await logOf({ account: wrongAccount })).toMatchObject([line, line])
  })

  test('for a policy that allows no license keys', async () => {
    const detail = expect.stringMatching(
      /^set authenticationStrategy of the policy .* LATCHKEY_KEYGEN_TOKEN/u,
    )
    const line = { level: 'error', code: 'upstream-misconfigured', upstreamStatus: 403, detail }
    expect((await logOf({}, 'NOT_ALLOWED')).at(0)).toMatchObject(line)
  })

  test('for an unknown account without a public key', async () => {
    const detail = expect.stringMatching(/^the account is unknown: .* LATCHKEY_KEYGEN_ACCOUNT/u)
    const line = { level: 'error', code: 'upstream-misconfigured', upstreamStatus: 404, detail }
    expect(await logOf({ account: wrongAccount, publicKey: undefined })).toMatchObject([line, line])
  })
})

const html = { 'content-type': 'text/html' }
const json = { 'content-type': 'application/json' }

test.each<[string, () => Response, string]>([
  [
    'a redirect',
    () => new Response(null, { status: 301, headers: { location: 'https://elsewhere.example/secret-half' } }),
    'the service redirects: if every request gets this answer, check the service',
  ],
  [
    'a page',
    () => new Response('<p>secret-half</p>', { status: 200, headers: html }),
    'not JSON of the service, but for example a page of a proxy: ',
  ],
  [
    'half an answer',
    () => new Response('{"secret-half":', { status: 200, headers: json }),
    'incomplete JSON',
  ],
  ['other JSON', () => new Response('{"secret-half":1}', { status: 200, headers: json }), 'JSON '],
  [
    'a 404 of another path',
    () => new Response('<p>secret-half</p>', { status: 404, headers: html }),
    "a 404 that the service doesn't document: if every request gets this answer, check the service's _BASE_URL",
  ],
])('the log says what is wrong with %s in place of the service’s answer', async (_what, response, detail) => {
  for (const face of ['dodo', 'lemon-squeezy', 'polar'] as const) {
    const emulator = await startFace(face)
    const { of, lines } = gatewayOf(adapterOf(face, emulator), { fetch: async () => response() })
    await of(emulator.licenseKey).validate('11111111-2222-4333-8444-555555555555')
    expect(lines, face).toMatchObject([
      { code: 'upstream-unexpected-answer', detail: expect.stringContaining(detail) },
    ])
    expect(JSON.stringify(lines)).not.toContain('secret-half')
  }
})
