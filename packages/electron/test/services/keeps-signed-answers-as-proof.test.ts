import { createHash, createPublicKey, verify } from 'node:crypto'
import { keygen } from '@latchkey/services/keygen'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import type { ActivationRecord, StoredLease } from '../../src/core/record.ts'
import { createSignedAnswers } from '../../src/main/adapters/leases.ts'
import { editRecord } from '../core/edit-record.ts'
import { dayMs, type TestDevice } from '../core/fixture.ts'
import { createScriptedService } from '../doubles/scripted-service.ts'
import { activateDevice, type FaceScene, noNetwork, startDevice } from './faces.ts'

const proofSchema = z.object({
  method: z.string(),
  target: z.string(),
  host: z.string(),
  date: z.string(),
  body: z.string(),
  signature: z.string(),
})

/** Verifies a kept answer by https://keygen.sh/docs/api/signatures/ alone, without a line of ours. */
function isGenuine(proof: string, { emulator }: FaceScene): boolean {
  const { method, target, host, date, body, signature } = proofSchema.parse(JSON.parse(proof))
  const digest = createHash('sha256').update(body).digest('base64')
  const text = `(request-target): ${method} ${target}\nhost: ${host}\ndate: ${date}\ndigest: sha-256=${digest}`
  const x = Buffer.from(emulator.settings['publicKey'] ?? '', 'hex').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))
}

/** An activated device, and the proof that it keeps. */
async function activated() {
  const started = await activateDevice('keygen')
  const { activation } = await started.device.recordOnDisk()
  if (activation?.lease == null) throw new Error('No proof was kept')
  const { lease, fingerprint, licenseKey } = activation
  return { ...started, lease, about: { licenseKey, activationId: 'any', fingerprint } }
}

/** The app's adapter. @param publicKey by default the service's own */
function adapter({ emulator }: FaceScene, publicKey = emulator.settings['publicKey']) {
  const { account, product = '' } = emulator.settings
  return keygen({ account, product, publicKey, baseUrl: emulator.baseUrl })
}

/** Changes the activation in the record. */
function edit(
  device: TestDevice,
  change: (activation: ActivationRecord) => Partial<ActivationRecord>,
): Promise<void> {
  return editRecord(device, (record) => ({
    ...record,
    activation: record.activation && { ...record.activation, ...change(record.activation) },
  }))
}

describe('an app with Keygen’s public key', () => {
  test('keeps the signed answer, which an independent verifier accepts, and runs offline until it ends', async () => {
    const { scene, device, lease } = await activated()
    expect(isGenuine(lease.jws, scene)).toBe(true)
    expect(isGenuine(lease.jws.replace('\\"valid\\":true', '\\"valid\\":false'), scene)).toBe(false)
    scene.answer = noNetwork
    expect((await device.decide()).entitled).toBe(true)
    await device.elapse(13 * dayMs)
    expect((await device.decide()).entitled).toBe(true)
    await device.elapse(dayMs)
    expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
  })

  test.each<[string, (lease: StoredLease) => StoredLease | null]>([
    ['was removed', () => null],
    ['was changed', ({ jws, ...rest }) => ({ ...rest, jws: jws.replace('"post"', '"get"') })],
    ['is no signed answer', (lease) => ({ ...lease, jws: 'anything' })],
  ])('doesn’t run offline when the proof %s', async (_what, change) => {
    const { scene, device, lease } = await activated()
    await edit(device, () => ({ lease: change(lease) }))
    scene.answer = noNetwork
    expect(await device.decide()).toMatchObject({ entitled: false })
    scene.answer = null
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
  })

  test('runs for one grace at most on an edited record that names another service', async () => {
    const { scene, device } = await activated()
    await edit(device, ({ validAtMs, license }) => ({
      service: 'polar',
      lease: null,
      validAtMs: validAtMs + 3650 * dayMs,
      decidedAtMs: validAtMs + 3650 * dayMs,
      license: { ...license, expiresAt: null },
    }))
    await editRecord(device, (record) => ({ ...record, service: 'polar' }))
    scene.answer = noNetwork
    await device.decide()
    await device.elapse(15 * dayMs)
    expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
  })

  test('doesn’t run offline on another device’s proof, or on one that another account signed', async () => {
    const { scene, lease, about } = await activated()
    const other = scene.device({ device: { machineId: 'machine-two' } })
    await other.launch()
    await other.core.activate(scene.licenseKey)
    await edit(other, () => ({ lease }))
    const stranger = createSignedAnswers(adapter(scene, '00'.repeat(32)), dayMs)
    expect(await stranger?.verify(lease.jws, about)).toBeNull()
    scene.answer = noNetwork
    expect(await other.decide()).toMatchObject({ entitled: false })
  })

  test('runs offline again after a launch at which the proof couldn’t be verified', async () => {
    const { scene, device: first } = await activated()
    const service = adapter(scene)
    let isBroken = true
    const readProof: typeof service.readProof = async (...given) => {
      // As when one of the app's own files can't be read.
      if (isBroken) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' })
      return service.readProof?.(...given) ?? null
    }
    const leases = createSignedAnswers({ ...service, readProof }, 14 * dayMs)
    const { store, secrets } = first
    const device = scene.device({ ...(leases && { leases }), store, secrets })
    scene.answer = noNetwork
    expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
    expect(device.core.lease()).toBeNull()
    isBroken = false
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
    expect(device.core.lease()).not.toBeNull()
  })

  test('launches without waiting for another thread to verify the signature', async () => {
    const { scene, lease, about } = await activated()
    const answers = createSignedAnswers(adapter(scene), dayMs)
    const verified = async () => answers?.verify(lease.jws, about)
    expect(await verified()).toMatchObject({ isEntitled: true })
    // Now everything is loaded, and another thread couldn't answer in the same turn of the event loop.
    const happened: string[] = []
    setImmediate(() => happened.push('the next turn'))
    expect(await verified()).toMatchObject({ isEntitled: true })
    expect(happened).toEqual([])
  })

  test.each([
    ['still entitles a build that it covers', -dayMs, { status: 'active', entitled: true }],
    ['entitles no later build', dayMs, { status: 'not-covered', entitled: false }],
  ])('a license that has ended %s, also without internet', async (_what, releasedAfterEndMs, expected) => {
    const rules = { releasedAtMs: Date.now() + releasedAfterEndMs }
    const { scene, device, control } = await startDevice('keygen', { rules })
    await device.core.activate(scene.licenseKey)
    control.expire(scene.licenseId)
    await device.core.validate()
    expect(device.state).toMatchObject(expected)
    const { activation } = await device.recordOnDisk()
    expect(isGenuine(activation?.lease?.jws ?? '', scene)).toBe(true)
    scene.answer = noNetwork
    expect(await device.decide()).toMatchObject(expected)
    await device.elapse(13 * dayMs)
    expect(await device.decide()).toMatchObject({ entitled: expected.entitled })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: expected.entitled ? 'unverified' : 'not-covered' })
    scene.answer = null
    expect(await device.launch()).toMatchObject(expected)
  })

  test('doesn’t take the signed end of a license for an answer that it is valid', async () => {
    const { scene, device, control } = await activated()
    control.expire(scene.licenseId)
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'expired', entitled: false })
    await edit(device, ({ license }) => ({
      verdict: 'valid',
      license: { ...license, status: 'ACTIVE', expiresAt: null },
    }))
    scene.answer = noNetwork
    expect(await device.decide()).toMatchObject({ entitled: false })
  })

  test('ignores an unsigned answer, whatever it contains', async () => {
    const { scene, device } = await activated()
    scene.answer = () => Response.json({ meta: { valid: false, code: 'BANNED' }, data: null })
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'grace', problem: { code: 'untrusted-answer' } })
  })
})

test.each([
  ...[400, 404, 410, 422, 451].map((status) => [status, '<html>blocked</html>'] as const),
  [404, ''] as const,
  [404, '{"message":"no Route matched"}'] as const,
])(
  'a proxy that answers every request with %d %s revokes nothing, with and without a public key',
  async (status, body) => {
    for (const isSigned of [true, false]) {
      const { scene, device } = await activateDevice('keygen', { isSigned })
      scene.answer = () => new Response(body, { status })
      expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
      expect(await device.core.reactivate()).toMatchObject({ ok: false, state: { entitled: true } })
      scene.answer = null
      expect(await device.core.validate()).toMatchObject({ status: 'active', problem: null })
      expect(scene.seats()).toHaveLength(1)
    }
  },
)

test('without a public key, no proof is required, and none is believed that can’t be read', async () => {
  const { service } = createScriptedService(true)
  expect(createSignedAnswers(service, dayMs)).toBeUndefined()
  const readProof = (): Promise<null> => Promise.reject(new Error('out of order'))
  const signing = { ...service, readProof, capabilities: { ...service.capabilities, signsItsAnswers: true } }
  const answers = createSignedAnswers(signing, dayMs)
  const about = { licenseKey: 'KEY', activationId: 'act', fingerprint: '0123456789abcdef' }
  expect(await answers?.verify('proof', about)).toBeNull()
})
