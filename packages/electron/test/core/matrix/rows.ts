import type { Operation } from '@latchkey/emulator'
import type { TestDevice, TestService } from '../fixture.ts'
import type { Fault } from './faults.ts'

/** What a cell comes to: the state, the record on disk, the seats taken; and the same once all is well again. */
export interface Outcome {
  readonly status: string
  readonly entitled: boolean
  readonly code: string | null
  readonly record: 'none' | 'valid' | 'revoked'
  /** What waits for the next chance. */
  readonly waiting: readonly ('activation' | 'sent activation' | 'release' | 'another look')[]
  readonly seats: number
  readonly healed: string
}

/** An operation under a fault. */
export interface Row {
  readonly operation: Operation
  /** What is done before the fault, and under it. */
  prepare(device: TestDevice, licenseId: string, service: TestService): Promise<void>
  act(device: TestDevice, licenseId: string): Promise<unknown>
  expected(fault: Fault): Outcome
}

const activeAlone: Outcome = {
  status: 'active',
  entitled: true,
  code: null,
  record: 'valid',
  waiting: [],
  seats: 1,
  healed: 'active, 1 seats',
}
const outside: Outcome = {
  status: 'unlicensed',
  entitled: false,
  code: null,
  record: 'none',
  waiting: [],
  seats: 0,
  healed: 'unlicensed, 0 seats',
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
      switch (kind) {
        case 'out-of-reach':
        case 'acted':
          return { ...outside, code, waiting: ['activation'], seats: 1, healed: 'active, 1 seats' }
        case 'forbidden':
        case 'refused': {
          // Known and accepted: where the service does not list keys, adoption is lost. A box's page may be gone tomorrow.
          const outcome: Outcome = { ...activeAlone, code: 'adoption-unavailable', seats: 2 }
          return name === '403 as a page'
            ? { ...outcome, waiting: ['another look'], healed: 'active, 1 seats' }
            : { ...outcome, healed: 'active, 2 seats' }
        }
        case 'not-found':
          return { ...outside, code: 'license-not-found', seats: 1, healed: 'unlicensed, 1 seats' }
      }
    },
  },
  activating: {
    operation: 'activate',
    prepare: async (device) => void (await device.launch()),
    act: (device, licenseId) => device.core.activate(licenseId),
    expected({ kind, code }) {
      switch (kind) {
        case 'out-of-reach':
          return { ...outside, code, waiting: ['sent activation'], healed: 'active, 1 seats' }
        case 'acted':
          // The key found may be another process's: this one's request may still be on its way.
          return { ...activeAlone, waiting: ['another look'] }
        case 'forbidden':
          return { ...outside, code }
        case 'refused':
        case 'not-found':
          return { ...outside, code: 'activation-refused' }
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
    expected({ kind, code, name }) {
      const revoked: Outcome = {
        ...outside,
        status: 'revoked',
        code: 'moved-to-another-device',
        record: 'revoked',
        healed: 'revoked, 0 seats',
      }
      const undecided: Outcome = { ...onGrace, seats: 0, healed: 'revoked, 0 seats' }
      // The service’s own 404 comes through this one whole.
      if (kind === 'not-found' || name === 'wrong types') return revoked
      if (name === 'truncated') return { ...undecided, code: 'unexpected-answer' }
      return { ...undecided, code: kind === 'refused' ? 'unconfirmed' : code }
    },
  },
  deactivating: {
    operation: 'deactivate',
    prepare: async (device, licenseId) => void (await device.core.activate(licenseId)),
    act: (device) => device.core.deactivate(),
    expected: ({ kind }) => ({
      ...outside,
      code: 'deactivation-pending',
      waiting: ['release'],
      seats: kind === 'acted' ? 0 : 1,
    }),
  },
}

function removeKeys({ emulator: { control } }: TestService, licenseId: string): void {
  for (const key of control.keys(licenseId)) control.removeKey(licenseId, key.id)
}
