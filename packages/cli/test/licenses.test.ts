import { readFile } from 'node:fs/promises'
import type { DialectChanges, Emulator, FaultRule, LicensePatch } from '@latchkey/emulator'
import { emulatorForTest } from '@latchkey/scripts/test/side-by-side'
import type { ServiceName } from '@latchkey/services/environment'
import { describe, expect, test } from 'vitest'
import { runCli } from './run-cli.ts'

const order = '2f0a6c1e-5b7d-4c39-9e2f-0d7a3b5c9c1d'
const someKey = '1f0a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b'

/** The commerce service has microseconds. */
function toIso(timestamp: string): string {
  return new Date(timestamp).toISOString()
}

/** An emulated service with an activated device, and commands for it. */
async function startWithDevice(face: ServiceName | 'commerce' = 'commerce') {
  const emulator = await emulatorForTest({ face })
  const { control, licenseKey, demoLicense } = emulator
  const key = control.addKey(demoLicense.id, 'Laptop [0123456789abcdef]')
  const run = (...words: readonly string[]) => runCli(emulator, words)
  const [{ id }] = JSON.parse((await run('--json', 'devices', 'list', licenseKey)).out).devices
  control.clearRequests()
  return {
    ...{ control, faults: control.faults, licenseKey, licenseId: demoLicense.id, key, run },
    seats: () => control.keys(demoLicense.id).length,
    release: () => run('devices', 'release', licenseKey, id),
    check: (...words: readonly string[]) => run('license', 'check', licenseKey, ...words),
    checkDevice: () => run('license', 'check', licenseKey, '--device', id),
  }
}

describe('the license key', () => {
  // The report that the page of the support desk shows.
  const report = async () => {
    const page = await readFile(new URL('../../../docs/support-desk.md', import.meta.url), 'utf8')
    const [text = ''] = /^Latchkey .*, license report\n[^`]*/mu.exec(page) ?? []
    expect(text).toContain('license facts: ')
    return text
  }

  test.each<[string, (id: string) => string | Buffer | Promise<string>]>([
    ['a key in a reply', (id) => `Ada wrote:\n> My key is ${id.slice(0, 20)}\n> ${id.slice(20)}\n`],
    ['UTF-16, as PowerShell writes it', (id) => Buffer.from(`\ufeff${id}\r\n`, 'utf16le')],
    ['an order number before the license key', (id) => `Order: ${order}\nLicense key: ${id}`],
    ['a report before it', async (id) => `${await report()}\n\nMy key: ${id}\n`],
  ])('is taken from standard input in a text with %s', async (_what, textWith) => {
    const emulator = await emulatorForTest()
    const input = await textWith(emulator.licenseKey)
    expect(await runCli(emulator, ['--json', 'devices', 'list', '-'], { input })).toMatchObject({
      exitCode: 0,
    })
  })

  const uuidsOnly =
    'for a license of another service, set LATCHKEY_SERVICE. Behind a gateway, use latchkey doctor'
  test.each([
    ['Hello!', 'contains no license key. Pass the whole license key, as the customer received it.'],
    ['1f0a6c1e-5b7d-4c39-9e2f', 'A part of the license key is missing. Pass the whole license key'],
    ['1f0a\0c1e-5b7d-4c39-9e2f-0d7a3b5c9c1d', 'doesn’t belong in a license key (“�”, U+0000).'],
    ['1f0a••••9c1d', 'contains no license key. In reports and logs it is shortened.'],
    ['INKWELL-4B11E191-A34E-424C-B391-D18776ED66B8', uuidsOnly],
    [`${someKey} or ${order}`, 'contains more than one license key. Pass only one.'],
    ['Hello! '.repeat(2_000), 'is too long to search. Pass only the line with the license key.'],
    [' ', 'is empty.'],
    [' <ada@example.com>\n', 'An email address finds no license: pass the license key.'],
  ])('is explained if a text doesn’t contain exactly one: %.40s', async (input, message) => {
    const emulator = await emulatorForTest()
    const told = { exitCode: 2, out: '', err: expect.stringContaining(message) }
    expect(await runCli(emulator, ['devices', 'list', input])).toEqual(told)
    expect(await runCli(emulator, ['license', 'check', '-'], { input })).toEqual(told)
    expect(emulator.control.requests()).toEqual([])
  })
})

describe('devices', () => {
  test('are listed with the id to release them by, and shown without control characters', async () => {
    const { run, control, licenseId, key } = await startWithDevice()
    const { id, created_at } = key
    const { exitCode, out } = await run('devices', 'list', licenseId)
    expect([exitCode, out]).toEqual([0, expect.stringMatching(/^DEVICE\s+ACTIVATED\s+ACTIVATION ID\n/u)])
    expect(out).toContain(`Laptop [0123456789abcdef]  ${toIso(created_at)}  ${id}`)
    expect((await run('keys', 'list', licenseId)).out).toBe(out)
    expect((await run('devices', 'show', licenseId, id)).out).toBe(
      `Device         Laptop [0123456789abcdef]\nActivation id  ${id}\nActivated      ${toIso(created_at)}\n`,
    )
    control.removeKey(licenseId, id)
    const none = { exitCode: 0, out: '', err: 'No device is activated on this license.\n' }
    expect(await run('devices', 'list', licenseId)).toEqual(none)
    control.addKey(licenseId, 'Laptop\u001b[2J\u202egnp.exe')
    expect((await run('devices', 'list', licenseId)).out).toMatch(/\nLaptop�\[2J�gnp\.exe /u)
  })

  test('are said to be incomplete if a part of the list could not be read', async () => {
    const { run, control, faults, licenseId } = await startWithDevice()
    control.addKey(licenseId, 'Bob')
    faults.inject({ fault: 'wrong-types', fields: ['data.1.id'], operation: 'keys' })
    const err = 'The list isn’t complete: part of it could not be read.\n'
    expect(await run('devices', 'list', licenseId)).toMatchObject({ exitCode: 0, err })
    const json = await run('--json', 'devices', 'list', licenseId)
    expect(JSON.parse(json.out)).toMatchObject({ devices: [{ name: expect.any(String) }], isWhole: false })
    const { exitCode, out } = await run('doctor', '--license', licenseId)
    expect(exitCode).toBe(1)
    expect(out).toMatch(/^BAD {3}list devices {2}1 device, and a part of the list could not be read$/mu)
  })

  test('are released once, with their name, and then the message points to the list', async () => {
    const { release, seats, run, licenseKey, key } = await startWithDevice()
    const out = expect.stringContaining('Released Laptop [0123456789abcdef].')
    expect(await release()).toEqual({ exitCode: 0, out, err: '' })
    expect(seats()).toBe(0)
    const err = expect.stringContaining('`latchkey devices list` shows which it still has')
    expect(await release()).toEqual({ exitCode: 5, out: '', err })
    const swapped = await run('devices', 'release', key.id, licenseKey)
    expect(swapped.err).toContain('Pass the license key first, then the activation id.')
  })

  test.each([
    ['a confirmation without a body', 'commerce', { fault: 'no-content', when: 'after-acting' }],
    ['a lost answer', 'commerce', { fault: 'reset', when: 'after-acting' }],
    ['a refusal after it has acted', 'lemon-squeezy', { fault: 'status', status: 404, when: 'after-acting' }],
  ] as const)('are released if the service no longer lists them: %s', async (_what, face, fault) => {
    const { faults, release, seats } = await startWithDevice(face)
    faults.inject({ ...fault, operation: 'deactivate' })
    expect(await release()).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^Released Laptop /u) })
    expect(seats()).toBe(0)
  })

  const inPlace = (status: number) =>
    `A website or a proxy answers in place of the service (status ${status}, no JSON): check the address`
  test.each<[FaultRule, exitCode: number, why: string]>([
    [{ fault: 'status', status: 400 }, 6, 'The service refused the request (status 400).'],
    [{ fault: 'status', status: 401 }, 4, 'The service refuses access (status 401).'],
    [{ fault: 'status', status: 404 }, 6, 'The service refused to release it.'],
    [{ fault: 'status', status: 429 }, 3, 'The service limits the requests (status 429).'],
    [{ fault: 'reset' }, 3, 'The service can’t be reached: the connection'],
    [{ fault: 'no-content' }, 6, 'The answer isn’t one that '],
    [{ fault: 'status', status: 403, body: 'html' }, 4, inPlace(403)],
    [{ fault: 'status', status: 405, body: 'html' }, 6, inPlace(405)],
  ])('stay taken after %j, and the message says so', async (fault, exitCode, why) => {
    const { faults, release, seats } = await startWithDevice()
    faults.inject({ ...fault, operation: 'deactivate' })
    const err = expect.stringContaining(`latchkey: The seat is still taken. ${why}`)
    expect(await release()).toEqual({ exitCode, out: '', err })
    expect(seats()).toBe(1)
  })

  test('may still be taken if the list can’t be read after a lost answer', async () => {
    const { faults, release } = await startWithDevice()
    faults.inject({ fault: 'no-content', operation: 'deactivate' })
    // The first list finds the key.
    faults.inject({ fault: 'status', status: 503, operation: 'keys', after: 1 })
    const err = expect.stringMatching(
      /^latchkey: The answer isn’t .* The seat may still be taken\. Check it /u,
    )
    expect(await release()).toEqual({ exitCode: 6, out: '', err })
  })

  test('are not called unknown or released while another service lists them', async () => {
    const dodo = await startWithDevice('dodo')
    dodo.control.expire(dodo.licenseId)
    dodo.faults.inject({ fault: 'status', status: 403, operation: 'deactivate' })
    const err = expect.stringContaining('The seat is still taken. ')
    expect(await dodo.release()).toMatchObject({ exitCode: 4, err })
    const { faults, release, seats } = await startWithDevice('lemon-squeezy')
    // The first validation shows the license, and the next one denies the device that the service lists.
    faults.inject({ fault: 'status', status: 404, operation: 'deactivate' })
    const denied = { fault: 'set-fields', fields: { valid: false }, operation: 'validate' } as const
    faults.inject({ ...denied, after: 1, times: 1 })
    const told = 'latchkey: The seat is still taken. The service refused to release it.\n'
    expect(await release()).toEqual({ exitCode: 6, out: '', err: told })
    expect([dodo.seats(), seats()]).toEqual([1, 1])
  })

  test.each(['..', 'Studio Mac', '\ud800'])('no request is sent for an id like %j', async (id) => {
    const { run, control, licenseKey } = await startWithDevice()
    const err = 'latchkey: The argument contains no activation id. Copy it from latchkey devices list.\n'
    expect(await run('devices', 'release', licenseKey, id)).toEqual({ exitCode: 2, out: '', err })
    expect(control.requests()).toEqual([])
  })

  test('aren’t called none if the list has none and seats are in use', async () => {
    const { run, faults, licenseKey } = await startWithDevice('lemon-squeezy')
    // The vendor's API key, of the other mode, doesn't see the device.
    faults.inject({ fault: 'set-fields', operation: 'keys', fields: { data: [] } })
    expect(await run('devices', 'list', licenseKey)).toEqual({
      exitCode: 6,
      out: '',
      err: 'latchkey: The service’s answer can’t be used (status 200): apiKey lists none of the seats in use (1): check its account, product, and mode.\n',
    })
  })
})

describe('license check', () => {
  const inOneDay = new Date(Date.now() + 86_400_000).toISOString()
  const laterMs = 2 * 86_400_000
  const refusing: DialectChanges = {
    refusalStatus: { 'license-suspended': 403 },
    validation: { unusableLicense: 'refuse' },
  }
  const stillListed =
    /^undecided: validation was refused \(status 403\) while the device is still in the list/u
  const past = '2026-01-01T00:00:00.000000Z'

  test.each<[LicensePatch, DialectChanges, shiftMs: number, exitCode: number, told: RegExp]>([
    [{}, {}, 0, 0, /^entitled: in force, ends .*\nseats: 1\/3 in use, 2 free\n/u],
    [{ suspended_at: past }, {}, 0, 1, /^suspended: the license is suspended\n/u],
    [{ expires_at: past }, {}, 0, 1, /^expired: ended 2026-01-01/u],
    [{ status: 'PAUSED' }, {}, 0, 1, /^inactive: .* \(status PAUSED\)\n/u],
    // By the service's clock.
    [{ expires_at: inOneDay }, {}, 0, 0, /^entitled: /u],
    [{ expires_at: inOneDay }, {}, laterMs, 1, /^expired: /u],
    // A 403 for a license isn't blamed on a token that the list has just accepted.
    [{ suspended_at: past }, refusing, 0, 1, stillListed],
  ])(
    'of a license with %j, dialect %j and a clock %d ms ahead',
    async (patch, dialect, shiftMs, exitCode, told) => {
      const { control, faults, licenseId, check, checkDevice } = await startWithDevice()
      control.updateLicense(licenseId, patch)
      control.useDialect(dialect)
      faults.inject({ fault: 'date-shift', shiftMs })
      for (const run of [await check(), await checkDevice()]) {
        expect(run).toEqual({ exitCode, out: expect.stringMatching(told), err: '' })
      }
      expect(JSON.parse((await check('--json')).out)).toMatchObject({
        decision: /\w+/u.exec(told.source)?.[0],
        why: expect.any(String),
      })
    },
  )

  const partOfList = { data: [{ id: '11111111-2222-4333-8444-555555555555' }, { id: null }] }
  test.each<[string, told: RegExp, isGone: boolean, ...faults: FaultRule[]]>([
    ['whose seat was freed', /^revoked: /u, true],
    ['behind a proxy with a 404', /^undecided: /u, false, { fault: 'status', status: 404, body: 'html' }],
    ['behind a proxy with a JSON 404', /^undecided: /u, false, { fault: 'status', status: 404 }],
    [
      'that can still be read',
      /^undecided: .* while it is still shown/u,
      false,
      { fault: 'status', status: 404, operation: 'validate' },
      { fault: 'set-fields', operation: 'keys', fields: { data: [] } },
    ],
    [
      'that is missing in a cached list',
      /^undecided: .* cache or another host/u,
      true,
      { fault: 'date-shift', operation: 'keys', shiftMs: -3_600_000 },
    ],
    [
      'that is missing in an incomplete list',
      /^undecided: .* could not be read completely/u,
      true,
      { fault: 'set-fields', operation: 'keys', fields: partOfList },
    ],
  ])('of a device %s', async (_what, told, isGone, ...faults) => {
    const { control, licenseId, key, checkDevice } = await startWithDevice()
    if (isGone) control.removeKey(licenseId, key.id)
    for (const fault of faults) control.faults.inject(fault)
    expect(await checkDevice()).toEqual({ exitCode: 1, out: expect.stringMatching(told), err: '' })
  })

  test('of a license without a device is undecided, not no', async () => {
    const emulator = await emulatorForTest()
    const { exitCode, out } = await runCli(emulator, ['license', 'check', emulator.licenseKey])
    expect([exitCode, out]).toEqual([1, expect.stringMatching(/^undecided: no device is activated/u)])
  })
})

describe('license link', () => {
  const gateway = 'https://licensing.example.com/v1/'
  const link = (emulator: Emulator, ...words: readonly string[]) =>
    runCli(emulator, ['license', 'link', ...words])

  test.each(['1f0a2b3c-0000-4000-8000-000000000001', 'INKWELL-1C285B2D-1111-4222-8333-444455556666'])(
    'is of the page where a customer frees a device, without asking anybody: %s',
    async (key) => {
      const emulator = await emulatorForTest()
      const shown = `https://licensing.example.com/v1/devices#key=${key}`
      const out = `${shown}\n`
      expect(await link(emulator, key, '--gateway', gateway)).toEqual({ exitCode: 0, out, err: '' })
      const json = await link(emulator, '--json', key, '--gateway', gateway)
      expect(JSON.parse(json.out)).toEqual({ link: shown })
      expect(emulator.control.requests()).toEqual([])
    },
  )

  test.each([['Hello Anna', '--gateway', gateway], [someKey], [someKey, '--gateway', 'x']])(
    'is none without a license key and a gateway: %j',
    async (...words) => {
      expect(await link(await emulatorForTest(), ...words)).toMatchObject({ exitCode: 2, out: '' })
    },
  )
})
