import { expect, test } from 'vitest'
import { unknownFields } from '../src/doctor/drift.ts'
import { emulatorForTest, runCli } from './run-cli.ts'

test('finds no problem with a healthy service', async () => {
  const emulator = await emulatorForTest({ customers: 5 })
  const { exitCode, out } = await runCli(emulator, ['doctor'])
  expect(exitCode).toBe(0)
  expect(out).not.toMatch(/BAD|note/u)
})

test('names a token that is not accepted, without printing it', async () => {
  const emulator = await emulatorForTest()
  const env = { LATCHKEY_ACCESS_TOKEN: 'sk-very-secret-token' }
  const { exitCode, out, err } = await runCli(emulator, ['--json', 'doctor'], { env })
  expect(exitCode).toBe(1)
  expect(JSON.parse(out).findings).toContainEqual(
    expect.objectContaining({ check: 'access token', verdict: 'bad' }),
  )
  expect(out + err).not.toContain('sk-very-secret-token')
})

test('finds a clock that is an hour off', async () => {
  const emulator = await emulatorForTest({ customers: 5 })
  emulator.control.faults.inject({ fault: 'date-shift', shiftMs: 3_600_000 })
  const { exitCode, out } = await runCli(emulator, ['doctor'])
  expect(exitCode).toBe(1)
  expect(out).toMatch(/BAD {3}clock\s+this machine is 3(599|600|601) s behind the service: set its clock/u)
})

test('finds an answer that is not the documented one', async () => {
  const emulator = await emulatorForTest({ customers: 5 })
  emulator.control.faults.inject({ fault: 'html' })
  const { exitCode, out } = await runCli(emulator, ['doctor'])
  expect(exitCode).toBe(1)
  expect(out).toMatch(/BAD {3}schema/u)
})

test('names the fields an answer has beyond the documented ones', () => {
  const raw = {
    data: [
      { id: 1, nickname: 'A' },
      { id: 2, tags: [] },
    ],
    extra: true,
  }
  const known = { data: [{ id: 1 }, { id: 2 }] }
  expect(unknownFields(raw, known)).toEqual(['data[].nickname', 'data[].tags', 'extra'])
})

test('examines a gateway through the keys of a license', async () => {
  const emulator = await emulatorForTest()
  const { exitCode, out } = await runCli(emulator, ['doctor', '--license', emulator.demoLicense.id])
  expect(exitCode).toBe(0)
  expect(out).not.toContain(emulator.demoLicense.id)
})
