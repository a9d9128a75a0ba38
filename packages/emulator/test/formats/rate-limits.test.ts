import { describe, expect, it } from 'vitest'
import { asVendor, type ServiceUnderTest, type Told, useService } from './format-under-test.ts'

/** Validates without an activation. */
function validateAt(service: ServiceUnderTest, path: string): (options?: typeof asVendor) => Promise<Told> {
  return (options) => {
    const { licenseKey, settings } = service.emulator
    const fields = { key: licenseKey, license_key: licenseKey, organization_id: settings['organizationId'] }
    return service.ask(`${path}/validate`, fields, options)
  }
}

async function statusesOf(count: number, ask: () => Promise<Told>): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => ask()))
  return answers.map(({ status }) => status).sort()
}

describe('Polar', () => {
  const service = useService({ face: 'polar', rateLimits: true })

  it('blocks an address for a minute after its fourth request within a second', async () => {
    // https://github.com/polarsource/polar/blob/c6c3645e639ee8eeaa05aa0835cf8e39e330382f/server/polar/rate_limit.py
    const validate = validateAt(service, '/v1/customer-portal/license-keys')
    // On a busy machine, the first requests may arrive too slowly.
    await expect.poll(async () => (await statusesOf(8, validate)).at(-1), { timeout: 60_000 }).toBe(429)
    const blocked = await validate()
    expect(blocked.status).toBe(429)
    expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(1)
  })

  it('has no such limit for a server', async () => {
    const validate = validateAt(service, '/v1/license-keys')
    expect(new Set(await statusesOf(20, () => validate(asVendor)))).toEqual(new Set([200]))
  })
})

describe('Lemon Squeezy', () => {
  const service = useService({ face: 'lemon-squeezy', rateLimits: true })

  it('answers 60 requests a minute', async () => {
    const validate = validateAt(service, '/v1/licenses')
    expect(await statusesOf(60, validate)).toEqual(Array.from({ length: 60 }, () => 200))
    expect((await validate()).status).toBe(429)
    expect(Number((await validate()).headers.get('retry-after'))).toBeLessThanOrEqual(60)
  })
})
