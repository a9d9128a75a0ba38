import type { LicensePatch } from '@latchkey/emulator'
import { serviceEnvironment } from '@latchkey/scripts/e2e/upstream-of'
import { emulatorForTest } from '@latchkey/scripts/test/side-by-side'
import { type ServiceName, serviceNames } from '@latchkey/services/environment'
import { describe, expect, test } from 'vitest'
import { type GivenToRun, gatewayForTest, runCli } from './run-cli.ts'

const secret = 'secret-that-must-not-leak-0123456789'
type Settings = Record<string, string>
const keygenToken: Settings = { LATCHKEY_KEYGEN_TOKEN: secret }

/** An emulated service, and the command line with its settings. */
async function start(face: ServiceName, own: Settings = {}) {
  const emulator = await emulatorForTest({ face, accessToken: secret })
  const { control, licenseKey, demoLicense } = emulator
  return {
    ...{ emulator, control, licenseKey, licenseId: demoLicense.id },
    run: (words: readonly string[], { env, ...given }: GivenToRun = {}) =>
      runCli(emulator, words, { ...given, env: { ...own, ...env } }),
  }
}

describe.each(serviceNames)('%s', (face) => {
  test('lists, shows and releases devices, each by its activation id alone', async () => {
    const { control, run, licenseKey, licenseId } = await start(face)
    control.addKey(licenseId, 'Laptop [0123456789abcdef]')
    const out = expect.stringContaining('\nLaptop [0123456789abcdef]  ')
    const listed = await run(['devices', 'list', `Key: ${licenseKey}`])
    expect(listed).toEqual({ exitCode: 0, out, err: '' })
    const err = 'latchkey: The argument names a device. Copy its activation id from latchkey devices list.\n'
    for (const name of ['Laptop', '0123456789abcdef']) {
      for (const words of [
        ['devices', 'release', licenseKey, name],
        ['license', 'check', licenseKey, '--device', name],
      ]) {
        expect(await run(words)).toEqual({ exitCode: 2, out: '', err })
      }
    }
    const json = await run(['--json', 'devices', 'list', licenseKey])
    const [{ id }] = JSON.parse(json.out).devices
    // People and mail programs change the case of a UUID.
    const typed = /^[\da-f]{8}-/u.test(id) ? id.toUpperCase() : id
    expect((await run(['devices', 'show', licenseKey, typed])).out).toContain(id)
    const released = expect.stringContaining('Released ')
    const release = ['devices', 'release', licenseKey, typed]
    expect(await run(release)).toMatchObject({ exitCode: 0, out: released })
    expect(control.keys(licenseId)).toEqual([])
    const twice = expect.stringContaining('`latchkey devices list` shows')
    expect(await run(release)).toEqual({ exitCode: 5, out: '', err: twice })
    const swapped = /doesn’t know this license key\..* Pass the license key first, then the activation id/u
    expect(await run(['devices', 'release', id, licenseKey])).toMatchObject({
      exitCode: 5,
      err: expect.stringMatching(swapped),
    })
  })

  test('reports what an app would decide, even if no device is activated', async () => {
    const { control, run, licenseKey, licenseId } = await start(face)
    const good = await run(['license', 'check', licenseKey])
    expect(good).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^entitled: /u) })
    expect(good.out).toMatch(/^seats: 0\/3 in use, 3 free$/mu)
    control.suspend(licenseId)
    const bad = await run(['--json', 'license', 'check', licenseKey])
    expect([bad.exitCode, JSON.parse(bad.out).decision]).toEqual([1, 'suspended'])
  })

  test('the doctor finds no problem, and reports a wrong secret without showing it', async () => {
    const { emulator, run, licenseKey } = await start(face)
    const healthy = /^ok {4}list devices +0 devices$/mu
    const doctor = ['doctor', '--license', licenseKey]
    expect(await run(doctor)).toMatchObject({ exitCode: 0, out: expect.stringMatching(healthy) })
    const refuses = /^ok {4}schema +refuses an unknown license key as documented$/mu
    expect((await run(['doctor'])).out).toMatch(refuses)
    // Keygen needs no secret: the license key is the credential.
    if (face === 'keygen') return
    const env = serviceEnvironment(face, emulator, 'another-secret-value')
    const { exitCode, out } = await run(doctor, { env })
    const line = /^BAD {3}access token .* Check the vendor’s key in LATCHKEY_\w+, and what it may do/mu
    expect([exitCode, out]).toEqual([1, expect.stringMatching(line)])
    const listed = await run(['devices', 'list', licenseKey], { env })
    expect(listed.exitCode).toBe(4)
    expect(out + listed.err).not.toContain('another-secret-value')
  })

  test('the doctor takes a seat with --activate, directly or through a gateway, and frees it', async () => {
    const { emulator, control, run, licenseKey, licenseId } = await start(face)
    const { doctor } = await gatewayForTest(() => null, { emulator })
    for (const checked of [await run(['doctor', '--activate', '--license', licenseKey]), await doctor()]) {
      const out = expect.stringContaining('freed the seat again')
      expect(checked, checked.out).toEqual({ exitCode: 0, out, err: '' })
    }
    expect(control.keys(licenseId)).toEqual([])
  })

  test('a base URL of another service, such as an emulator of another one, is named by its variable', async () => {
    const other = await emulatorForTest()
    const variable = `LATCHKEY_${face.replace('-', '_').toUpperCase()}_BASE_URL`
    // With a public key, an answer that isn't signed is the problem.
    const own = { LATCHKEY_KEYGEN_PUBLIC_KEY: '', [variable]: new URL(other.baseUrl).origin }
    const { run, licenseKey } = await start(face, own)
    for (const words of [
      ['doctor', '--license'],
      ['devices', 'list'],
    ]) {
      const { exitCode, out, err } = await run([...words, licenseKey])
      expect(exitCode).not.toBe(0)
      expect(out + err).toMatch(new RegExp(`Check [^.]*${variable}`, 'u'))
    }
  })
})

test('a setting, a license key or a command that the service doesn’t have is named', async () => {
  const { run, licenseKey } = await start('polar')
  const unusable = await run(['devices', 'list', licenseKey], {
    env: { LATCHKEY_POLAR_ORGANIZATION_ID: 'acme' },
  })
  expect(unusable.err).toMatch(/^latchkey: LATCHKEY_POLAR_ORGANIZATION_ID must be /u)
  const unknown = licenseKey.replace(/\d/gu, '7')
  const told =
    'he service doesn’t know this license key. If the license key is right, it belongs to another organization, account or product, or to the test mode. Check LATCHKEY_POLAR_ORGANIZATION_ID and LATCHKEY_POLAR_BASE_URL.\n'
  const checked = await run(['license', 'check', unknown])
  expect(checked).toEqual({ exitCode: 5, out: '', err: `latchkey: T${told}` })
  const { exitCode, out } = await run(['doctor', '--license', unknown])
  expect([exitCode, out]).toEqual([1, expect.stringContaining(`BAD   license       t${told}`)])
  expect(out).not.toContain('list devices')
  const err = expect.stringContaining('Only the commerce service has this')
  expect(await run(['customers', 'list'])).toEqual({ exitCode: 2, out: '', err })
})

test.each(serviceNames)('a text without a whole license key of %s says what helps', async (face) => {
  const { control, run } = await start(face)
  const input = ['Latchkey 0.9.0', 'license 1f0a••••9c1d', 'state  licensed'].join('\n')
  const err = expect.stringContaining(`no license key of ${face}. In reports and logs it is shortened.`)
  expect(await run(['doctor', '--license', '-'], { input })).toEqual({ exitCode: 2, out: '', err })
  expect(control.requests()).toEqual([])
})

test('a wrong product, account or public key of Keygen names the setting', async () => {
  // With a public key, an answer that isn't signed is the problem.
  const own = { LATCHKEY_KEYGEN_PUBLIC_KEY: '', LATCHKEY_KEYGEN_ACCOUNT: 'another' }
  const { run, licenseKey } = await start('keygen')
  const list = (env: Record<string, string>) => run(['devices', 'list', licenseKey], { env })
  expect(await list({ LATCHKEY_KEYGEN_PUBLIC_KEY: '0'.repeat(64) })).toEqual({
    exitCode: 6,
    out: '',
    err: 'latchkey: The answer has no valid signature of the service (status 200). Check the public key and the account in the settings.\n',
  })
  expect((await list(own)).err).toMatch(
    /Compare the settings with your account at the service\. Check LATCHKEY_KEYGEN_ACCOUNT and LATCHKEY_KEYGEN_BASE_URL\.\n$/u,
  )
  const env = { LATCHKEY_KEYGEN_PRODUCT: 'other' }
  const line = /^BAD {3}license .* another product, store or plan\. Check LATCHKEY_KEYGEN_PRODUCT\.$/mu
  const examined = await run(['doctor', '--license', licenseKey], { env })
  expect(examined).toMatchObject({ exitCode: 1, out: expect.stringMatching(line) })
})

test.each([
  ['--base-url', 'http://127.0.0.1:4010', 'LATCHKEY_POLAR_BASE_URL'],
  ['--token-file', 'token.txt', 'LATCHKEY_POLAR_ACCESS_TOKEN'],
])('%s is refused beside another service, which would not use it', async (option, value, variable) => {
  const { run, licenseKey } = await start('polar')
  const { exitCode, err } = await run([option, value, 'devices', 'list', licenseKey])
  expect(exitCode).toBe(2)
  expect(err).toBe(
    `latchkey: ${option} is for the commerce service, and LATCHKEY_SERVICE is polar. Set ${variable} in its place.\n`,
  )
})

test('only a setting of the service that is asked may not be in quotation marks', async () => {
  const { run, licenseKey } = await start('polar', { LATCHKEY_DODO_API_KEY: '"key"' })
  const list = ['devices', 'list', licenseKey]
  expect(await run(list)).toMatchObject({ exitCode: 0 })
  const err =
    'latchkey: LATCHKEY_POLAR_ACCESS_TOKEN is in quotation marks, which became part of its value. Remove them.\n'
  const quoted = await run(list, { env: { LATCHKEY_POLAR_ACCESS_TOKEN: '"x"' } })
  expect(quoted).toEqual({ exitCode: 2, out: '', err })
})

const ofKeygen = { LATCHKEY_KEYGEN_HOST: 'localhost:9', LATCHKEY_KEYGEN_BASE_URL: '' }
const ofPolar = { LATCHKEY_POLAR_BASE_URL: 'http://127.0.0.1:9' }
test.each([
  ['polar', ofPolar, 'http://127.0.0.1:9. Check LATCHKEY_POLAR_BASE_URL'],
  ['keygen', ofKeygen, 'https://localhost:9. Check LATCHKEY_KEYGEN_HOST'],
] as const)('an address that nothing answers at is named with its variable: %s', async (face, own, told) => {
  const { run, licenseKey } = await start(face, own)
  const { exitCode, err } = await run(['devices', 'list', licenseKey])
  expect([exitCode, err]).toEqual([3, expect.stringMatching(/^latchkey: The service can’t be reached: /u)])
  expect(err).toContain(` The address is ${told}.\n`)
})

test.each([
  [429, 'The service limits the requests (status 429). Try again in a minute.'],
  [408, 'The service, or a proxy in front of it, has a problem (status 408): try again later.'],
])('a %d isn’t about the address', async (status, told) => {
  const { control, run, licenseKey } = await start('polar')
  control.faults.inject({ fault: 'status', status })
  expect((await run(['devices', 'list', licenseKey])).err).toBe(`latchkey: ${told}\n`)
})

describe('what keeps an app from activating', () => {
  const testMode = { fault: 'set-fields', fields: { 'license_key.test_mode': true } } as const
  const unlimited = 'an app can’t activate it, .* turn on Limit activations in Polar'
  const inTestMode = 'a packaged app can’t activate it, .* in test mode'

  test.each<[ServiceName, patch: LicensePatch, why: string, doctor: string, allowing: Settings | null]>([
    // A benefit without an activation limit.
    ['polar', { activation_limit: 0 }, `${unlimited}\nseats: 0/unlimited in use, none free`, unlimited, null],
    // A policy that allows no license keys as credentials.
    [
      'keygen',
      { status: 'NOT_ALLOWED' },
      'an app can’t activate it: set authenticationStrategy ',
      '',
      keygenToken,
    ],
    // A license key of test mode.
    ['lemon-squeezy', {}, inTestMode, inTestMode, { LATCHKEY_LEMON_SQUEEZY_TEST_MODE: '1' }],
  ])('at %s: %j', async (face, patch, why, doctor, allowing) => {
    const { control, run, licenseKey, licenseId } = await start(face)
    control.updateLicense(licenseId, patch)
    if (face === 'lemon-squeezy') control.faults.inject(testMode)
    const check = ['license', 'check', licenseKey]
    const out = expect.stringMatching(new RegExp(`^misconfigured: ${why}`, 'u'))
    expect(await run(check)).toMatchObject({ exitCode: 1, out })
    const examined = await run(['doctor', '--license', licenseKey])
    expect(examined.out).toMatch(new RegExp(`^BAD .*${doctor}`, 'mu'))
    if (allowing !== null) expect(await run(check, { env: allowing })).toMatchObject({ exitCode: 0 })
  })

  test.each([
    ['NOT_ALLOWED', /It may ask for the vendor’s key, which LATCHKEY_KEYGEN_TOKEN sets\.\n$/u],
    ['BANNED', /^latchkey: The license is suspended\. Set LATCHKEY_KEYGEN_TOKEN to list its devices\.\n$/u],
  ])('a license of Keygen whose devices only the token lists: %s', async (status, told) => {
    const { control, run, licenseKey, licenseId } = await start('keygen')
    control.updateLicense(licenseId, { status })
    const list = ['devices', 'list', licenseKey]
    expect(await run(list)).toEqual({ exitCode: 6, out: '', err: expect.stringMatching(told) })
    expect((await run(list, { env: keygenToken })).exitCode).toBe(0)
    const examined = await run(['doctor', '--license', licenseKey], { env: keygenToken })
    expect(examined.out).toMatch(/^ok {4}access token +accepted$/mu)
  })
})
