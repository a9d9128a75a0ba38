import type { LicenseData, LicenseKeyData } from '../../data/emulator-data.ts'
import type { ServiceState } from '../../service/service-state.ts'

/** The account and the product of every license. */
export const keygenIds = {
  account: '1fddcec8-8dd3-4d8d-9b16-215cac0f9b52',
  product: '3713fb33-1f64-4f68-9bc7-8e1f6b0a1e6d',
} as const

/** A key without a scheme: five groups of six digits and a version. */
export function keygenKeyOf(licenseId: string): string {
  const digits = licenseId.replaceAll('-', '').slice(0, 30).toUpperCase()
  return `${digits.match(/.{6}/gu)?.join('-')}-V3`
}

/** The fingerprint of the activation. For a key added through the emulator's control, it is derived from the name. */
export function fingerprintOf(key: LicenseKeyData): string {
  return key.details?.['fingerprint'] ?? /\[([\da-f]{16})\]$/u.exec(key.name)?.[1] ?? key.id
}

export function isExpired(state: ServiceState, { expires_at }: LicenseData): boolean {
  return expires_at !== null && Date.parse(expires_at) <= state.clock.nowMs()
}

/** The JSON:API resource of a license. */
export function keygenLicense(state: ServiceState, license: LicenseData): Record<string, unknown> {
  const suspended = license.suspended_at !== null
  const link = (type: string, id: string): unknown => ({ data: { type, id } })
  return {
    id: license.id,
    type: 'licenses',
    attributes: {
      name: 'Pro',
      key: keygenKeyOf(license.id),
      expiry: license.expires_at,
      status: suspended ? 'SUSPENDED' : isExpired(state, license) ? 'EXPIRED' : 'ACTIVE',
      uses: 0,
      suspended,
      scheme: null,
      encrypted: false,
      strict: true,
      floating: true,
      protected: false,
      maxMachines: license.activation_limit,
      maxProcesses: null,
      maxUses: null,
      metadata: {},
      created: license.created_at,
      updated: license.updated_at,
    },
    relationships: {
      account: link('accounts', keygenIds.account),
      product: link('products', keygenIds.product),
      machines: { meta: { cores: 0, memory: 0, disk: 0, count: license.keys.length } },
    },
  }
}

/** The JSON:API resource of a machine. */
export function keygenMachine(license: LicenseData, key: LicenseKeyData): Record<string, unknown> {
  return {
    id: key.id,
    type: 'machines',
    attributes: {
      fingerprint: fingerprintOf(key),
      name: key.name,
      platform: null,
      requireHeartbeat: false,
      heartbeatStatus: 'NOT_STARTED',
      metadata: {},
      created: key.created_at,
      updated: key.updated_at,
    },
    relationships: { license: { data: { type: 'licenses', id: license.id } } },
  }
}

/** The JSON:API resources of a license's entitlements, one for each of its features. */
export function keygenEntitlements({ features = [], created_at, updated_at }: LicenseData): unknown[] {
  return features.map((code) => ({
    id: code,
    type: 'entitlements',
    attributes: { name: code, code, metadata: {}, created: created_at, updated: updated_at },
  }))
}
