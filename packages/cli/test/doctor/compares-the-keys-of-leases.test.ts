import { expect, test } from 'vitest'
import { gatewayForTest, routeOf } from './gateway-for-test.ts'

function leaseOf(kid: string): string {
  return `${Buffer.from(JSON.stringify({ alg: 'EdDSA', kid })).toString('base64url')}.e30.c2ln`
}

/** Runs the doctor with a gateway of two instances, whose answers have these leases in turn. */
async function doctorOfTwo(leases: readonly [string | null, string | null]) {
  let count = 0
  const { doctor } = await gatewayForTest((request) => {
    if (routeOf(request) !== 'key' || !request.url?.includes('/00000000-')) return null
    const lease = leases[count++ % 2] ?? null
    return {
      status: 404,
      body: { error: 'not-found' },
      headers: lease === null ? {} : { 'latchkey-lease': lease },
    }
  })
  return doctor()
}

test.each([
  ['with another key', [leaseOf('one'), leaseOf('two')]],
  ['not at all', [leaseOf('one'), null]],
  ['not at all, and answers first', [null, leaseOf('one')]],
] as const)('an instance of the gateway that signs %s is a failure', async (_how, leases) => {
  const { exitCode, out } = await doctorOfTwo(leases)
  expect(out).toMatch(
    /^BAD {3}leases .* do all instances of the gateway have the same LATCHKEY_SIGNING_KEY\?$/mu,
  )
  expect([exitCode, out.match(/^BAD/gmu)]).toEqual([1, ['BAD']])
})

test('instances that sign with the same key are no failure', async () => {
  const { exitCode, out } = await doctorOfTwo([leaseOf('one'), leaseOf('one')])
  expect(out).toMatch(/^ok {4}leases +signed with the key one: /mu)
  expect(exitCode).toBe(0)
})
