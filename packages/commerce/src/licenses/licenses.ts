import * as z from 'zod/mini'
import { CommerceError, isCommerceError, type Operation } from '../commerce-error.ts'
import { encodeAnyId, isAnyId, isSameId, isUuid } from '../ids.ts'
import type { CallOptions, Requester } from '../request.ts'
import {
  type KeyList,
  type KeyListOptions,
  keysAnswerSchemaOf,
  type LicenseKeysAnswer,
  type WalkedKeys,
  walkKeys,
} from './key-list.ts'
import {
  anyIdSchema,
  type License,
  type LicenseKey,
  licenseKeySchemaOf,
  licenseSchemaOf,
  uuidSchema,
} from './license-and-key.ts'

/**
 * A license's keys. A GET request is repeated once after a short wait. No other is: an activation whose answer was lost may
 * have taken a seat, so check {@link Licenses.keys} before you try again.
 *
 * Every method rejects only with a `CommerceError`.
 */
export interface Licenses {
  /** Lists every key of a license. Follows `links.next` if the answer is paged. Skips unreadable items. */
  keys(licenseKey: string, call?: CallOptions): Promise<LicenseKey[]>
  /**
   * Lists the keys and reports whether the list is complete. If it is, a key that is missing here no longer exists. The
   * walk can stop early or start at a later page.
   */
  keyList(licenseKey: string, options?: KeyListOptions): Promise<KeyList>
  /** Shows one key. */
  key(licenseKey: string, activationId: string, call?: CallOptions): Promise<LicenseKey>
  /**
   * Creates a key, which occupies a seat.
   * @param input.name label of the key, for example a device label; not blank.
   */
  activate(licenseKey: string, input: { name: string }, call?: CallOptions): Promise<Activation>
  /**
   * Checks whether a key is valid, active and authorized for the product. The answer can also be about a license that
   * is suspended or has ended, so pass it to `isLicenseUsable`.
   */
  validate(licenseKey: string, input: KeyInput, call?: CallOptions): Promise<Validation>
  /** Removes a key, which frees its seat. */
  deactivate(licenseKey: string, input: KeyInput, call?: CallOptions): Promise<Deactivation>
}

/** A key of a license. */
export interface KeyInput {
  /** UUID of the key. */
  readonly key: string
  /** The device's fingerprint, for a gateway in front of a service that asks for it. */
  readonly fingerprint?: string | undefined
}

/** The answer to *activate*: the updated license, and the new key. */
export interface Activation {
  license: License
  key: LicenseKey
}

/** The answer to *validate*. */
export type Validation = Activation

/** The answer to *deactivate*. */
export interface Deactivation {
  /** The service's confirmation message. */
  message: string
}

/** The answer to *show key*. */
export interface LicenseKeyAnswer {
  data: LicenseKey
}

function answerSchemasOf(idSchema: z.ZodMiniType<string>) {
  const key = licenseKeySchemaOf(idSchema)
  return {
    activation: z.object({ license: licenseSchemaOf(idSchema), key }),
    licenseKeyAnswer: z.object({ data: key }),
    licenseKeysAnswer: keysAnswerSchemaOf(key),
  }
}

const uuidSchemas = answerSchemasOf(uuidSchema)

/** Parses an {@link Activation}. */
export const activationSchema: z.ZodMiniType<Activation> = uuidSchemas.activation

/** Parses a {@link Validation}. */
export const validationSchema: z.ZodMiniType<Validation> = uuidSchemas.activation

/** Parses a {@link Deactivation}. */
export const deactivationSchema: z.ZodMiniType<Deactivation> = z.object({ message: z.string() })

/** Parses a {@link LicenseKeyAnswer}. */
export const licenseKeyAnswerSchema: z.ZodMiniType<LicenseKeyAnswer> = uuidSchemas.licenseKeyAnswer

/**
 * Parses a {@link LicenseKeysAnswer}. Items that aren't keys are skipped and counted. Page information of an unknown
 * shape doesn't fail: `isUnclear` is then true.
 */
export const licenseKeysAnswerSchema: z.ZodMiniType<LicenseKeysAnswer> = uuidSchemas.licenseKeysAnswer

export function createLicenses(request: Requester, baseUrl: string, ids: 'uuid' | 'any'): Licenses {
  const schemas = ids === 'uuid' ? uuidSchemas : answerSchemasOf(anyIdSchema)
  /** Accepts only what is safe in a path. The error doesn't show it, because a license key is a secret. */
  const pathPart = (operation: Operation, argument: string, id: string): string => {
    if (ids === 'uuid' ? isUuid(id) : isAnyId(id)) return encodeAnyId(id)
    const form = ids === 'uuid' ? 'a UUID' : 'an id'
    throw new CommerceError('invalid-argument', { operation, hint: `${argument} is not ${form}` })
  }
  const urlOf = (operation: Operation, licenseKey: string, rest: string): string =>
    `${baseUrl}/licenses/${pathPart(operation, 'licenseKey', licenseKey)}/${rest}`
  const keyBody = (operation: Operation, { key, fingerprint }: KeyInput): Record<string, string> => {
    pathPart(operation, 'key', key)
    return { key, ...(fingerprint !== undefined && { fingerprint }) }
  }
  const { activation, licenseKeyAnswer, licenseKeysAnswer } = schemas

  const walk = async (licenseKey: string, options: KeyListOptions): Promise<WalkedKeys> =>
    walkKeys(request, baseUrl, urlOf('licenses.keys', licenseKey, 'keys'), licenseKeysAnswer, options)

  return {
    async keys(licenseKey, call = {}) {
      return (await walk(licenseKey, call)).keys
    },

    async keyList(licenseKey, options = {}) {
      const list = await walk(licenseKey, options)
      const key = list.keys[0]?.id
      if (list.isWhole !== null || key === undefined) return { ...list, isWhole: list.isWhole === true }
      try {
        const shown = await this.validate(licenseKey, { key }, options)
        const isAboutIt = isSameId(shown.license.id, licenseKey) && isSameId(shown.key.id, key)
        return { ...list, isWhole: isAboutIt && shown.license.activation_usage === list.keys.length }
      } catch (error) {
        if (isCommerceError(error)) return { ...list, isWhole: false }
        throw error
      }
    },

    async key(licenseKey, activationId, call) {
      const operation = 'licenses.key'
      const url = urlOf(operation, licenseKey, `keys/${pathPart(operation, 'activationId', activationId)}`)
      return (await request({ operation, method: 'GET', url, schema: licenseKeyAnswer }, call)).data
    },

    async activate(licenseKey, { name }, call) {
      const operation = 'licenses.activate'
      if (typeof name !== 'string' || name.trim() === '') {
        throw new CommerceError('invalid-argument', { operation, hint: 'name is blank' })
      }
      const url = urlOf(operation, licenseKey, 'activate')
      return request({ operation, method: 'POST', url, json: { name }, schema: activation }, call)
    },

    async validate(licenseKey, input, call) {
      const operation = 'licenses.validate'
      const url = urlOf(operation, licenseKey, 'validate')
      const json = keyBody(operation, input)
      return request({ operation, method: 'POST', url, json, schema: activation }, call)
    },

    async deactivate(licenseKey, input, call) {
      const operation = 'licenses.deactivate'
      const url = urlOf(operation, licenseKey, 'deactivate')
      const json = keyBody(operation, input)
      return request({ operation, method: 'DELETE', url, json, schema: deactivationSchema }, call)
    },
  }
}
