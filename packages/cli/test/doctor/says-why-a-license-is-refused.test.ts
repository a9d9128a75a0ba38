import { expect, test } from 'vitest'
import { emulatorForTest, runCli } from '../run-cli.ts'
import { gatewayForTest, routeOf } from './gateway-for-test.ts'

test.each([
  ['no-seat-left', 'every seat is taken: use an active license'],
  ['license-expired', 'the license has ended: use an active license'],
  ['license-suspended', 'the license is suspended: use an active license'],
  ['license-inactive', 'the license is not in force: use an active license'],
  ['test-license', 'the license key was created in test mode'],
])('names the gateway’s reason for a refused activation, which is no failure: %s', async (error, text) => {
  const { doctor } = await gatewayForTest((request) =>
    routeOf(request) === 'activate' ? { status: 422, body: { error } } : null,
  )
  const { exitCode, out } = await doctor()
  expect(out).toMatch(new RegExp(`^note {2}activate +${text}`, 'mu'))
  expect(out).toMatch(/^note {2}deactivate +not tried: no seat was taken$/mu)
  expect(exitCode).toBe(0)
})

test('a listed license that the gateway doesn’t know may be refused by a rule of the gateway', async () => {
  const { doctor } = await gatewayForTest((request) =>
    routeOf(request) === 'activate' ? { status: 404, body: { error: 'not-found' } } : null,
  )
  const { exitCode, out } = await doctor()
  expect(out).toMatch(
    /^BAD {3}activate .* although it lists its devices: check the gateway’s rule allow if you set one$/mu,
  )
  expect([exitCode, out]).toEqual([1, expect.not.stringContaining('commerce service')])
})

test('explains the gateway’s code for a seat that could not be freed', async () => {
  const { doctor } = await gatewayForTest((request) =>
    request.method === 'DELETE' ? { status: 502, body: { error: 'upstream-unauthorized' } } : null,
  )
  const { exitCode, out } = await doctor()
  expect(out).toMatch(
    /^BAD {3}deactivate .* could not be freed: the gateway answers, but the service refuses its access token .*\. Free it with latchkey keys release\.$/mu,
  )
  expect([exitCode, out]).toEqual([1, expect.not.stringContaining('commerce service')])
})

test('a seat whose deactivation got no answer is looked for before it is called taken', async () => {
  const emulator = await emulatorForTest({ accessToken: null })
  emulator.control.faults.inject({ fault: 'reset', operation: 'deactivate', when: 'after-acting' })
  const words = ['doctor', '--activate', '--gateway', emulator.baseUrl, '--license', emulator.demoLicense.id]
  const { exitCode, out } = await runCli(emulator, words)
  expect(out).toMatch(/^BAD {3}deactivate +freed the seat again, but the answer was lost: /mu)
  expect([exitCode, emulator.control.keys(emulator.demoLicense.id)]).toEqual([1, []])
})

test('a token that the service accepts for the list isn’t blamed for a refused activation', async () => {
  const forbidden = { status: 502, body: { error: 'upstream-unauthorized' } }
  const { doctor } = await gatewayForTest((request) => (routeOf(request) === 'activate' ? forbidden : null))
  const { out } = await doctor()
  expect(out).toMatch(/^BAD {3}activate .* If it is right, the license may be suspended/mu)
})

test('a gateway whose product is set wrong fails', async () => {
  const wrong = { status: 422, body: { error: 'wrong-product' } }
  const { doctor } = await gatewayForTest((request) => (routeOf(request) === 'activate' ? wrong : null))
  const { exitCode, out } = await doctor()
  expect(out).toMatch(
    /^BAD {3}activate .* another product, store or plan: check the product and store settings of the gateway/mu,
  )
  expect(exitCode).toBe(1)
})

test('an unknown license key may belong to another organization, store or product', async () => {
  const { doctor } = await gatewayForTest((request) =>
    ['keys', 'activate'].includes(routeOf(request)) ? { status: 404, body: { error: 'not-found' } } : null,
  )
  const { exitCode, out } = await doctor()
  expect(out).toMatch(/^BAD {3}license .* the service’s address and the organization, store or product$/mu)
  expect(exitCode).toBe(1)
})

test('names the wrong product if the list is refused too, and tries nothing else', async () => {
  const { emulator, doctor } = await gatewayForTest(() => ({ status: 422, body: { error: 'wrong-product' } }))
  const { exitCode, out } = await doctor()
  expect(out).toMatch(/^BAD {3}license +the license key belongs to another product, store or plan: /mu)
  expect(out.match(/^BAD/gmu)).toHaveLength(1)
  expect(out).not.toContain('commerce service')
  expect([exitCode, emulator.control.requests()]).toEqual([1, []])
})

test('a suspended license whose list is refused is no failure', async () => {
  const suspended = { status: 422, body: { error: 'license-suspended' } }
  const { doctor } = await gatewayForTest((request) =>
    ['keys', 'activate'].includes(routeOf(request)) ? suspended : null,
  )
  const { exitCode, out } = await doctor()
  expect(out.match(/^note {2}(?:list keys|activate) +the license is suspended/gmu)).toHaveLength(2)
  expect([exitCode, out]).toEqual([0, expect.not.stringContaining('BAD')])
})

const rejected = { status: 422, body: { error: 'rejected' } }

test.each([
  [{ suspended_at: '2026-01-01T00:00:00.000000Z' }, 'the license is not in force (the license is suspended)'],
  [{ expires_at: '2026-01-01T00:00:00.000000Z' }, 'the license is not in force (ended 2026-01-01'],
  [{ activation_limit: 1 }, 'every seat is taken: use an active license'],
])('finds out why the commerce service refuses an activation: %j', async (fields, text) => {
  const { emulator, doctor } = await gatewayForTest(() => null)
  emulator.control.addKey(emulator.demoLicense.id, 'Studio')
  emulator.control.updateLicense(emulator.demoLicense.id, fields)
  const { exitCode, out } = await doctor()
  expect(out).toContain(`note  activate      refused with status 422, and ${text}`)
  const isUsable = 'activation_limit' in fields
  const validate = isUsable
    ? 'ok {4}validate +the license is in force'
    : 'note {2}validate .* an app would refuse the license: '
  expect(out).toMatch(new RegExp(`^${validate}`, 'mu'))
  expect(exitCode).toBe(0)
})

test('an activation that is refused despite free seats is a failure', async () => {
  const { emulator, doctor } = await gatewayForTest((request) =>
    routeOf(request) === 'activate' ? rejected : null,
  )
  emulator.control.addKey(emulator.demoLicense.id, 'Studio')
  const { exitCode, out } = await doctor()
  expect(out).toMatch(
    /^BAD {3}activate .* although the license is in force and has free seats: see the gateway/mu,
  )
  expect(exitCode).toBe(1)
})

test('without a device, the reason for a refused activation stays open', async () => {
  const { doctor } = await gatewayForTest((request) => (routeOf(request) === 'activate' ? rejected : null))
  const { exitCode, out } = await doctor()
  expect(out).toMatch(
    /^note {2}activate .* without a reason: the license may be full, suspended, expired or not in force: use/mu,
  )
  expect(exitCode).toBe(0)
})

test('without a list of devices, a license without free seats is a possible reason, too', async () => {
  const { doctor } = await gatewayForTest((request) => {
    const route = routeOf(request)
    if (route === 'keys') return { status: 403, body: { error: 'list-not-allowed' } }
    return route === 'activate' ? rejected : null
  })
  const { out } = await doctor()
  expect(out).toMatch(
    /^note {2}activate .* the license may be full, suspended, expired or not in force: use/mu,
  )
})
