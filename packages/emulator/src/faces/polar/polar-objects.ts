import type { LicenseData, LicenseKeyData } from '../../data/emulator-data.ts'
import type { ServiceState } from '../../service/service-state.ts'
import { customer } from '../customer.ts'

/** The organization and the benefit of every license. */
export const polarIds = {
  organizationId: 'fda84e25-7b55-4d67-916d-60ead04ff72f',
  benefitId: '7a2c8d70-3f0b-4f3e-9f0e-5b1a6c2d9e11',
} as const

/** Upper case, after the benefit's prefix. */
export function polarKeyOf(licenseId: string): string {
  return `INKWELL-${licenseId.toUpperCase()}`
}

export function polarStatusOf({ suspended_at, status }: LicenseData): 'granted' | 'revoked' | 'disabled' {
  if (suspended_at !== null) return 'revoked'
  return status === 'ACTIVE' || status === 'INACTIVE' ? 'granted' : 'disabled'
}

/** A license key object. */
export function polarLicenseKey(state: ServiceState, license: LicenseData): Record<string, unknown> {
  const key = polarKeyOf(license.id)
  return {
    id: license.id,
    created_at: license.created_at,
    modified_at: license.updated_at,
    organization_id: polarIds.organizationId,
    customer_id: customer.id,
    customer: {
      id: customer.id,
      created_at: license.created_at,
      modified_at: null,
      metadata: {},
      external_id: null,
      email: customer.email,
      email_verified: true,
      type: 'individual',
      name: customer.name,
      billing_name: null,
      billing_address: null,
      tax_id: null,
      locale: null,
      organization_id: polarIds.organizationId,
      default_payment_method_id: null,
      deleted_at: null,
      avatar_url: null,
    },
    benefit_id: polarIds.benefitId,
    key,
    display_key: `****-${key.slice(-6)}`,
    status: polarStatusOf(license),
    // No limit means a license key without activations.
    limit_activations: license.activation_limit === 0 ? null : license.activation_limit,
    usage: 0,
    limit_usage: null,
    validations: 1,
    last_validated_at: new Date(state.clock.nowMs()).toISOString(),
    expires_at: license.expires_at,
  }
}

/** An activation, without its conditions: no answer shows them. */
export function polarActivation(license: LicenseData, key: LicenseKeyData): Record<string, unknown> {
  return {
    id: key.id,
    license_key_id: license.id,
    label: key.name,
    meta: readRecord(key.details?.['meta']),
    created_at: key.created_at,
    modified_at: null,
  }
}

/** Parses stored JSON. */
export function readRecord(text: string | undefined): unknown {
  return JSON.parse(text ?? '{}')
}
