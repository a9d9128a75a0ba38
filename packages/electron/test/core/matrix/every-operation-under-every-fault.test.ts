import type { Operation } from '@latchkey/emulator'
import type { LicenseService } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ServiceOperation, withCall } from '../../doubles/with-call.ts'
import { createTestDevice, startTestService, type TestDevice } from '../fixture.ts'
import { type Fault, faults } from './faults.ts'

/** The result of a cell: state, record on disk and seats taken, during the fault and after it. */
interface Outcome {
  readonly status: string
  readonly entitled: boolean
  readonly code: string | null
  readonly record: 'none' | 'valid' | 'revoked'
  /** An activation that waits to be sent or answered. */
  readonly pending: 'none' | 'not sent' | 'sent'
  readonly seats: number
  readonly healed: string
}

/** An operation during a fault. */
interface Row {
  readonly operation: Operation
  /** The steps before and during the fault. */
  prepare(device: TestDevice, licenseId: string): Promise<void>
  act(device: TestDevice, licenseId: string): Promise<unknown>
  expected(fault: Fault): Outcome
}

const activeAlone: Outcome = {
  status: 'active',
  entitled: true,
  code: null,
  record: 'valid',
  pending: 'none',
  seats: 1,
  healed: 'active, 1 seats',
}
const outside: Outcome = {
  status: 'unlicensed',
  entitled: false,
  code: null,
  record: 'none',
  pending: 'none',
  seats: 0,
  healed: 'unlicensed, 0 seats',
}
const movedAway: Outcome = {
  ...outside,
  status: 'revoked',
  code: 'moved-to-another-device',
  record: 'revoked',
  healed: 'revoked, 0 seats',
}
const onGrace: Outcome = { ...activeAlone, status: 'grace' }

/** Every operation, in the situation in which it matters most. */
const rows: Readonly<Record<string, Row>> = {
  'listing keys, on a device that was reinstalled': {
    operation: 'keys',
    async prepare(device, licenseId) {
      await device.core.activate(licenseId)
      device.store.place('newest', null)
      device.store.place('lastGood', null)
      await device.launch()
    },
    act: (device, licenseId) => device.core.activate(licenseId),
    expected({ kind, code, name }) {
      // A malformed list can't be read, so nothing is adopted, but the activation continues.
      if (name === 'wrong types' || name === '404 without JSON') {
        return {
          ...activeAlone,
          code: 'adoption-unavailable',
          seats: 2,
          healed: 'active, 1 seats',
        }
      }
      switch (kind) {
        case 'out-of-reach':
        case 'acted':
          return { ...outside, code, pending: 'not sent', seats: 1, healed: 'active, 1 seats' }
        case 'forbidden':
        case 'refused':
        case 'not-found': {
          // Where the service does not list keys, adoption is lost. What may be served again tomorrow is looked at
          // again.
          return {
            ...activeAlone,
            code: 'adoption-unavailable',
            seats: 2,
            healed: 'active, 1 seats',
          }
        }
      }
    },
  },
  activating: {
    operation: 'activate',
    prepare: async (device) => void (await device.launch()),
    act: (device, licenseId) => device.core.activate(licenseId),
    expected({ kind, code, name }) {
      switch (kind) {
        case 'out-of-reach': {
          // Without an address, nothing can have arrived.
          const pending = name === 'DNS' ? 'not sent' : 'sent'
          return { ...outside, code, pending, healed: 'active, 1 seats' }
        }
        case 'acted':
          return activeAlone
        case 'forbidden':
          return { ...outside, code }
        case 'refused':
          return { ...outside, code: 'activation-refused' }
        case 'not-found':
          return { ...outside, code: 'license-not-found' }
      }
    },
  },
  'validating at launch': {
    operation: 'validate',
    prepare: async (device, licenseId) => void (await device.core.activate(licenseId)),
    act: (device) => device.launch(),
    expected({ kind, code, name }) {
      const isRefusal = kind === 'refused' || kind === 'not-found' || name === '404 without JSON'
      return { ...onGrace, code: isRefusal ? 'unconfirmed' : code }
    },
  },
  'showing a key that is gone': {
    operation: 'key',
    async prepare(device, licenseId) {
      await device.core.activate(licenseId)
      removeKeys(licenseId)
    },
    act: (device) => device.launch(),
    // A list without the key proves that it is gone if the same host refuses to show the key.
    expected({ kind, code, name }) {
      // No key remains whose answer could be changed.
      const isRefused = ['404 without JSON', 'wrong types', 'truncated'].includes(name)
      if (isRefused || (kind !== 'out-of-reach' && kind !== 'acted')) return movedAway
      return { ...onGrace, code, seats: 0, healed: 'revoked, 0 seats' }
    },
  },
  'listing keys when this device’s is gone': {
    operation: 'keys',
    async prepare(device, licenseId) {
      await device.core.activate(licenseId)
      removeKeys(licenseId)
    },
    act: (device) => device.launch(),
    expected({ kind, code, name }) {
      // No key remains whose type could be wrong.
      if (name === 'wrong types') return movedAway
      const undecided: Outcome = { ...onGrace, seats: 0, healed: 'revoked, 0 seats' }
      const isUnclear = (kind !== 'out-of-reach' && kind !== 'acted') || name === '404 without JSON'
      return { ...undecided, code: isUnclear ? 'unconfirmed' : code }
    },
  },
  deactivating: {
    operation: 'deactivate',
    prepare: async (device, licenseId) => void (await device.core.activate(licenseId)),
    act: (device) => device.core.deactivate(),
    expected: ({ kind, name }) =>
      // A success that can't be read is checked, and the key isn't in the list.
      unreadableSuccesses.includes(name)
        ? outside
        : { ...outside, code: 'deactivation-pending', seats: kind === 'acted' ? 0 : 1 },
  },
}

const unreadableSuccesses: readonly string[] = [
  'slow-drip',
  'cut in the body',
  'HTML 200 after the service acted',
  'truncated',
  'wrong types',
]

function removeKeys(licenseId: string): void {
  for (const { id } of service.control.keys(licenseId)) service.control.removeKey(licenseId, id)
}

/** The service over a network in which one operation meets the fault. */
function serviceWithFault(operation: Operation, network: { readonly fault: Fault | null }): LicenseService {
  const { baseUrl, accessToken } = service.emulator
  return withCall(commerce({ baseUrl, accessToken: accessToken ?? undefined }), (call) => {
    const fault = wireNames[call] === operation ? network.fault : null
    const reroute = fault?.reroute && elsewhere[fault.reroute]
    return {
      // Only requests without an answer time out, and by then the service has acted, even on a slow machine.
      timeoutMs: fault?.isSilent === true ? 4000 : 60_000,
      fetch: (request, init) =>
        reroute === undefined
          ? fetch(request, init)
          : fetch(Object.assign(new URL(request.url), reroute), {
              method: request.method,
              signal: request.signal,
            }),
    }
  })
}

const wireNames: Readonly<Partial<Record<ServiceOperation, Operation>>> = {
  activate: 'activate',
  validate: 'validate',
  deactivate: 'deactivate',
  listActivations: 'keys',
  showActivation: 'key',
}

const elsewhere: Readonly<Record<NonNullable<Fault['reroute']>, Partial<URL>>> = {
  'closed port': { port: '1' },
  'unknown host': { hostname: 'no-such-host.invalid' },
  'no TLS': { protocol: 'https:' },
}

const service = await startTestService()
afterAll(() => service.emulator.close())

const outcomes = new Map<string, Outcome | string>()
beforeAll(async () => {
  const cells = Object.entries(rows).flatMap(([row, plan]) => faults.map((fault) => ({ row, plan, fault })))
  const workers = Array.from({ length: 16 }, async () => {
    for (let cell = cells.pop(); cell !== undefined; cell = cells.pop()) {
      const name = `${cell.row}: ${cell.fault.name}`
      outcomes.set(name, await play(cell.plan, cell.fault).catch((error: unknown) => String(error)))
    }
  })
  await Promise.all(workers)
}, 600_000)

async function play(plan: Row, fault: Fault): Promise<Outcome> {
  const license = service.newLicense()
  const network: { fault: Fault | null } = { fault: null }
  const device = createTestDevice(null, { service: serviceWithFault(plan.operation, network) })
  await plan.prepare(device, license.id)

  network.fault = fault
  const rule =
    fault.rule &&
    service.control.faults.inject({
      ...fault.rule,
      operation: plan.operation,
      licenseId: license.id,
    })
  await plan.act(device, license.id)
  const { status: seen, entitled, problem } = device.state
  const { state: onDisk, pending } = await device.lookAtDisk()
  const seats = service.seats(license.id).length

  if (rule !== undefined) service.control.faults.remove(rule.id)
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
