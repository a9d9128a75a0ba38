import type { Operation } from '@latchkey/emulator'
import type { TestDevice, TestService } from '../fixture.ts'
import type { Fault } from './faults.ts'

/** The result of a cell: state, record on disk and seats taken, during the fault and after it. */
export interface Outcome {
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
export interface Row {
  readonly operation: Operation
  /** The steps before and during the fault. */
  prepare(device: TestDevice, licenseId: string, service: TestService): Promise<void>
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
export const rows: Readonly<Record<string, Row>> = {
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
    async prepare(device, licenseId, service) {
      await device.core.activate(licenseId)
      removeKeys(service, licenseId)
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
    async prepare(device, licenseId, service) {
      await device.core.activate(licenseId)
      removeKeys(service, licenseId)
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

function removeKeys({ emulator: { control } }: TestService, licenseId: string): void {
  for (const key of control.keys(licenseId)) control.removeKey(licenseId, key.id)
}
