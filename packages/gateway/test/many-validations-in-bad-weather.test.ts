import type { FaultRule } from '@latchkey/emulator'
import { expect, test } from 'vitest'
import { generateSigningKey, leaseKeysOf, verifyLease } from '../src/index.ts'
import { accessToken, keyName, startService } from './gateway-fixture.ts'
import { startGatewayHere } from './gateway-process.ts'

const count = process.env['LATCHKEY_LONG'] === '1' ? 200_000 : 400
const atOnce = 32
const seed = 20_260_601

/** Every failure behind the gateway that says nothing about a license. */
const weather: readonly FaultRule[] = [
  { fault: 'status', status: 500 },
  { fault: 'status', status: 503, retryAfterSeconds: 1 },
  { fault: 'status', status: 429 },
  { fault: 'status', status: 401 },
  { fault: 'status', status: 404, body: 'html' },
  { fault: 'status', status: 404, operation: 'validate' },
  { fault: 'status', status: 422, operation: 'validate' },
  { fault: 'html' },
  { fault: 'empty' },
  { fault: 'no-content' },
  { fault: 'redirect' },
  { fault: 'truncated' },
  { fault: 'cut' },
  { fault: 'reset' },
  { fault: 'delay', delayMs: 5 },
  { fault: 'wrong-types', fields: ['license.status'] },
  { fault: 'missing-fields', fields: ['key'] },
]

/** Returns the same numbers for the same seed, so that a failure can be reproduced (mulberry32). */
function randomNumbers(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Reading = 'entitled' | 'denied' | 'revoked' | 'undecided' | 'unreachable'

test(`${count} validations with random faults: no device is wrongly allowed or locked out`, async () => {
  const emulator = await startService({ requestLogLimit: 10 })
  const signingKey = await generateSigningKey()
  const leaseKeys = await leaseKeysOf([signingKey])
  const gateway = await startGatewayHere({
    LATCHKEY_UPSTREAM: emulator.baseUrl,
    LATCHKEY_ACCESS_TOKEN: accessToken,
    LATCHKEY_SIGNING_KEY: JSON.stringify(signingKey),
    LATCHKEY_LIMIT_PER_LICENSE: '0',
    LATCHKEY_LIMIT_PER_ADDRESS: '0',
  })
  const base = `${gateway.baseUrl}/licenses`

  const { control } = emulator
  const device = (right: Reading, patch: object = {}) => {
    const license = control.createLicense({ activation_limit: 1, keys: [keyName], ...patch }).id
    return { license, key: control.keys(license)[0]?.id ?? '', right }
  }
  const devices = [
    device('entitled'),
    device('entitled', { expires_at: null }),
    device('denied', { suspended_at: '2026-01-01T00:00:00Z' }),
    device('denied', { expires_at: '2026-01-01T00:00:00Z' }),
    device('denied', { status: 'DISABLED' }),
    device('revoked'),
  ]

  /** Returns the result for an app with lease keys, which ignores a response without a matching lease. */
  const leaseOf = async (answer: Response, nonce: string, license: string, key: string) => {
    const lease = answer.headers.get('latchkey-lease') ?? ''
    const verdict = await verifyLease(lease, {
      leaseKeys,
      nowMs: Date.now(),
      nonce,
      licenseId: license,
      keyId: key,
    })
    return verdict.trusted ? verdict.claims : null
  }
  const check = async ({ license, key }: { license: string; key: string }): Promise<Reading> => {
    const nonce = crypto.randomUUID()
    const headers = { 'content-type': 'application/json', 'latchkey-nonce': nonce }
    const body = JSON.stringify({ key })
    const validated = await fetch(`${base}/${license}/validate`, { method: 'POST', headers, body })
    await validated.arrayBuffer()
    const lease = await leaseOf(validated, nonce, license, key)
    if (validated.ok) return lease === null ? 'unreachable' : lease.ent ? 'entitled' : 'denied'
    if (validated.status >= 500) return 'unreachable'
    const shown = await fetch(`${base}/${license}/keys/${key}`, { headers })
    await shown.arrayBuffer()
    if (shown.ok) return 'undecided'
    const gone = shown.status === 404 || shown.status === 410
    return gone && (await leaseOf(shown, nonce, license, key))?.sta === 'GONE' ? 'revoked' : 'unreachable'
  }

  // An empty list proves something only about a license that was seen with a key.
  for (const { license, key } of devices.slice(-1)) {
    await check({ license, key })
    control.removeKey(license, key)
  }

  const random = randomNumbers(seed)
  const readings = new Map<string, number>()
  const worker = async (share: number): Promise<void> => {
    for (let done = 0; done < share; done += 1) {
      const fault = weather[Math.floor(random() * weather.length * 4)]
      if (fault !== undefined) control.faults.inject({ ...fault, times: 1 })
      const chosen = devices[Math.floor(random() * devices.length)]
      if (chosen === undefined) continue
      const reading = await check(chosen)
      const outcome = `${chosen.right}: ${reading}`
      readings.set(outcome, (readings.get(outcome) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, () => worker(count / atOnce)))
  control.faults.clear()

  // Every result is correct or undecided.
  const allowed = ['entitled', 'denied', 'revoked'].flatMap((right) => [
    `${right}: ${right}`,
    `${right}: undecided`,
    `${right}: unreachable`,
  ])
  expect([...readings.keys()].filter((outcome) => !allowed.includes(outcome))).toEqual([])
  const definite = ['entitled', 'denied', 'revoked'].map((right) => readings.get(`${right}: ${right}`) ?? 0)
  expect(Math.min(...definite)).toBeGreaterThan(0)
  expect(definite.reduce((sum, part) => sum + part)).toBeGreaterThan(count / 2)
  // Without faults, every result is correct.
  expect(await Promise.all(devices.map(check))).toEqual(devices.map(({ right }) => right))
})
