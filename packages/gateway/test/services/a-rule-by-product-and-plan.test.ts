import { readService, serviceNames } from '@latchkey/services/environment'
import { describe, expect, test } from 'vitest'
import type { ServedLicense } from '../../src/index.ts'
import { accessToken, keyName, leaseClaims, signing, startService, withNonce } from '../gateway-fixture.ts'
import { adapterOf, environmentOf, fingerprint, gatewayOf, startFace } from './face-fixture.ts'

describe.each(serviceNames)('the vendor’s own rule in front of %s', (face) => {
  async function start() {
    const emulator = await startFace(face)
    const seen: ServedLicense[] = []
    const rule = { allows: true }
    const gateway = gatewayOf(adapterOf(face, emulator), {
      signing,
      allow(license) {
        seen.push(license)
        return rule.allows
      },
    })
    return { emulator, seen, rule, gateway, license: gateway.of(emulator.licenseKey) }
  }

  test('gets the service, the product and the plan', async () => {
    const { emulator, seen, license } = await start()
    expect((await license.activate(keyName)).status).toBe(200)
    const { settings } = emulator
    const product = settings['benefitId'] ?? settings['productId'] ?? settings['product']
    expect(seen.at(-1)).toMatchObject({ service: face, product, status: 'ACTIVE' })
    if (face === 'lemon-squeezy') expect(seen.at(-1)?.plan).toEqual(expect.any(String))
  })

  test('uses no seat for a license that it refuses, and lists none of its devices', async () => {
    const { emulator, rule, gateway, license } = await start()
    rule.allows = false
    expect(await license.activate(keyName)).toMatchObject({ status: 404, body: { error: 'not-found' } })
    const { id } = emulator.demoLicense
    expect(emulator.control.keys(id)).toEqual([])
    emulator.control.addKey(id, keyName)
    expect(await license.keys()).toMatchObject({ status: 200, body: { data: [] } })
    expect(gateway.lines.map(({ remark }) => remark)).toEqual(['not-allowed', 'not-allowed'])
  })

  test('leaves it to the service why an ended license isn’t activated', async () => {
    const { emulator, license } = await start()
    const plain = gatewayOf(adapterOf(face, emulator)).of(emulator.licenseKey)
    emulator.control.expire(emulator.demoLicense.id)
    const { status, body } = await plain.activate(keyName)
    expect(body.error).not.toBe('not-found')
    expect(await license.activate(keyName)).toMatchObject({ status, body: { error: body.error } })
  })

  test('reports the key of such a license as gone, and still allows deactivating it', async () => {
    const { emulator, rule, license } = await start()
    const { id } = (await license.activate(keyName)).body.key
    rule.allows = false
    expect(await license.validate(id, fingerprint)).toMatchObject({ status: 404 })
    const shown = await license.key(id, withNonce)
    expect(await leaseClaims(shown.lease)).toMatchObject({ ent: false, sta: 'GONE', key: id })
    expect(await license.deactivate(id)).toMatchObject({ status: 200 })
    expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([])
  })
})

describe('a rule by features in front of keygen', () => {
  async function start(features: readonly string[]) {
    const emulator = await startFace('keygen')
    const variables = { ...environmentOf('keygen', emulator), LATCHKEY_KEYGEN_ENTITLEMENTS: '1' }
    const service = readService('keygen', variables, [])
    if (service === null) throw new Error('The settings are invalid')
    const gateway = gatewayOf(service, {
      signing,
      allow: (license) => license.features.includes('EXPORT'),
    })
    emulator.control.updateLicense(emulator.demoLicense.id, { features: [...features] })
    return { emulator, license: gateway.of(emulator.licenseKey) }
  }

  test('serves a license whose entitlements include them, on every route', async () => {
    const { emulator, license } = await start(['EXPORT'])
    const activated = await license.activate(keyName)
    expect(activated.status).toBe(200)
    const { id } = activated.body.key
    expect((await license.keys()).body.data).toMatchObject([{ id }])
    expect(await license.key(id, withNonce)).toMatchObject({ status: 200, lease: null })
    expect(await license.validate(id, fingerprint)).toMatchObject({ status: 200 })
    emulator.control.expire(emulator.demoLicense.id)
    expect((await license.keys()).body.data).toMatchObject([{ id }])
    expect(await license.key(id, withNonce)).toMatchObject({ status: 200, lease: null })
  })

  test('refuses another license', async () => {
    const { license } = await start(['SYNC'])
    expect(await license.activate(keyName)).toMatchObject({ status: 404, body: { error: 'not-found' } })
  })

  test('refuses no license whose entitlements can’t be read', async () => {
    const { emulator, license } = await start(['EXPORT'])
    const { id } = (await license.activate(keyName)).body.key
    emulator.control.faults.inject({ fault: 'status', status: 503, operation: 'key' })
    for (const reply of [
      await license.keys(),
      await license.key(id, withNonce),
      await license.validate(id, fingerprint),
    ]) {
      expect(reply).toMatchObject({ lease: null })
      expect(reply.status).toBeGreaterThanOrEqual(500)
    }
  })
})

test('the rule gets the service’s name in front of the commerce service', async () => {
  const emulator = await startService()
  const seen: ServedLicense[] = []
  const { of } = gatewayOf(
    { baseUrl: emulator.baseUrl, accessToken },
    { allow: (license) => seen.push(license) > 0 },
  )
  await of(emulator.licenseKey).activate(keyName)
  expect(seen).toMatchObject([{ service: 'commerce', product: null, plan: null, status: 'ACTIVE' }])
})

test('a license that Dodo’s list doesn’t have yet takes no seat before the rule has seen it', async () => {
  const emulator = await startFace('dodo')
  const gateway = gatewayOf(adapterOf('dodo', emulator), { allow: ({ id }) => id.startsWith('MADE-UP') })
  await gateway.of('MADE-UP-0000-AAAA').keys()
  const { id } = emulator.control.createLicense({ id: 'c0ffee00-1111-4222-8333-444455556666' })
  const licenseKey = `Inkwell-${id.replaceAll('-', '').slice(0, 20).toUpperCase()}`
  expect(await gateway.of(licenseKey).activate(keyName)).toMatchObject({
    status: 404,
    body: { error: 'not-found' },
  })
  expect(emulator.control.keys(id)).toEqual([])
  expect(emulator.control.requests().map(({ operation }) => operation)).not.toContain('activate')
})
