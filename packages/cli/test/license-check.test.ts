import type { FaultRule } from '@latchkey/emulator'
import { expect, test } from 'vitest'
import { emulatorForTest, runCli } from './run-cli.ts'

async function activatedEmulator() {
  const emulator = await emulatorForTest()
  const { id: licenseId } = emulator.demoLicense
  return { emulator, licenseId, key: emulator.control.addKey(licenseId, 'Laptop') }
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

test.each([
  ['entitled', 0, 0],
  ['expired', 2 * 86_400_000, 1],
])('reports %s by the service’s clock', async (decision, shiftMs, exitCode) => {
  const { emulator, licenseId } = await activatedEmulator()
  const expires_at = new Date(Date.now() + 86_400_000).toISOString()
  emulator.control.updateLicense(licenseId, { expires_at })
  emulator.control.faults.inject({ fault: 'date-shift', shiftMs })
  const run = await runCli(emulator, ['license', 'check', licenseId])
  expect(run).toMatchObject({ exitCode, out: expect.stringMatching(new RegExp(`^${decision}: `, 'u')) })
})

test.each(['html', 'json'] as const)(
  'never reports revoked for a 404 with %s, which a proxy can send too',
  async (body) => {
    const { emulator, licenseId, key } = await activatedEmulator()
    emulator.control.faults.inject({ fault: 'status', status: 404, body })
    const run = await runCli(emulator, ['license', 'check', licenseId, '--device', key.id])
    expect(run).toMatchObject({ exitCode: 1, out: expect.stringMatching(/^undecided: /u) })
  },
)

test('a 403 for a license isn’t blamed on a token that the list has just accepted', async () => {
  const { emulator, licenseId, key } = await activatedEmulator()
  emulator.control.updateLicense(licenseId, { suspended_at: '2026-01-01T00:00:00.000000Z' })
  emulator.control.useDialect({
    refusalStatus: { 'license-suspended': 403 },
    validation: { unusableLicense: 'refuse' },
  })
  for (const words of [[], ['--device', key.id]]) {
    const { exitCode, out } = await runCli(emulator, ['license', 'check', licenseId, ...words])
    expect(exitCode).toBe(1)
    expect(out).toMatch(
      /^undecided: validation was refused \(status 403\) while the device is still in the list/u,
    )
  }
})

test('reports revoked for a device whose seat was freed by another device', async () => {
  const { emulator, licenseId, key } = await activatedEmulator()
  emulator.control.removeKey(licenseId, key.id)
  const { exitCode, out } = await runCli(emulator, ['license', 'check', licenseId, '--device', key.id])
  expect(exitCode).toBe(1)
  expect(out).toMatch(/^revoked: /u)
})

test('reports undecided, not no, for a license without a device', async () => {
  const emulator = await emulatorForTest()
  const { exitCode, out } = await runCli(emulator, ['license', 'check', emulator.demoLicense.id])
  expect(exitCode).toBe(1)
  expect(out).toMatch(/^undecided: no device is activated/u)
})

test.each([
  [
    'can still be read',
    / while it is still shown/u,
    [
      { fault: 'status', status: 404, operation: 'validate' },
      { fault: 'set-fields', operation: 'keys', fields: { data: [] } },
    ],
  ],
  [
    'is missing in a cached list',
    / cache or another host/u,
    [{ fault: 'date-shift', operation: 'keys', shiftMs: -3_600_000 }],
  ],
  [
    'is missing in an incomplete list',
    / could not be read completely/u,
    [
      {
        fault: 'set-fields',
        operation: 'keys',
        fields: { data: [{ id: '11111111-2222-4333-8444-555555555555' }, { id: null }] },
      },
    ],
  ],
] satisfies [string, RegExp, FaultRule[]][])(
  'reports undecided for a key that %s',
  async (_what, why, faults) => {
    const { emulator, licenseId, key } = await activatedEmulator()
    if (faults.length === 1) emulator.control.removeKey(licenseId, key.id)
    for (const fault of faults) emulator.control.faults.inject(fault)
    const { exitCode, out } = await runCli(emulator, ['license', 'check', licenseId, '--device', key.id])
    expect([exitCode, out]).toEqual([1, expect.stringMatching(/^undecided: /u)])
    expect(out).toMatch(why)
  },
)

test.each([
  ['1f0a2b3c-0000-4000-8000-000000000001', '1f0a2b3c-0000-4000-8000-000000000001'],
  ['INKWELL-1C285B2D-1111-4222-8333-444455556666', 'INKWELL-1C285B2D-1111-4222-8333-444455556666'],
])('links the page where a customer frees a device, without asking anybody (%s)', async (license, key) => {
  const emulator = await emulatorForTest()
  const words = ['license', 'link', license, '--gateway', 'https://licensing.example.com/v1/']
  const link = `https://licensing.example.com/v1/devices#key=${key}`
  expect(await runCli(emulator, words)).toEqual({ exitCode: 0, out: `${link}\n`, err: '' })
  expect(JSON.parse((await runCli(emulator, ['--json', ...words])).out)).toEqual({ link })
  expect(emulator.control.requests()).toEqual([])
})

test('links no page without a license key or a gateway', async () => {
  const emulator = await emulatorForTest()
  const link = ['license', 'link']
  const { exitCode } = await runCli(emulator, [
    ...link,
    'Hello Anna',
    '--gateway',
    'https://licensing.example.com/v1',
  ])
  expect(exitCode).toBe(2)
  expect((await runCli(emulator, [...link, emulator.demoLicense.id])).exitCode).toBe(2)
  expect((await runCli(emulator, [...link, emulator.demoLicense.id, '--gateway', 'x'])).exitCode).not.toBe(0)
})
