import { once } from 'node:events'
import { createServer } from 'node:http'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { expect, test } from 'vitest'
import { emulatorForTest, runCli } from '../run-cli.ts'

test('finds no problem with a healthy service', async () => {
  const emulator = await emulatorForTest({ customers: 5 })
  const { exitCode, out } = await runCli(emulator, ['doctor'])
  expect(exitCode).toBe(0)
  expect(out).not.toMatch(/BAD|note/u)
})

test('reports a token that is not accepted, without printing it', async () => {
  const emulator = await emulatorForTest()
  const env = { LATCHKEY_ACCESS_TOKEN: 'sk-very-secret-token' }
  const { exitCode, out, err } = await runCli(emulator, ['--json', 'doctor'], { env })
  expect(exitCode).toBe(1)
  expect(JSON.parse(out).findings).toContainEqual(
    expect.objectContaining({ check: 'access token', verdict: 'bad' }),
  )
  expect(out + err).not.toContain('sk-very-secret-token')
})

test('reports a clock that is an hour off', async () => {
  const emulator = await emulatorForTest({ customers: 5 })
  emulator.control.faults.inject({ fault: 'date-shift', shiftMs: 3_600_000 })
  const { exitCode, out } = await runCli(emulator, ['doctor'])
  expect(exitCode).toBe(1)
  expect(out).toMatch(
    /BAD {3}clock\s+this machine is 3(599|600|601) s behind the service: compare both with the right time/u,
  )
})

test('reports an undocumented answer', async () => {
  const emulator = await emulatorForTest({ customers: 5 })
  emulator.control.faults.inject({ fault: 'html' })
  const { exitCode, out } = await runCli(emulator, ['doctor'])
  expect(exitCode).toBe(1)
  expect(out).toMatch(/BAD {3}proxy .* answers in place of the service/u)
})

test('checks with the keys of a license, and shows how many it has', async () => {
  const emulator = await emulatorForTest()
  emulator.control.addKey(emulator.demoLicense.id, 'Studio')
  const { exitCode, out } = await runCli(emulator, ['doctor', '--license', emulator.demoLicense.id])
  expect(exitCode).toBe(0)
  expect(out).toMatch(/^ok {4}list keys +1 key$/mu)
  expect(out).not.toContain(emulator.demoLicense.id)
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

test('reports how long it waited for an answer', async () => {
  const emulator = await emulatorForTest()
  emulator.control.faults.inject({ fault: 'timeout' })
  const { out } = await runCli(emulator, ['--timeout', '0.2', 'doctor'])
  expect(out).toMatch(/BAD {3}reachable\s+no answer came within 0\.2 s: --timeout allows more/u)
})

test('distinguishes a license the service doesn’t know from a wrong address', async () => {
  const emulator = await emulatorForTest()
  const license = ['--license', '00000000-0000-4000-8000-000000000000']
  const unknown = await runCli(emulator, ['doctor', ...license])
  expect(unknown.out).toMatch(/BAD {3}license\s+there is no such license, or the base URL is wrong/u)
  const gateway = ['--gateway', new URL('/elsewhere', emulator.baseUrl).href]
  const elsewhere = await runCli(emulator, ['doctor', ...gateway, ...license])
  expect(elsewhere.out).toMatch(
    /BAD {3}base URL\s+no gateway answers at this path: .*\/v1 by default\. If a reverse proxy passes on a prefix/u,
  )
  expect(elsewhere.out.match(/base URL/gu)).toHaveLength(1)
  expect(elsewhere.out.match(/^BAD/gmu)).toHaveLength(1)
})

test.each([
  ['htp', /^latchkey: The address of the service is not a URL such as /u],
  ['http://192.0.2.1/v1', /^latchkey: With http:\/\/ .* can read the access token: use https:\/\/\.$/mu],
])('names the setting to correct when the address %s is invalid', async (baseUrl, expected) => {
  const emulator = await emulatorForTest()
  const { exitCode, err } = await runCli(emulator, ['doctor'], { env: { LATCHKEY_BASE_URL: baseUrl } })
  expect(exitCode).toBe(2)
  expect(err).toMatch(expected)
})

test('reports that a gateway has no list of customers', async () => {
  const emulator = await emulatorForTest()
  const env = { LATCHKEY_BASE_URL: new URL('/gateway/v1', emulator.baseUrl).href }
  const { err } = await runCli(emulator, ['customers', 'find', 'ada'], { env })
  expect(err).toContain('A gateway serves no lists')
})

test.each([
  [
    'upstream-unauthorized',
    'the service refuses its access token for this request: correct it in the gateway’s settings',
  ],
  ['upstream-loop', 'its own requests come back to it: set LATCHKEY_UPSTREAM there'],
  ['internal', 'the gateway itself, or one of its rules, failed: its log has the reason (internal)'],
  ['too-many-requests', 'limits the requests for this license or from this address'],
  ['upstream-unreachable', 'can’t reach the service: check the service’s address in its settings'],
  ['upstream-unexpected-answer', 'or Keygen’s public key or account. The gateway’s log has the reason'],
])('names what is wrong behind the gateway when it answers %s', async (error, expected) => {
  const emulator = await emulatorForTest()
  const server = createServer((_request, response) => {
    response.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
  })
  onTestEnd(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const gateway = ['--gateway', `http://127.0.0.1:${port}/v1`, '--license', emulator.demoLicense.id]
  const { exitCode, out } = await runCli(emulator, ['doctor', ...gateway])
  expect(exitCode).toBe(1)
  expect(out).toMatch(/^BAD {3}service\s+the gateway /mu)
  expect(out).toContain(expected)
})

test('says that a license key of another form may be why a gateway has no route for it', async () => {
  const emulator = await emulatorForTest({ accessToken: null })
  const gateway = ['--gateway', emulator.baseUrl]
  const { out } = await runCli(emulator, ['doctor', ...gateway, '--license', 'INKWELL-1C285B2D-0001'])
  expect(out).toContain('This license key isn’t a UUID')
})

test('frees a seat that appears in the gateway’s list after the activation failed', async () => {
  const { emulator, words, hideKeys, operations } = await gatewayWithoutToken()
  emulator.control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting' })
  const { id } = hideKeys()
  const run = runCli(emulator, words)
  await expect.poll(() => operations().slice(-2)).toEqual(['activate', 'keys'])
  emulator.control.faults.remove(id)
  const { exitCode, out } = await run
  expect(exitCode).toBe(1)
  expect(out).toMatch(/^BAD {3}activate .*\n(?:.*\n)+ok {4}deactivate +freed the seat again$/mu)
  expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([])
})

test.each([
  [401, '^BAD {3}activate .*'],
  [404, '^BAD {3}activate .*'],
  [422, '^note {2}activate .*'],
  [429, '^BAD {3}activate .*'],
])('looks for no seat after the gateway refused to activate with a %i', async (status, activate) => {
  const { emulator, words } = await gatewayWithoutToken()
  emulator.control.faults.inject({ fault: 'status', status, operation: 'activate' })
  const { out } = await runCli(emulator, words)
  expect(out).toMatch(new RegExp(activate, 'mu'))
  expect(out).toMatch(/^note {2}deactivate +not tried: no seat was taken$/mu)
})

test.each([
  ['during the activation', 'timeout'],
  ['while it looks for the seat', 'reset'],
] as const)('after Ctrl-C %s, names the seat that may be left', async (_when, fault) => {
  const { emulator, words, hideKeys, operations } = await gatewayWithoutToken()
  emulator.control.faults.inject({ fault, operation: 'activate', when: 'after-acting' })
  hideKeys()
  const controller = new AbortController()
  const run = runCli(emulator, words, { signal: controller.signal })
  const isReached = fault === 'timeout' ? ['activate'] : ['activate', 'keys']
  await expect.poll(() => operations().slice(-isReached.length)).toEqual(isReached)
  controller.abort()
  const { exitCode, out, err } = await run
  const [{ name } = { name: '' }] = emulator.control.keys(emulator.demoLicense.id)
  expect([exitCode, out]).toEqual([130, ''])
  expect(err).toContain(
    `latchkey: the activation may have taken a seat as "${name}", and the list doesn’t show it`,
  )
  expect(operations().slice(operations().indexOf('activate') + 1).length).toBeLessThan(3)
})

/** An emulator without a token, which serves the doctor as a gateway. */
async function gatewayWithoutToken() {
  const emulator = await emulatorForTest({ accessToken: null })
  const { faults } = emulator.control
  const words = ['doctor', '--activate', '--gateway', emulator.baseUrl, '--license', emulator.demoLicense.id]
  const operations = () => emulator.control.requests().map(({ operation }) => operation)
  return {
    emulator,
    words,
    operations,
    /** Makes the list empty. */
    hideKeys: () => faults.inject({ fault: 'set-fields', fields: { data: [] }, operation: 'keys' }),
  }
}

test.each([401, 403, 407])('a proxy’s page with status %d isn’t blamed on the token', async (status) => {
  const emulator = await emulatorForTest()
  emulator.control.faults.inject({ fault: 'status', status, body: 'html' })
  const { exitCode, out } = await runCli(emulator, ['doctor'])
  expect(out).toMatch(
    new RegExp(`^BAD +(?:proxy|reachable) .* proxy .*\\(status ${status}\\b.*: .*change `, 'mu'),
  )
  expect([exitCode, out]).toEqual([1, expect.not.stringMatching(/^BAD +access token/mu)])
})

test.each([
  [429, /^BAD +service +the service limits the requests \(status 429\)\. Try again in 2 minutes$/mu],
  [503, /^BAD +service +the service, or a proxy .* \(status 503\): try again later$/mu],
])('a service that answers %d was reached, and its schema isn’t judged', async (status, line) => {
  const emulator = await emulatorForTest()
  emulator.control.faults.inject({ fault: 'status', status, retryAfterSeconds: 120 })
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
  expect(out).toMatch(/^BAD +list keys +the service forbids this request \(status 403\): /mu)
  expect([exitCode, out]).toEqual([1, expect.not.stringMatching(/^BAD +access token/mu)])
})
