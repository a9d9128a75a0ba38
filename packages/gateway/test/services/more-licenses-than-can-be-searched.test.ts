import { dodo } from '@latchkey/services/dodo'
import { describe, expect, test } from 'vitest'
import type { AllowRule, GatewayOptions } from '../../src/index.ts'
import { accessToken, keyName } from '../gateway-fixture.ts'
import { gatewayOf } from './face-fixture.ts'

const productId = 'pdt_0NVz1J3QmL2'
const licenseKey = 'KEY-22222-AAAA'

/** Dodo Payments with 25,000 licenses, of which the adapter reads 20,000. */
function crowdedDodo({ showsLicense = true } = {}) {
  const seats = new Set<string>()
  const licenseOf = (number: number) => ({
    id: `lic_${number}`,
    key: `KEY-${number}-AAAA`,
    product_id: productId,
    status: 'active',
    activations_limit: 3,
    instances_count: seats.size,
    expires_at: null,
  })
  const instanceOf = (id: string) => ({ id, license_key_id: 'lic_22222', name: keyName, created_at: null })
  const answerTo = (url: URL, body: Record<string, string>): [status: number, body?: unknown] => {
    const page = Number(url.searchParams.get('page_number'))
    if (url.pathname === '/license_keys') {
      const first = page * 100
      return [200, { items: Array.from({ length: page < 250 ? 100 : 0 }, (_, at) => licenseOf(first + at)) }]
    }
    if (url.pathname === '/license_keys/lic_22222') return showsLicense ? [200, licenseOf(22222)] : [503]
    if (url.pathname === '/license_key_instances')
      return [200, { items: page === 0 ? [...seats].map(instanceOf) : [] }]
    if (url.pathname === '/licenses/validate') return [200, { valid: false }]
    if (url.pathname === '/licenses/activate') {
      const id = `lki_${seats.size}`
      seats.add(id)
      return [201, { ...instanceOf(id), product: { product_id: productId } }]
    }
    if (url.pathname === '/licenses/deactivate') {
      seats.delete(body['license_key_instance_id'] ?? '')
      return [200]
    }
    return [404, { code: 'NOT_FOUND', message: '' }]
  }
  const answers: NonNullable<GatewayOptions['fetch']> = async (request) => {
    const [status, body] = answerTo(new URL(request.url), JSON.parse((await request.text()) || '{}'))
    return body === undefined ? new Response(null, { status }) : Response.json(body, { status })
  }
  return { seats, answers }
}

async function activateWith(allow: AllowRule, behavior: Parameters<typeof crowdedDodo>[0] = {}) {
  const { seats, answers } = crowdedDodo(behavior)
  const { of, lines } = gatewayOf(dodo({ productId, apiKey: accessToken }), { allow, fetch: answers })
  const license = of(licenseKey)
  const listed = await license.keys()
  // The app activates without the list.
  expect(listed).toMatchObject({ status: 403, body: { error: 'list-unreadable' } })
  const activated = await license.activate(keyName)
  return { seats, license, activated, line: lines.at(-1) }
}

describe('a license that Dodo Payments can’t find among more than 20,000', () => {
  test('is activated if the rule allows it', async () => {
    const seen: unknown[] = []
    const { seats, license, activated } = await activateWith((shown) => seen.push(shown) > 0)
    expect(activated).toMatchObject({ status: 200, body: { license: { status: 'ACTIVE' } } })
    expect(seen).toMatchObject([
      { id: licenseKey, product: productId, status: 'ACTIVE', activation_limit: 3 },
    ])
    expect([...seats]).toEqual([activated.body.key.id])
    expect((await license.keys()).body.data).toMatchObject([{ id: activated.body.key.id }])
  })

  test('keeps no seat if the rule refuses it', async () => {
    const { seats, activated, line } = await activateWith(() => false)
    expect(activated).toMatchObject({ status: 404, body: { error: 'not-found' } })
    expect(line).toMatchObject({ level: 'info', remark: 'not-allowed' })
    expect(seats.size).toBe(0)
  })

  test('keeps no seat while the rule can’t see it', async () => {
    const { seats, activated } = await activateWith(() => true, { showsLicense: false })
    expect(activated).toMatchObject({ status: 502, body: { error: 'upstream-unexpected-answer' } })
    expect(seats.size).toBe(0)
  })
})
