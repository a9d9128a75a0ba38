import { type OfflineRequest, writeOfflineRequest } from '@latchkey/services/offline'
import { describe, expect, test } from 'vitest'
import { generateSigningKey, leaseKeysOf } from '../src/index.ts'
import { nilKeyId } from '../src/licenses/license-operations.ts'
import { createPrometheusMetrics } from '../src/node/index.ts'
import { gatewayOf, keyName, nonce, startService } from './gateway-fixture.ts'
import { asking } from './offline/offline-fixture.ts'
import { adapterOf, gatewayOf as faceGatewayOf, startFace } from './services/face-fixture.ts'

const appsKey = await generateSigningKey()
const otherKey = await generateSigningKey()
const trustedIds = (await leaseKeysOf([appsKey])).keys.map(({ kid }) => kid)
const headers = { 'latchkey-nonce': nonce, 'latchkey-lease-keys': trustedIds.join(',') }

describe('a lease that the app rejects is an error in the log:', () => {
  test.each([
    ['the gateway has no signing key', undefined, 'lease-not-signed'],
    ['the gateway has another signing key', { keys: [otherKey] }, 'lease-key-untrusted'],
  ])('%s', async (_what, signing, remark) => {
    const emulator = await startService()
    const { call, licenseId, lines } = gatewayOf(emulator, signing === undefined ? {} : { signing })
    const { id } = emulator.control.addKey(licenseId, keyName)
    await call('GET', `/licenses/${licenseId}/keys/${nilKeyId}`, { headers })
    await call('POST', `/licenses/${licenseId}/validate`, { json: { key: id }, headers })
    const name = 'Ada’s phone [fedcba9876543210]'
    await call('POST', `/licenses/${licenseId}/activate`, { json: { name }, headers })
    expect(lines).toMatchObject([
      // Anyone can request a key that doesn't exist, with made-up IDs of trusted keys.
      { route: 'key', status: 404, level: signing === undefined ? 'error' : 'warn', remark },
      { route: 'validate', status: 200, level: 'error', remark },
      { route: 'activate', status: 200, level: 'error', remark },
    ])
  })

  test('another service is behind the gateway', async () => {
    const emulator = await startFace('polar')
    const { of, lines } = faceGatewayOf(adapterOf('polar', emulator))
    await of(emulator.licenseKey).activate(keyName, headers)
    await of(emulator.licenseKey).key(nilKeyId, headers)
    expect(lines).toMatchObject([
      { status: 200, level: 'error', remark: 'lease-not-signed' },
      { status: 404, level: 'error', remark: 'lease-not-signed' },
    ])
  })

  test('a computer without internet trusts another key', async () => {
    const emulator = await startService()
    const options = { signing: { keys: [otherKey] }, offline: { days: 30 } }
    const { call, licenseId, lines } = gatewayOf(emulator, options)
    const trustedKeys = trustedIds.map((id) => id.slice(0, 8))
    const send = async (own: Partial<OfflineRequest>) => {
      const request = writeOfflineRequest({ ...asking, licenseKey: licenseId, trustedKeys, ...own })
      return (await call('POST', '/offline', { json: { request } })).status
    }
    expect(await send({})).toBe(500)
    expect(emulator.control.keys(licenseId)).toEqual([])
    // The list has room for eight keys, so the app may trust others, too.
    expect(await send({ trustedKeys: Array.from({ length: 8 }, (_, index) => `key-no-${index}`) })).toBe(200)
    expect(lines).toMatchObject([
      // Anyone can claim to trust other keys.
      { status: 500, level: 'warn', code: 'internal', remark: 'lease-key-untrusted' },
      { status: 200, level: 'error', remark: 'lease-key-untrusted' },
    ])
  })
})

test('the metrics count leases that apps reject apart from others', async () => {
  const metrics = createPrometheusMetrics()
  const emulator = await startService()
  for (const options of [{}, { signing: { keys: [otherKey] } }, { signing: { keys: [appsKey] } }]) {
    const { call, licenseId } = gatewayOf(emulator, { ...options, metrics })
    const { id } = emulator.control.addKey(licenseId, keyName)
    await call('POST', `/licenses/${licenseId}/validate`, { json: { key: id }, headers })
  }
  const counts = (await metrics.exposition()).split('\n').filter((line) => line.includes('_leases_total{'))
  expect(counts.toSorted()).toEqual([
    'latchkey_gateway_leases_total{lease="entitling"} 1',
    'latchkey_gateway_leases_total{lease="unsigned"} 1',
    'latchkey_gateway_leases_total{lease="untrusted"} 1',
  ])
})

test('a request that asks for no lease, or names no trusted keys, causes no error', async () => {
  const emulator = await startService()
  const { call, licenseId, lines } = gatewayOf(emulator)
  const { id: key } = emulator.control.addKey(licenseId, keyName)
  await call('POST', `/licenses/${licenseId}/validate`, { json: { key } })
  const signing = gatewayOf(emulator, { signing: { keys: [otherKey] } })
  const asked = { json: { key }, headers: { 'latchkey-nonce': nonce } }
  await signing.call('POST', `/licenses/${licenseId}/validate`, asked)
  expect([...lines, ...signing.lines]).toMatchObject([
    { level: 'info', remark: null, lease: null },
    { level: 'info', remark: null, lease: 'entitling' },
  ])
})
