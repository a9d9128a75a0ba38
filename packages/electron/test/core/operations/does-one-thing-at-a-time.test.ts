import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createOperationQueue, type OperationKey } from '../../../src/core/queue.ts'
import { createTestDevice, startTestService, type TestService } from '../fixture.ts'
import { createServiceModel } from '../service-model.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(() => service.emulator.control.reset())
afterAll(() => service.emulator.close())

test('two simultaneous activations of one license are one request', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  const results = await Promise.all([
    device.core.activate(license.id),
    device.core.activate(`  ${license.id.toUpperCase()}`),
    device.core.activate(license.id),
  ])
  expect(results.map((result) => result.ok)).toEqual([true, true, true])
  expect(service.asked(license.id)).toEqual(['keys', 'activate', 'keys'])
})

test('another license is refused during an activation', async () => {
  const [one, other] = [service.newLicense(), service.newLicense()]
  const device = createTestDevice(service)
  await device.launch()
  const first = device.core.activate(one.id)
  expect(await device.core.activate(other.id)).toMatchObject({
    ok: false,
    problem: { code: 'busy', isRetryable: true },
    state: { activity: 'activating' },
  })
  expect(await first).toMatchObject({ ok: true, state: { activity: 'idle' } })
  expect(service.asked(other.id)).toEqual([])
})

test('deactivating during an activation waits for it and then releases its seat', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  const activation = device.core.activate(license.id)
  const deactivation = device.core.deactivate()
  expect(await activation).toMatchObject({ ok: true })
  expect(await deactivation).toMatchObject({ ok: true, seat: 'freed' })
  expect(service.seats(license.id)).toEqual([])
})

test('activate, deactivate, activate: the last call counts', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  const [, , last] = await Promise.all([
    device.core.activate(license.id),
    device.core.deactivate(),
    device.core.activate(license.id),
  ])
  expect(last).toMatchObject({ ok: true })
  expect(device.state).toMatchObject({ status: 'active', activity: 'idle' })
  expect(service.seats(license.id)).toHaveLength(1)
})

test('simultaneous checks are one request', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  await device.core.activate(license.id)
  const before = service.asked(license.id).length
  device.core.check('resume')
  await Promise.all([device.core.validate(), device.core.validate(), device.core.validate()])
  expect(service.asked(license.id).slice(before)).toEqual(['validate'])
})

test('simultaneous lists of devices are one request', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  await device.core.activate(license.id)
  const before = service.asked(license.id).length
  const [one, other] = await Promise.all([device.core.devices(), device.core.devices()])
  expect(one).toEqual(other)
  expect(service.asked(license.id).slice(before)).toEqual(['keys'])
})

test('a check does not delay deactivating, and its late response does not reactivate', async () => {
  const model = createServiceModel(Date.now)
  const license = model.addLicense(1)
  const service = model.reachedBy(() => ({ kind: 'served' }))
  const answers: (() => void)[] = []
  const device = createTestDevice(null, {
    service: {
      ...service,
      async validate(request) {
        const answer = await service.validate(request)
        await new Promise<void>((resolve) => answers.push(resolve))
        return answer
      },
    },
  })
  await device.launch()
  await device.core.activate(license.id)
  const checked = device.core.validate()
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  expect(device.state.activity).toBe('validating')
  for (const answer of answers) answer()
  await checked
  expect(device.state).toMatchObject({ status: 'unlicensed', activity: 'idle' })
  expect(device.logger.lines.filter((line) => !line.startsWith('info '))).toEqual([])
})

test('the state shows the running operation, and the result shows the state after it', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.launch()
  const from = device.states.length
  const { state } = await device.core.activate(license.id)
  expect(state.activity).toBe('idle')
  await device.core.validate()
  const gone = await device.core.deactivate()
  expect(gone.state.activity).toBe('idle')
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

test('an operation before the record is read waits for it', async () => {
  const license = service.newLicense()
  const device = createTestDevice(service)
  await device.core.activate(license.id)
  await device.quit()
  const next = createTestDevice(service, { store: device.store, secrets: device.secrets })
  expect(await next.core.validate()).toMatchObject({ status: 'active' })
})

test('background operations don’t separate equal requests of the user, and run once', async () => {
  const queue = createOperationQueue()
  const activate: OperationKey = { kind: 'activate', subject: 'a license' }
  const settle: OperationKey = { kind: 'settle' }
  const done: string[] = []
  const operation = (name: string) => async () => {
    done.push(name)
  }
  const asked = queue.run(activate, operation('activate'))
  const settling = queue.run(settle, operation('settle'), true)
  expect(queue.run(settle, operation('settle'), true)).toBe(settling)
  expect(queue.run(activate, operation('activate'))).toBe(asked)
  expect(queue.keys()).toEqual([activate, settle])
  // A later operation may undo an earlier one, so the earlier one can run again.
  const left = queue.run({ kind: 'deactivate' }, operation('deactivate'))
  expect(queue.run(activate, operation('activate'))).not.toBe(asked)
  await left
  expect(queue.keys()).toEqual([activate])
  await queue.idle()
  expect(queue.keys()).toEqual([])
  expect(done).toEqual(['activate', 'settle', 'deactivate', 'activate'])
})
