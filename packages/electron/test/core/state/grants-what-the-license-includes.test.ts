import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/core/record/decide.ts'
import type { Reading } from '../../../src/core/record/reading.ts'
import { withTrustedLease } from '../../../src/core/record/stored-lease.ts'
import { type ActivationRecord, emptyVault, type Vault } from '../../../src/core/record/vault.ts'
import { entitlementOf } from '../../../src/core/state/entitlement.ts'
import { createFeaturesOf } from '../../../src/core/state/features-of.ts'
import { projectState } from '../../../src/core/state/project-state.ts'
import { hasFeature } from '../../../src/shared/feature.ts'
import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'
import { createScriptedService } from '../../doubles/scripted-service.ts'
import { createTestDevice, dayMs, defaultRules } from '../fixture.ts'
import { scene } from '../scene.ts'

const nowMs = Date.UTC(2030, 0, 1)
const facts = { activationLimit: 3, activationUsage: 1, expiresAt: null, suspendedAt: null, status: 'ACTIVE' }
const record: ActivationRecord = {
  licenseId: '4b11e191-a34e-424c-b391-d18776ed66b8',
  keyId: '7c2d9e40-1a3b-4f5c-8d6e-9f0a1b2c3d4e',
  fingerprint: '0123456789abcdef',
  activatedAtMs: nowMs,
  verdict: 'valid',
  decidedAtMs: nowMs,
  validAtMs: nowMs,
  license: facts,
}
const vault: Vault = { ...emptyVault, activation: record }
const logger = createRecordingLogger()
/** Values that a rule in JavaScript can return. */
// biome-ignore lint/suspicious/noExplicitAny: that is the point
const untyped = (value: any): readonly string[] => value

function stateOf(shown: Vault, atMs = nowMs, isUnreachable = false): LicensingState {
  return projectState({
    entitlement: entitlementOf(shown, atMs, isUnreachable, defaultRules),
    activation: shown.activation,
    featuresOf: createFeaturesOf(undefined, logger),
    device: null,
    activity: 'idle',
    problem: null,
    storage: 'keychain',
  })
}

describe('behind an adapter', () => {
  const answer = (told: { plan?: string | null; features?: readonly string[] | null }) => ({
    kind: 'answer' as const,
    value: {
      license: {
        id: 'lic_1',
        status: 'active' as const,
        endsAtMs: 'never' as const,
        worksAfterEnd: false,
        seatLimit: null,
        seatsInUse: null,
        product: null,
        isTest: null,
        plan: null,
        ...told,
      },
      activation: { id: 'act-1', deviceName: null, fingerprint: null, createdAtMs: null },
    },
    serverDateMs: null,
    proof: null,
  })

  function device(rules = {}) {
    const scripted = createScriptedService(false)
    const reached = scripted.service
    return { ...scripted, ...createTestDevice(null, { service: reached, rules }), scripted }
  }

  test('the reported plan and features are in the state, and stay when an answer has none', async () => {
    const { says, core } = device()
    says.activate.push(answer({ plan: 'Pro', features: ['export'] }))
    await core.activate('a license key')
    expect(core.state.license).toMatchObject({ plan: 'Pro', features: ['export'] })
    says.validate.push(answer({ features: ['sync'] }), answer({ plan: 'x'.repeat(10_000) }))
    await core.validate()
    expect(core.state.license).toMatchObject({ plan: 'Pro', features: ['sync'] })
    await core.validate()
    expect(core.state.license).toMatchObject({ plan: 'Pro', features: ['sync'] })
    says.validate.push(answer({ features: [] }))
    await core.validate()
    expect(core.state.license).toMatchObject({ plan: 'Pro', features: [] })
  })

  test('a feature that isn’t text, or comes after the hundredth, is ignored', async () => {
    const { says, core } = device()
    const thousand = Array.from({ length: 1_000 }, (_, index) => `feature-${index}`)
    const untyped: unknown = [3, null, 'export', ...thousand]
    if (!Array.isArray(untyped)) throw new Error('never')
    says.activate.push(answer({ features: untyped }))
    await core.activate('a license key')
    expect(core.state.license?.features).toHaveLength(100)
    expect(core.state.license?.features[0]).toBe('export')
  })
})

describe('the app’s own rule', () => {
  test('derives features from a plan, once for each answer', async () => {
    const seen: unknown[] = []
    const { model, license } = await scene()
    const device = createTestDevice(null, {
      service: model.reachedBy(() => ({ kind: 'served' })),
      rules: {
        features(terms) {
          seen.push(terms)
          return terms.activationLimit === 3 ? ['export'] : []
        },
      },
    })
    await device.launch()
    expect(hasFeature(device.state, 'export')).toBe(false)
    await device.core.activate(license.id)
    expect(device.state.license?.features).toEqual(['export'])
    expect(hasFeature(device.state, 'export')).toBe(true)
    expect(hasFeature(device.state, 'sync')).toBe(false)
    expect(seen).toEqual([{ plan: null, features: [], activationLimit: 3, expiresAt: null }])
    await device.core.deactivate()
    expect(hasFeature(device.state, 'export')).toBe(false)
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('a bug')
      },
    ],
    ['returns no list', () => untyped('export')],
  ])('that %s grants nothing, and the log says so', (_what, rule: () => readonly string[]) => {
    const recording = createRecordingLogger()
    const featuresOf = createFeaturesOf(rule, recording)
    expect(featuresOf(facts)).toEqual([])
    expect(featuresOf(facts)).toEqual([])
    expect(recording.lines.filter((line) => line.includes('features'))).toHaveLength(1)
  })
})

test('only features of the last answer that reported features are granted', () => {
  const names = ['export', 'sync', 'share'] as const
  const features = fc.option(fc.subarray([...names]), { nil: undefined })
  const reading: fc.Arbitrary<Reading> = fc.oneof(
    fc
      .record({ features, verdict: fc.constantFrom('valid', 'expired', 'suspended', 'inactive') })
      .map(({ features: told, verdict }) => ({
        kind: 'licensed' as const,
        verdict,
        license: told === undefined ? facts : { ...facts, features: told },
      })),
    fc.constant({ kind: 'revoked' as const }),
    fc.constantFrom('unknown-license' as const, 'unknown-activation' as const).map((reason) => ({
      kind: 'unknown' as const,
      reason,
      cause: { code: 'unconfirmed' as const },
    })),
    fc.constant({ kind: 'undecided' as const, cause: { code: 'offline' as const } }),
  )
  const step = fc.record({ reading, laterMs: fc.integer({ min: 0, max: 10 * dayMs }), lost: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let known = vault
      let told: readonly string[] = []
      let verdict = 'valid'
      let atMs = nowMs
      for (const { reading: word, laterMs, lost } of steps) {
        atMs += laterMs
        known = decide(known, { type: 'answered', keyId: record.keyId, reading: word }, atMs)
        if (word.kind === 'licensed') {
          told = word.license.features ?? told
          verdict = word.verdict
        }
        if (word.kind === 'revoked') verdict = 'revoked'
        const state = stateOf(known, atMs, lost)
        for (const name of names) {
          if (!hasFeature(state, name)) continue
          expect(told).toContain(name)
          expect(verdict).toBe('valid')
        }
        if (state.entitled) expect(state.license?.features).toEqual(told)
      }
    }),
    { numRuns: 300 },
  )
})

describe('with signed answers', () => {
  const stored = { jws: 'signed', issuedAtMs: nowMs, expiresAtMs: nowMs + dayMs }
  const terms = { expiresAt: null, plan: 'Pro', features: ['export'] }
  const signed = {
    ...stored,
    fingerprint: record.fingerprint,
    isEntitled: true,
    hasEnded: false,
    license: terms,
  }
  const edited: Vault = {
    ...emptyVault,
    activation: {
      ...record,
      lease: stored,
      license: { ...facts, plan: 'Team', features: ['export', 'sync'] },
    },
  }

  test('a launch grants what the lease contains, and nothing else in the record', async () => {
    const state = stateOf(await withTrustedLease(edited, { verify: () => signed }))
    expect(state.license).toMatchObject({ plan: 'Pro', features: ['export'] })
    expect(hasFeature(state, 'sync')).toBe(false)
  })

  test('a launch without a valid lease grants nothing', async () => {
    const state = stateOf(await withTrustedLease(edited, { verify: () => null }))
    expect(state.license).toMatchObject({ plan: null, features: [] })
  })
})

test('a trial has no features', () => {
  const trial: Vault = { ...emptyVault, trialStartedAtMs: nowMs }
  const entitlement = entitlementOf(trial, nowMs, false, { ...defaultRules, trialMs: dayMs })
  expect(entitlement.status).toBe('trial')
  const featuresOf = createFeaturesOf(() => ['export'], logger)
  const parts = { device: null, activity: 'idle', problem: null, storage: 'keychain' } as const
  expect(hasFeature(projectState({ entitlement, activation: null, featuresOf, ...parts }), 'export')).toBe(
    false,
  )
})
