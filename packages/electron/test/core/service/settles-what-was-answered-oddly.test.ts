import { CommerceError, type CommerceErrorDetails } from '@latchkey/commerce'
import { describe, expect, test } from 'vitest'
import type { CommercePort } from '../../../src/core/ports/commerce-port.ts'
import { oldCommercePort } from '../../doubles/old-core-port.ts'
import { createTestDevice, dayMs, type TestDevice } from '../fixture.ts'
import { says, scene } from '../scene.ts'
import { createServiceModel, type Fate, type ModelOperation } from '../service-model.ts'

/** A service that frees a seat and answers in its own way. */
function oddService(answer: CommerceErrorDetails, acts = true) {
  const model = createServiceModel(Date.now)
  const fates: Partial<Record<ModelOperation, Fate>> = {}
  let count = 0
  const port = oldCommercePort(model.reachedBy((operation) => fates[operation] ?? { kind: 'served' }))
  const commerce: CommercePort = {
    ...port,
    deactivate: async (licenseId, keyId) => {
      count += 1
      if (acts) await port.deactivate(licenseId, keyId)
      throw new CommerceError('unexpected-answer', { operation: 'licenses.deactivate', ...answer })
    },
  }
  const license = model.addLicense(2)
  return { license, fates, device: createTestDevice(null, { commerce }), deletes: () => count }
}

const noContent = { status: 204, bodyIsJson: false, bodyIsEmpty: true }
const otherJson = { status: 200, bodyIsJson: true }

describe('a success without the documented body', () => {
  test.each([noContent, otherJson])('is checked once, and the seat is released: %j', async (answer) => {
    const { license, device, deletes } = oddService(answer)
    await device.core.activate(license.id)
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
    await device.elapse(3 * dayMs)
    expect(license.keys).toEqual([])
    expect(deletes()).toBe(1)
    expect((await device.vaultOnDisk()).outbox).toEqual([])
  })

  test('is no success if it is a web page, because a public network returns 200 for everything', async () => {
    const { license, device } = oddService({ status: 200, bodyIsJson: false }, false)
    await device.core.activate(license.id)
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    expect(license.keys).toHaveLength(1)
    expect((await device.vaultOnDisk()).outbox).toHaveLength(1)
  })

  test('is no success if the key is listed', async () => {
    const { license, device } = oddService(noContent, false)
    await device.core.activate(license.id)
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    expect((await device.vaultOnDisk()).outbox).toHaveLength(1)
  })

  test('counts if keys may not be listed and the key is no longer shown', async () => {
    const { license, device, fates } = oddService(noContent)
    await device.core.activate(license.id)
    fates.keys = { kind: 'status', status: 403, isJson: true }
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
    expect((await device.vaultOnDisk()).outbox).toEqual([])
  })

  test('does not count if it cannot be checked', async () => {
    const { license, device, fates } = oddService(noContent)
    await device.core.activate(license.id)
    fates.key = { kind: 'portal' }
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    expect((await device.vaultOnDisk()).outbox).toHaveLength(1)
  })
})

test.each([401, 403])(
  'a seat that is already released needs no retry after a refusal (%d)',
  async (status) => {
    const { model, license, device, fates } = await scene()
    await device.core.activate(license.id)
    model.removeKey(license, license.keys[0]?.id ?? '')
    fates.deactivate = [says(status)]
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  },
)

test.each([401, 403])('a seat that is still in use is queued after a refusal (%d)', async (status) => {
  const { license, device, fates } = await scene()
  await device.core.activate(license.id)
  fates.deactivate = [says(status)]
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
  expect(license.keys).toHaveLength(1)
})

test.each([
  [403, 'unauthorized', 'freed-later'],
  [404, 'not-found', 'freed-later'],
  [204, 'unexpected-answer', 'freed'],
] as const)(
  'an incomplete list proves nothing after a %d, and does not contradict a success',
  async (status, code, seat) => {
    const model = createServiceModel(Date.now)
    const license = model.addLicense(2)
    const port = oldCommercePort(model.reachedBy(() => ({ kind: 'served' })))
    const device = createTestDevice(null, {
      commerce: {
        ...port,
        keys: async (licenseId) => ({ ...(await port.keys(licenseId)), isWhole: false }),
        deactivate: async (licenseId, keyId) => {
          await port.deactivate(licenseId, keyId)
          throw new CommerceError(code, { status, bodyIsJson: status !== 204, bodyIsEmpty: status === 204 })
        },
      },
    })
    await device.core.activate(license.id)
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat })
    expect((await device.vaultOnDisk()).outbox).toHaveLength(seat === 'freed' ? 0 : 1)
  },
)

describe('a full license', () => {
  test.each([
    ['429', says(429)],
    ['503', says(503)],
    ['a page', { kind: 'portal' } as const],
    ['403', says(403)],
  ])('shows its devices after any response to the activation: %s', async (_what, answer) => {
    const { model, license, device, fates } = await scene()
    for (const name of ['one', 'two', 'three']) model.addKey(license, name)
    fates.activate = [answer]
    expect(await device.core.activate(license.id)).toMatchObject({
      ok: false,
      problem: { code: 'no-seat-left' },
    })
    expect(await device.core.devices()).toMatchObject({ ok: true, devices: [{}, {}, {}] })
    expect((await device.vaultOnDisk()).pending).toBeNull()
  })

  test('shows its devices even if a second list fails', async () => {
    const { model, license, device, fates } = await scene()
    for (const name of ['one', 'two', 'three']) model.addKey(license, name)
    fates.activate = [says(429)]
    fates.keys = [{ kind: 'served' }, says(429)]
    expect(await device.core.activate(license.id)).toMatchObject({ problem: { code: 'no-seat-left' } })
  })

  test('counts its keys if the service does not report the seats in use', async () => {
    const model = createServiceModel(Date.now)
    const license = model.addLicense(2)
    const port = oldCommercePort(model.reachedBy(() => ({ kind: 'served' })))
    const device = createTestDevice(null, {
      commerce: {
        ...port,
        validate: async (id, keyId) => {
          const answer = await port.validate(id, keyId)
          const { value } = answer
          return { ...answer, value: { ...value, license: { ...value.license, activation_usage: null } } }
        },
      },
    })
    for (const name of ['one', 'two']) model.addKey(license, name)
    expect(await device.core.activate(license.id)).toMatchObject({ problem: { code: 'no-seat-left' } })
  })

  test('with a free seat is reported as a busy service', async () => {
    const { model, license, device, fates } = await scene()
    model.addKey(license, 'one')
    fates.activate = [says(429)]
    expect(await device.core.activate(license.id)).toMatchObject({ problem: { code: 'rate-limited' } })
    expect((await device.vaultOnDisk()).pending).not.toBeNull()
  })
})

describe('the number of devices in use', () => {
  test('goes down immediately when another device is released', async () => {
    const { model, license, device } = await scene()
    const other = model.addKey(license, 'Tower')
    await device.core.activate(license.id)
    expect(device.state.license?.activationUsage).toBe(2)
    expect(await device.core.releaseDevice(other.id)).toEqual({ ok: true })
    expect(device.state.license?.activationUsage).toBe(1)
  })

  test('stays the same for a device that was already gone, or if it is unknown', async () => {
    const { model, license, device } = await scene()
    const other = model.addKey(license, 'Tower')
    await device.core.activate(license.id)
    model.removeKey(license, other.id)
    expect(await device.core.releaseDevice(other.id)).toEqual({ ok: true })
    expect(device.state.license?.activationUsage).toBe(2)
  })
})

describe('a host that shows keys that never existed', () => {
  /** A service that takes no seat, behind a proxy that may show any requested key. */
  async function odd() {
    const model = createServiceModel(() => device.clock.now())
    const fates: Partial<Record<ModelOperation, Fate[]>> = {}
    const port = oldCommercePort(
      model.reachedBy((operation) => fates[operation]?.shift() ?? { kind: 'served' }),
    )
    const box = { showsAnything: true }
    const device: TestDevice = createTestDevice(null, {
      commerce: {
        ...port,
        key: async (licenseId, id) =>
          box.showsAnything
            ? { value: { id, name: 'Tower', created_at: null, updated_at: null }, serverDateMs: null }
            : port.key(licenseId, id),
      },
    })
    await device.launch()
    return { license: model.addLicense(2), fates, box, device }
  }

  test('does not prove that a refused activation used no seat, so the search continues', async () => {
    const { license, fates, box, device } = await odd()
    fates.activate = [says(409)]
    expect(await device.core.activate(license.id)).toMatchObject({ problem: { code: 'activation-refused' } })
    expect(await device.vaultOnDisk()).toMatchObject({ pending: null, outbox: [{ keyId: null }] })
    box.showsAnything = false
    await device.elapse(dayMs)
    expect((await device.vaultOnDisk()).outbox).toEqual([])
  })

  test('does not end the search for the seat of a lost request', async () => {
    const { license, fates, box, device } = await odd()
    fates.activate = [{ kind: 'request-lost' }]
    fates.keys = [{ kind: 'served' }, { kind: 'request-lost' }]
    await device.core.activate(license.id)
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    // The same if it can't be asked.
    box.showsAnything = false
    fates.key = [{ kind: 'request-lost' }]
    await device.core.validate()
    expect((await device.vaultOnDisk()).outbox).toHaveLength(1)
    await device.elapse(dayMs)
    expect((await device.vaultOnDisk()).outbox).toEqual([])
  })

  test.each([
    ['a list that is not whole', { isWhole: false }, null],
    ['a question that fails in the app itself', {}, new Error('not a CommerceError')],
  ])('and neither does %s', async (_what, list, error) => {
    const model = createServiceModel(() => device.clock.now())
    const fates: Fate[] = [{ kind: 'served' }, { kind: 'request-lost' }]
    const port = oldCommercePort(
      model.reachedBy((operation) =>
        operation === 'activate'
          ? { kind: 'request-lost' }
          : ((operation === 'keys' ? fates.shift() : undefined) ?? { kind: 'served' }),
      ),
    )
    const device: TestDevice = createTestDevice(null, {
      commerce: {
        ...port,
        keys: async (licenseId) => ({ ...(await port.keys(licenseId)), ...list }),
        key: async (licenseId, keyId) =>
          error === null ? port.key(licenseId, keyId) : Promise.reject(error),
      },
    })
    await device.launch()
    await device.core.activate(model.addLicense(2).id)
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    expect((await device.vaultOnDisk()).outbox).toHaveLength(1)
  })
})

test('after a success, an unsigned "not found" is enough to release a seat', async () => {
  const model = createServiceModel(Date.now)
  const license = model.addLicense(1)
  const port = oldCommercePort(model.reachedBy(() => ({ kind: 'served' })))
  const device = createTestDevice(null, {
    commerce: {
      ...port,
      key: async () => {
        throw new CommerceError('unexpected-answer', { status: 404, field: 'latchkey-lease' })
      },
    },
  })
  await device.core.activate(license.id)
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
})

test.each([
  ['a list older than the refusal by minutes comes out of a cache, and proves nothing', 120_000, 'grace'],
  ['a list as old as the refusal proves it', 0, 'revoked'],
  ['so does one that does not say how old it is', null, 'revoked'],
] as const)('that a key is gone: %s', async (_what, ageMs, status) => {
  const model = createServiceModel(Date.now)
  const license = model.addLicense(1)
  const port = oldCommercePort(model.reachedBy(() => ({ kind: 'served' })))
  const nowMs = Date.now()
  const device = createTestDevice(null, {
    commerce: {
      ...port,
      keys: async (licenseId) => {
        const { value } = await port.keys(licenseId)
        return { value, serverDateMs: ageMs === null ? null : nowMs - ageMs }
      },
      key: async () => {
        throw new CommerceError('not-found', { status: 404, bodyIsJson: true, serverDateMs: nowMs })
      },
    },
  })
  await device.core.activate(license.id)
  model.removeKey(license, license.keys[0]?.id ?? '')
  expect(await device.launch()).toMatchObject({ status })
})
