import { expect, test } from 'vitest'
import { adapterNames, startFace } from './faces.ts'

test.each(adapterNames)('of %s, an end is shown, or known to be unknown', async (name) => {
  const face = await startFace(name)
  const device = face.device()
  await device.launch()
  await device.core.activate(face.licenseKey)
  const { license } = device.core.state
  const report = device.core.diagnose().join('\n')
  if (name === 'dodo') {
    expect(license).toMatchObject({ expiresAt: null, isEndUnknown: true })
    expect(report).toContain('expires unknown')
    await device.core.validate()
    expect(device.core.state.license).toMatchObject({ expiresAt: null, isEndUnknown: true })
  } else {
    expect(license?.expiresAt).toMatch(/^20/)
    expect(license).not.toHaveProperty('isEndUnknown')
  }
})

test.each(adapterNames.filter((name) => name !== 'dodo'))(
  'of %s, a license without an end has none',
  async (name) => {
    const face = await startFace(name)
    face.emulator.control.updateLicense(face.licenseId, { expires_at: null })
    const device = face.device()
    await device.launch()
    await device.core.activate(face.licenseKey)
    expect(device.core.state.license).toMatchObject({ expiresAt: null })
    expect(device.core.state.license).not.toHaveProperty('isEndUnknown')
  },
)
