import type { ActivatedLicense, Answer } from '@latchkey/services'
import { describe, expect, test } from 'vitest'
import { hasFeature } from '../../../src/shared/licensing-state.ts'
import { reach } from '../../doubles/app-service.ts'
import { createScriptedService } from '../../doubles/scripted-service.ts'
import { createTestDevice, dayMs, lost, scene } from '../fixture.ts'

/** Values that a rule or a service in JavaScript can return. */
// biome-ignore lint/suspicious/noExplicitAny: that is the point
const untyped = (value: any): readonly string[] => value

describe('behind an adapter', () => {
  const answer = (told: object): Answer<ActivatedLicense> => ({
    kind: 'answer',
    value: {
      license: {
        id: 'lic_1',
        status: 'active',
        endsAtMs: 'never',
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

  function deviceThatHears(told: object) {
    const { service, says } = createScriptedService(false)
    const device = createTestDevice(null, { service: reach({ service, fetch }) })
    says.activate.push(answer(told))
    const hears = async (next: object) => {
      says.validate.push(answer(next))
      return device.core.validate()
    }
    return { core: device.core, hears }
  }

  test('the reported plan and features are in the state, and stay when an answer has none', async () => {
    const { core, hears } = deviceThatHears({ plan: 'Pro', features: ['export'] })
    await core.activate('a license key')
    expect(core.state.license).toMatchObject({ plan: 'Pro', features: ['export'] })
    const sync = { license: { plan: 'Pro', features: ['sync'] } }
    expect(await hears({ features: ['sync'] })).toMatchObject(sync)
    expect(await hears({ plan: 'x'.repeat(10_000) })).toMatchObject(sync)
    expect(await hears({ features: [] })).toMatchObject({ license: { plan: 'Pro', features: [] } })
  })

  test.each(['expired', 'suspended', 'inactive'])(
    'no feature is granted while a license is %s',
    async (status) => {
      const { core, hears } = deviceThatHears({ features: ['export'] })
      await core.activate('a license key')
      expect([hasFeature(core.state, 'export'), hasFeature(core.state, 'sync')]).toEqual([true, false])
      expect(hasFeature(await hears({ status }), 'export')).toBe(false)
      expect(hasFeature(await hears({}), 'export')).toBe(true)
    },
  )

  test('a feature that isn’t text, or comes after the hundredth, is ignored', async () => {
    const thousand = Array.from({ length: 1_000 }, (_, index) => `feature-${index}`)
    const { core } = deviceThatHears({ features: untyped([3, null, 'export', ...thousand]) })
    await core.activate('a license key')
    expect(core.state.license?.features).toHaveLength(100)
    expect(core.state.license?.features[0]).toBe('export')
  })
})

describe('the app’s own rule', () => {
  test('derives features from a plan, once for each answer, and grants none without a license', async () => {
    const seen: unknown[] = []
    const { license, device, fates } = await scene({
      rules: {
        trialMs: dayMs,
        features(terms) {
          seen.push(terms)
          return terms.activationLimit === 3 ? ['export'] : []
        },
      },
    })
    expect(device.state.status).toBe('trial')
    expect(hasFeature(device.state, 'export')).toBe(false)
    await device.core.activate(license.id)
    expect(device.state.license?.features).toEqual(['export'])
    fates.every = lost
    expect(hasFeature(await device.core.validate(), 'export')).toBe(true)
    expect(seen).toEqual([{ plan: null, features: [], activationLimit: 3, expiresAt: null }])
    await device.core.deactivate()
    expect(hasFeature(device.state, 'export')).toBe(false)
  })

  test.each([
    ['throws', () => expect.unreachable()],
    ['returns no list', () => untyped('export')],
  ])('that %s grants nothing, and the log says so once', async (_what, features: () => readonly string[]) => {
    const { device } = await scene({ rules: { features }, isActivated: true, fates: { every: lost } })
    await device.core.validate()
    expect(device.state).toMatchObject({ entitled: true, license: { features: [] } })
    expect(device.logger.lines.filter((line) => line.includes('option features failed'))).toHaveLength(1)
  })
})
