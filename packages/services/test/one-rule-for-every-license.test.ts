import { describe, expect, it } from 'vitest'
import { type LicenseFacts, readVerdict } from '../src/index.ts'

const nowMs = Date.parse('2026-06-01T00:00:00Z')
const facts: LicenseFacts = {
  id: null,
  status: 'active',
  endsAtMs: nowMs + 1,
  worksAfterEnd: false,
  seatLimit: 3,
  seatsInUse: 1,
  product: null,
  plan: null,
  isTest: null,
}

describe('a license', () => {
  it.each<[what: string, told: Partial<LicenseFacts>, verdict: string]>([
    ['that is active and has not ended', {}, 'valid'],
    ['that ends now', { endsAtMs: nowMs }, 'expired'],
    ['that has ended and works on', { endsAtMs: nowMs - 1, worksAfterEnd: true }, 'valid'],
    ['without end', { endsAtMs: 'never' }, 'valid'],
    ['whose end is not known', { endsAtMs: null }, 'valid'],
    ['of which only the activation is known', { status: null, endsAtMs: null }, 'valid'],
    ['that is suspended, whatever its end', { status: 'suspended', worksAfterEnd: true }, 'suspended'],
    ['that the service calls expired before its end', { status: 'expired' }, 'expired'],
    ['that is inactive', { status: 'inactive' }, 'inactive'],
  ])('%s', (_what, told, verdict) => {
    expect(readVerdict({ ...facts, ...told }, nowMs)).toBe(verdict)
  })
})
