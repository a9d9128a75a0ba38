import { serviceEnvironment } from '@latchkey/scripts/e2e/upstream-of'
import type { ServiceName } from '@latchkey/services/environment'
import { expect, test } from 'vitest'
import { emulatorForTest, runCli } from './run-cli.ts'

/** The commerce service has microseconds. */
function toIso(timestamp: string): string {
  return new Date(timestamp).toISOString()
}

test('lists the devices of a license with the id to release them by, and shows one', async () => {
  const emulator = await emulatorForTest()
  const { id } = emulator.demoLicense
  const empty = await runCli(emulator, ['devices', 'list', id])
  expect(empty).toEqual({ exitCode: 0, out: '', err: 'No device is activated on this license.\n' })
  const key = emulator.control.addKey(id, 'Studio Mac [0123456789abcdef]')
  const { exitCode, out } = await runCli(emulator, ['devices', 'list', id])
  expect(exitCode).toBe(0)
  expect(out).toMatch(/^DEVICE\s+ACTIVATED\s+ACTIVATION ID\n/u)
  expect(out).toContain(`Studio Mac [0123456789abcdef]  ${toIso(key.created_at)}  ${key.id}`)
  expect((await runCli(emulator, ['keys', 'list', id])).out).toBe(out)
  const shown = await runCli(emulator, ['devices', 'show', id, key.id])
  expect(shown.out).toBe(
    `Device         Studio Mac [0123456789abcdef]\nActivation id  ${key.id}\nActivated      ${toIso(key.created_at)}\n`,
  )
})

test('prints control characters in a device name as harmless text', async () => {
  const emulator = await emulatorForTest()
  emulator.control.addKey(emulator.demoLicense.id, 'Laptop\u001b[2J\u202egnp.exe')
  const { out } = await runCli(emulator, ['devices', 'list', emulator.demoLicense.id])
  for (const hidden of ['\u001b', '\u202e']) expect(out).not.toContain(hidden)
  expect(out).toContain('Laptop')
})

test('says if a part of the list could not be read', async () => {
  const emulator = await emulatorForTest()
  const { id } = emulator.demoLicense
  for (const name of ['Ada', 'Bob']) emulator.control.addKey(id, name)
  emulator.control.faults.inject({ fault: 'wrong-types', fields: ['data.1.id'], operation: 'keys' })
  const listed = await runCli(emulator, ['devices', 'list', id])
  expect(listed).toMatchObject({
    exitCode: 0,
    err: 'The list isn’t complete: part of it could not be read.\n',
  })
  const json = await runCli(emulator, ['--json', 'devices', 'list', id])
  expect(JSON.parse(json.out)).toMatchObject({ devices: [{ name: expect.any(String) }], isWhole: false })
  const { exitCode, out } = await runCli(emulator, ['doctor', '--license', id])
  expect(exitCode).toBe(1)
  expect(out).toMatch(/^BAD {3}list devices {2}1 device, and a part of the list could not be read$/mu)
})

/** A service with an activated device, and a function that releases the device. */
async function startWithDevice(face: ServiceName | 'commerce' = 'commerce') {
  const emulator = await emulatorForTest({ face })
  const { control, licenseKey, demoLicense } = emulator
  control.addKey(demoLicense.id, 'Laptop [0123456789abcdef]')
  const env = face === 'commerce' ? {} : serviceEnvironment(face, emulator)
  const listed = await runCli(emulator, ['--json', 'devices', 'list', licenseKey], { env })
  const [{ id }] = JSON.parse(listed.out).devices
  control.clearRequests()
  return {
    faults: control.faults,
    control,
    seats: () => control.keys(demoLicense.id).length,
    release: () => runCli(emulator, ['devices', 'release', licenseKey, id], { env }),
    run: (...words: readonly string[]) => runCli(emulator, words, { env }),
    licenseKey,
    licenseId: demoLicense.id,
    keyId: id,
  }
}

test('releases a seat once, shows which device it was, and then points to the list', async () => {
  const { release, seats, run, licenseKey, keyId } = await startWithDevice()
  const first = await release()
  expect(first).toMatchObject({ exitCode: 0, err: '' })
  expect(first.out).toContain('Released Laptop [0123456789abcdef].')
  expect(seats()).toBe(0)
  const second = await release()
  expect(second).toMatchObject({ exitCode: 5, out: '' })
  expect(second.err).toContain('`latchkey devices list` shows which it still has')
  const swapped = await run('devices', 'release', keyId, licenseKey)
  expect(swapped.err).toContain('Pass the license key first, then the activation id.')
})

test.each([
  ['a confirmation without a body', 'commerce', { fault: 'no-content', when: 'after-acting' }],
  ['a lost answer', 'commerce', { fault: 'reset', when: 'after-acting' }],
  ['a refusal after it has acted', 'lemon-squeezy', { fault: 'status', status: 404, when: 'after-acting' }],
] as const)('reports a seat as released that the service no longer lists: %s', async (_what, face, fault) => {
  const { faults, release, seats } = await startWithDevice(face)
  faults.inject({ ...fault, operation: 'deactivate' })
  expect(await release()).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^Released Laptop /u) })
  expect(seats()).toBe(0)
})

test.each([400, 401, 404, 429])('says that the seat is still taken after a %d', async (status) => {
  const { faults, release } = await startWithDevice()
  faults.inject({ fault: 'status', status, operation: 'deactivate' })
  const { exitCode, out, err } = await release()
  expect(out).toBe('')
  expect(exitCode).toBeGreaterThan(2)
  expect(err).toMatch(/^latchkey: The seat is still taken\./u)
  expect(err).not.toContain('has no such device')
})

test('says that the seat is still taken after a lost answer, and why a proxy’s answer is none', async () => {
  const { faults, release } = await startWithDevice()
  faults.inject({ fault: 'reset', operation: 'deactivate', times: 1 })
  const lost = await release()
  expect([lost.exitCode, lost.out]).toEqual([3, ''])
  expect(lost.err).toMatch(
    /^latchkey: The seat is still taken\. The service can’t be reached: the connection/u,
  )
  faults.inject({ fault: 'no-content', operation: 'deactivate' })
  const unconfirmed = await release()
  expect([unconfirmed.exitCode, unconfirmed.out]).toEqual([6, ''])
  expect(unconfirmed.err).toMatch(/^latchkey: The seat is still taken\. The answer isn’t one that /u)
  // The first list finds the key.
  faults.inject({ fault: 'status', status: 503, operation: 'keys', after: 1 })
  const unread = await release()
  expect([unread.exitCode, unread.out]).toEqual([6, ''])
  expect(unread.err).toMatch(/^latchkey: The answer isn’t .* The seat may still be taken\. Check it /u)
})

test('doesn’t report a seat as released while another service still lists it', async () => {
  const { control, faults, seats, release, licenseId } = await startWithDevice('dodo')
  control.expire(licenseId)
  faults.inject({ fault: 'status', status: 403, operation: 'deactivate' })
  const expired = await release()
  expect(expired).toMatchObject({ exitCode: 4, err: expect.stringContaining('The seat is still taken. ') })
  expect(seats()).toBe(1)
})

test('a device that a service lists is not reported as unknown, whatever it says about releasing it', async () => {
  const { faults, seats, release } = await startWithDevice('lemon-squeezy')
  // The first validation shows the license, and the next one denies the device that the service lists.
  faults.inject({ fault: 'status', status: 404, operation: 'deactivate' })
  const denied = { fault: 'set-fields', fields: { valid: false }, operation: 'validate' } as const
  faults.inject({ ...denied, after: 1, times: 1 })
  expect(await release()).toEqual({
    exitCode: 6,
    out: '',
    err: 'latchkey: The seat is still taken. The service refused to release it.\n',
  })
  expect(seats()).toBe(1)
})

test.each([403, 405])('names a proxy that refuses DELETE with a page and status %d', async (status) => {
  const { faults, release } = await startWithDevice()
  faults.inject({ fault: 'status', status, body: 'html', operation: 'deactivate' })
  const { exitCode, err } = await release()
  expect(err).toContain(
    `A website or a proxy answers in place of the service (status ${status}, no JSON): check the address`,
  )
  expect(err).not.toContain('latchkey doctor')
  expect(exitCode).toBe(status === 403 ? 4 : 6)
})

test.each(['..', 'Studio Mac', '\ud800'])('no request is sent for an id like %j', async (id) => {
  const { run, control, licenseKey } = await startWithDevice()
  const { exitCode, err } = await run('devices', 'release', licenseKey, id)
  expect(exitCode).toBe(2)
  expect(err).toBe('latchkey: The argument contains no activation id. Copy it from latchkey devices list.\n')
  expect(control.requests()).toEqual([])
})

test('doesn’t call a license free of devices whose seats are in use', async () => {
  const { run, faults, licenseKey } = await startWithDevice('lemon-squeezy')
  // The vendor's API key, of the other mode, doesn't see the device.
  faults.inject({ fault: 'set-fields', operation: 'keys', fields: { data: [] } })
  expect(await run('devices', 'list', licenseKey)).toEqual({
    exitCode: 6,
    out: '',
    err: 'latchkey: The service’s answer can’t be used (status 200): apiKey lists none of the seats in use (1): check its account, product, and mode.\n',
  })
})
