import { expect, test } from 'vitest'
import { adapterOf, gatewayOf, startFace } from './face-fixture.ts'

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
