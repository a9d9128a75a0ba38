import { ControlError } from '../control-error.ts'
import type { LicenseData } from '../data/emulator-data.ts'
import { inOneYear } from '../data/seeded-data.ts'
import type { Face } from '../faces/face.ts'
import { showLicense } from '../service/license-answers.ts'
import type { ServiceState } from '../service/service-state.ts'
import type { License, LicenseKey } from '../wire.ts'
import {
  type LicenseInput,
  type LicensePatch,
  parseLicenseInput,
  parseLicensePatch,
} from './license-input.ts'

/** A license of the emulated service, as the vendor's back office shows it. */
export interface ShownLicense extends License {
  /** The text that a user pastes, in the service's form. For the commerce service and Lemon Squeezy, it is the `id`. */
  license_key: string
  /** Only Keygen's licenses have features. */
  features?: readonly string[] | undefined
}

/**
 * Changes that the vendor's back office and other devices can make to licenses. An unknown ID or an invalid field
 * throws a {@link ControlError}.
 */
export interface LicenseControl {
  /** Lists all licenses. */
  licenses(): ShownLicense[]
  /** Returns a license. */
  license(licenseId: string): ShownLicense
  /** Creates a license. */
  createLicense(input?: LicenseInput): ShownLicense
  /** Changes these fields of a license. */
  updateLicense(licenseId: string, patch: LicensePatch): ShownLicense
  /** Suspends the license now. */
  suspend(licenseId: string): ShownLicense
  /** Ends the license now. */
  expire(licenseId: string): ShownLicense
  /** Undoes suspension, expiry and a status other than ACTIVE. */
  reinstate(licenseId: string): ShownLicense
  /** Deletes the license, so that the service no longer knows it. */
  deleteLicense(licenseId: string): void
  /** Lists all keys, oldest first. */
  keys(licenseId: string): LicenseKey[]
  /** Adds a key as if another device had activated. The limit doesn't apply. */
  addKey(licenseId: string, name: string): LicenseKey
  /** Removes a key as if another device had deactivated it. */
  removeKey(licenseId: string, keyId: string): void
}

const noFeatures =
  'features: only Keygen’s licenses have features. For another service, set them with the gateway’s rule features, or with the option features of createLicensing.'

/** Creates the control for licenses. */
export function createLicenseControl(state: ServiceState, face: Face): LicenseControl {
  const { clock } = state
  const checkFeatures = (features: readonly string[] = []): void => {
    // The service's answers would lack them, and a test would look for the mistake elsewhere.
    if (features.length > 0 && face.name !== 'keygen') throw new ControlError('invalid', noFeatures)
  }
  const { licenses } = state.data
  const show = (license: LicenseData): ShownLicense => ({
    ...showLicense(state, license),
    license_key: face.licenseKeyOf(license.id),
    ...(license.features !== undefined && { features: [...license.features] }),
  })
  const find = (licenseId: string): LicenseData => {
    const license = licenses.get(checkId('license', licenseId))
    if (license) return license
    const isLicenseKey = licenses.list().some(({ id }) => face.licenseKeyOf(id) === licenseId)
    const advice = isLicenseKey ? ' This is its license_key: pass the id.' : ''
    throw new ControlError('not-found', `There is no such license.${advice}`)
  }
  const update = (licenseId: string, patch: LicensePatch): ShownLicense => {
    const license = find(licenseId)
    const { activation_limit, expires_at, suspended_at, status, features } = parseLicensePatch(patch)
    checkFeatures(features)
    licenses.update(license, {
      ...(activation_limit !== undefined && { activation_limit }),
      ...(expires_at !== undefined && { expires_at }),
      ...(suspended_at !== undefined && { suspended_at }),
      ...(status !== undefined && { status }),
      ...(features !== undefined && { features }),
    })
    return show(license)
  }
  return {
    licenses: () => licenses.list().map(show),
    license: (licenseId) => show(find(licenseId)),
    createLicense(input = {}) {
      const { expires_at = inOneYear(clock.nowMs()), ...fields } = parseLicenseInput(input)
      checkFeatures(fields.features)
      if (fields.id !== undefined && licenses.get(fields.id)) {
        throw new ControlError('invalid', 'id: a license with this ID already exists.')
      }
      const license = licenses.create({
        id: fields.id,
        activation_limit: fields.activation_limit ?? 3,
        expires_at,
        suspended_at: fields.suspended_at ?? null,
        status: fields.status ?? 'ACTIVE',
        ...(fields.features !== undefined && { features: fields.features }),
      })
      for (const name of fields.keys ?? []) licenses.addKey(license, name)
      return show(license)
    },
    updateLicense: update,
    suspend: (licenseId) => update(licenseId, { suspended_at: clock.timestamp() }),
    // In whole seconds, because the `Date` of the next answer has no fractions, and a client compares the two.
    expire: (licenseId) =>
      update(licenseId, { expires_at: new Date(Math.floor(clock.nowMs() / 1000) * 1000).toISOString() }),
    reinstate(licenseId) {
      const { expires_at } = find(licenseId)
      const isOver = expires_at !== null && Date.parse(expires_at) <= clock.nowMs()
      return update(licenseId, {
        suspended_at: null,
        status: 'ACTIVE',
        ...(isOver && { expires_at: inOneYear(clock.nowMs()) }),
      })
    },
    deleteLicense: (licenseId) => licenses.delete(find(licenseId)),
    keys: (licenseId) => structuredClone(find(licenseId).keys),
    addKey(licenseId, name) {
      if (typeof name !== 'string') throw new ControlError('invalid', 'Pass the name of the device as text.')
      return { ...licenses.addKey(find(licenseId), name) }
    },
    removeKey(licenseId, keyId) {
      if (!licenses.removeKey(find(licenseId), checkId('key', keyId))) {
        throw new ControlError('not-found', 'There is no such key.')
      }
    },
  }
}

/** Plain JavaScript may pass the whole license. */
function checkId(what: 'license' | 'key', id: string): string {
  if (typeof id === 'string') return id
  throw new ControlError('invalid', `Pass the id of the ${what} as text, such as ${what}.id.`)
}
