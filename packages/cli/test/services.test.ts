import { serviceEnvironment } from '@latchkey/scripts/e2e/upstream-of'
import { serviceNames } from '@latchkey/services/environment'
import { describe, expect, test } from 'vitest'
import { gatewayForTest } from './gateway-for-test.ts'
import { emulatorForTest, type GivenToRun, runCli } from './run-cli.ts'

const secret = 'secret-that-must-not-leak-0123456789'
type Face = (typeof serviceNames)[number]

/** An emulated service, and the command line with its settings. */
async function start(face: Face, own: Readonly<Record<string, string>> = {}, vendorKey = secret) {
  const emulator = await emulatorForTest({ face, accessToken: secret })
  const env = { ...serviceEnvironment(face, emulator, vendorKey), ...own }
  return {
    emulator,
    control: emulator.control,
    licenseKey: emulator.licenseKey,
    licenseId: emulator.demoLicense.id,
    run: (words: readonly string[], given: GivenToRun = {}) =>
      runCli(emulator, words, { ...given, env: { ...env, ...given.env } }),
  }
}

describe.each(serviceNames)('%s', (face) => {
  test('lists, shows and releases devices, each by its activation id alone', async () => {
    const { control, run, licenseKey, licenseId } = await start(face)
    control.addKey(licenseId, 'Laptop [0123456789abcdef]')
    const listed = await run(['devices', 'list', `Key: ${licenseKey}`])
    const out = expect.stringContaining('\nLaptop [0123456789abcdef]  ')
    expect(listed).toMatchObject({ exitCode: 0, out, err: '' })
    for (const name of ['Laptop', '0123456789abcdef']) {
      for (const words of [
        ['devices', 'release', licenseKey, name],
        ['license', 'check', licenseKey, '--device', name],
      ]) {
        expect(await run(words)).toEqual({
          exitCode: 2,
          out: '',
          err: 'latchkey: The argument names a device. Copy its activation id from latchkey devices list.\n',
        })
      }
    }
    const json = await run(['--json', 'devices', 'list', licenseKey])
    const [{ id }] = JSON.parse(json.out).devices
    // People and mail programs change the case of a UUID.
    const typed = /^[\da-f]{8}-/u.test(id) ? id.toUpperCase() : id
    expect((await run(['devices', 'show', licenseKey, typed])).out).toContain(id)
    const released = await run(['devices', 'release', licenseKey, typed])
    expect(released).toMatchObject({ exitCode: 0, out: expect.stringContaining('Released ') })
    expect(control.keys(licenseId)).toEqual([])
    const twice = await run(['devices', 'release', licenseKey, id])
    expect(twice).toMatchObject({
      exitCode: 5,
      err: expect.stringContaining('`latchkey devices list` shows'),
    })
    const swapped = await run(['devices', 'release', id, licenseKey])
    expect(swapped.exitCode).toBe(5)
    expect(swapped.err).toMatch(
      /doesn’t know this license key\..* Pass the license key first, then the activation id/u,
    )
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
    const { run, licenseKey } = await start(face)
    const healthy = await run(['doctor', '--license', licenseKey])
    expect(healthy, healthy.out).toMatchObject({ exitCode: 0 })
    expect(healthy.out).toMatch(/^ok {4}list devices +0 devices$/mu)
    expect((await run(['doctor'])).out).toMatch(
      /^ok {4}schema +refuses an unknown license key as documented$/mu,
    )
    // Keygen needs no secret: the license key is the credential.
    if (face === 'keygen') return
    const wrong = await start(face, {}, 'another-secret-value')
    const sick = await wrong.run(['doctor', '--license', licenseKey])
    expect(sick.exitCode).toBe(1)
    expect(sick.out).toMatch(
      /^BAD {3}access token .* Check the vendor’s key in LATCHKEY_\w+, and what it may do/mu,
    )
    const listed = await wrong.run(['devices', 'list', licenseKey])
    expect(listed.exitCode).toBe(4)
    expect(sick.out + listed.err).not.toContain('another-secret-value')
  })

  test('the doctor takes a seat with --activate, directly or through a gateway, and frees it', async () => {
    const { emulator, control, run, licenseKey, licenseId } = await start(face)
    const direct = await run(['doctor', '--activate', '--license', licenseKey])
    expect(direct, direct.out).toMatchObject({ exitCode: 0, err: '' })
    expect(direct.out).toContain('freed the seat again')
    const { doctor } = await gatewayForTest(() => null, { emulator })
    const checked = await doctor()
    expect(checked, checked.out).toMatchObject({ exitCode: 0, err: '' })
    expect(checked.out).toContain('freed the seat again')
    expect(control.keys(licenseId)).toEqual([])
  })

  test('an email address or a text without a whole license key says what helps', async () => {
    const { control, run } = await start(face)
    const report = ['Latchkey 0.9.0', 'license 1f0a••••9c1d', 'state  licensed'].join('\n')
    for (const [input, told] of [
      ['ada@example.com\n', 'An email address finds no license: '],
      [report, `no license key of ${face}. In reports and logs it is shortened.`],
    ] as const) {
      const { exitCode, err } = await run(['doctor', '--license', '-'], { input })
      expect([exitCode, err]).toEqual([2, expect.stringContaining(told)])
    }
    expect(control.requests()).toEqual([])
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
    'he service doesn’t know this license key. If the license key is right, it belongs to another organization, account or product, or to the test mode. Check LATCHKEY_POLAR_ORGANIZATION_ID and LATCHKEY_POLAR_BASE_URL.'
  expect(await run(['license', 'check', unknown])).toEqual({
    exitCode: 5,
    out: '',
    err: `latchkey: T${told}\n`,
  })
  const doctor = await run(['doctor', '--license', unknown])
  expect(doctor).toMatchObject({
    exitCode: 1,
    err: '',
    out: expect.stringContaining(`BAD   license       t${told}\n`),
  })
  expect(doctor.out).not.toContain('list devices')
  const lists = await run(['customers', 'list'])
  expect(lists).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('Only the commerce service has this'),
  })
})

test('a license key of another product names only the product', async () => {
  const { run, licenseKey } = await start('keygen', { LATCHKEY_KEYGEN_PRODUCT: 'other' })
  const { exitCode, out } = await run(['doctor', '--license', licenseKey])
  expect(exitCode).toBe(1)
  expect(out).toMatch(
    /^BAD {3}license .* another product, store or plan\. Check LATCHKEY_KEYGEN_PRODUCT\.$/mu,
  )
})

test('a wrong account or public key of Keygen names the setting', async () => {
  const unsigned = await start('keygen', { LATCHKEY_KEYGEN_PUBLIC_KEY: '0'.repeat(64) })
  expect(await unsigned.run(['devices', 'list', unsigned.licenseKey])).toEqual({
    exitCode: 6,
    out: '',
    err: 'latchkey: The answer has no valid signature of the service (status 200). Check the public key and the account in the settings.\n',
  })
  // With a public key, an answer that isn't signed is the problem.
  const own = { LATCHKEY_KEYGEN_PUBLIC_KEY: '', LATCHKEY_KEYGEN_ACCOUNT: 'another' }
  const { run, licenseKey } = await start('keygen', own)
  const { err } = await run(['devices', 'list', licenseKey])
  expect(err).toContain('Compare the settings with your account at the service.')
  expect(err).toMatch(/ Check LATCHKEY_KEYGEN_ACCOUNT and LATCHKEY_KEYGEN_BASE_URL\.\n$/u)
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
  expect(await run(['devices', 'list', licenseKey])).toMatchObject({ exitCode: 0 })
  expect(await run(['devices', 'list', licenseKey], { env: { LATCHKEY_POLAR_ACCESS_TOKEN: '"x"' } })).toEqual(
    {
      exitCode: 2,
      out: '',
      err: 'latchkey: LATCHKEY_POLAR_ACCESS_TOKEN is in quotation marks, which became part of its value. Remove them.\n',
    },
  )
})

test.each([
  [
    'polar',
    { LATCHKEY_POLAR_BASE_URL: 'http://127.0.0.1:9' },
    'http://127.0.0.1:9. Check LATCHKEY_POLAR_BASE_URL',
  ],
  [
    'keygen',
    { LATCHKEY_KEYGEN_HOST: 'localhost:9', LATCHKEY_KEYGEN_BASE_URL: '' },
    'https://localhost:9. Check LATCHKEY_KEYGEN_HOST',
  ],
] as const)('an address that nothing answers at is named with its variable: %s', async (face, own, told) => {
  const { run, licenseKey } = await start(face, own)
  const { exitCode, err } = await run(['devices', 'list', licenseKey])
  expect(exitCode).toBe(3)
  expect(err).toMatch(/^latchkey: The service can’t be reached: /u)
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
  test('a benefit of Polar without an activation limit', async () => {
    const { control, run, licenseKey, licenseId } = await start('polar')
    control.updateLicense(licenseId, { activation_limit: 0 })
    const checked = await run(['license', 'check', licenseKey])
    expect(checked.exitCode).toBe(1)
    expect(checked.out).toMatch(
      /^misconfigured: an app can’t activate it, .* turn on Limit activations in Polar$/mu,
    )
    expect(checked.out).toContain('seats: 0/unlimited in use, none free')
    const examined = await run(['doctor', '--license', licenseKey])
    expect(examined.exitCode).toBe(1)
    expect(examined.out).toMatch(/^BAD {3}license +an app can’t activate it, /mu)
  })

  test('a policy of Keygen that allows no license keys as credentials', async () => {
    const { control, run, licenseKey, licenseId } = await start('keygen')
    control.updateLicense(licenseId, { status: 'NOT_ALLOWED' })
    const checked = await run(['license', 'check', licenseKey])
    expect(checked.exitCode).toBe(1)
    expect(checked.out).toMatch(/^misconfigured: an app can’t activate it: set authenticationStrategy /mu)
    const listed = await run(['devices', 'list', licenseKey])
    expect(listed.exitCode).toBe(6)
    expect(listed.err).toContain('It may ask for the vendor’s key, which LATCHKEY_KEYGEN_TOKEN sets.')
    const env = { LATCHKEY_KEYGEN_TOKEN: secret }
    expect((await run(['license', 'check', licenseKey], { env })).out).toMatch(/^entitled: /mu)
  })

  test('a license key that Lemon Squeezy created in test mode', async () => {
    const { control, run, licenseKey } = await start('lemon-squeezy')
    control.faults.inject({ fault: 'set-fields', fields: { 'license_key.test_mode': true } })
    const checked = await run(['license', 'check', licenseKey])
    expect(checked.exitCode).toBe(1)
    expect(checked.out).toMatch(/^misconfigured: a packaged app can’t activate it, .* in test mode$/mu)
    const examined = await run(['doctor', '--license', licenseKey])
    expect(examined.out).toMatch(/^BAD {3}license +a packaged app can’t activate it, /mu)
    const env = { LATCHKEY_LEMON_SQUEEZY_TEST_MODE: '1' }
    expect(await run(['license', 'check', licenseKey], { env })).toMatchObject({ exitCode: 0 })
  })

  test('a suspended license of Keygen, whose devices only the token lists', async () => {
    const { control, run, licenseKey, licenseId } = await start('keygen')
    control.updateLicense(licenseId, { status: 'BANNED' })
    expect(await run(['devices', 'list', licenseKey])).toEqual({
      exitCode: 6,
      out: '',
      err: 'latchkey: The license is suspended. Set LATCHKEY_KEYGEN_TOKEN to list its devices.\n',
    })
    const env = { LATCHKEY_KEYGEN_TOKEN: secret }
    expect((await run(['devices', 'list', licenseKey], { env })).exitCode).toBe(0)
    const examined = await run(['doctor', '--license', licenseKey], { env })
    expect(examined.out).toMatch(/^ok {4}access token +accepted$/mu)
  })
})
