import { CommerceError } from '@latchkey/commerce'
import { describe, expect, test } from 'vitest'
import { maskedText } from '../src/http/request-log.ts'
import type { AllowRule, ServedLicense } from '../src/index.ts'
import { accessToken, keyName, startGateway } from './gateway-fixture.ts'
import { adapterOf, gatewayOf, startFace } from './services/face-fixture.ts'

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
    const { of, lines } = gatewayOf(adapterOf('polar', service), { [rule]: failing })
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
    const { of, lines } = gatewayOf(adapterOf('polar', service), {
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
