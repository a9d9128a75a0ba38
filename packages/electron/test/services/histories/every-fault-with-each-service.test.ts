import { type Emulator, type FaultRule, type Operation, startEmulator } from '@latchkey/emulator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formats } from '../../../../emulator/src/formats/formats.ts'
import { createTestDevice, dayMs, hourMs, type TestDevice, withDate } from '../../core/fixture.ts'
import { faults as allFaults, type Fault } from '../../core/matrix/faults.ts'
import { withCall } from '../../doubles/with-call.ts'
import { type AdapterName, adapterNames, adapterOf, unlistedNames } from '../faces.ts'

/** One fault of each kind, and those that the services' adapters read in their own way. */
const shortList: readonly string[] = [
  'refused',
  'reset before',
  'reset after the service acted',
  'timeout after the service acted',
  'cut in the body',
  '401',
  '404',
  '422',
  '429 for a day',
  'HTML 200 after the service acted',
  '204',
  '308 to another origin',
]
const isLong = process.env['LATCHKEY_LONG'] === '1'
const faults = allFaults.filter(({ name }) => isLong || shortList.includes(name))

/** Where the wire names the fields differently. */
const wrongTypes: Readonly<Record<AdapterName, string[]>> = {
  dodo: ['id', 'valid', 'product.product_id'],
  keygen: ['data.id', 'meta.valid', 'data.*.id'],
  'lemon-squeezy': ['license_key.id', 'instance.id', 'activated', 'deactivated'],
  polar: ['id', 'key', 'license_key.key'],
}

/** What is done under the fault. */
type RowName = 'activating' | 'validating at launch' | 'deactivating'
const operations: Readonly<Record<RowName, Operation>> = {
  activating: 'activate',
  'validating at launch': 'validate',
  deactivating: 'deactivate',
}
const rowNames: readonly RowName[] = ['activating', 'validating at launch', 'deactivating']

/** The result during the fault, and days after it, when the user has tried again. */
interface Cell {
  readonly status: string
  readonly entitled: boolean
  readonly seatsThen: number
  readonly settled: string
  readonly seats: number
  readonly isAllForgotten: boolean
  readonly saysNoSecret: boolean
}

describe.each(adapterNames)('an app with the adapter of %s', (name) => {
  const hasList = !unlistedNames.includes(name)
  let emulator: Emulator
  const cells = new Map<string, Cell | string>()

  beforeAll(async () => {
    emulator = await startEmulator({ accessToken: 'demo', face: name, requestLogLimit: 10 })
    const waiting = rowNames.flatMap((row) => faults.map((fault) => ({ row, fault })))
    const workers = Array.from({ length: 16 }, async () => {
      for (let cell = waiting.pop(); cell !== undefined; cell = waiting.pop()) {
        const { row, fault } = cell
        const outcome = await play(row, fault).catch((error: unknown) => String(error))
        cells.set(`${row} ${fault.name}`, outcome)
      }
    })
    await Promise.all(workers)
  }, 600_000)
  afterAll(() => emulator.close())

  async function play(row: RowName, fault: Fault): Promise<Cell> {
    const { control } = emulator
    const license = control.createLicense()
    const licenseKey = formats[name].licenseKeyOf(license.id)
    const network: { fault: Fault | null } = { fault: null }
    const device = createDevice(network, operations[row])
    await device.launch()
    if (row !== 'activating') await device.core.activate(licenseKey)

    network.fault = fault
    const scope = { operation: operations[row], licenseId: license.id }
    const rule = fault.rule && control.faults.inject({ ...ruleOf(fault.rule), ...scope })
    if (row === 'activating') await device.core.activate(licenseKey)
    else if (row === 'deactivating') await device.core.deactivate()
    else await device.launch()
    const { status, entitled } = device.state
    const seatsThen = control.keys(license.id).length

    if (rule !== undefined) control.faults.remove(rule.id)
    network.fault = null
    await device.launch()
    await device.elapse(hourMs)
    if (row === 'activating') await device.core.activate(licenseKey)
    // Where nothing can be listed, the proof that an activation is gone takes more than a day.
    if (device.state.status !== 'active' || row === 'activating') await device.elapse(2.5 * dayMs)
    const { pending, owed } = await device.lookAtDisk()
    const said = JSON.stringify([device.states, device.logger.lines, device.core.diagnose()])
    return {
      status,
      entitled,
      seatsThen,
      settled: device.state.status,
      seats: control.keys(license.id).length,
      isAllForgotten: pending === 'none' && owed === 0,
      saysNoSecret: !said.includes(licenseKey),
    }
  }

  function ruleOf(rule: FaultRule): FaultRule {
    return rule.fault === 'wrong-types' ? { ...rule, fields: wrongTypes[name] } : rule
  }

  function createDevice(network: { readonly fault: Fault | null }, operation: Operation): TestDevice {
    let made: TestDevice | null = null
    // A signed date can't be moved with the device's clock.
    const { publicKey: _, ...settings } = emulator.settings
    const service = withCall(adapterOf[name]({ baseUrl: emulator.baseUrl, settings }), () => ({
      async fetch(request, init) {
        const { fault } = network
        const isStruck = fault !== null && operationOf(request) === operation
        if (isStruck && fault.reroute !== undefined) throw await unreached(fault.reroute)
        const signal = init?.signal ?? request.signal
        // Only what never answers runs into a time limit, and the service has acted by then.
        const signals = isStruck && fault.isSilent ? [signal, AbortSignal.timeout(4000)] : [signal]
        const answer = await fetch(request, { ...init, signal: AbortSignal.any(signals) })
        return withDate(answer, made?.elapsedMs() ?? 0)
      },
    }))
    made = createTestDevice(null, { service })
    return made
  }

  describe.each(rowNames)('while %s', (row) => {
    test.each(faults)('$name', (fault) => {
      const cell = cells.get(`${row} ${fault.name}`)
      if (typeof cell !== 'object') throw new Error(cell ?? 'It was not played')
      expect(cell).toMatchObject({ saysNoSecret: true, isAllForgotten: true })
      switch (row) {
        case 'activating': {
          // Without a list, a lost answer may leave a seat behind: the exception that the docs name.
          const mayLeaveOne = !hasList && cell.seatsThen === 1 && !cell.entitled
          expect(cell).toMatchObject({ settled: 'active' })
          expect(cell.seats).toBeLessThanOrEqual(mayLeaveOne ? 2 : 1)
          expect(cell.seatsThen).toBe(fault.kind === 'acted' || cell.entitled ? 1 : 0)
          break
        }
        case 'validating at launch':
          expect(cell).toMatchObject({ entitled: true, seatsThen: 1, settled: 'active', seats: 1 })
          break
        case 'deactivating':
          expect(cell).toMatchObject({ status: 'unlicensed', settled: 'unlicensed', seats: 0 })
      }
    })
  })
})

function operationOf({ method, url }: Request): Operation {
  const { pathname } = new URL(url)
  // Keygen's activations are machines.
  if (pathname.includes('/machines')) {
    return method === 'POST' ? 'activate' : method === 'DELETE' ? 'deactivate' : 'key'
  }
  if (pathname.endsWith('/activate')) return 'activate'
  return pathname.endsWith('/deactivate') ? 'deactivate' : 'validate'
}

/** What a fetch rejects with when no connection was made. */
async function unreached(where: NonNullable<Fault['reroute']>): Promise<unknown> {
  const addresses = {
    'closed port': 'http://127.0.0.1:1',
    'unknown host': 'http://no-such-host.invalid',
    'no TLS': 'https://127.0.0.1:1',
  }
  return fetch(addresses[where]).catch((error: unknown) => error)
}
