import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/core/record/decide.ts'
import { takenOver } from '../../../src/core/record/seats/take-over.ts'
import {
  type ActivationRecord,
  emptyVault,
  type PendingRelease,
  type Vault,
} from '../../../src/core/record/vault.ts'
import { createServicePort } from '../../../src/main/adapters/service/create-service-port.ts'
import { createAskingSecrets } from '../../doubles/fake-secrets.ts'
import { createScriptedService, refusal, unavailable } from '../../doubles/scripted-service.ts'
import { createTestDevice, dayMs } from '../fixture.ts'

const licenseKey = 'ANY-LICENSE-KEY-1'

/** A device whose keychain asks the user, at a service without a list. Until then it neither opens nor seals. */
function deviceThatAsks(rules = {}) {
  const scripted = createScriptedService(false)
  const asking = createAskingSecrets()
  const device = createTestDevice(null, {
    secrets: asking.secrets,
    rules,
    commerce: createServicePort({ service: scripted.service, fetch }),
  })
  return {
    scripted,
    device,
    ...asking,
  }
}

/** The same device, activated and launched again. Its keychain asks the user, so its record can't be opened. */
async function launchedSealed(rules = {}) {
  const scene = deviceThatAsks(rules)
  const { device, scripted, ask } = scene
  await device.core.activate(licenseKey)
  await device.quit()
  ask()
  await device.launch()
  return {
    ...scene,
    /** Pastes a key that the service doesn't know. */
    async mistype() {
      scripted.says.activate.push(refusal('unknown-license'))
      return device.core.activate('MISTYPED')
    },
  }
}

describe('a license key that was pasted during the keychain prompt', () => {
  test('uses no second seat permanently: when the keychain opens, one of the two is released', async () => {
    const { device, scripted, answer } = await launchedSealed()
    expect((await device.core.activate(licenseKey)).ok).toBe(true)
    expect(scripted.activations).toHaveLength(2)
    answer()
    await device.elapse(dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null, storage: 'keychain' })
    expect(scripted.activations).toHaveLength(1)
    expect((await device.vaultOnDisk()).unopened).toBeUndefined()
  })

  test('doesn’t change the license if it was refused, even after a restart', async () => {
    const { device, scripted, answer, mistype } = await launchedSealed({ trialMs: dayMs })
    expect((await mistype()).ok).toBe(false)
    await device.quit()
    expect(await device.launch()).toMatchObject({ status: 'unlicensed', entitled: false })
    answer()
    await device.elapse(dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scripted.activations).toHaveLength(1)
  })

  test('is forgotten with the license when the device is deactivated before the keychain opens', async () => {
    const { device, scripted, answer } = await launchedSealed()
    await device.core.activate(licenseKey)
    await device.core.deactivate()
    answer()
    await device.elapse(dayMs)
    expect(device.state.status).toBe('unlicensed')
    expect(scripted.activations).toEqual([])
  })

  test('does not lose queued releases', async () => {
    const { device, scripted, ask, answer } = deviceThatAsks()
    await device.core.activate(licenseKey)
    scripted.says.deactivate.push(unavailable('network', { mayHaveActed: false }))
    await device.core.deactivate()
    await device.quit()
    ask()
    await device.launch()
    await device.core.activate(licenseKey)
    answer()
    await device.elapse(dayMs)
    expect(scripted.activations.map(({ id }) => id)).toEqual(['act-2'])
  })

  test('finds a keychain that opens at the next launch, before any answer', async () => {
    const { device, secrets, mistype } = await launchedSealed()
    await mistype()
    await device.quit()
    secrets.locked = false
    expect(await device.decide()).toMatchObject({ status: 'active', entitled: true })
  })

  test('does not restore time that had passed before', async () => {
    const { device, secrets, scripted, ask } = deviceThatAsks()
    await device.core.activate(licenseKey)
    scripted.says.validate.push(...Array.from({ length: 99 }, () => unavailable('network')))
    await device.elapse(20 * dayMs)
    expect(device.state.status).toBe('unverified')
    await device.quit()
    ask()
    device.clock.jump(-20 * dayMs)
    await device.launch()
    scripted.says.activate.push(refusal('unknown-license'))
    await device.core.activate('MISTYPED')
    secrets.locked = false
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
  })
})

test('a record of another computer that opens late is not taken over', async () => {
  const { device, scripted, secrets, ask } = deviceThatAsks()
  await device.core.activate(licenseKey)
  await device.quit()
  ask()
  const moved = createTestDevice(null, {
    secrets,
    store: device.store,
    device: { machineId: 'machine-two' },
    commerce: createServicePort({ service: scripted.service, fetch }),
  })
  await moved.launch()
  scripted.says.activate.push(refusal('unknown-license'))
  await moved.core.activate('MISTYPED')
  secrets.locked = false
  await moved.core.validate()
  expect(moved.state).toMatchObject({ status: 'unlicensed' })
})

test('a keychain that fails does not prevent the launch', async () => {
  const { device, secrets, mistype } = await launchedSealed()
  await mistype()
  secrets.open = async (tier, sealed) => (tier === 'plain' ? sealed : Promise.reject(new Error('broken')))
  expect(await device.launch()).toMatchObject({ status: 'unlicensed' })
})

test('an oversized record is only kept under another name', async () => {
  const { device, scripted, secrets, ask } = deviceThatAsks()
  await device.core.activate(licenseKey)
  await device.quit()
  const document: unknown = JSON.parse(device.store.texts.newest ?? '')
  device.store.place('newest', JSON.stringify({ ...Object(document), padding: '-'.repeat(20_000) }))
  device.store.place('lastGood', null)
  ask()
  await device.launch()
  scripted.says.activate.push(refusal('unknown-license'))
  await device.core.activate('MISTYPED')
  secrets.locked = false
  await device.core.validate()
  expect(device.state.status).toBe('unlicensed')
  expect(device.store.setAsideTexts).toHaveLength(1)
})

test('a record that will never open is kept, and changes nothing', async () => {
  const { device, secrets } = deviceThatAsks()
  await device.core.activate(licenseKey)
  await device.quit()
  secrets.keychain = 'of a system that was reinstalled'
  await device.launch()
  await device.core.activate(licenseKey)
  await device.elapse(3 * dayMs)
  expect(device.state).toMatchObject({ status: 'active', problem: null })
  expect((await device.vaultOnDisk()).unopened).toMatchObject({ isSignedOut: false })
  expect(device.store.setAsideTexts).toHaveLength(1)
})

describe('the content of an earlier record', () => {
  const nowMs = 1_000_000
  const record = (
    licenseId: string,
    keyId: string,
    known: Partial<ActivationRecord> = {},
  ): ActivationRecord => ({
    licenseId,
    keyId,
    fingerprint: '0123456789abcdef',
    activatedAtMs: 1,
    verdict: 'valid',
    decidedAtMs: 1,
    validAtMs: 1,
    license: { activationLimit: 1, activationUsage: 1, expiresAt: null, suspendedAt: null, status: 'active' },
    ...known,
  })
  const key = (licenseId: string, keyId: string): PendingRelease => ({ licenseId, keyId })
  const search = (licenseId: string, lateUntilMs: number | null): PendingRelease => ({
    licenseId,
    keyId: null,
    lateUntilMs,
  })
  const pending = { licenseId: 'b', requestedAtMs: 1, lateUntilMs: 2_000_000 }
  const unopened = { document: '{}', isSignedOut: false }
  const opened = (newer: Partial<Vault>, earlier: Partial<Vault>): Partial<Vault> => {
    const { activation, outbox, ...rest } = decide(
      { ...emptyVault, unopened, ...newer },
      { type: 'record-opened', document: '{}', earlier: { ...emptyVault, ...earlier }, takenOver },
      nowMs,
    )
    return { activation, outbox, pending: rest.pending, trialStartedAtMs: rest.trialStartedAtMs }
  }
  const nothing = { activation: null, pending: null, outbox: [], trialStartedAtMs: null }

  test.each<readonly [string, Partial<Vault>, Partial<Vault>, Partial<Vault>]>([
    ['is all there is', {}, { activation: record('a', '1') }, { activation: record('a', '1') }],
    [
      'is replaced by the same activation with a newer answer',
      { activation: record('a', '1', { validAtMs: 9 }), outbox: [] },
      { activation: record('a', '1'), outbox: [key('a', '1')] },
      { activation: record('a', '1', { validAtMs: 9 }) },
    ],
    [
      'is replaced by another license that works',
      { activation: record('b', '2') },
      { activation: record('a', '1') },
      { activation: record('b', '2'), outbox: [key('a', '1')] },
    ],
    [
      'stays instead of another license that does not work',
      { activation: record('b', '2', { verdict: 'expired' }) },
      { activation: record('a', '1') },
      { activation: record('a', '1'), outbox: [key('b', '2')] },
    ],
    [
      'stays instead of another activation that is gone',
      { activation: record('b', '2', { verdict: 'revoked' }) },
      { activation: record('a', '1') },
      { activation: record('a', '1') },
    ],
    [
      'stays while another license is being activated',
      { pending },
      { activation: record('a', '1'), pending: { ...pending, licenseId: 'c' } },
      { activation: record('a', '1'), pending, outbox: [search('c', 2_000_000)] },
    ],
    ['is a pending activation', {}, { pending }, { pending }],
    [
      'keeps its queued requests with the newer ones, later searches first',
      { outbox: [search('a', 5), search('b', 9), search('c', null), key('d', '4')] },
      { outbox: [search('a', 7), search('b', null), key('d', '4'), key('e', '5')], trialStartedAtMs: 3 },
      {
        outbox: [key('e', '5'), search('a', 7), search('b', 9), search('c', null), key('d', '4')],
        trialStartedAtMs: 3,
      },
    ],
    ['is the first trial', { trialStartedAtMs: 5 }, { trialStartedAtMs: 3 }, { trialStartedAtMs: 3 }],
    [
      'is not in use anymore after a deactivation',
      { unopened: { ...unopened, isSignedOut: true } },
      { activation: record('a', '1'), pending },
      { outbox: [search('b', 2_000_000), key('a', '1')] },
    ],
    [
      'is not freed if it is in use',
      { outbox: [key('a', '1')] },
      { activation: record('a', '1') },
      { activation: record('a', '1') },
    ],
  ])('%s', (_name, newer, earlier, expected) => {
    expect(opened(newer, earlier)).toEqual({ ...nothing, ...expected })
  })

  test.each([
    ['ends a record before it, which opens even later', true],
    ['keeps such a record if it was not deactivated itself', false],
  ])('%s', (_name, isSignedOut) => {
    const first = { document: '{"first":true}', isSignedOut: false }
    const vault = { ...emptyVault, unopened: { ...unopened, isSignedOut } }
    const event = { type: 'record-opened', document: '{}', takenOver } as const
    const { unopened: left } = decide(vault, { ...event, earlier: { ...emptyVault, unopened: first } }, nowMs)
    expect(left).toEqual({ ...first, isSignedOut })
  })

  test('is loaded once', () => {
    const vault: Vault = { ...emptyVault, activation: record('a', '1') }
    const event = { type: 'record-opened', document: '{}', earlier: emptyVault, takenOver } as const
    expect(decide(vault, event, nowMs)).toBe(vault)
    const waiting = decide(vault, { type: 'record-replaced', document: '{}' }, nowMs)
    expect(decide(waiting, { type: 'record-replaced', document: '{}' }, nowMs)).toBe(waiting)
  })
})
