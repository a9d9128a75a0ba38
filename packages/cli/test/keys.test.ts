import { createCommerceClient, type LicenseKey } from '@latchkey/commerce'
import type { Emulator } from '@latchkey/emulator'
import { expect, test } from 'vitest'
import { emulatorForTest, runCli } from './run-cli.ts'

async function activate(emulator: Emulator, name: string): Promise<LicenseKey> {
  const { baseUrl, accessToken, demoLicense } = emulator
  const commerce = createCommerceClient({ baseUrl, accessToken: accessToken ?? undefined })
  return (await commerce.licenses.activate(demoLicense.id, { name })).key
}

/** The commerce service has microseconds. */
function toIso(timestamp: string | null): string {
  return new Date(timestamp ?? '').toISOString()
}

test('lists the devices of a license with the id to release them by', async () => {
  const emulator = await emulatorForTest()
  const key = await activate(emulator, 'Studio Mac [0123456789abcdef]')
  const { exitCode, out } = await runCli(emulator, ['keys', 'list', emulator.demoLicense.id])
  expect(exitCode).toBe(0)
  expect(out).toMatch(/^DEVICE\s+ACTIVATED\s+KEY\n/u)
  expect(out).toContain(`Studio Mac [0123456789abcdef]  ${toIso(key.created_at)}  ${key.id}`)
})

test('reads the license key from standard input, in any surrounding text', async () => {
  const emulator = await emulatorForTest()
  await activate(emulator, 'Laptop')
  const input = `Hello, my key is ${emulator.demoLicense.id.toUpperCase()}. Thanks!`
  const { out } = await runCli(emulator, ['--json', 'keys', 'list', '-'], { input })
  expect(JSON.parse(out).keys).toHaveLength(1)
})

test.each(['INKWELL-4B11E191-A34E-424C-B391-D18776ED66B8', 'nonsense'])(
  'a license key of another service, such as %s, is not sent to the commerce service',
  async (licenseKey) => {
    const emulator = await emulatorForTest()
    const { exitCode, err } = await runCli(emulator, ['keys', 'list', licenseKey])
    expect(exitCode).toBe(2)
    expect(err).toContain('for a license of another service, set LATCHKEY_SERVICE.')
    expect(err).toContain('latchkey doctor --gateway')
    expect(emulator.control.requests()).toEqual([])
  },
)

test('releases a seat, and shows which device it was', async () => {
  const emulator = await emulatorForTest()
  const key = await activate(emulator, 'Old laptop')
  const words = ['keys', 'release', emulator.demoLicense.id, key.id]
  const first = await runCli(emulator, words)
  expect(first).toMatchObject({ exitCode: 0, err: '' })
  expect(first.out).toContain('Released Old laptop.')
  expect(await runCli(emulator, ['keys', 'list', emulator.demoLicense.id])).toMatchObject({ out: '' })
  // The second time there is nothing to release, which it reports.
  expect(await runCli(emulator, words)).toMatchObject({ exitCode: 5, out: '' })
})

test('reports a released seat although the service confirms it without a body', async () => {
  const emulator = await emulatorForTest()
  const key = await activate(emulator, 'Old laptop')
  emulator.control.faults.inject({ fault: 'no-content', operation: 'deactivate', when: 'after-acting' })
  const words = ['keys', 'release', emulator.demoLicense.id, key.id]
  expect(await runCli(emulator, words)).toMatchObject({ exitCode: 0, err: '' })
  expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([])
})

test('doesn’t report a seat as released when a proxy answers without a body', async () => {
  const emulator = await emulatorForTest()
  const key = await activate(emulator, 'Old laptop')
  emulator.control.faults.inject({ fault: 'no-content', operation: 'deactivate' })
  const words = ['keys', 'release', emulator.demoLicense.id, key.id]
  expect(await runCli(emulator, words)).toMatchObject({ exitCode: 6, out: '' })
})

test('doesn’t report a seat as released when the list is from a cache', async () => {
  const emulator = await emulatorForTest()
  const key = await activate(emulator, 'Old laptop')
  emulator.control.faults.inject({ fault: 'no-content', operation: 'deactivate' })
  emulator.control.faults.inject({ fault: 'set-fields', operation: 'keys', fields: { data: [] }, after: 1 })
  emulator.control.faults.inject({ fault: 'date-shift', shiftMs: -86_400_000, operation: 'keys', after: 1 })
  const words = ['keys', 'release', emulator.demoLicense.id, key.id]
  expect(await runCli(emulator, words)).toMatchObject({ exitCode: 6, out: '' })
})

test('says why a release isn’t confirmed if the list can’t be read either', async () => {
  const emulator = await emulatorForTest()
  const key = await activate(emulator, 'Old laptop')
  const words = ['keys', 'release', emulator.demoLicense.id, key.id]
  emulator.control.faults.inject({ fault: 'no-content', operation: 'deactivate' })
  const unconfirmed = await runCli(emulator, words)
  // The first list finds the key.
  emulator.control.faults.inject({ fault: 'status', status: 503, operation: 'keys', after: 1 })
  const unread = await runCli(emulator, words)
  expect([unread.exitCode, unread.out]).toEqual([6, ''])
  expect(unconfirmed.err).toMatch(/^latchkey: The seat is still taken\. The answer isn’t one that /u)
  expect(unread.err).toMatch(
    /^latchkey: The answer isn’t one that .* The seat may still be taken\. Check it /u,
  )
})

test('shows one key', async () => {
  const emulator = await emulatorForTest()
  const key = await activate(emulator, 'Laptop')
  const { out } = await runCli(emulator, ['keys', 'show', emulator.demoLicense.id, key.id])
  expect(out).toBe(`Device     Laptop\nKey        ${key.id}\nActivated  ${toIso(key.created_at)}\n`)
})

test('prints control characters in a device name as harmless text', async () => {
  const emulator = await emulatorForTest()
  await activate(emulator, 'Laptop\u001b[2J\u202egnp.exe')
  const { out } = await runCli(emulator, ['keys', 'list', emulator.demoLicense.id])
  for (const hidden of ['\u001b', '\u202e']) expect(out).not.toContain(hidden)
  expect(out).toContain('Laptop')
})

test.each([
  ['a text without an id', ['keys', 'list', 'my license'], 'no license key'],
  [
    'two ids',
    ['keys', 'list', '1f0a2b3c-1111-4222-8333-abcdefabcdef 2f0a2b3c-1111-4222-8333-abcdefabcdef'],
    'more than one',
  ],
])('refuses %s, says what to do, and sends no request', async (_, words, message) => {
  const emulator = await emulatorForTest()
  const { exitCode, err } = await runCli(emulator, words)
  expect(exitCode).toBe(2)
  expect(err).toContain(message)
  expect(emulator.control.requests()).toEqual([])
})

test('looks for the seat when the answer to a release was lost', async () => {
  const emulator = await emulatorForTest()
  const { faults } = emulator.control
  const key = emulator.control.addKey(emulator.demoLicense.id, 'Laptop [0123456789abcdef]')
  const words = ['keys', 'release', emulator.demoLicense.id, key.id]
  faults.inject({ fault: 'reset', operation: 'deactivate', times: 1 })
  const lost = await runCli(emulator, words)
  expect([lost.exitCode, lost.out]).toEqual([3, ''])
  expect(lost.err).toMatch(
    /^latchkey: The seat is still taken\. The service can’t be reached: the connection was closed /u,
  )
  faults.inject({ fault: 'reset', operation: 'deactivate', when: 'after-acting', times: 1 })
  const { exitCode, out } = await runCli(emulator, words)
  expect([exitCode, out]).toEqual([0, expect.stringMatching(/^Released Laptop /u)])
})

test.each([400, 401, 404, 409, 422, 429])('says that the seat is still taken after a %d', async (status) => {
  const emulator = await emulatorForTest()
  const key = emulator.control.addKey(emulator.demoLicense.id, 'Laptop [0123456789abcdef]')
  emulator.control.faults.inject({ fault: 'status', status, operation: 'deactivate' })
  const { exitCode, out, err } = await runCli(emulator, ['keys', 'release', emulator.demoLicense.id, key.id])
  expect(out).toBe('')
  expect(exitCode).toBeGreaterThan(2)
  expect(err).toMatch(/^latchkey: The seat is still taken\./u)
  expect(err).not.toContain('has no such key')
})

test('says if a part of the list could not be read', async () => {
  const emulator = await emulatorForTest()
  const { id } = emulator.demoLicense
  for (const name of ['Ada', 'Bob']) emulator.control.addKey(id, name)
  emulator.control.faults.inject({ fault: 'wrong-types', fields: ['data.1.id'], operation: 'keys' })
  const listed = await runCli(emulator, ['keys', 'list', id])
  expect([listed.exitCode, listed.err]).toEqual([
    0,
    'The list isn’t complete: part of it could not be read.\n',
  ])
  const json = await runCli(emulator, ['--json', 'keys', 'list', id])
  expect(JSON.parse(json.out)).toMatchObject({ keys: [{ name: expect.any(String) }], isWhole: false })
  const { exitCode, out } = await runCli(emulator, ['doctor', '--license', id])
  expect([exitCode, out]).toEqual([
    1,
    expect.stringMatching(/^BAD {3}list keys {5}1 key, and a part of the list could not be read$/mu),
  ])
})

test.each([403, 404, 405])('names a proxy that refuses DELETE with a page and status %d', async (status) => {
  const emulator = await emulatorForTest()
  const key = emulator.control.addKey(emulator.demoLicense.id, 'Laptop [0123456789abcdef]')
  emulator.control.faults.inject({ fault: 'status', status, body: 'html', operation: 'deactivate' })
  const { exitCode, err } = await runCli(emulator, ['keys', 'release', emulator.demoLicense.id, key.id])
  expect(err).toContain(
    `A reverse proxy in front of the service may have refused the request (status ${status}, no JSON): change its rules`,
  )
  expect(err).not.toContain('latchkey doctor')
  expect(exitCode).toBe(status === 403 ? 4 : 6)
})
