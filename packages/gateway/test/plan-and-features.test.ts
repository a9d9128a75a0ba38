import { serviceNames } from '@latchkey/services/environment'
import { describe, expect, test } from 'vitest'
import type { GatewayOptions, ServedLicense } from '../src/index.ts'
import { keyName, leaseClaims, signing, startGateway, withNonce } from './gateway-fixture.ts'
import { adapterOf, gatewayOf, startFace } from './services/face-fixture.ts'

/** What a rule in JavaScript may return. */
// biome-ignore lint/suspicious/noExplicitAny: that is the point
const untyped = (value: any): readonly string[] => value
const thousand = Array.from({ length: 1_000 }, (_, index) => `feature-${index}`)

async function activate(rules: Pick<GatewayOptions, 'plan' | 'features'>) {
  const fixture = await startGateway({ signing, ...rules })
  const { call, licenseId } = fixture
  const answer = await call('POST', `/licenses/${licenseId}/activate`, {
    json: { name: keyName },
    headers: withNonce,
  })
  const lease = answer.headers.get('latchkey-lease') ?? ''
  const told = await leaseClaims(lease)
  const body = await answer.text()
  const license = answer.ok ? JSON.parse(body).license : null
  return { ...fixture, answer, license, lease, claims: typeof told === 'object' ? told : null }
}

describe('the plan and features rules', () => {
  test('set plan and features in the lease and in the response', async () => {
    const seen: ServedLicense[] = []
    const { license, claims } = await activate({
      plan(served) {
        seen.push(served)
        return 'Team'
      },
      features: async ({ activation_limit }) => (activation_limit === 3 ? ['export', 'sync'] : []),
    })
    expect(seen).toMatchObject([{ service: 'commerce', product: null, plan: null, features: [] }])
    expect(license).toMatchObject({ plan: 'Team', features: ['export', 'sync'] })
    expect(claims).toMatchObject({ ent: true, plan: 'Team', feat: ['export', 'sync'] })
  })

  test('are optional, and without them the response has no plan or features', async () => {
    const { license, claims } = await activate({})
    expect(Object.keys(license)).not.toContain('plan')
    expect(Object.keys(claims ?? {}).filter((name) => name === 'plan' || name === 'feat')).toEqual([])
  })

  test.each([
    ['a thousand features', { features: () => thousand }],
    ['features that are no text', { features: () => untyped([3, null, 'export']) }],
    ['endless features', { features: () => ['x'.repeat(5_000), 'export'] }],
    ['features in many bytes', { features: () => thousand.map((name) => `機能の名前がとても長い${name}`) }],
  ])('that return %s never make a lease too long, and this is logged', async (_what, rules) => {
    const { answer, lease, claims, lines } = await activate({ plan: () => 'x'.repeat(10_000), ...rules })
    expect(answer.status).toBe(200)
    expect(lease.length).toBeLessThan(4_000)
    expect(claims).toMatchObject({ ent: true, plan: null, feat: expect.any(Array) })
    expect(lines).toMatchObject([{ remark: 'features-cut', level: 'warn' }])
  })

  test.each([
    ['features', 'a text', () => untyped('export'), 'returned a string instead of a list of texts'],
    [
      'features',
      'a set',
      () => untyped(new Set(['export'])),
      'returned an object instead of a list of texts',
    ],
    ['features', 'false', async () => untyped(false), 'returned a boolean instead of a list of texts'],
    ['plan', 'a number', () => untyped(3), 'returned a number instead of a text, or null for none'],
    ['plan', 'a list', async () => ['Team'], 'returned a list instead of a text, or null for none'],
  ])('take nothing from a customer if %s returns %s', async (rule, _what, result, detail) => {
    const { answer, lease, lines } = await activate({ [rule]: result })
    expect([answer.status, lease]).toEqual([500, ''])
    expect(lines).toMatchObject([{ level: 'error', code: 'internal', detail: `rule ${rule}: ${detail}` }])
  })

  test('have nothing to say if they return null', async () => {
    const { claims, lines } = await activate({ plan: () => null, features: () => untyped(null) })
    expect(claims).toMatchObject({ ent: true, plan: null, feat: [] })
    expect(lines).toMatchObject([{ level: 'info', remark: null, detail: null }])
  })

  test('give nothing to a product without an entry in a table, and the log warns', async () => {
    const plans: Record<string, string> = {}
    const features: Record<string, readonly string[]> = {}
    const { claims, lines } = await activate({
      plan: ({ product }) => plans[String(product)] as string,
      features: ({ product }) => features[String(product)] as readonly string[],
    })
    expect(claims).toMatchObject({ ent: true, plan: null, feat: [] })
    const detail =
      'rule features: returned undefined, which counts as none. rule plan: returned undefined, which counts as none.'
    expect(lines).toMatchObject([{ level: 'warn', code: null, detail }])
  })

  test('also apply to an expired license', async () => {
    const { call, emulator, licenseId } = await activate({ features: () => ['export'] })
    const [key] = emulator.control.keys(licenseId)
    emulator.control.updateLicense(licenseId, { expires_at: '2020-01-01T00:00:00.000000Z' })
    const json = { key: key?.id }
    const answer = await call('POST', `/licenses/${licenseId}/validate`, { json, headers: withNonce })
    const claims = await leaseClaims(answer.headers.get('latchkey-lease'))
    expect(claims).toMatchObject({ ent: false, feat: ['export'] })
  })
})

describe.each(serviceNames)('in front of %s', (face) => {
  test('the service’s plan is signed, and a rule can derive features from it', async () => {
    const emulator = await startFace(face)
    const told: (string | null)[] = []
    const { of } = gatewayOf(adapterOf(face, emulator), {
      signing,
      features({ plan }) {
        told.push(plan)
        return [`all-of-${plan}`]
      },
    })
    const answer = await of(emulator.licenseKey).activate(keyName, withNonce)
    const [plan] = told
    const { settings } = emulator
    const expected = { polar: settings['benefitId'], dodo: settings['productId'] }
    expect(plan).toBe(face === 'polar' || face === 'dodo' ? expected[face] : 'Pro')
    expect(answer.body.license.features).toEqual([`all-of-${plan}`])
    expect(await leaseClaims(answer.lease)).toMatchObject({ plan, feat: [`all-of-${plan}`] })
  })
})
