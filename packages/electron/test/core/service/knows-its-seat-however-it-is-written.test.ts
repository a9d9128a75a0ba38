import type { Activation, LicenseService } from '@latchkey/services'
import { describe, expect, test } from 'vitest'
import { createTestDevice, dayMs, type TestDevice } from '../fixture.ts'
import { createServiceModel, type Fate, type ModelLicense, type ModelOperation } from '../service-model.ts'

interface Place {
  readonly license: ModelLicense
  readonly fates: Partial<Record<ModelOperation, Fate[]>>
  readonly device: TestDevice
}

/** A device, and a service that lists ids in another letter case than its other answers have. */
function place(listed: (activation: Activation) => Activation): Place {
  const model = createServiceModel(Date.now)
  const fates: Place['fates'] = {}
  const reached = model.reachedBy((operation) => fates[operation]?.shift() ?? { kind: 'served' })
  const lower = <Request extends { licenseKey: string; activationId?: string }>(
    request: Request,
  ): Request => ({
    ...request,
    licenseKey: request.licenseKey.toLowerCase(),
    ...(request.activationId !== undefined && { activationId: request.activationId.toLowerCase() }),
  })
  const service: LicenseService = {
    ...reached,
    activate: (request) => reached.activate(lower(request)),
    validate: (request) => reached.validate(lower(request)),
    deactivate: (request) => reached.deactivate(lower(request)),
    async listActivations(request) {
      const answer = await reached.listActivations?.(lower(request))
      if (answer?.kind !== 'answer') return answer ?? Promise.reject(new TypeError('no list'))
      const { activations } = answer.value
      return { ...answer, value: { ...answer.value, activations: activations.map(listed) } }
    },
    showActivation: (request) =>
      reached.showActivation?.(lower(request)) ?? Promise.reject(new TypeError('not shown')),
  }
  return { license: model.addLicense(3), fates, device: createTestDevice(null, { service }) }
}

const upper = (activation: Activation): Activation => ({ ...activation, id: activation.id.toUpperCase() })
const lost: Fate = { kind: 'answer-lost' }

describe('ids in another letter case in the list than in other responses', () => {
  test('a device never releases its own seat', async () => {
    const { license, device } = place(upper)
    await device.core.activate(license.id)
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    for (let launch = 0; launch < 3; launch += 1) {
      expect(await device.launch()).toMatchObject({ status: 'active' })
    }
    expect(license.keys).toHaveLength(1)
    expect((await device.recordOnDisk()).owed).toEqual([])
  })

  test('a device that chooses its oldest key keeps it', async () => {
    const { license, fates, device } = place(upper)
    fates.activate = [lost]
    fates.keys = [{ kind: 'served' }, { kind: 'request-lost' }]
    await device.core.activate(license.id)
    await device.core.activate(license.id)
    expect(await device.launch()).toMatchObject({ status: 'active' })
    await device.elapse(dayMs)
    expect(license.keys).toHaveLength(1)
  })

  test('this device is recognized in the list, and releasing it deactivates it', async () => {
    const { license, device } = place((activation) => ({ ...upper(activation), fingerprint: null }))
    await device.core.activate(license.id)
    const listed = await device.core.devices()
    expect(listed).toMatchObject({ ok: true, devices: [{ isThisDevice: true }] })
    const [mine] = listed.ok ? listed.devices : []
    expect(await device.core.releaseDevice(mine?.id ?? '')).toEqual({ ok: true })
    expect(device.state.status).toBe('unlicensed')
    expect(license.keys).toEqual([])
  })

  test('a key that is listed in another letter case is not gone', async () => {
    const { license, fates, device } = place(upper)
    await device.core.activate(license.id)
    fates.validate = [{ kind: 'status', status: 404, isJson: true }]
    fates.key = [{ kind: 'status', status: 404, isJson: true }]
    expect(await device.launch()).toMatchObject({ status: 'grace', problem: { code: 'unconfirmed' } })
  })
})
