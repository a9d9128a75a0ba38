import { CommerceError } from '../errors/commerce-error.ts'
import type { Operation } from '../errors/operation.ts'
import { encodeAnyId, isAnyId, isUuid } from '../formats/uuid.ts'
import type { BaseUrl } from '../http/base-url.ts'
import type { CallOptions } from '../http/call-options.ts'
import type { Transport } from '../http/transport.ts'
import { type KeyList, type KeyListOptions, walkKeys } from './key-list.ts'
import {
  type Activation,
  answerSchemas,
  type Deactivation,
  deactivationSchema,
  type Validation,
} from './license-answers.ts'
import type { LicenseKey } from './license-key.ts'

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
   * Lists the keys and reports whether the list is complete. If it is, a key that is missing
   * here no longer exists. The walk can stop early or start at a later page.
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
   * Checks whether a key is valid, active and authorized for the product. The answer can also be about a license that
   * is suspended or has ended, so pass it to `isLicenseUsable`.
   */
  validate(licenseId: string, input: KeyInput, call?: CallOptions): Promise<Validation>
  /** Removes a key, which frees its seat. */
  deactivate(licenseId: string, input: KeyInput, call?: CallOptions): Promise<Deactivation>
}

/** A key of a license. */
export interface KeyInput {
  /** UUID of the key. */
  readonly key: string
  /** The device's fingerprint, for a gateway in front of a service that asks for it. */
  readonly fingerprint?: string | undefined
}

export function createLicenses(transport: Transport, baseUrl: BaseUrl, ids: 'uuid' | 'any'): Licenses {
  const schemas = answerSchemas(ids)
  /** Only accepts ids that are safe in a path. The error doesn't show the id, because a license id is a secret. */
  const pathId = (operation: Operation, argument: string, id: string): string => {
    if (ids === 'uuid' ? isUuid(id) : isAnyId(id)) return encodeAnyId(id)
    const form = ids === 'uuid' ? 'a UUID' : 'an id'
    throw new CommerceError('invalid-argument', { operation, hint: `${argument} is not ${form}` })
  }
  const keyBody = (operation: Operation, { key, fingerprint }: KeyInput): Record<string, string> => {
    pathId(operation, 'key', key)
    return { key, ...(fingerprint !== undefined && { fingerprint }) }
  }
  const urlOf = (operation: Operation, licenseId: string, rest: string): string => {
    const id = pathId(operation, 'licenseId', licenseId)
    return `${baseUrl.origin}${baseUrl.path}/licenses/${id}/${rest}`
  }

  const licenses: Licenses = {
    async keys(licenseId, call) {
      return (await licenses.keyList(licenseId, call)).keys
    },

    keyList: async (licenseId, options = {}) =>
      walkKeys(
        transport,
        baseUrl,
        urlOf('licenses.keys', licenseId, 'keys'),
        schemas.licenseKeysAnswer,
        options,
      ),

    async key(licenseId, keyId, call) {
      const operation = 'licenses.key'
      const url = urlOf(operation, licenseId, `keys/${pathId(operation, 'keyId', keyId)}`)
      return (await transport({ operation, method: 'GET', url, schema: schemas.licenseKeyAnswer }, call)).data
    },

    async activate(licenseId, { name }, call) {
      const operation = 'licenses.activate'
      if (typeof name !== 'string' || name.trim() === '') {
        throw new CommerceError('invalid-argument', { operation, hint: 'name is blank' })
      }
      const url = urlOf(operation, licenseId, 'activate')
      return transport({ operation, method: 'POST', url, json: { name }, schema: schemas.activation }, call)
    },

    async validate(licenseId, input, call) {
      const operation = 'licenses.validate'
      const url = urlOf(operation, licenseId, 'validate')
      const json = keyBody(operation, input)
      return transport({ operation, method: 'POST', url, json, schema: schemas.validation }, call)
    },

    async deactivate(licenseId, input, call) {
      const operation = 'licenses.deactivate'
      const url = urlOf(operation, licenseId, 'deactivate')
      const json = keyBody(operation, input)
      return transport({ operation, method: 'DELETE', url, json, schema: deactivationSchema }, call)
    },
  }
  return licenses
}
