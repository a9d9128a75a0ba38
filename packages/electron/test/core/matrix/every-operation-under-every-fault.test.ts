import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDevice, startTestService, type TestService } from '../fixture.ts'
import { type Fault, faults } from './faults.ts'
import { type Outcome, type Row, rows } from './rows.ts'
import { serviceWithFault } from './service-with-fault.ts'

let service: TestService
const outcomes = new Map<string, Outcome | string>()

beforeAll(async () => {
  service = await startTestService()
  const cells = Object.entries(rows).flatMap(([row, plan]) => faults.map((fault) => ({ row, plan, fault })))
  const workers = Array.from({ length: 16 }, async () => {
    for (let cell = cells.pop(); cell !== undefined; cell = cells.pop()) {
      const name = `${cell.row}: ${cell.fault.name}`
      outcomes.set(name, await play(cell.plan, cell.fault).catch((error: unknown) => String(error)))
    }
  })
  await Promise.all(workers)
}, 600_000)
afterAll(() => service.emulator.close())

/** A cell that hasn't ended after all its time limits would hang forever. */
const hangsAfterMs = 300_000

async function play(plan: Row, fault: Fault): Promise<Outcome> {
  const license = service.newLicense()
  const network: { fault: Fault | null } = { fault: null }
  const device = createTestDevice(service, {
    service: serviceWithFault(service.emulator, plan.operation, network),
  })
  await plan.prepare(device, license.id, service)

  network.fault = fault
  const rule =
    fault.rule &&
    service.emulator.control.faults.inject({
      ...fault.rule,
      operation: plan.operation,
      licenseId: license.id,
    })
  const hangs = new AbortController()
  await Promise.race([
    plan.act(device, license.id),
    delay(hangsAfterMs, null, { signal: hangs.signal, ref: false }).then(() =>
      Promise.reject(new Error('It hangs')),
    ),
  ])
  hangs.abort()
  const { status: seen, entitled, problem } = device.state
  const { state: onDisk, pending } = await device.lookAtDisk()
  const seats = service.seats(license.id).length

  if (rule !== undefined) service.emulator.control.faults.remove(rule.id)
  network.fault = null
  await device.launch()
  return {
    status: seen,
    entitled,
    code: problem?.code ?? null,
    record: recordOf(onDisk.status),
    pending,
    seats,
    healed: `${device.state.status}, ${service.seats(license.id).length} seats`,
  }
}

function recordOf(status: string): Outcome['record'] {
  if (status === 'unlicensed') return 'none'
  return status === 'revoked' ? 'revoked' : 'valid'
}

describe.each(Object.entries(rows))('%s', (row, plan) => {
  test.each(faults)('$name', (fault) => {
    expect(outcomes.get(`${row}: ${fault.name}`)).toEqual(plan.expected(fault))
  })
})
