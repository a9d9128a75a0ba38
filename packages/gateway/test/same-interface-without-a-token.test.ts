import { createCommerceClient } from '@latchkey/commerce'
import { describe, expect, test } from 'vitest'
import { dialects } from '../../emulator/test/dialects.ts'
import { accessToken, keyName, startGateway } from './gateway-fixture.ts'

describe('an app that uses the gateway’s base URL', () => {
  test.each(Object.entries(dialects))(
    'activates, validates, lists, shows and deactivates without a token (service: %s)',
    async (_name, dialect) => {
      const { emulator, gateway, licenseId } = await startGateway({}, { dialect })
      const app = createCommerceClient({ baseUrl: 'https://licenses.vendor.example/v1', fetch: gateway })

      const { license, key } = await app.licenses.activate(licenseId, { name: keyName })
      const { license_key: _, ...shown } = emulator.control.license(licenseId)
      // Times have milliseconds.
      const inMs = (text: string | null) => text?.replace(/\d{3}Z$/u, '000Z') ?? null
      expect(license).toEqual({ ...shown, updated_at: inMs(shown.updated_at) })
      expect(key).toEqual(emulator.control.keys(licenseId)[0])
      expect(await app.licenses.validate(licenseId, { key: key.id })).toEqual({ license, key })
      expect(await app.licenses.keys(licenseId)).toEqual([key])
      expect(await app.licenses.key(licenseId, key.id)).toEqual(key)
      await app.licenses.deactivate(licenseId, { key: key.id })
      expect(emulator.control.keys(licenseId)).toEqual([])
    },
  )

  test('gets only the documented fields of the service’s response', async () => {
    const { emulator, call, licenseId } = await startGateway()
    emulator.control.faults.inject({
      fault: 'set-fields',
      fields: { 'license.customer_email': 'ada@example.com', 'key.ip': '203.0.113.9', debug: accessToken },
    })
    const answer = await call('POST', `/licenses/${licenseId}/activate`, { json: { name: keyName } })
    const body = await answer.json()
    expect(Object.keys(body)).toEqual(['license', 'key'])
    expect(JSON.stringify(body)).not.toMatch(/ada@|203\.0\.113|token/)
  })

  test('gets only the gateway’s own headers, with its time and without CORS headers', async () => {
    const now = Date.UTC(2026, 5, 1, 12)
    const { call, licenseId } = await startGateway({ clock: () => now })
    const answer = await call('GET', `/licenses/${licenseId}/keys`, {
      headers: { origin: 'https://evil.example' },
    })
    expect(Object.fromEntries(answer.headers)).toEqual({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[\w-]{36}$/),
      date: 'Mon, 01 Jun 2026 12:00:00 GMT',
    })
  })

  test('forwards the service’s token and no other headers of the app', async () => {
    const { emulator, call, licenseId } = await startGateway()
    await call('POST', `/licenses/${licenseId}/activate?page=2`, {
      json: { name: keyName, admin: true },
      headers: {
        authorization: 'Bearer stolen',
        cookie: 'a=b',
        'x-forwarded-host': 'evil.example',
        'latchkey-nonce': 'n'.repeat(22),
      },
    })
    const [request] = emulator.control.requests()
    expect(request).toMatchObject({
      path: `/licenses/${licenseId}/activate`,
      body: { name: keyName },
      headers: { authorization: 'Bearer ****', 'content-type': 'application/json' },
      status: 200,
    })
    for (const name of ['cookie', 'x-forwarded-host', 'latchkey-nonce', 'x-request-id']) {
      expect(request?.headers).not.toHaveProperty(name)
    }
  })

  test('may send a fingerprint, which the commerce service has no use for', async () => {
    const { emulator, call, licenseId } = await startGateway()
    const json = { key: emulator.control.addKey(licenseId, keyName).id, fingerprint: 'of another form' }
    expect((await call('POST', `/licenses/${licenseId}/validate`, { json })).status).toBe(200)
  })

  test('treats an uppercase id as the same license', async () => {
    const { call, licenseId, emulator } = await startGateway()
    const answer = await call('GET', `/licenses/${licenseId.toUpperCase()}/keys`)
    expect(answer.status).toBe(200)
    expect(emulator.control.requests()[0]?.path).toBe(`/licenses/${licenseId}/keys`)
  })
})
