import { CommerceError, createCommerceClient } from '@latchkey/commerce'
import { describe, expect, test } from 'vitest'
import { maskedText } from '../src/http/request-log.ts'
import type { AllowRule, ServedLicense } from '../src/index.ts'
import { accessToken, keyName, leaseClaims, signing, startGateway, withNonce } from './gateway-fixture.ts'
import { adapterOf, gatewayOf as faceGatewayOf, startFace } from './services/face-fixture.ts'

describe('a license that the allow rule refuses', () => {
  const allow = ({ status }: { status: string }) => status === 'ACTIVE'

  test('looks like an unknown license', async () => {
    const { emulator, call, licenseId, lines } = await startGateway({ allow })
    const key = emulator.control.addKey(licenseId, keyName).id
    emulator.control.updateLicense(licenseId, { status: 'BETA' })
    const answers = await Promise.all([
      call('GET', `/licenses/${licenseId}/keys/${key}`),
      call('POST', `/licenses/${licenseId}/validate`, { json: { key } }),
    ])
    for (const answer of answers) {
      expect(answer.status).toBe(404)
      expect(await answer.json()).toEqual({ error: 'not-found' })
    }
    expect(lines).toMatchObject(answers.map(() => ({ code: 'not-found', remark: 'not-allowed' })))
  })

  test('has an empty list of keys, which proves to a device that its key is gone', async () => {
    const { emulator, call, licenseId, lines } = await startGateway({ allow })
    emulator.control.addKey(licenseId, keyName)
    emulator.control.updateLicense(licenseId, { status: 'BETA' })
    const answer = await call('GET', `/licenses/${licenseId}/keys`)
    expect([answer.status, await answer.json()]).toEqual([200, { data: [] }])
    expect(lines).toMatchObject([{ code: null, remark: 'not-allowed' }])
  })

  test('keeps no seat from an activation that came before the rule', async () => {
    const { emulator, call, licenseId } = await startGateway({ allow: () => false })
    const answer = await call('POST', `/licenses/${licenseId}/activate`, { json: { name: keyName } })
    expect(answer.status).toBe(404)
    expect(emulator.control.keys(licenseId)).toEqual([])
  })

  test('is logged if releasing the seat failed', async () => {
    const { emulator, call, licenseId, lines } = await startGateway({ allow: () => false })
    emulator.control.faults.inject({ fault: 'status', status: 500, operation: 'deactivate' })
    const answer = await call('POST', `/licenses/${licenseId}/activate`, { json: { name: keyName } })
    expect(answer.status).toBe(404)
    expect(lines).toMatchObject([{ level: 'error', remark: 'not-allowed-seat-kept' }])
  })

  test('can still be deactivated', async () => {
    const { emulator, call, licenseId } = await startGateway({ allow: () => false })
    const key = emulator.control.addKey(licenseId, keyName).id
    expect((await call('DELETE', `/licenses/${licenseId}/deactivate`, { json: { key } })).status).toBe(200)
    expect(emulator.control.keys(licenseId)).toEqual([])
  })

  test('is refused with a signed lease if leases are on', async () => {
    const { emulator, call, licenseId } = await startGateway({
      allow: () => false,
      signing,
    })
    const key = emulator.control.addKey(licenseId, keyName).id
    const answer = await call('GET', `/licenses/${licenseId}/keys/${key}`, {
      headers: withNonce,
    })
    const claims = await leaseClaims(answer.headers.get('latchkey-lease'))
    expect(claims).toMatchObject({ ent: false, sta: 'GONE' })
  })

  test('does not count as unknown if the requested lease can’t be signed', async () => {
    const { emulator, call, licenseId, lines } = await startGateway({ allow: () => false })
    const service = await startFace('polar')
    const face = faceGatewayOf(adapterOf('polar', service), { allow: () => false })
    const { id } = emulator.control.addKey(licenseId, keyName)
    await call('GET', `/licenses/${licenseId}/keys/${id}`, { headers: withNonce })
    await face.of(service.licenseKey).key(id, withNonce)
    expect([...lines, ...face.lines]).toMatchObject([
      { status: 404, remark: 'not-allowed' },
      { status: 404, remark: 'not-allowed' },
    ])
  })

  test('does not affect a license that the rule allows', async () => {
    const { gateway, licenseId } = await startGateway({ allow: async () => true })
    const app = createCommerceClient({ baseUrl: 'http://localhost/v1', fetch: gateway })
    const { key } = await app.licenses.activate(licenseId, { name: keyName })
    expect(await app.licenses.keys(licenseId)).toEqual([key])
    expect(await app.licenses.key(licenseId, key.id)).toEqual(key)
  })
})

describe('a rule that returns neither true nor false', () => {
  test.each(['Pro', 1, {}])('allows the license with a value that counts as true: %j', async (value) => {
    const allow = (async () => value) as unknown as AllowRule
    const { call, licenseId } = await startGateway({ allow })
    const activated = await call('POST', `/licenses/${licenseId}/activate`, { json: { name: keyName } })
    const service = await startFace('polar')
    const face = faceGatewayOf(adapterOf('polar', service), { allow })
    const elsewhere = await face.of(service.licenseKey).activate(keyName)
    expect([activated.status, elsewhere.status]).toEqual([200, 200])
  })
})

describe('a rule that returns nothing, for example because a return is missing,', () => {
  const rules = {
    nothing: async ({ status }: { status: string }) => void (status === 'ACTIVE'),
    null: () => null,
    zero: () => 0,
    'an empty text': () => '',
  } as unknown as Record<string, AllowRule>

  test.each(Object.entries(rules))('revokes nobody: %s', async (_what, allow) => {
    const { emulator, call, licenseId, lines } = await startGateway({ allow, signing })
    const { id: key } = emulator.control.addKey(licenseId, keyName)
    const headers = withNonce
    const answers = [
      await call('GET', `/licenses/${licenseId}/keys`),
      await call('GET', `/licenses/${licenseId}/keys/${key}`, { headers }),
      await call('POST', `/licenses/${licenseId}/validate`, { json: { key }, headers }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500])
    expect(answers.map((answer) => answer.headers.get('latchkey-lease'))).toEqual([null, null, null])
    const detail = expect.stringMatching(/^rule allow: returned .+ instead of true or false$/u)
    const line = { level: 'error', code: 'internal', remark: 'allow-not-boolean', detail }
    expect(lines).toMatchObject([line, line, line])
  })

  test('keeps no seat from an activation that came before the rule', async () => {
    const allow = rules['nothing'] as AllowRule
    const { emulator, call, licenseId, lines } = await startGateway({ allow })
    const answer = await call('POST', `/licenses/${licenseId}/activate`, { json: { name: keyName } })
    expect([answer.status, await answer.json()]).toEqual([500, { error: 'internal' }])
    expect(emulator.control.keys(licenseId)).toEqual([])
    emulator.control.faults.inject({ fault: 'status', status: 500, operation: 'deactivate' })
    await call('POST', `/licenses/${licenseId}/activate`, { json: { name: keyName } })
    expect(lines).toMatchObject([
      { level: 'error', code: 'internal', remark: 'allow-not-boolean' },
      { level: 'error', code: 'internal', remark: 'seat-kept' },
    ])
  })

  test('revokes nobody at another service', async () => {
    const allow = rules['nothing'] as AllowRule
    const service = await startFace('polar')
    const { of, lines } = faceGatewayOf(adapterOf('polar', service), { allow })
    const license = of(service.licenseKey)
    const { id } = service.control.addKey(service.demoLicense.id, keyName)
    expect(await license.keys()).toMatchObject({ status: 500 })
    expect(await license.validate(id)).toMatchObject({ status: 500 })
    expect(await license.activate('Ada’s phone [fedcba9876543210]')).toMatchObject({ status: 500 })
    expect(service.control.keys(service.demoLicense.id)).toHaveLength(1)
    const line = { level: 'error', code: 'internal', remark: 'allow-not-boolean' }
    expect(lines).toMatchObject([line, line, line])
  })
})

describe('a key that the service shows but does not validate', () => {
  const allow = () => true

  test('is shown and never signed as gone', async () => {
    const { emulator, call, licenseId } = await startGateway({ allow, signing })
    const key = emulator.control.addKey(licenseId, keyName).id
    emulator.control.faults.inject({ fault: 'status', status: 404, operation: 'validate' })
    const path = `/licenses/${licenseId}/keys/${key}`
    const shown = await call('GET', path, { headers: withNonce })
    expect(shown.status).toBe(200)
    expect(shown.headers.get('latchkey-lease')).toBeNull()

    emulator.control.faults.clear()
    emulator.control.faults.inject({ fault: 'status', status: 503, operation: 'validate' })
    const unknown = await call('GET', path, { headers: withNonce })
    expect([unknown.status, unknown.headers.get('latchkey-lease')]).toEqual([503, null])
  })

  test('does not make its license look unknown', async () => {
    const { emulator, call, licenseId } = await startGateway({ allow })
    emulator.control.addKey(licenseId, keyName)
    emulator.control.faults.inject({ fault: 'status', status: 422, operation: 'validate' })
    expect((await call('GET', `/licenses/${licenseId}/keys`)).status).toBe(200)
  })
})

describe("with devices: 'own'", () => {
  const colleague = 'Ada’s laptop [fedcba9876543210]'
  const asOwner = { headers: { 'latchkey-fingerprint': '0123456789abcdef' } }

  test('an app lists its own device, and nobody else’s id or name', async () => {
    const { emulator, call, licenseId } = await startGateway({ devices: 'own' })
    emulator.control.addKey(licenseId, colleague)
    const own = emulator.control.addKey(licenseId, keyName)
    const listed = await call('GET', `/licenses/${licenseId}/keys`, asOwner)
    expect(listed.status).toBe(200)
    expect(await listed.json()).toMatchObject({ data: [{ id: own.id, name: keyName }], meta: { total: 1 } })
  })

  test('the page that shows all devices to anyone with the license key is refused', async () => {
    await expect(startGateway({ devices: 'own', devicesPage: true })).rejects.toThrow('use one of them')
  })

  test.each([
    ['no fingerprint', {}],
    ['an empty one', { 'latchkey-fingerprint': '' }],
  ])('an app that sends %s gets no list, which proves nothing', async (_what, headers) => {
    const { emulator, call, licenseId } = await startGateway({ devices: 'own' })
    emulator.control.addKey(licenseId, colleague)
    const answer = await call('GET', `/licenses/${licenseId}/keys`, { headers })
    expect([answer.status, await answer.json()]).toEqual([403, { error: 'list-not-allowed' }])
  })

  test.each([
    ['no-seat-left', { activation_limit: 1 }],
    ['license-suspended', { suspended_at: '2026-01-01T00:00:00.000000Z' }],
    ['license-expired', { expires_at: '2026-01-01T00:00:00.000000Z' }],
  ])('an app is told %s, which the devices of others would show', async (code, license) => {
    const { emulator, call } = await startGateway({ devices: 'own' })
    const { id } = emulator.control.createLicense({ ...license, keys: [colleague] })
    const answer = await call('POST', `/licenses/${id}/activate`, { json: { name: keyName } })
    expect([answer.status, await answer.json()]).toEqual([422, { error: code }])
    expect(emulator.control.keys(id)).toHaveLength(1)
  })
})

type RuleName = 'allow' | 'plan' | 'features'

/** Returns the log lines of an activation and of a validation with a rule that fails. */
async function linesWith(rule: RuleName, fail: (license: ServedLicense) => never) {
  const { call, emulator, lines, licenseId } = await startGateway({ [rule]: fail })
  const { id: key } = emulator.control.addKey(licenseId, keyName)
  const answers = [
    await call('POST', `/licenses/${licenseId}/activate`, { json: { name: keyName } }),
    await call('POST', `/licenses/${licenseId}/validate`, { json: { key } }),
  ]
  for (const answer of answers) {
    expect([answer.status, await answer.json()]).toEqual([500, { error: 'internal' }])
  }
  return { lines, licenseId, key }
}

describe('a rule that throws is named in the log, with its error', () => {
  const failing = (): never => {
    const missing: { plans?: string[] } = {}
    return (missing.plans as string[]).at(0) as never
  }

  test.each<RuleName>(['allow', 'plan', 'features'])('%s', async (rule) => {
    const { lines } = await linesWith(rule, failing)
    const detail = `rule ${rule}: TypeError: Cannot read properties of undefined (reading 'at')`
    const line = { level: 'error', code: 'internal', detail }
    expect(lines).toMatchObject([line, line])
  })

  test.each<RuleName>(['allow', 'plan', 'features'])('%s, in front of another service', async (rule) => {
    const service = await startFace('polar')
    const { of, lines } = faceGatewayOf(adapterOf('polar', service), { [rule]: failing })
    expect(await of(service.licenseKey).activate(keyName)).toMatchObject({ status: 500 })
    expect(lines).toMatchObject([{ detail: expect.stringMatching(`^rule ${rule}: TypeError: `) }])
  })

  test('without a message, by the code and the cause', async () => {
    const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })
    const { lines } = await linesWith('plan', () => {
      throw new TypeError('fetch failed', { cause: refused })
    })
    expect(lines[0]?.detail).toBe('rule plan: TypeError: fetch failed (AggregateError: ECONNREFUSED)')
  })

  test('even if it throws no error', async () => {
    const { lines } = await linesWith('features', () => {
      throw 3
    })
    expect(lines[0]?.detail).toBe('rule features: something other than an error was thrown')
  })
})

test('a rule that fails because the service refused something else says nothing about the license', async () => {
  const allow: AllowRule = () => {
    throw new CommerceError('not-found', { operation: 'licenses.key', status: 404, bodyIsJson: true })
  }
  const { lines } = await linesWith('allow', allow as () => never)
  expect(lines.map(({ code }) => code)).toEqual(['internal', 'internal'])
})

describe('the error of a rule shows no secret', () => {
  test.each([
    ['the license key', ({ id }: ServedLicense) => `no row for ${id}`],
    ['the license key in capitals', ({ id }: ServedLicense) => `no row for ${id.toUpperCase()}.`],
    ['a token', () => `"Bearer ${accessToken}" is an invalid header`],
    ['a password', () => 'no connection to postgres://admin:hunter2@db.internal/app'],
    ['an address', () => 'unknown customer ada@example.com'],
    ['a very long text', () => `x ${'9 '.repeat(5_000)}`],
  ])('%s', async (_what, messageOf) => {
    const { lines, licenseId } = await linesWith('allow', (license) => {
      throw new Error(messageOf(license))
    })
    const details = lines.map(({ detail }) => detail?.toLowerCase() ?? '')
    for (const secret of [licenseId, accessToken.toLowerCase(), 'hunter2', 'admin', 'ada@', 'example.com']) {
      expect(details.join()).not.toContain(secret)
    }
    for (const detail of details) {
      expect(detail).toMatch(/^rule allow: error: .*…/u)
      expect(detail.length).toBeLessThan(310)
    }
  })

  test('the license key of another service', async () => {
    const service = await startFace('polar')
    const { of, lines } = faceGatewayOf(adapterOf('polar', service), {
      allow({ id }) {
        throw new Error(`no row for ${id}`)
      },
    })
    await of(service.licenseKey).activate(keyName)
    expect(lines.at(-1)?.detail).toMatch(/^rule allow: Error: no row for .*…/u)
    expect(JSON.stringify(lines)).not.toContain(service.licenseKey)
  })

  test('a short license key with special characters', () => {
    expect(maskedText('no row for A+B-7 (a+b-7).', ['a+b-7', ''])).toBe('no row for … (…).')
  })
})
