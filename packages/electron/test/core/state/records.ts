import type { ActivationRecord, LicenseOnRecord } from '../../../src/core/record.ts'
import { dayMs } from '../fixture.ts'

/** When the service last confirmed the activation below. */
export const nowMs: number = Date.UTC(2030, 0, 1)

/** A license with three seats and no end. */
export const license: LicenseOnRecord = {
  activationLimit: 3,
  activationUsage: 1,
  expiresAt: null,
  isEndUnknown: false,
  status: 'ACTIVE',
  plan: null,
  licensee: null,
  features: [],
}

/** An activation of that license, twenty days old. */
export const activation: ActivationRecord = {
  licenseKey: '4b11e191-a34e-424c-b391-d18776ed66b8',
  activationId: '7c2d9e40-1a3b-4f5c-8d6e-9f0a1b2c3d4e',
  service: 'commerce',
  fingerprint: '0123456789abcdef',
  license,
  activatedAtMs: nowMs - 20 * dayMs,
  verdict: 'valid',
  decidedAtMs: nowMs,
  validAtMs: nowMs,
  isListed: true,
  unknown: null,
  lease: null,
  offline: null,
}
