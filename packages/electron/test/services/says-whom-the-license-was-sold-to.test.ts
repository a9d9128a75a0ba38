import { expect, test } from 'vitest'
import { adapterNames, startFace } from './faces.ts'

const namesTheCustomer: readonly string[] = ['lemon-squeezy', 'polar', 'dodo']

test.each(adapterNames)('of %s, the license names its customer where the service does', async (name) => {
  const face = await startFace(name)
  const device = face.device()
  await device.launch()
  await device.core.activate(face.licenseKey)
  const told = namesTheCustomer.includes(name) ? expect.stringMatching(/\w/u) : undefined
  expect(device.core.state.license?.licensee).toEqual(told)
  await device.core.validate()
  expect(device.core.state.license?.licensee).toEqual(told)
})
