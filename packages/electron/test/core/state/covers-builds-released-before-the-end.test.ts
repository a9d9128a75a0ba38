import { describe, expect, test } from 'vitest'
import { createAskingSecrets } from '../../doubles/fake-secrets.ts'
import { createScriptedService, refusal } from '../../doubles/scripted-service.ts'
import { wrapCalls } from '../../doubles/with-call.ts'
import { always, createTestDevice, dayMs, hourMs, lost, type SceneOptions, scene } from '../fixture.ts'

/** A license that ends in ten days, in an app whose build was released that long after the end. */
async function licensed(releasedAfterEndMs: number | undefined, options: SceneOptions = {}) {
  const endMs = Math.ceil(Date.now() / 1000) * 1000 + 10 * dayMs
  const releasedAtMs = releasedAfterEndMs === undefined ? undefined : endMs + releasedAfterEndMs
  const it = await scene({ rules: { releasedAtMs }, ...options })
  it.license.expiresAtMs = endMs
  await it.device.core.activate(it.license.id)
  const covers = () => [endMs, endMs + 1, null].map((atMs) => it.device.core.covers(atMs))
  return { ...it, endMs, releasedAtMs, covers }
}

const none = [false, false, false]
const upToTheEnd = [true, false, false]
const all = [true, true, true]

type Licensed = Awaited<ReturnType<typeof licensed>>

describe('a license that has ended', () => {
  test.each([
    ['a day before it', -dayMs, 'active', true],
    ['a millisecond before it', -1, 'active', true],
    ['in its last millisecond', 0, 'active', true],
    ['a millisecond after it', 1, 'not-covered', false],
    ['a day after it', dayMs, 'not-covered', false],
    ['whenever, where a license locks', undefined, 'expired', false],
  ])(
    'still entitles builds released up to its end, and no later ones: %s',
    async (_when, afterMs, status, entitled) => {
      const { device } = await licensed(afterMs)
      expect(device.state.status).toBe('active')
      await device.elapse(11 * dayMs)
      expect(device.state).toMatchObject({ status, entitled })
      expect(device.state.problem?.code ?? null).toBe(entitled ? null : 'license-expired')
      expect(await device.launch()).toMatchObject({ status, entitled })
      await device.elapse(60 * dayMs)
      expect(device.state).toMatchObject({ status, entitled })
    },
  )

  test('gives renewal grace to a later build, and none to a build that it covers', async () => {
    const covered = await licensed(-dayMs)
    const later = await licensed(dayMs)
    for (const { device, fates } of [covered, later]) {
      await device.elapse(9 * dayMs)
      fates.validate = always(lost)
      await device.elapse(2 * dayMs)
    }
    expect(covered.device.state.status).toBe('grace')
    expect(later.device.state.status).toBe('grace')
    await later.device.elapse(3 * dayMs)
    await covered.device.elapse(3 * dayMs)
    expect(later.device.state.status).toBe('not-covered')
    expect(covered.device.state.status).toBe('grace')
    await covered.device.elapse(12 * dayMs)
    expect(covered.device.state.status).toBe('unverified')
    covered.fates.validate = []
    await covered.device.core.validate()
    expect(covered.device.state).toMatchObject({ status: 'active', problem: null })
  })

  test.each([
    [
      'suspended',
      (license: { isSuspended: boolean }) => Object.assign(license, { isSuspended: true }),
      'suspended',
    ],
    [
      'released elsewhere',
      (license: { keys: readonly unknown[] }) => Object.assign(license, { keys: [] }),
      'revoked',
    ],
  ])('covers nothing once it is %s', async (_what, change, status) => {
    const { device, license } = await licensed(-dayMs)
    await device.elapse(11 * dayMs)
    change(license)
    await device.core.validate()
    await device.core.validate()
    expect(device.state).toMatchObject({ status, entitled: false })
  })

  test('entitles a later build as soon as a renewal is seen', async () => {
    const { device, license } = await licensed(dayMs)
    await device.elapse(11 * dayMs)
    expect(device.state.status).toBe('not-covered')
    license.expiresAtMs = device.clock.now() + 365 * dayMs
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  test.each([
    [-dayMs, true, 'active'],
    [dayMs, false, 'not-covered'],
  ])('is found again by a reinstalled app, which it covers or not: %i', async (afterMs, ok, status) => {
    const { device, license, service, releasedAtMs } = await licensed(afterMs)
    await device.elapse(11 * dayMs)
    const reinstalled = createTestDevice(null, { service, rules: { releasedAtMs } })
    reinstalled.clock.jump(device.clock.now() - reinstalled.clock.now())
    expect(await reinstalled.core.activate(license.id)).toMatchObject({ ok, state: { status, entitled: ok } })
    expect(license.keys).toHaveLength(1)
  })

  test('that covers this build is not replaced by one that does not', async () => {
    const { device, model } = await licensed(-dayMs)
    await device.elapse(11 * dayMs)
    const other = model.addLicense(1)
    other.expiresAtMs = device.clock.now() - 100 * dayMs
    model.addKey(other, `Work laptop [${device.state.device?.fingerprint}]`)
    expect(await device.core.activate(other.id)).toMatchObject({
      ok: false,
      problem: { code: 'license-expired' },
    })
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
  })

  test('covers the same builds with a clock that was set back or ahead', async () => {
    for (const jumpMs of [-30 * dayMs, 400 * dayMs]) {
      const later = await licensed(dayMs)
      const earlier = await licensed(-dayMs)
      const jump = async ({ device, fates }: Licensed): Promise<void> => {
        await device.elapse(11 * dayMs)
        fates.validate = always(lost)
        device.clock.jump(jumpMs)
        await device.launch()
      }
      await jump(later)
      await jump(earlier)
      expect(later.device.state.status).toBe('not-covered')
      expect(earlier.device.state.status).not.toBe('not-covered')
      expect(earlier.device.core.covers(earlier.endMs)).toBe(true)
      expect(earlier.device.core.covers(earlier.endMs + 1)).toBe(false)
    }
  })
})

describe('an updater', () => {
  test('knows by the release date whether this device could use a build', async () => {
    const { device, covers } = await licensed(-dayMs)
    expect(covers()).toEqual([true, false, true])
    await device.elapse(11 * dayMs)
    expect(covers()).toEqual(upToTheEnd)
  })

  test('can install every build without a license, with one without an end, and with expiry "lock"', async () => {
    const { device } = await scene({ rules: { releasedAtMs: Date.now() }, isActivated: true })
    expect(device.core.covers(Number.MAX_SAFE_INTEGER)).toBe(true)
    await device.core.deactivate()
    expect(device.core.covers(Number.MAX_SAFE_INTEGER)).toBe(true)
    expect((await licensed(undefined)).covers()).toEqual(all)
  })

  test('can install every build while the service reports a license as valid after its end', async () => {
    const { device, license, covers } = await licensed(-dayMs, {
      // Without a date, the service's answer counts more than the clock.
      wrap: (service) =>
        wrapCalls(service, async (_operation, send) => ({ ...(await send()), serverDateMs: null })),
    })
    license.expiresAtMs = device.clock.now() - dayMs
    expect(await device.core.validate()).toMatchObject({ status: 'active' })
    expect(covers()).toEqual(all)
  })

  /** The license has ended, and the app is launched again with a keychain that asks its user. */
  async function launchedSealed(releasedAfterEndMs: number | undefined) {
    const { secrets, ask, answer } = createAskingSecrets()
    const it = await licensed(releasedAfterEndMs, { secrets })
    await it.device.elapse(20 * dayMs)
    ask()
    expect(await it.device.launch()).toMatchObject({ status: 'unlicensed' })
    return { ...it, answer }
  }

  test('can install no build while the keychain asks its user, and then those that the license covers', async () => {
    const { device, answer, covers } = await launchedSealed(-dayMs)
    expect(covers()).toEqual(none)
    answer()
    expect(await device.settled()).toMatchObject({ status: 'active' })
    expect(covers()).toEqual(upToTheEnd)
  })

  test('can install every build anyway where a license locks', async () => {
    expect((await launchedSealed(undefined)).covers()).toEqual(all)
  })

  test('can install every build with the record of a newer version, because an update opens it', async () => {
    const { device, covers } = await licensed(-dayMs)
    await device.quit()
    device.store.place('newest', '{"version":99}')
    expect(await device.decide()).toMatchObject({ problem: { code: 'store-newer-version' } })
    expect(covers()).toEqual(all)
  })
})

test('an adapter’s documented “expired” covers builds released before the end', async () => {
  const { service, says } = createScriptedService(false)
  const startMs = Date.now()
  for (const [releasedAtMs, status] of [
    [startMs - hourMs, 'active'],
    [startMs + 3 * dayMs, 'not-covered'],
  ] as const) {
    const device = createTestDevice(null, { service, rules: { releasedAtMs } })
    await device.core.activate('a license key')
    device.clock.jump(dayMs)
    says.validate.push(refusal('expired'))
    await device.core.validate()
    // It doesn't report when, so builds released before the last valid answer are covered.
    expect(device.state.status).toBe(status)
  }
})

test('an “expired” without an end covers no build if the license was never valid here', async () => {
  const { service, says } = createScriptedService(false)
  const made = await service.activate({ licenseKey: 'a', deviceName: 'a', fingerprint: '0'.repeat(16) })
  if (made.kind !== 'answer') throw new Error('The scripted service refused')
  const license = { ...made.value.license, status: 'expired', endsAtMs: null } as const
  says.activate.push({ ...made, value: { ...made.value, license } })
  const device = createTestDevice(null, { service, rules: { releasedAtMs: Date.now() - dayMs } })
  await device.core.activate('a license key')
  expect(device.state).toMatchObject({ status: 'not-covered', entitled: false })
})
