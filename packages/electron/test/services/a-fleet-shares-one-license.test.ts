import { startEmulator } from '@latchkey/emulator'
import { createGateway } from '@latchkey/gateway'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDevice, minuteMs, type TestDevice } from '../core/fixture.ts'
import { reachGateway } from '../doubles/app-service.ts'

const accessToken = 'token'
const isLong = process.env['LATCHKEY_LONG'] === '1'

/** One license, a gateway that shows each device only itself, and computers behind one address of a company. */
async function startFleet(seats: number, computers: number) {
  const emulator = await startEmulator({ accessToken, customers: 0, discounts: 0, requestLogLimit: 100_000 })
  onTestFinished(() => emulator.close())
  const { control } = emulator
  const license = control.createLicense({ activation_limit: seats })
  let elapsedMs = 0
  const clock = (): number => Date.now() + elapsedMs
  const gateway = createGateway({
    upstream: { baseUrl: emulator.baseUrl, accessToken },
    devices: 'own',
    clientAddress: () => '203.0.113.7',
    clock,
  })
  const devices = Array.from({ length: computers }, (_, index): TestDevice => {
    const service = reachGateway({
      baseUrl: 'https://licenses.vendor.example/v1',
      fetch: (request, init) => gateway(new Request(request, init)),
    })
    const device = { machineId: `machine ${index}`, label: `Desk ${index}` }
    return createTestDevice(null, { service, device, rules: { devices: 'own' } })
  })
  return {
    control,
    license,
    devices,
    /** Lets time pass for the gateway and for every computer. */
    async elapse(ms: number) {
      elapsedMs += ms
      await Promise.all(devices.map((device) => device.elapse(ms)))
    },
    seats: () => control.keys(license.id).map(({ name }) => name),
  }
}

const isActive = ({ state }: TestDevice): boolean => state.status === 'active'

test('all computers that start within a minute are active twenty minutes later, each with one seat', async () => {
  const computers = isLong ? 500 : 100
  const { control, devices, license, elapse, seats } = await startFleet(computers, computers)
  const fail = (fault: Parameters<typeof control.faults.inject>[0]): void => void control.faults.inject(fault)
  // Some lose the answer to the request that took their seat, and some are asked to come back.
  fail({ fault: 'reset', operation: 'activate', when: 'after-acting', times: computers / 10 })
  fail({ fault: 'status', status: 503, operation: 'keys', times: computers / 10 })
  const perSecond = Math.ceil(computers / 60)
  for (let first = 0; first < computers; first += perSecond) {
    const starting = devices.slice(first, first + perSecond)
    await Promise.all(starting.map(({ core }) => core.activate(license.id)))
    await elapse(1_000)
  }
  for (let minute = 1; minute < 20; minute += 1) await elapse(minuteMs)
  expect(devices.filter((device) => !isActive(device)).map(({ state }) => state.problem?.code)).toEqual([])
  expect(seats()).toHaveLength(computers)
  expect(new Set(seats()).size).toBe(computers)
})

test('fifty computers on ten seats: ten are active, forty are told why, and no seat is lost', async () => {
  const { devices, license, elapse, seats } = await startFleet(10, 50)
  await Promise.all(devices.map(({ core }) => core.activate(license.id)))
  for (let minute = 0; minute < 60; minute += 5) await elapse(5 * minuteMs)
  const isTold = ({ states }: TestDevice): boolean =>
    states.some(({ problem }) => problem?.code === 'no-seat-left')
  expect(devices.filter((device) => !isActive(device) && isTold(device))).toHaveLength(40)
  expect(devices.filter(isActive)).toHaveLength(10)
  expect(new Set(seats()).size).toBe(10)

  const [one] = devices.filter(isActive)
  const [other] = devices.filter((device) => !isActive(device))
  // Nobody sees or releases a colleague's computer.
  expect(await other?.core.devices()).toMatchObject({ ok: false, problem: { code: 'other-device' } })
  expect(await one?.core.devices()).toMatchObject({ ok: true, devices: [{ isThisDevice: true }] })
  expect(await one?.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  expect(await other?.core.activate(license.id)).toMatchObject({ ok: true })
  expect(seats()).toHaveLength(10)
})
