import { CommerceError } from '@latchkey/commerce'
import type { CommercePort } from '../../../../src/core/ports/commerce-port.ts'
import { oldCommercePort } from '../../../doubles/old-core-port.ts'
import { createTestDevice, type TestDevice } from '../../fixture.ts'
import { createServiceModel, type Fate, type ModelLicense, type ModelOperation } from '../../service-model.ts'

export interface World {
  readonly device: TestDevice
  readonly license: ModelLicense
  /** Keys that hold a seat: those that are listed and not deactivated. */
  seats(): readonly string[]
  readonly fates: Partial<Record<ModelOperation, Fate[]>>
  readonly box: { refusesValidate: boolean }
  readonly asked: ModelOperation[]
  release(keyId: string): void
}

/** A service that still lists and shows keys that it has deactivated, but refuses to validate them. */
export async function world(
  options: { limit?: number; refusesTwice?: boolean; status?: 401 | 403; isDated?: boolean } = {},
): Promise<World> {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(options.limit ?? 2)
  const fates: World['fates'] = {}
  const asked: ModelOperation[] = []
  const deactivated = new Set<string>()
  const box = { refusesValidate: false }
  const seats = (): readonly string[] => license.keys.map(({ id }) => id).filter((id) => !deactivated.has(id))
  const port = oldCommercePort(
    model.reachedBy((operation) => {
      asked.push(operation)
      return fates[operation]?.shift() ?? { kind: 'served' }
    }),
  )
  const refuse = (): never => {
    const { status = 404 } = options
    const details = { status, bodyIsJson: true, serverDateMs: device.clock.now() }
    throw new CommerceError(status === 404 ? 'not-found' : 'unauthorized', details)
  }
  const commerce: CommercePort = {
    ...port,
    async activate(licenseId, name) {
      const listed = license.keys
      // Deactivated keys take no seat.
      license.keys = listed.filter(({ id }) => !deactivated.has(id))
      try {
        return await port.activate(licenseId, name)
      } finally {
        license.keys = [...listed, ...license.keys.filter((key) => !listed.includes(key))]
      }
    },
    async keys(licenseId) {
      const answer = await port.keys(licenseId)
      const { isDated = true } = options
      return isDated ? answer : { ...answer, value: answer.value.map((key) => ({ ...key, created_at: '' })) }
    },
    async validate(licenseId, keyId) {
      const answer = await port.validate(licenseId, keyId)
      return box.refusesValidate || deactivated.has(keyId) ? refuse() : answer
    },
    async deactivate(licenseId, keyId) {
      const { serverDateMs } = await port.key(licenseId, keyId)
      const fate = fates.deactivate?.shift()
      const isRepeated = deactivated.has(keyId)
      if (fate?.kind !== 'status') deactivated.add(keyId)
      if (fate !== undefined || (isRepeated && options.refusesTwice === true)) return refuse()
      return { value: { message: 'Deactivated.' }, serverDateMs }
    },
  }
  const device: TestDevice = createTestDevice(null, { commerce })
  await device.launch()
  return { device, license, seats, fates, box, asked, release: (keyId) => void deactivated.add(keyId) }
}
