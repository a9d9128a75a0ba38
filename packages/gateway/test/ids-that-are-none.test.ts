import { expect, test } from 'vitest'
import { accessToken, gatewayOf as commerceGatewayOf, startService } from './gateway-fixture.ts'
import { adapterOf, gatewayOf, startFace } from './services/face-fixture.ts'

const surrogate = 'key \ud83d'

test.each(['.', '..'])('a license key or key id %s reaches no path of the service', async (id) => {
  const emulator = await startFace('keygen')
  const { of, lines } = gatewayOf(adapterOf('keygen', emulator))
  const license = of(id)
  const known = of(emulator.licenseKey)
  const answers = [
    await license.keys(),
    await license.activate('Laptop'),
    await license.validate('some-key'),
    await license.deactivate('some-key'),
    await known.key(id),
    await known.validate(id),
    await known.deactivate(id),
  ]
  expect(answers.map(({ status }) => status)).toEqual(Array(answers.length).fill(400))
  expect(emulator.control.requests()).toEqual([])
  expect(lines.map(({ level }) => level)).not.toContain('error')
})

test('half of a surrogate pair in an id or a name is the client’s mistake', async () => {
  const emulator = await startFace('keygen')
  const { of } = gatewayOf(adapterOf('keygen', emulator))
  const license = of(emulator.licenseKey)
  const answers = [
    await license.validate(surrogate),
    await license.deactivate(surrogate),
    await license.activate(surrogate),
  ]
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400])
  const commerce = await startService()
  const { call } = commerceGatewayOf(commerce, { upstream: { accessToken } })
  const path = `/licenses/${commerce.demoLicense.id}/activate`
  expect((await call('POST', path, { json: { name: surrogate } })).status).toBe(400)
})
