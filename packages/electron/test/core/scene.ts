import { createTestDevice, type TestDevice } from './fixture.ts'
import {
  createServiceModel,
  type Fate,
  type ModelLicense,
  type ModelOperation,
  type ServiceModel,
} from './service-model.ts'

/** A running device, and a small service whose answers the test defines. */
export interface Scene {
  readonly model: ServiceModel
  /** Of three seats. */
  readonly license: ModelLicense
  readonly device: TestDevice
  /** What happens to the next requests of an operation. Later ones are served normally. */
  readonly fates: Partial<Record<ModelOperation, Fate[]>>
  /** The requests, oldest first. */
  readonly asked: ModelOperation[]
}

export async function scene(): Promise<Scene> {
  const fates: Scene['fates'] = {}
  const asked: ModelOperation[] = []
  const model = createServiceModel(() => device.clock.now())
  const service = model.reachedBy((operation) => {
    asked.push(operation)
    return fates[operation]?.shift() ?? { kind: 'served' }
  })
  const device = createTestDevice(null, { service })
  await device.launch()
  return { model, license: model.addLicense(3), device, fates, asked }
}

/** An answer with this status. One that isn't JSON comes from a proxy. */
export const says = (status: number, isJson = true): Fate => ({ kind: 'status', status, isJson })
/** The request never arrives. */
export const lost: Fate = { kind: 'request-lost' }
