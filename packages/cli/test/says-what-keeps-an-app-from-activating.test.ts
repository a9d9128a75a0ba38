import { expect, test } from 'vitest'
import { gatewayForTest, routeOf } from './doctor/gateway-for-test.ts'
import { emulatorForTest, runCli } from './run-cli.ts'
import { serviceEnvironment } from './service-environment.ts'

/** Runs the command line with an emulated service, after a change of its demo license. */
async function withService(
  service: 'polar' | 'keygen',
  change: { readonly activation_limit?: number; readonly status?: string },
  own: Readonly<Record<string, string>> = {},
) {
  const emulator = await emulatorForTest({ face: service })
  emulator.control.updateLicense(emulator.demoLicense.id, change)
  const env = { ...serviceEnvironment(service, emulator), ...own }
  return (words: readonly string[]) => runCli(emulator, [...words, emulator.licenseKey], { env })
}

test('a benefit of Polar without an activation limit', async () => {
  const run = await withService('polar', { activation_limit: 0 })
  const checked = await run(['license', 'check'])
  expect(checked.exitCode).toBe(1)
  expect(checked.out).toMatch(
    /^misconfigured: an app can’t activate it, .* turn on Limit activations in Polar$/mu,
  )
  expect(checked.out).toContain('seats: 0/unlimited in use, none free')
  const examined = await run(['doctor', '--license'])
  expect(examined.exitCode).toBe(1)
  expect(examined.out).toMatch(/^BAD {3}license +an app can’t activate it, /mu)
})

test('a policy of Keygen that allows no license keys', async () => {
  const run = await withService('keygen', { status: 'NOT_ALLOWED' })
  const checked = await run(['license', 'check'])
  expect(checked.exitCode).toBe(1)
  expect(checked.out).toMatch(/^misconfigured: an app can’t activate it: set authenticationStrategy /mu)
  const listed = await run(['keys', 'list'])
  expect(listed.exitCode).toBe(6)
  expect(listed.err).toContain('It may ask for the vendor’s key, which LATCHKEY_KEYGEN_TOKEN sets.')
  const withToken = await withService('keygen', { status: 'NOT_ALLOWED' }, { LATCHKEY_KEYGEN_TOKEN: 'demo' })
  expect((await withToken(['license', 'check'])).out).toMatch(/^entitled: /mu)
})

test('a license key that Lemon Squeezy created in test mode', async () => {
  const emulator = await emulatorForTest({ face: 'lemon-squeezy' })
  emulator.control.faults.inject({ fault: 'set-fields', fields: { 'license_key.test_mode': true } })
  const env = serviceEnvironment('lemon-squeezy', emulator)
  const run = (words: readonly string[], own = {}) =>
    runCli(emulator, [...words, emulator.licenseKey], { env: { ...env, ...own } })
  const checked = await run(['license', 'check'])
  expect(checked.exitCode).toBe(1)
  expect(checked.out).toMatch(/^misconfigured: a packaged app can’t activate it, .* in test mode$/mu)
  const examined = await run(['doctor', '--license'])
  expect(examined.exitCode).toBe(1)
  expect(examined.out).toMatch(/^BAD {3}license +a packaged app can’t activate it, /mu)
  const allowed = await run(['license', 'check'], { LATCHKEY_LEMON_SQUEEZY_TEST_MODE: '1' })
  expect(allowed).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^entitled: /u) })
})

test('a suspended license of Keygen, whose devices only the token lists', async () => {
  const run = await withService('keygen', { status: 'BANNED' })
  const { exitCode, err } = await run(['keys', 'list'])
  expect(exitCode).toBe(6)
  expect(err).toBe('latchkey: The license is suspended. Set LATCHKEY_KEYGEN_TOKEN to list its devices.\n')
  const examined = await run(['doctor', '--license'])
  expect(examined.out).toMatch(/^note {2}list keys +the license is suspended\. Set LATCHKEY_KEYGEN_TOKEN /mu)
  const withToken = await withService('keygen', { status: 'BANNED' }, { LATCHKEY_KEYGEN_TOKEN: 'demo' })
  expect((await withToken(['keys', 'list'])).exitCode).toBe(0)
  expect((await withToken(['doctor', '--license'])).out).toMatch(/^ok {4}access token +accepted$/mu)
})

test('a gateway that limits the requests takes no seat', async () => {
  let isOver = false
  const { doctor } = await gatewayForTest((request) => {
    isOver ||= routeOf(request) === 'activate'
    return isOver ? { status: 429, body: { error: 'too-many-requests' } } : null
  })
  const { exitCode, out } = await doctor()
  expect(exitCode).toBe(1)
  expect(out).toMatch(/^note {2}deactivate +not tried: no seat was taken$/mu)
})

test.each([
  [
    'upstream-unauthorized',
    4,
    'The gateway answers, but the service refuses its access token for this request: ',
  ],
  ['upstream-unreachable', 3, 'The gateway answers, but can’t reach the service: '],
  [
    'upstream-misconfigured',
    6,
    'The gateway answers, but the service is set up in a way that it can’t use: ',
  ],
])('a gateway that reports %s, also to a command that isn’t the doctor', async (error, code, reason) => {
  const { emulator, url } = await gatewayForTest(() => ({ status: 502, body: { error } }))
  const words = ['--base-url', url, 'keys', 'list', emulator.demoLicense.id]
  const { exitCode, err } = await runCli(emulator, words)
  expect(exitCode).toBe(code)
  expect(err).toContain(`latchkey: ${reason}`)
  expect(err).not.toContain('try again later')
})

test('the address of a gateway, which serves no lists', async () => {
  const { emulator, url } = await gatewayForTest(() => ({ status: 404, body: { error: 'not-found' } }))
  const { out } = await runCli(emulator, ['--base-url', url, 'doctor'])
  expect(out).toMatch(
    /^BAD {3}base URL .* A gateway serves no lists: check one with latchkey doctor --gateway /mu,
  )
})
