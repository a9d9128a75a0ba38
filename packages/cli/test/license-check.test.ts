import { createCommerceClient } from '@latchkey/commerce'
import { dialects } from '@latchkey/emulator'
import { expect, test } from 'vitest'
import { emulatorForTest, runCli } from './run-cli.ts'

async function activatedEmulator() {
  const emulator = await emulatorForTest()
  const { baseUrl, accessToken, demoLicense } = emulator
  const commerce = createCommerceClient({ baseUrl, accessToken: accessToken ?? undefined })
  const { key } = await commerce.licenses.activate(demoLicense.id, { name: 'Laptop' })
  return { emulator, licenseId: demoLicense.id, key }
}

test('reports entitled, why, and how many seats are free', async () => {
  const { emulator, licenseId } = await activatedEmulator()
  const { exitCode, out } = await runCli(emulator, ['license', 'check', licenseId])
  expect(exitCode).toBe(0)
  expect(out).toMatch(/^entitled: in force, ends /u)
  expect(out).toContain('seats: 1/3 in use, 2 free')
})

test.each([
  ['suspended', { suspended_at: '2026-01-01T00:00:00.000000Z' }, 'the license is suspended'],
  ['expired', { expires_at: '2026-01-01T00:00:00.000000Z' }, 'ended 2026-01-01'],
  ['inactive', { status: 'PAUSED' }, '(status PAUSED)'],
] as const)('reports %s with the reason, and exits with 1', async (decision, patch, reason) => {
  const { emulator, licenseId } = await activatedEmulator()
  emulator.control.updateLicense(licenseId, patch)
  const { exitCode, out } = await runCli(emulator, ['--json', 'license', 'check', licenseId])
  expect(exitCode).toBe(1)
  expect(JSON.parse(out)).toMatchObject({ decision, why: expect.stringContaining(reason) })
})

test('a 403 for a license isn’t blamed on a token that the list has just accepted', async () => {
  const { emulator, licenseId, key } = await activatedEmulator()
  emulator.control.updateLicense(licenseId, { suspended_at: '2026-01-01T00:00:00.000000Z' })
  emulator.control.useDialect(dialects.strict)
  for (const words of [[], ['--key', key.id]]) {
    const { exitCode, out } = await runCli(emulator, ['license', 'check', licenseId, ...words])
    expect(exitCode).toBe(1)
    expect(out).toMatch(
      /^undecided: validation was refused \(status 403\) while the key is still in the list/u,
    )
  }
})

test('reports revoked for a device whose seat was freed by another device', async () => {
  const { emulator, licenseId, key } = await activatedEmulator()
  emulator.control.removeKey(licenseId, key.id)
  const { exitCode, out } = await runCli(emulator, ['license', 'check', licenseId, '--key', key.id])
  expect(exitCode).toBe(1)
  expect(out).toMatch(/^revoked: /u)
})

test('reports undecided, not no, for a license without a device', async () => {
  const emulator = await emulatorForTest()
  const { exitCode, out } = await runCli(emulator, ['license', 'check', emulator.demoLicense.id])
  expect(exitCode).toBe(1)
  expect(out).toMatch(/^undecided: no device is activated/u)
})

test('reports undecided for a key that isn’t in the list but can still be read', async () => {
  const { emulator, licenseId, key } = await activatedEmulator()
  const { faults } = emulator.control
  faults.inject({ fault: 'status', status: 404, operation: 'validate' })
  faults.inject({ fault: 'set-fields', operation: 'keys', fields: { data: [] } })
  const { exitCode, out } = await runCli(emulator, ['license', 'check', licenseId, '--key', key.id])
  expect(exitCode).toBe(1)
  expect(out).toMatch(/^undecided: .* while the key is still shown/u)
})

test('reports undecided for a key that isn’t in a cached list', async () => {
  const { emulator, licenseId, key } = await activatedEmulator()
  const { faults } = emulator.control
  emulator.control.removeKey(licenseId, key.id)
  faults.inject({ fault: 'date-shift', operation: 'keys', shiftMs: -3_600_000 })
  const { exitCode, out } = await runCli(emulator, ['license', 'check', licenseId, '--key', key.id])
  expect(exitCode).toBe(1)
  expect(out).toMatch(/^undecided: .* cache or another host/u)
})

test('reports undecided for a key that isn’t in an incomplete list', async () => {
  const { emulator, licenseId, key } = await activatedEmulator()
  const { faults } = emulator.control
  const other = { ...key, id: '11111111-2222-4333-8444-555555555555' }
  emulator.control.removeKey(licenseId, key.id)
  faults.inject({ fault: 'set-fields', operation: 'keys', fields: { data: [other, { id: null }] } })
  const { exitCode, out } = await runCli(emulator, ['license', 'check', licenseId, '--key', key.id])
  expect(exitCode).toBe(1)
  expect(out).toMatch(/^undecided: .* could not be read completely/u)
})
