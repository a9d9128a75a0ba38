import {
  type CommerceClient,
  type CommerceErrorCode,
  createCommerceClient,
  isCommerceError,
} from '@latchkey/commerce'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Dialect, dialects, type Emulator, startEmulator } from '../../src/index.ts'

/** A possible behavior where the document says "not shown", and the client's result. */
export interface Behaviour {
  behavior: string
  arrange?(emulator: Emulator): void
  /** The call. Its result matches `gives`, or its error has that code. */
  act(client: CommerceClient, keyId: string): Promise<unknown>
  gives: unknown
}

let emulator: Emulator
/** A client of the service. */
export let commerce: CommerceClient
/** A key of the demo license, of the device "Laptop". */
export let keyId: string

/** The demo license's id. */
export const license = (): string => emulator.demoLicense.id
/** Activates one more device. */
export const activate: Behaviour['act'] = (client) => client.licenses.activate(license(), { name: 'Phone' })
/** Validates the key. */
export const validate: Behaviour['act'] = (client, key) => client.licenses.validate(license(), { key })
/** Deactivates the key. */
export const deactivate: Behaviour['act'] = (client, key) => client.licenses.deactivate(license(), { key })
/** Lists the names of all keys. */
export const keyNames: Behaviour['act'] = async (client) =>
  (await client.licenses.keys(license())).map(({ name }) => name)
/** Lists customers. */
export const customers: Behaviour['act'] = (client) => client.customers.list()
/** Lists discounts. */
export const discounts: Behaviour['act'] = async (client) => (await client.discounts.list()).data

/** The result of a failed call. */
export const error = (code: CommerceErrorCode, more: object = {}): unknown => ({ error: { code, ...more } })
/** The default dialect with these changes. */
export const inDialect =
  (dialect: Partial<Dialect>) =>
  ({ control }: Emulator): void =>
    control.useDialect({ ...dialects.default, name: 'custom', ...dialect })
/** Takes all seats. */
export const fullLicense = ({ control, demoLicense }: Emulator): void => {
  control.updateLicense(demoLicense.id, { activation_limit: 1 })
}
/** The default statuses, with this one for a license without a free seat. */
export const refusing = (status: number): Dialect['refusalStatus'] => ({
  ...dialects.default.refusalStatus,
  'limit-reached': status,
})

/** Tests every behavior, grouped by what the document leaves open. */
export function describeNotShown(notShown: Record<string, Behaviour[]>): void {
  beforeEach(async () => {
    emulator = await startEmulator()
    keyId = emulator.control.addKey(emulator.demoLicense.id, 'Laptop').id
    commerce = createCommerceClient({ baseUrl: emulator.baseUrl, accessToken: 'demo', timeout: 30_000 })
  })
  afterEach(() => emulator.close())
  describe.each(Object.entries(notShown))('not shown: %s', (_statement, behaviors) => {
    it('has at least two possible behaviors', () => {
      expect(behaviors.length).toBeGreaterThanOrEqual(2)
    })

    it.each(behaviors)('the client works with: $behavior', async ({ arrange, act, gives }) => {
      arrange?.(emulator)
      const outcome = await act(commerce, keyId).catch((reason: unknown) => {
        if (isCommerceError(reason)) return { error: reason }
        throw reason
      })
      if (typeof gives === 'object' && gives !== null) expect(outcome).toMatchObject(gives)
      else expect(outcome).toBe(gives)
    })
  })
}
