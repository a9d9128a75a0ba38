import { serviceNames } from '@latchkey/services/environment'
import { describe, expect, test } from 'vitest'
import { accessToken, keyName, leaseClaims, signing, withNonce } from '../gateway-fixture.ts'
import { adapterOf, fingerprint, gatewayOf, otherFingerprint, startFace } from './face-fixture.ts'

describe.each(serviceNames)('a gateway in front of %s', (face) => {
  async function start() {
    const emulator = await startFace(face)
    const gateway = gatewayOf(adapterOf(face, emulator), { signing })
    const { licenseKey, demoLicense } = emulator
    return { emulator, gateway, licenseKey, licenseId: demoLicense.id, license: gateway.of(licenseKey) }
  }

  test('activates, lists, shows, validates and deactivates a device', async () => {
    const { emulator, license, licenseKey, licenseId } = await start()
    expect(await license.keys()).toMatchObject({ status: 200, body: { data: [] } })
    const activated = await license.activate(keyName)
    expect(activated).toMatchObject({
      status: 200,
      body: { license: { id: licenseKey, status: 'ACTIVE', suspended_at: null }, key: { name: keyName } },
    })
    const { id } = activated.body.key
    expect((await license.keys()).body).toMatchObject({ data: [{ id, name: keyName }], meta: { total: 1 } })
    expect(await license.key(id)).toMatchObject({ status: 200, body: { data: { id, name: keyName } } })
    expect(await license.validate(id)).toMatchObject({
      status: 200,
      body: { license: { id: licenseKey, status: 'ACTIVE' }, key: { id } },
    })
    expect(await license.deactivate(id)).toMatchObject({ status: 200, body: { message: expect.any(String) } })
    expect(emulator.control.keys(licenseId)).toEqual([])
  })

  test('returns the license’s end', async () => {
    const { emulator, license, licenseId } = await start()
    const { id } = (await license.activate(keyName)).body.key
    const end = Date.parse(emulator.control.license(licenseId).expires_at ?? '')
    const { license: shown } = (await license.validate(id)).body
    expect(Math.abs(Date.parse(shown.expires_at) - end)).toBeLessThan(1000)
  })

  test('signs a lease for exactly this license key, key and device', async () => {
    const { license, licenseKey } = await start()
    const { body } = await license.activate(keyName)
    const validated = await license.validate(body.key.id, fingerprint, withNonce)
    const about = { licenseId: licenseKey, keyId: body.key.id }
    expect(await leaseClaims(validated.lease, about)).toMatchObject({
      ent: true,
      sta: 'ACTIVE',
      fp: fingerprint,
    })
    const other = licenseKey.replace(/[a-z]/gu, 'q').replace(/[A-Z]/gu, 'Q')
    expect(await leaseClaims(validated.lease, { licenseId: other })).toBe('other-license')
  })

  test('looks up the fingerprint if an app doesn’t send it', async () => {
    const { gateway, license, licenseKey } = await start()
    const { id } = (await license.activate(keyName)).body.key
    const path = `/licenses/~${Buffer.from(licenseKey).toString('base64url')}`
    // In a path, a UUID is not encoded like this.
    const isUuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/iu.test(licenseKey)
    const route = isUuid ? `/licenses/${licenseKey}` : path
    const validated = await gateway.ask('POST', `${route}/validate`, { key: id }, withNonce)
    expect(validated.status).toBe(200)
    expect(await leaseClaims(validated.lease, { licenseId: licenseKey, keyId: id })).toMatchObject({
      fp: fingerprint,
    })
  })

  test.each(['expired', 'suspended'] as const)(
    'signs a lease for a license that is %s',
    async (situation) => {
      const { emulator, license, licenseKey, licenseId } = await start()
      const { id } = (await license.activate(keyName)).body.key
      emulator.control[situation === 'expired' ? 'expire' : 'suspend'](licenseId)
      const { status, body, lease } = await license.validate(id, fingerprint, withNonce)
      expect(status).toBe(200)
      const shown = body.license
      if (situation === 'suspended') expect(Date.parse(shown.suspended_at)).toBeLessThanOrEqual(Date.now())
      else expect(Date.parse(shown.expires_at)).toBeLessThanOrEqual(Date.now())
      expect(await leaseClaims(lease, { licenseId: licenseKey, keyId: id })).toMatchObject({
        ent: false,
        sta: shown.status,
        sus: shown.suspended_at,
        lex: shown.expires_at,
      })
    },
  )

  test('returns why it can’t activate, and uses no seat', async () => {
    const { emulator, gateway, license, licenseKey, licenseId } = await start()
    const unknown = licenseKey.replace(/\d/gu, '7')
    expect(await gateway.of(unknown).activate(keyName)).toMatchObject({
      status: 404,
      body: { error: 'not-found' },
    })
    for (const name of ['A', 'B', 'C']) emulator.control.addKey(licenseId, `${name} [${otherFingerprint}]`)
    expect(await license.activate(keyName)).toMatchObject({ status: 422, body: { error: 'no-seat-left' } })
    emulator.control.suspend(licenseId)
    const refused = await license.activate(keyName)
    expect(refused.status).toBe(422)
    // Dodo Payments doesn't report why a license is inactive.
    expect(refused.body.error).toBe(face === 'dodo' ? 'license-inactive' : 'license-suspended')
    expect(emulator.control.keys(licenseId)).toHaveLength(3)
    expect(gateway.lines.map(({ level }) => level)).not.toContain('error')
  })

  test('shows to the millisecond when a device was activated, so that the oldest one is kept', async () => {
    const { emulator, license, licenseId } = await start()
    const { created_at } = emulator.control.addKey(licenseId, keyName)
    const [shown] = (await license.keys()).body.data
    expect(Date.parse(shown.created_at)).toBe(Date.parse(created_at))
  })

  test('signs that a key is gone if the complete list doesn’t contain it', async () => {
    const { emulator, license, licenseKey, licenseId } = await start()
    const { id } = (await license.activate(keyName)).body.key
    emulator.control.addKey(licenseId, `Other [${otherFingerprint}]`)
    expect(await license.key(id, withNonce)).toMatchObject({ status: 200, lease: null })
    const [own] = emulator.control.keys(licenseId)
    emulator.control.removeKey(licenseId, own?.id ?? '')
    expect(await license.validate(id)).toMatchObject({ status: 404, body: { error: 'not-found' } })
    const shown = await license.key(id, withNonce)
    expect(shown).toMatchObject({ status: 404, body: { error: 'not-found' } })
    expect(await leaseClaims(shown.lease, { licenseId: licenseKey, keyId: id })).toMatchObject({
      sta: 'GONE',
    })
    expect(await license.deactivate(id)).toMatchObject({ status: 404, body: { error: 'not-found' } })
  })

  test.each([
    ['404 in JSON', { fault: 'status', status: 404 }],
    ['410 in JSON', { fault: 'status', status: 410 }],
    ['422 in JSON', { fault: 'status', status: 422 }],
    ['403 in JSON', { fault: 'status', status: 403 }],
    ['a page', { fault: 'html' }],
    ['nothing', { fault: 'reset' }],
    ['503', { fault: 'status', status: 503 }],
  ] as const)('revokes no license while a proxy answers everything with %s', async (_what, fault) => {
    const { emulator, license, licenseId } = await start()
    const { id } = (await license.activate(keyName)).body.key
    emulator.control.faults.inject(fault)
    const told = [
      await license.keys(),
      await license.key(id, withNonce),
      await license.validate(id, fingerprint, withNonce),
      await license.deactivate(id),
    ]
    for (const { status, lease, type } of told) {
      expect(lease).toBeNull()
      expect(status).toBeGreaterThanOrEqual(400)
      // Old app versions trust a 404 in JSON.
      if (status === 404 || status === 410) expect(type).toMatch(/^text\/plain/u)
    }
    emulator.control.faults.clear()
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })

  test('passes on Retry-After, limited to an hour', async () => {
    const { emulator, license } = await start()
    emulator.control.faults.inject({ fault: 'status', status: 503, retryAfterSeconds: 90_000 })
    expect(await license.keys()).toMatchObject({
      status: 503,
      body: { error: 'upstream-busy' },
      retryAfter: '3600',
    })
  })

  test('returns and logs neither its secret nor a license key', async () => {
    const { emulator, gateway, license, licenseKey } = await start()
    const told = JSON.stringify([await license.activate(keyName), await license.keys()])
    expect(told).not.toContain(accessToken)
    const logged = JSON.stringify(gateway.lines)
    expect(logged).not.toContain(licenseKey)
    expect(logged).not.toContain(accessToken)
    expect(JSON.stringify(emulator.control.requests())).not.toContain(accessToken)
  })
})
