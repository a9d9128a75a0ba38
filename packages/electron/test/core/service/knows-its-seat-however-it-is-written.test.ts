import type { Activation, LicenseKey } from '@latchkey/commerce'
import { describe, expect, test } from 'vitest'
import type { Answer, CommercePort } from '../../../src/core/ports/commerce-port.ts'
import type { ServicePort } from '../../../src/core/ports/service-port.ts'
import { oldCommercePort } from '../../doubles/old-core-port.ts'
import { createTestDevice, dayMs, type TestDevice } from '../fixture.ts'
import { createServiceModel, type Fate, type ModelLicense, type ModelOperation } from '../service-model.ts'

/** How a service changes the keys it lists and the names it gets. */
interface Habits {
  readonly listed?: (key: LicenseKey) => LicenseKey
  readonly stored?: (name: string) => string
}

interface Place {
  readonly license: ModelLicense
  readonly fates: Partial<Record<ModelOperation, Fate[]>>
  reinstalled(label?: string): TestDevice
}

function place({ listed = (key) => key, stored = (name) => name }: Habits): Place {
  const model = createServiceModel(Date.now)
  const fates: Place['fates'] = {}
  const port = oldCommercePort(
    model.reachedBy((operation) => fates[operation]?.shift() ?? { kind: 'served' }),
  )
  const lower = (id: string): string => id.toLowerCase()
  const commerce: CommercePort = {
    keys: async (licenseId) => {
      const { value, ...rest } = await port.keys(lower(licenseId))
      return { ...rest, value: value.map(listed) }
    },
    key: (licenseId, keyId) => port.key(lower(licenseId), lower(keyId)),
    validate: (licenseId, keyId) => port.validate(lower(licenseId), lower(keyId)),
    deactivate: (licenseId, keyId) => port.deactivate(lower(licenseId), lower(keyId)),
    activate: (licenseId, name) => port.activate(lower(licenseId), stored(name)),
  }
  return {
    license: model.addLicense(3),
    fates,
    reinstalled: (label = 'Work laptop') => createTestDevice(null, { commerce, device: { label } }),
  }
}

const upper = (key: LicenseKey): LicenseKey => ({ ...key, id: key.id.toUpperCase() })
const lost: Fate = { kind: 'answer-lost' }

describe('ids in another letter case in the list than in other responses', () => {
  test('a device never releases its own seat', async () => {
    const { license, reinstalled } = place({ listed: upper })
    const device = reinstalled()
    await device.core.activate(license.id)
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    for (let launch = 0; launch < 3; launch += 1) {
      expect(await device.launch()).toMatchObject({ status: 'active' })
    }
    expect(license.keys).toHaveLength(1)
    expect((await device.vaultOnDisk()).outbox).toEqual([])
  })

  test('a device that chooses its oldest key keeps it', async () => {
    const { license, fates, reinstalled } = place({ listed: upper })
    const device = reinstalled()
    fates.activate = [lost]
    fates.keys = [{ kind: 'served' }, { kind: 'request-lost' }]
    await device.core.activate(license.id)
    await device.core.activate(license.id)
    expect(await device.launch()).toMatchObject({ status: 'active' })
    await device.elapse(dayMs)
    expect(license.keys).toHaveLength(1)
  })

  test('this device is recognized in the list, and releasing it deactivates it', async () => {
    const { license, reinstalled } = place({ listed: upper, stored: () => 'renamed by the service' })
    const device = reinstalled()
    await device.core.activate(license.id)
    const listed = await device.core.devices()
    expect(listed).toMatchObject({ ok: true, devices: [{ isThisDevice: true }] })
    const [mine] = listed.ok ? listed.devices : []
    expect(await device.core.releaseDevice(mine?.id ?? '')).toEqual({ ok: true })
    expect(device.state.status).toBe('unlicensed')
    expect(license.keys).toEqual([])
  })

  test('a key that is listed in another letter case is not gone', async () => {
    const { license, fates, reinstalled } = place({ listed: upper })
    const device = reinstalled()
    await device.core.activate(license.id)
    fates.validate = [{ kind: 'status', status: 404, isJson: true }]
    fates.key = [{ kind: 'status', status: 404, isJson: true }]
    expect(await device.launch()).toMatchObject({ status: 'grace', problem: { code: 'unconfirmed' } })
  })
})

describe('a service that changes the names of activations', () => {
  const longName = 'build-machine-of-the-translation-department-second-floor-left'

  test.each<[string, (name: string) => string]>([
    ['cuts them to 64 characters', (name) => name.slice(0, 64)],
    ['cuts them to 50 characters', (name) => name.slice(0, 50)],
    ['cuts them to 32 characters', (name) => name.slice(0, 32)],
    ['writes them in capitals', (name) => name.toUpperCase()],
    ['writes them in small letters', (name) => name.toLowerCase()],
    ['capitalizes words', (name) => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())],
    ['adds white space', (name) => ` ${name} \n`],
    ['adds a number', (name) => `${name} (2)`],
  ])('costs no seat however often the app is reinstalled: %s', async (_what, stored) => {
    const { license, reinstalled } = place({ stored })
    for (let time = 0; time < 3; time += 1) {
      const device = reinstalled(longName)
      expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    }
    expect(license.keys).toHaveLength(1)
  })

  test('a seat with a long name from an earlier version is found', async () => {
    const { license, reinstalled } = place({})
    const device = reinstalled(longName)
    await device.core.activate(license.id)
    const fingerprint = device.state.device?.fingerprint ?? ''
    const [mine] = license.keys
    Object.assign(mine ?? {}, { name: `${longName} [${fingerprint}]` })
    expect(await reinstalled(longName).core.activate(license.id)).toMatchObject({ ok: true })
    expect(license.keys).toHaveLength(1)
  })
})

describe('a response about another device', () => {
  test.each(['license', 'device'])('to an activation is ignored: another %s', async (what) => {
    const model = createServiceModel(Date.now)
    const license = model.addLicense(3)
    const other = model.addLicense(3)
    const port = oldCommercePort(model.reachedBy(() => ({ kind: 'served' })))
    let isMixedUp = true
    const device = createTestDevice(null, {
      commerce: {
        ...port,
        activate: async (licenseId, name) => {
          if (!isMixedUp) return port.activate(licenseId, name)
          isMixedUp = false
          return what === 'license'
            ? port.activate(other.id, name)
            : port.activate(licenseId, 'Tower [fedcba9876543210]')
        },
      },
    })
    expect(await device.core.activate(license.id)).toMatchObject({
      ok: false,
      problem: { code: 'unexpected-answer' },
      state: { status: 'unlicensed' },
    })
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    const { activation } = await device.vaultOnDisk()
    expect(license.keys.filter(({ name }) => name.startsWith('Work laptop')).map(({ id }) => id)).toEqual([
      activation?.keyId,
    ])
  })
})

/** A service that finds license keys in either letter case, as some databases do, and repeats them as they were sent. */
function caseless() {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(1)
  const fates: Fate[] = []
  const port = oldCommercePort(
    model.reachedBy((operation) => (operation === 'deactivate' && fates.shift()) || { kind: 'served' }),
  )
  const commerce: ServicePort = {
    findLicenseKey: (text) => ({ ok: true, licenseKey: text }),
    keys: () => port.keys(license.id),
    key: (_, keyId) => port.key(license.id, keyId),
    deactivate: (_, keyId) => port.deactivate(license.id, keyId),
    validate: async (licenseKey, keyId) => sentAs(licenseKey, await port.validate(license.id, keyId)),
    activate: async (licenseKey, name) => sentAs(licenseKey, await port.activate(license.id, name)),
  }
  const device = createTestDevice(null, { commerce })
  return { device, license, fates }
}

function sentAs(id: string, answer: Answer<Activation>): Answer<Activation> {
  return { ...answer, value: { ...answer.value, license: { ...answer.value.license, id } } }
}

describe('a license key in another letter case', () => {
  test('uses the seat that was queued to be freed, and never frees it', async () => {
    const { device, license, fates } = caseless()
    await device.launch()
    await device.core.activate('INKWELL-KEY')
    fates.push({ kind: 'request-lost' })
    expect(await device.core.deactivate()).toMatchObject({ seat: 'freed-later' })
    expect(await device.core.activate('inkwell-key')).toMatchObject({ ok: true })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(license.keys).toHaveLength(1)
    expect((await device.vaultOnDisk()).outbox).toEqual([])
  })

  test('doesn’t use a seat that a request may still free', async () => {
    const { device, license, fates } = caseless()
    await device.launch()
    await device.core.activate('INKWELL-KEY')
    fates.push({ kind: 'status', status: 503, isJson: false })
    await device.core.deactivate()
    const [before] = license.keys
    expect(await device.core.activate('inkwell-key')).toMatchObject({ ok: true })
    expect(license.keys).toHaveLength(1)
    expect(license.keys[0]?.id).not.toBe(before?.id)
  })
})
