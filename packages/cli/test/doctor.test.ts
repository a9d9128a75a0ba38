import { expect, test } from 'vitest'
import { emulatorForTest, runCli } from './run-cli.ts'

const unknownKey = '00000000-0000-4000-8000-000000000000'

test('finds no problem with a healthy service, and takes no seat', async () => {
  const emulator = await emulatorForTest({ customers: 5 })
  const { id } = emulator.demoLicense
  emulator.control.addKey(id, 'Studio')
  const { exitCode, out } = await runCli(emulator, ['doctor'])
  expect([exitCode, out]).toEqual([0, expect.not.stringMatching(/BAD|note/u)])
  const ofLicense = await runCli(emulator, ['doctor', '--license', id])
  expect(ofLicense.exitCode).toBe(0)
  expect(ofLicense.out).toMatch(/^ok {4}list devices +1 device$/mu)
  expect(ofLicense.out).not.toContain(id)
  const operations = new Set(emulator.control.requests().map(({ operation }) => operation))
  expect([...operations].sort()).toEqual(['customers', 'keys'])
})

test('reports a token that is not accepted, without printing it', async () => {
  const env = { LATCHKEY_ACCESS_TOKEN: 'sk-very-secret-token' }
  const { exitCode, out, err } = await runCli(await emulatorForTest(), ['--json', 'doctor'], { env })
  expect(exitCode).toBe(1)
  const { findings } = JSON.parse(out)
  expect(findings).toContainEqual(expect.objectContaining({ check: 'access token', verdict: 'bad' }))
  expect(out + err).not.toContain('sk-very-secret-token')
})

test('reports a clock that is an hour off', async () => {
  const emulator = await emulatorForTest({ customers: 5 })
  emulator.control.faults.inject({ fault: 'date-shift', shiftMs: 3_600_000 })
  const { exitCode, out } = await runCli(emulator, ['doctor'])
  expect(exitCode).toBe(1)
  expect(out).toMatch(
    /BAD {3}clock\s+this machine is 3[56]\d\d s behind the service: compare both with the right time/u,
  )
})

test('reports why there was no answer', async () => {
  const stopped = await emulatorForTest()
  await stopped.close()
  const refused = await runCli(stopped, ['doctor'])
  expect(refused.exitCode).toBe(1)
  expect(refused.out).toMatch(/BAD {3}reachable\s+nothing listens at this address .* \(ECONNREFUSED\)/u)
  const unknown = await runCli(stopped, ['doctor', '--base-url', 'https://unknown.invalid/v1'])
  expect(unknown.out).toMatch(/BAD {3}reachable\s+the host name .* \((?:ENOTFOUND|EAI_AGAIN)\)/u)
})

test.each([
  ['https', { HTTPS_PROXY: 'x' }, 'HTTPS_PROXY is set, but Node uses it only with NODE_USE_ENV_PROXY=1'],
  ['https', { https_proxy: 'x', NODE_USE_ENV_PROXY: '1' }, 'may have been sent to the proxy in https_proxy'],
  ['http', { HTTPS_PROXY: 'x' }, null],
  ['https', { HTTP_PROXY: 'x' }, null],
] as const)('mentions a proxy in the environment if it is for %s: %o', async (scheme, proxy, told) => {
  const env = { ...proxy, LATCHKEY_BASE_URL: `${scheme}://commerce.invalid/v1`, LATCHKEY_ACCESS_TOKEN: '' }
  const { out } = await runCli(await emulatorForTest(), ['doctor'], { env })
  expect(out).toMatch(/^BAD {3}reachable /mu)
  expect(out).toEqual(told === null ? expect.not.stringContaining('_PROXY') : expect.stringContaining(told))
})

test.each([403, 407])('a proxy’s page with status %d isn’t blamed on the token', async (status) => {
  const emulator = await emulatorForTest()
  emulator.control.faults.inject({ fault: 'status', status, body: 'html' })
  const { exitCode, out } = await runCli(emulator, ['doctor'])
  expect(out).toMatch(new RegExp(`^BAD +proxy .* proxy .*\\(status ${status}\\b`, 'mu'))
  expect([exitCode, out]).toEqual([1, expect.not.stringMatching(/^BAD +access token/mu)])
})

test.each([
  [{ fault: 'html' }, /^BAD +proxy .* answers in place of the service/mu],
  [{ fault: 'status', status: 429 }, /^BAD +service +the service limits the requests \(status 429\)\. /mu],
  [{ fault: 'status', status: 503 }, /^BAD +service +the service, or a proxy .* \(status 503\): try again/mu],
] as const)('a service in whose place something else answers was reached: %o', async (fault, line) => {
  const emulator = await emulatorForTest()
  emulator.control.faults.inject(fault)
  for (const words of [[], ['--license', emulator.demoLicense.id]]) {
    const { exitCode, out } = await runCli(emulator, ['doctor', ...words])
    expect(out).toMatch(line)
    expect([exitCode, out]).toEqual([1, expect.not.stringMatching(/^BAD +(?:schema|reachable)/mu)])
  }
})

test('a forbidden list isn’t blamed on the token alone', async () => {
  const emulator = await emulatorForTest()
  emulator.control.faults.inject({ fault: 'status', status: 403, operation: 'keys' })
  const { exitCode, out } = await runCli(emulator, ['doctor', '--license', emulator.demoLicense.id])
  expect(out).toMatch(/^BAD +list devices +the service refuses access \(status 403\): /mu)
  expect([exitCode, out]).toEqual([1, expect.not.stringMatching(/^BAD +access token/mu)])
})

test('distinguishes a license the service doesn’t know, an address without its version, and a gateway', async () => {
  const emulator = await emulatorForTest()
  const unknown = await runCli(emulator, ['doctor', '--license', unknownKey])
  expect(unknown.out).toMatch(/BAD {3}license\s+there is no such license, or the base URL is wrong/u)
  const own = (address: string) => ({ env: { LATCHKEY_BASE_URL: new URL(address, emulator.baseUrl).href } })
  const unversioned = await runCli(emulator, ['doctor'], own('/'))
  expect(unversioned.out).toContain('does not end with the version segment v1, which is only right for')
  const { exitCode, out } = await runCli(emulator, ['doctor'], own('/gateway/v1'))
  expect([exitCode, out.match(/base URL {2,}/gu)]).toEqual([1, ['base URL      ']])
  expect(out).toMatch(
    /^BAD {3}base URL .* A gateway serves no lists: check one with latchkey doctor --gateway /mu,
  )
})
