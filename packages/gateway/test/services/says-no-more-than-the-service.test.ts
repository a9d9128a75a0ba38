import type { LicenseService, Outcome, RefusalReason, UnavailableCause } from '@latchkey/services'
import { describe, expect, test } from 'vitest'
import { pathIdOf } from '../../src/http/routes.ts'
import { createGateway, type UpstreamOptions } from '../../src/index.ts'
import { leaseClaims, signing, withNonce } from '../gateway-fixture.ts'

const licenseId = 'INKWELL-1C285B2D-6CE6-4BC7-B8BE-ADB6A7E304DA'
const keyId = 'act_1'
const license = {
  id: 'lic_1',
  status: 'active',
  endsAtMs: 'never',
  worksAfterEnd: false,
  seatLimit: 3,
  seatsInUse: 1,
  product: null,
  plan: null,
  isTest: null,
} as const
const activation = {
  id: keyId,
  deviceName: 'Laptop',
  fingerprint: '0123456789abcdef',
  createdAtMs: 1,
} as const

const answer = <Value>(value: Value): Outcome<Value> => ({
  kind: 'answer',
  value,
  serverDateMs: Date.now(),
  proof: null,
})
const refusal = (reason: RefusalReason, leftoverActivationId: string | null = null): Outcome<never> => ({
  kind: 'refusal',
  reason,
  license: null,
  leftoverActivationId,
  httpStatus: 404,
  serverDateMs: Date.now(),
})
const unavailable = (cause: UnavailableCause): Outcome<never> => ({
  kind: 'unavailable',
  cause,
  httpStatus: null,
  retryAfterMs: null,
  serverDateMs: null,
  bodyIsJson: null,
  mayHaveActed: true,
  detail: null,
})

/** A gateway in front of a service that says what the test wants. */
async function behind(says: Partial<LicenseService>, others: readonly UpstreamOptions[] = []) {
  const deactivated: string[] = []
  const service: LicenseService = {
    name: 'scripted',
    baseUrl: 'https://service.example',
    capabilities: {
      listsActivations: true,
      idempotentByFingerprint: false,
      tellsTheEnd: true,
      signsItsAnswers: false,
    },
    links: { customerPortal: null },
    vendorSecrets: ['apiKey'],
    findLicenseKey: (text) => ({ ok: true, licenseKey: text }),
    activate: async () => answer({ license, activation }),
    validate: async () => answer({ license, activation }),
    deactivate: async (request) => {
      deactivated.push(request.activationId)
      return answer(null)
    },
    listActivations: async () => answer({ activations: [], isWhole: true }),
    ...says,
  }
  const gateway = createGateway({ upstream: [service, ...others], signing })
  const ask = (path: string, init: RequestInit = {}, licenseKey = licenseId) =>
    gateway(
      new Request(`https://gateway.example/v1/licenses/${pathIdOf(licenseKey)}${path}`, {
        ...init,
        headers: { 'content-type': 'application/json', ...withNonce },
      }),
    )
  /** What the gateway signs about the key; `null` for nothing. */
  async function signed(): Promise<string | null> {
    const lease = (await ask(`/keys/${pathIdOf(keyId)}`)).headers.get('latchkey-lease')
    const claims = await leaseClaims(lease, { licenseId, keyId })
    return typeof claims === 'object' ? (claims?.sta ?? null) : claims
  }
  return { ask, signed, deactivated }
}

describe('a key is signed as gone', () => {
  test('where the whole list lacks it, and the service doesn’t know it either', async () => {
    const { signed } = await behind({ validate: async () => refusal('unknown-activation') })
    expect(await signed()).toBe('GONE')
  })

  test.each<[string, Partial<LicenseService>]>([
    [
      'only part of the list could be read',
      {
        listActivations: async () => answer({ activations: [], isWhole: false }),
        validate: async () => refusal('unknown-activation'),
      },
    ],
    ['the service still validates it', {}],
    ['the service doesn’t know the license', { validate: async () => refusal('unknown-license') }],
    ['the license key is another product’s', { validate: async () => refusal('wrong-product') }],
  ])('but not where %s', async (_what, says) => {
    const { ask, signed } = await behind(says)
    expect(await signed()).toBeNull()
    expect((await ask(`/keys/${pathIdOf(keyId)}`)).status).toBe(502)
  })
})

test('part of a list is passed on as part of a list', async () => {
  const list = { activations: [activation], isWhole: false }
  const { ask } = await behind({ listActivations: async () => answer(list) })
  expect(await (await ask('/keys')).json()).toMatchObject({ data: [{ id: keyId }], meta: { unreadable: 1 } })
})

test('a seat that was taken before the service refused is given back', async () => {
  const { ask, deactivated } = await behind({ activate: async () => refusal('wrong-product', 'act_9') })
  const reply = await ask('/activate', { method: 'POST', body: JSON.stringify({ name: 'Laptop' }) })
  expect(reply.status).toBe(422)
  expect(deactivated).toEqual(['act_9'])
})

test.each([
  [true, null],
  [false, '2025-01-01T00:00:00.000000Z'],
])('a license that has ended and works on (%s) ends at %s', async (worksAfterEnd, expiresAt) => {
  const ended = { ...license, endsAtMs: Date.parse('2025-01-01T00:00:00Z'), worksAfterEnd }
  const { ask } = await behind({ validate: async () => answer({ license: ended, activation }) })
  const body = JSON.stringify({ key: keyId, fingerprint: activation.fingerprint })
  const reply = await ask('/validate', { method: 'POST', body })
  expect(await reply.json()).toMatchObject({ license: { expires_at: expiresAt } })
})

test('a timeout of the service is a timeout, and no refusal', async () => {
  const { ask } = await behind({ listActivations: async () => unavailable('timeout') })
  expect((await ask('/keys')).status).toBe(504)
})

test('a proxy’s page in front of the commerce service doesn’t say that it knows no such license', async () => {
  const page = new Response('<!doctype html><title>Not found</title>', { status: 404 })
  const commerce = {
    baseUrl: 'https://commerce.example/v1',
    accessToken: 'token',
    fetch: async () => page.clone(),
  }
  const unknown = async () => refusal('unknown-license')
  const { ask } = await behind({ showLicense: unknown, listActivations: unknown }, [commerce])
  const uuid = 'b0000000-0000-4000-8000-000000000001'
  expect((await ask('/keys', {}, uuid)).status).toBe(502)
})
