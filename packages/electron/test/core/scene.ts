import { createTestDevice, type TestDevice } from './fixture.ts'
import {
  createServiceModel,
  type Fate,
  type ModelLicense,
  type ModelOperation,
  type ServiceModel,
} from './service-model.ts'

/** A device that is running, and a small service whose every answer the test decides. */
export interface Scene {
  readonly model: ServiceModel
  /** Of three seats. */
  readonly license: ModelLicense
  readonly device: TestDevice
  /** The fates of the next requests of an operation; served once there are none left. */
  readonly fates: Partial<Record<ModelOperation, Fate[]>>
  /** What was asked, oldest first. */
  readonly asked: ModelOperation[]
}

export async function scene(): Promise<Scene> {
  const fates: Scene['fates'] = {}
  const asked: ModelOperation[] = []
  const model = createServiceModel(() => device.clock.now())
  const commerce = model.reachedBy((operation) => {
    asked.push(operation)
    return fates[operation]?.shift() ?? { kind: 'served' }
  })
  const device = createTestDevice(null, { commerce })
  await device.launch()
  return { model, license: model.addLicense(3), device, fates, asked }
}

/** An answer of this status; one that is not JSON comes from somebody on the way. */
export const says = (status: number, isJson = true): Fate => ({ kind: 'status', status, isJson })
/** The request never arrives. */
export const lost: Fate = { kind: 'request-lost' }
