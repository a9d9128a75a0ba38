import type { BaseUrl } from './base-url.ts'
import type { CallOptions } from './call-options.ts'
import { CommerceError } from './commerce-error.ts'
import { type KeyList, type KeyListOptions, walkKeys } from './key-list.ts'
import {
  type Activation,
  activationSchema,
  type Deactivation,
  deactivationSchema,
  licenseKeyAnswerSchema,
  type Validation,
  validationSchema,
} from './license-answers.ts'
import type { LicenseKey } from './license-key.ts'
import type { Operation } from './operation.ts'
import type { Transport } from './transport.ts'
import { isUuid } from './uuid.ts'

/**
 * A license's keys. No call is retried automatically: an activation whose answer was lost may have taken a seat, so
 * check {@link Licenses.keys} before you try again.
 *
 * Every method rejects only with a {@link CommerceError}.
 */
export interface Licenses {
  /** Lists every key of a license. Follows `links.next` if the answer is paged. Skips unreadable items. */
  keys(licenseId: string, call?: CallOptions): Promise<LicenseKey[]>
  /**
   * Lists the keys and reports whether the list is complete. Only then does a missing key no longer exist. The walk can
   * stop early or start at a later page.
   */
  keyList(licenseId: string, options?: KeyListOptions): Promise<KeyList>
  /** Shows one key. */
  key(licenseId: string, keyId: string, call?: CallOptions): Promise<LicenseKey>
  /**
   * Creates a key, which occupies a seat.
   * @param input.name label of the key, for example a device label; not blank.
   */
  activate(licenseId: string, input: { name: string }, call?: CallOptions): Promise<Activation>
  /**
   * Checks whether a key is valid, active and authorized for the product.
   * @param input.key id of the key.
   */
  validate(licenseId: string, input: { key: string }, call?: CallOptions): Promise<Validation>
  /**
   * Removes a key, which frees its seat.
   * @param input.key id of the key.
   */
  deactivate(licenseId: string, input: { key: string }, call?: CallOptions): Promise<Deactivation>
}

export function createLicenses(transport: Transport, baseUrl: BaseUrl): Licenses {
  const urlOf = (operation: Operation, licenseId: string, rest: string): string => {
    const id = pathUuid(operation, 'licenseId', licenseId)
    return `${baseUrl.origin}${baseUrl.path}/licenses/${id}/${rest}`
  }

  const licenses: Licenses = {
    async keys(licenseId, call) {
      return (await licenses.keyList(licenseId, call)).keys
    },

    keyList: async (licenseId, options = {}) =>
      walkKeys(transport, baseUrl, urlOf('licenses.keys', licenseId, 'keys'), options),

    async key(licenseId, keyId, call) {
      const operation = 'licenses.key'
      const url = urlOf(operation, licenseId, `keys/${pathUuid(operation, 'keyId', keyId)}`)
      return (await transport({ operation, method: 'GET', url, schema: licenseKeyAnswerSchema }, call)).data
    },

    async activate(licenseId, { name }, call) {
      const operation = 'licenses.activate'
      if (typeof name !== 'string' || name.trim() === '') {
        throw new CommerceError('invalid-argument', { operation, hint: 'name is blank' })
      }
      const url = urlOf(operation, licenseId, 'activate')
      return transport({ operation, method: 'POST', url, json: { name }, schema: activationSchema }, call)
    },

    async validate(licenseId, { key }, call) {
      const operation = 'licenses.validate'
      const url = urlOf(operation, licenseId, 'validate')
      const json = { key: pathUuid(operation, 'key', key) }
      return transport({ operation, method: 'POST', url, json, schema: validationSchema }, call)
    },

    async deactivate(licenseId, { key }, call) {
      const operation = 'licenses.deactivate'
      const url = urlOf(operation, licenseId, 'deactivate')
      const json = { key: pathUuid(operation, 'key', key) }
      return transport({ operation, method: 'DELETE', url, json, schema: deactivationSchema }, call)
    },
  }
  return licenses
}

/** Only accepts UUIDs, which are safe in a path. The error doesn't show the id, because a license id is a secret. */
function pathUuid(operation: Operation, argument: string, id: string): string {
  if (isUuid(id)) return encodeURIComponent(id)
  throw new CommerceError('invalid-argument', { operation, hint: `${argument} is not a UUID` })
}
