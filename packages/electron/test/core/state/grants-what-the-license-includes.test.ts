import type { LicenseFacts } from '@latchkey/services'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readLicense, withReading } from '../../../src/core/answers.ts'
import { entitlementOf } from '../../../src/core/entitlement.ts'
import { emptyRecord, type LicenseRecord } from '../../../src/core/record.ts'
import { createFeaturesOf, projectState } from '../../../src/core/state.ts'
import { hasFeature, type LicensingState } from '../../../src/shared/licensing-state.ts'
import { reach } from '../../doubles/app-service.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'
import { createScriptedService } from '../../doubles/scripted-service.ts'
import { createTestDevice, dayMs, defaultRules } from '../fixture.ts'
import { scene } from '../scene.ts'
import { activation, license as known, nowMs } from './records.ts'

const logger = createRecordingLogger()
/** What a service tells about a license without limits. */
const facts: LicenseFacts = {
  id: 'lic_1',
  status: 'active',
  endsAtMs: 'never',
  worksAfterEnd: false,
  seatLimit: null,
  seatsInUse: null,
  product: null,
  isTest: null,
  plan: null,
}
/** Values that a rule in JavaScript can return. */
// biome-ignore lint/suspicious/noExplicitAny: that is the point
const untyped = (value: any): readonly string[] => value

const atRest = { device: null, activity: 'idle', problem: null, storage: 'keychain' } as const

function stateOf(record: LicenseRecord, atMs: number, isUnreachable: boolean): LicensingState {
  const reach = { service: 'commerce', isUnreachable, requiresLease: false, isSealed: true }
  const entitlement = entitlementOf(record, atMs, defaultRules, reach)
  return projectState(record, entitlement, createFeaturesOf(undefined, logger), false, atRest)
}

describe('behind an adapter', () => {
  const answer = (told: { plan?: string | null; features?: readonly string[] | null }) => ({
    kind: 'answer' as const,
    value: {
      license: { ...facts, ...told },
      activation: { id: 'act-1', deviceName: null, fingerprint: null, createdAtMs: null },
    },
    serverDateMs: null,
    proof: null,
  })

  function device(rules = {}) {
    const scripted = createScriptedService(false)
    const commerce = reach({ service: scripted.service, fetch })
    return { ...scripted, ...createTestDevice(null, { service: commerce, rules }), scripted }
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
    expect(featuresOf(known)).toEqual([])
    expect(featuresOf(known)).toEqual([])
    expect(recording.lines.filter((line) => line.includes('features'))).toHaveLength(1)
  })
})

test('only features of the last answer that reported features are granted', () => {
  const names = ['export', 'sync', 'share'] as const
  const features = fc.option(fc.subarray([...names]), { nil: undefined })
  const status = fc.constantFrom('active', 'expired', 'suspended', 'inactive')
  const step = fc.record({
    features,
    status: fc.option(status, { nil: null }),
    laterMs: fc.integer({ min: 0, max: 10 * dayMs }),
    lost: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let held = activation
      let told: readonly string[] = []
      let atMs = nowMs
      for (const { features: said, status: word, laterMs, lost } of steps) {
        atMs += laterMs
        if (word !== null) {
          const value = { ...facts, status: word, ...(said && { features: said }) }
          held = withReading(held, readLicense({ value, serverDateMs: atMs }, held.license, null, atMs), atMs)
          told = said ?? told
        }
        const state = stateOf({ ...emptyRecord, activation: held }, atMs, lost)
        for (const name of names) {
          if (!hasFeature(state, name)) continue
          expect(told).toContain(name)
          expect(held.verdict).toBe('valid')
        }
        if (state.entitled) expect(state.license?.features).toEqual(told)
      }
    }),
    { numRuns: 300 },
  )
})

test('a trial has no features', () => {
  const trial: LicenseRecord = { ...emptyRecord, trial: { startedAtMs: nowMs } }
  const rules = { ...defaultRules, trialMs: dayMs }
  const reach = { service: 'commerce', isUnreachable: false, requiresLease: false, isSealed: true }
  const entitlement = entitlementOf(trial, nowMs, rules, reach)
  expect(entitlement.status).toBe('trial')
  const featuresOf = createFeaturesOf(() => ['export'], logger)
  const state = projectState(trial, entitlement, featuresOf, false, atRest)
  expect(hasFeature(state, 'export')).toBe(false)
})
