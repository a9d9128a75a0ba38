import { CommerceError } from '@latchkey/commerce'
import { describe, expect, test } from 'vitest'
import type { CommercePort } from '../../../src/core/ports/commerce-port.ts'
import { oldCommercePort } from '../../doubles/old-core-port.ts'
import { createTestDevice, hourMs } from '../fixture.ts'
import { createServiceModel } from '../service-model.ts'

describe.each<[string, () => number | null]>([
  ['an hour after it', () => Date.now() + hourMs],
  ['without saying when', () => null],
])('a proxy returns an old list and refuses everything else %s', (_when, refusedAtMs) => {
  test('no device is revoked', () => keepsOldList(refusedAtMs))
})

async function keepsOldList(refusedAtMs: () => number | null): Promise<void> {
  const model = createServiceModel(Date.now)
  const license = model.addLicense(3)
  const port = oldCommercePort(model.reachedBy(() => ({ kind: 'served' })))
  let isBroken = false
  let kept: ReturnType<CommercePort['keys']> | null = null
  const refuse = async (): Promise<never> => {
    throw new CommerceError('unauthorized', {
      operation: 'licenses.key',
      status: 403,
      bodyIsJson: false,
      serverDateMs: refusedAtMs(),
    })
  }
  const device = createTestDevice(null, {
    commerce: {
      keys: (licenseId) => {
        if (isBroken && kept !== null) return kept
        const answer = port.keys(licenseId)
        kept ??= answer
        return answer
      },
      key: (...ids) => (isBroken ? refuse() : port.key(...ids)),
      activate: (id, name) => (isBroken ? refuse() : port.activate(id, name)),
      validate: (id, keyId) => (isBroken ? refuse() : port.validate(id, keyId)),
      deactivate: (id, keyId) => (isBroken ? refuse() : port.deactivate(id, keyId)),
    },
  })
  await device.launch()
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  isBroken = true
  await device.elapse(hourMs)
  await device.core.validate()
  expect(device.state).toMatchObject({ entitled: true })
  expect(license.keys).toHaveLength(1)
}
