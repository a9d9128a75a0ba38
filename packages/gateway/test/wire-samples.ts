import type { License, LicenseKey } from '@latchkey/commerce'

const timestamp = '2026-01-01T00:00:00.000000Z'

/** IDs of the samples. */
export const licenseId = '11111111-2222-4333-8444-555555555555'
export const keyId = '99999999-2222-4333-8444-555555555555'

/** A license as the service sends it. */
export const sampleLicense: License = {
  id: licenseId,
  activation_limit: 3,
  expires_at: '2099-01-01T00:00:00.000000Z',
  suspended_at: null,
  status: 'ACTIVE',
  activation_usage: 1,
  activation_usage_formatted: '1/3',
  created_at: timestamp,
  updated_at: timestamp,
}

/** A key of it as the service sends it. */
export const sampleKey: LicenseKey = {
  id: keyId,
  name: 'Ada’s laptop [0123456789abcdef]',
  created_at: timestamp,
  updated_at: timestamp,
}
