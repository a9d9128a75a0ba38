import type { BenchReport } from '@latchkey/scripts/bench/report'
import {
  createLeaseSigners,
  type LeaseCrypto,
  validatedClaims,
  webCrypto,
} from '../src/leases/lease-signers.ts'
import { generateSigningKey, leaseKeysOf } from '../src/leases/signing-keys.ts'
import { verifyLease } from '../src/leases/verify-lease.ts'
import { nodeCrypto } from '../src/node/node-crypto.ts'

const timestamp = '2026-01-01T00:00:00.000000Z'
const license = {
  id: '11111111-2222-4333-8444-555555555555',
  activation_limit: 3,
  expires_at: null,
  suspended_at: null,
  status: 'ACTIVE',
  activation_usage: 1,
  activation_usage_formatted: '1/3',
  created_at: timestamp,
  updated_at: timestamp,
}
const key = {
  id: '99999999-2222-4333-8444-555555555555',
  name: 'Ada’s laptop [0123456789abcdef]',
  created_at: timestamp,
  updated_at: timestamp,
}

/** What one lease costs to sign and to check, one after the other and many at once. */
export async function bench(report: BenchReport): Promise<void> {
  report.section('Leases: Ed25519, on Node')
  const signingKey = await generateSigningKey()
  const leaseKeys = await leaseKeysOf([signingKey])
  const nonce = 'n0nce-n0nce-n0nce-n0nce'
  const signing = (leaseCrypto: LeaseCrypto) => {
    const signers = createLeaseSigners([signingKey], leaseCrypto)
    return async () =>
      await (await signers.forClient([])).sign(
        validatedClaims(
          {
            licenseHash: await leaseCrypto.sha256(license.id),
            keyId: key.id,
            nonce,
            nowMs: Date.now(),
            leaseDays: 14,
            renewalGraceDays: 3,
          },
          license,
          key,
        ),
      )
  }
  const sign = signing(nodeCrypto)
  const lease = await sign()
  const verify = () => verifyLease(lease, { leaseKeys, nowMs: Date.now(), nonce })

  const count = report.isLong ? 20_000 : 2_000
  for (const [name, act] of [
    ['sign', sign],
    ['sign with WebCrypto', signing(webCrypto)],
    ['verify', verify],
  ] as const) {
    await timed(count, act, 1)
    await report.repeat(`${name}, one after the other`, 'µs', 5, () => timed(count, act, 1))
    await report.repeat(`${name}, 100 at once`, 'µs', 5, () => timed(count, act, 100))
  }
  report.figure('size of a lease', lease.length, 'B')
}

/** @returns microseconds of wall time for each call. */
async function timed(count: number, act: () => Promise<unknown>, atOnce: number): Promise<number> {
  const startedMs = performance.now()
  const worker = async (): Promise<void> => {
    for (let index = 0; index < count / atOnce; index += 1) await act()
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return ((performance.now() - startedMs) * 1000) / count
}
