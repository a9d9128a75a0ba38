import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dodo } from '@latchkey/services/dodo'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AllowRule } from '../../src/index.ts'
import { accessToken, keyName } from '../gateway-fixture.ts'
import { gatewayOf } from './face-fixture.ts'

const productId = 'pdt_0NVz1J3QmL2'
const licenseKey = 'KEY-22222-AAAA'

/** Dodo Payments with 25,000 licenses, of which the adapter reads 20,000. */
async function startCrowdedDodo({ showsLicense = true, frees = true } = {}) {
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
    if (url.pathname === '/licenses/deactivate' && frees) {
      seats.delete(body['license_key_instance_id'] ?? '')
      return [200]
    }
    if (url.pathname === '/licenses/deactivate') return [503]
    return [404, { code: 'NOT_FOUND', message: '' }]
  }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request.setEncoding('utf8')) text += part
    const [status, body] = answerTo(new URL(request.url ?? '', 'http://dodo'), JSON.parse(text || '{}'))
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { seats, service: dodo({ productId, apiKey: accessToken, baseUrl: `http://127.0.0.1:${port}` }) }
}

async function activateWith(allow: AllowRule, behavior: Parameters<typeof startCrowdedDodo>[0] = {}) {
  const { seats, service } = await startCrowdedDodo(behavior)
  const { of, lines } = gatewayOf(service, { allow })
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

  test('is an error in the log if its seat can’t be freed', async () => {
    const { activated, line } = await activateWith(() => false, { frees: false })
    expect(activated).toMatchObject({ status: 404 })
    expect(line).toMatchObject({ level: 'error', remark: 'not-allowed-seat-kept' })
  })

  test('keeps no seat while the rule can’t see it', async () => {
    const { seats, activated } = await activateWith(() => true, { showsLicense: false })
    expect(activated).toMatchObject({ status: 502, body: { error: 'upstream-unexpected-answer' } })
    expect(seats.size).toBe(0)
  })

  test('keeps no seat if the rule fails', async () => {
    const { seats, activated } = await activateWith(() => {
      throw new Error('database is down')
    })
    expect(activated).toMatchObject({ status: 500, body: { error: 'internal' } })
    expect(seats.size).toBe(0)
  })
})
