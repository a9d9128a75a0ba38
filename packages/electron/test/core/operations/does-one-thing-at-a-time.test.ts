import { expect, test } from 'vitest'
import { createTestDevice, type Scene, scene } from '../fixture.ts'

test('two simultaneous activations of one license are one request', async () => {
  const { license, device, asked } = await scene()
  const results = await Promise.all([
    device.core.activate(license.id),
    device.core.activate(`  ${license.id.toUpperCase()}`),
    device.core.activate(license.id),
  ])
  expect(results.map((result) => result.ok)).toEqual([true, true, true])
  expect(asked).toEqual(['keys', 'activate', 'keys'])
})

test('another license is refused during an activation', async () => {
  const { model, license, device } = await scene()
  const other = model.addLicense(1)
  const first = device.core.activate(license.id)
  expect(await device.core.activate(other.id)).toMatchObject({
    ok: false,
    problem: { code: 'busy', isRetryable: true },
    state: { activity: 'activating' },
  })
  expect(await first).toMatchObject({ ok: true, state: { activity: 'idle' } })
  expect(other.keys).toEqual([])
})

test('activate, deactivate, activate: the last call counts', async () => {
  const { license, device } = await scene()
  const [, left, last] = await Promise.all([
    device.core.activate(license.id),
    device.core.deactivate(),
    device.core.activate(license.id),
  ])
  expect([left, last]).toMatchObject([{ ok: true, seat: 'freed' }, { ok: true }])
  expect(device.state).toMatchObject({ status: 'active', activity: 'idle' })
  expect(license.keys).toHaveLength(1)
})

test('simultaneous checks are one request, and so are simultaneous lists of devices', async () => {
  const { device, asked } = await scene({ isActivated: true })
  const { core } = device
  asked.length = 0
  core.check('resume')
  await Promise.all([core.validate(), core.validate(), core.validate()])
  const [one, other] = await Promise.all([core.devices(), core.devices()])
  expect(one).toEqual(other)
  expect(asked).toEqual(['validate', 'keys'])
})

test('a check does not delay deactivating, and its late response does not reactivate', async () => {
  const answers: (() => void)[] = []
  const { device } = await scene({
    isActivated: true,
    wrap: (service) => ({
      ...service,
      async validate(...request) {
        const answer = await service.validate(...request)
        await new Promise<void>((resolve) => answers.push(resolve))
        return answer
      },
    }),
  })
  const checked = device.core.validate()
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  expect(device.state.activity).toBe('validating')
  for (const answer of answers) answer()
  await checked
  expect(device.state).toMatchObject({ status: 'unlicensed', activity: 'idle' })
  expect(device.logger.lines.filter((line) => !line.startsWith('info '))).toEqual([])
})

test('the state shows the running operation', async () => {
  const { license, device } = await scene()
  const from = device.states.length
  await device.core.activate(license.id)
  await device.core.validate()
  await device.core.deactivate()
  const shown = device.states.slice(from).map(({ activity }) => activity)
  expect(shown.filter((activity, index) => activity !== shown[index - 1])).toEqual([
    'activating',
    'idle',
    'validating',
    'idle',
    'deactivating',
    'idle',
  ])
})

test.each<[string, (it: Scene) => Promise<unknown>]>([
  ['start', ({ device }) => device.core.start()],
  ['read', ({ device }) => device.core.read()],
  ['activate, without a key', ({ device }) => device.core.activate('')],
  ['activate', ({ device, model }) => device.core.activate(model.addLicense(1).id)],
  ['reactivate', ({ device }) => device.core.reactivate()],
  ['activateOffline', ({ device }) => device.core.activateOffline('nothing')],
  ['validate', ({ device }) => device.core.validate()],
  ['cancelActivation', ({ device }) => device.core.cancelActivation()],
  ['deactivate', ({ device }) => device.core.deactivate()],
])('%s resolves with the current state, not a running one', async (_name, call) => {
  const it = await scene({ isActivated: true })
  const result = await call(it)
  const { state } = it.device.core
  expect(state.activity).toBe('idle')
  expect([result, Reflect.get(Object(result), 'state')]).toContain(state)
})

test('an operation before the record is read waits for it', async () => {
  const { device, service } = await scene({ isActivated: true })
  await device.quit()
  const next = createTestDevice(null, { service, store: device.store, secrets: device.secrets })
  expect(await next.core.validate()).toMatchObject({ status: 'active' })
})
