import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import {
  generateSigningKey,
  issueLicenseKey,
  type RevokedKeys,
  signRevokedKeys,
} from '@latchkey/services/issue'
import { signedKeys } from '@latchkey/services/signed-keys'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createFileStore } from '../../src/main/adapters/file-store.ts'
import { createTestDevice, dayMs, hourMs, type TestDevice, type TestDeviceOptions } from '../core/fixture.ts'
import { withCall } from '../doubles/with-call.ts'

const product = 'inkwell'
const { signingKey, publicKey } = await generateSigningKey()
const sold = { signingKey, product, name: 'Ada Lovelace', plan: 'pro', features: ['export'] }
const issue = (expiresAt?: string, id = 'order-1') => issueLicenseKey({ ...sold, id, expiresAt })

async function activatedDevice(
  licenseKey: string,
  revokedUrl?: string,
  options: TestDeviceOptions = {},
): Promise<TestDevice> {
  const revoked = revokedUrl === undefined ? undefined : { url: revokedUrl, publicKeys: [publicKey] }
  const folder = mkdtempSync(path.join(tmpdir(), 'latchkey-list-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { lastList } = createFileStore({ directory: () => folder, name: 'license' })
  const service = withCall(signedKeys({ publicKeys: [publicKey], product, revoked }), () => ({ lastList }))
  const device = createTestDevice(null, { service, ...options })
  await device.launch()
  expect(await device.core.activate(`Your key:\n> ${licenseKey}`)).toMatchObject({ ok: true })
  return device
}

describe('a key that the vendor signed', () => {
  test('entitles without any network, however long the app wasn’t opened or runs', async () => {
    const device = await activatedDevice(await issue())
    expect(device.state).toMatchObject({
      status: 'active',
      problem: null,
      license: { licensee: 'Ada Lovelace', plan: 'pro', features: ['export'], expiresAt: null },
    })
    await device.elapse(400 * dayMs)
    expect(device.state.status).toBe('active')
    device.sleep(400 * dayMs)
    // Before any check.
    expect(await device.decide()).toMatchObject({ status: 'active', entitled: true, problem: null })
  })

  test('ends with its last day, also when the clock is set back', async () => {
    const device = await activatedDevice(await issue('2026-12-31'))
    expect(device.state).toMatchObject({ status: 'active', license: { expiresAt: '2026-12-31' } })
    const leftMs = Date.parse('2027-01-01') - device.clock.now()
    await device.elapse(leftMs - 1000)
    expect(device.state.entitled).toBe(true)
    await device.elapse(2000)
    expect(device.state).toMatchObject({ status: 'expired', entitled: false })
    device.clock.jump(-90 * dayMs)
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'expired', entitled: false })
    expect(await device.core.activate(await issue('2099-12-31'))).toMatchObject({ ok: true })
    expect(device.state).toMatchObject({ status: 'active', license: { expiresAt: '2099-12-31' } })
  })

  test('entitles the builds of its time after its end', async () => {
    const releasedAtMs = Date.parse('2026-11-20')
    const device = await activatedDevice(await issue('2026-12-31'), undefined, { rules: { releasedAtMs } })
    await device.elapse(90 * dayMs)
    await device.core.validate()
    expect(device.state).toMatchObject({ entitled: true })
    await device.elapse(400 * dayMs)
    expect(device.state).toMatchObject({ entitled: true })
  })

  test('is deactivated at once, and can be activated again', async () => {
    const licenseKey = await issue()
    const device = await activatedDevice(licenseKey)
    expect(await device.core.deactivate()).toMatchObject({ ok: true })
    expect(device.state).toMatchObject({ status: 'unlicensed', problem: null })
    expect(await device.core.activate(licenseKey)).toMatchObject({ ok: true })
  })

  test.each([
    ['is for another product', 'wrong-product', () => issueLicenseKey({ signingKey, product: 'other' })],
    [
      'was signed by somebody else',
      'license-not-found',
      async () => issueLicenseKey({ signingKey: (await generateSigningKey()).signingKey, product }),
    ],
    ['has ended', 'license-expired', () => issue('2026-12-31')],
    ['is from a newer version', 'newer-license-key', async () => (await issue()).replace('LK1', 'LK2')],
  ] as const)('is refused with its own reason if it %s', async (_what, code, make) => {
    const device = createTestDevice(null, { service: signedKeys({ publicKeys: [publicKey], product }) })
    await device.launch()
    await device.elapse(90 * dayMs)
    expect(await device.core.activate(await make())).toMatchObject({ ok: false, problem: { code } })
  })
})

/** A host of static files. */
async function startHost() {
  const host = { body: '', status: 200, asked: 0, url: '' }
  const server = createServer((_, response) => {
    host.asked += 1
    response.writeHead(host.status, { 'content-type': 'application/json' }).end(host.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  host.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/revoked.json`
  return {
    host,
    publish: async (...keys: readonly string[]) => {
      host.status = 200
      host.body = JSON.stringify(await signRevokedKeys({ signingKey, product, keys }))
    },
  }
}

describe('a list of revoked keys', () => {
  test('locks a refunded key at the next check, and keeps it locked when the list is out of reach or older', async () => {
    const { host, publish } = await startHost()
    await publish('order-2')
    const older = host.body
    const licenseKey = await issue()
    const device = await activatedDevice(licenseKey, host.url)
    await device.elapse(hourMs)
    await publish('order-1', 'order-2')
    await device.elapse(dayMs)
    const locked = { status: 'suspended', entitled: false }
    expect(device.state).toMatchObject({ ...locked, problem: { code: 'license-suspended' } })
    for (const served of [{ status: 503 }, { status: 200, body: older }]) {
      Object.assign(host, served)
      await device.core.validate()
      await device.launch()
      await device.core.validate()
      expect(await device.core.activate(licenseKey)).toMatchObject({ ok: false })
      expect(device.state).toMatchObject(locked)
    }
    // Joined to one, the IDs have the same signature.
    await publish('order-1', 'order-2')
    const { ids, ...signed }: RevokedKeys = JSON.parse(host.body)
    host.body = JSON.stringify({ ...signed, ids: [ids.join('\n')] })
    await device.core.validate()
    expect(device.state).toMatchObject(locked)
    // The date is signed, too.
    host.body = JSON.stringify({ ...JSON.parse(older), issuedAt: '2099-01-01T00:00:00.000Z' })
    await device.core.validate()
    expect(device.state).toMatchObject(locked)
    const locking = JSON.stringify(await signRevokedKeys({ signingKey, product, keys: ['order-1'] }))
    await setTimeout(2)
    await publish('order-2')
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
    // Nor does an older list lock a key again that its customer has paid for after all.
    const { body: newest } = host
    for (const served of [{ status: 503 }, { status: 200, body: locking }]) {
      Object.assign(host, served)
      await device.core.validate()
      await device.launch()
      await device.core.validate()
      expect(device.state.entitled).toBe(true)
    }
    Object.assign(host, { body: newest })
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  const signed = (keys: readonly string[], name = product) =>
    signRevokedKeys({ signingKey, product: name, keys })
  test.each([
    ['is out of reach', 503, async () => ''],
    ['is a web page', 200, async () => '<html>'],
    ['was changed', 200, async () => JSON.stringify({ ...(await signed([])), ids: ['0'.repeat(16)] })],
    ['is another product’s', 200, async () => JSON.stringify(await signed(['order-1'], 'other'))],
  ])('means nothing if it %s', async (_, status, body) => {
    const { host } = await startHost()
    Object.assign(host, { status, body: await body() })
    const device = await activatedDevice(await issue(), host.url)
    device.sleep(100 * dayMs)
    await device.launch()
    expect(host.asked).toBeGreaterThan(1)
    expect(device.state).toMatchObject({ status: 'active', entitled: true, problem: null })
  })

  test('refuses every key of the last list while it is out of reach, also after a deactivation', async () => {
    const { host, publish } = await startHost()
    await publish('order-1', 'order-2')
    const device = await activatedDevice(await issue(undefined, 'order-3'), host.url)
    host.status = 503
    for (const order of ['order-1', 'order-2']) {
      await device.core.deactivate()
      const activated = await device.core.activate(await issue(undefined, order))
      expect(activated).toMatchObject({ ok: false, problem: { code: 'license-suspended' } })
    }
    expect(await device.core.activate(await issue(undefined, 'order-3'))).toMatchObject({ ok: true })
  })

  test('refuses a revoked key on a new computer', async () => {
    const { host, publish } = await startHost()
    await publish('order-1')
    const revoked = { url: host.url, publicKeys: [publicKey] }
    const service = signedKeys({ publicKeys: [publicKey], product, revoked })
    const device = createTestDevice(null, { service })
    await device.launch()
    const activated = await device.core.activate(await issue())
    expect(activated).toMatchObject({ ok: false, problem: { code: 'license-suspended' } })
  })
})
