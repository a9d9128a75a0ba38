import type { Emulator } from '@latchkey/emulator'
import { expect, test } from 'vitest'
import { emulatorForTest, runCli } from './run-cli.ts'

const keygenVariables = ({ baseUrl, settings }: Emulator) => ({
  LATCHKEY_SERVICE: 'keygen',
  LATCHKEY_KEYGEN_ACCOUNT: settings['account'] ?? '',
  LATCHKEY_KEYGEN_PRODUCT: settings['product'] ?? '',
  LATCHKEY_KEYGEN_BASE_URL: baseUrl,
})

test('without a service, the message also says how to use another one', async () => {
  const { err } = await runCli(await emulatorForTest(), ['doctor'], { env: { LATCHKEY_BASE_URL: '' } })
  expect(err).toContain('Set LATCHKEY_BASE_URL')
  expect(err).toContain('For another service, set LATCHKEY_SERVICE: latchkey --help lists its settings.')
})

test('a shortened license key from a report is not enough', async () => {
  const { exitCode, err } = await runCli(await emulatorForTest(), ['keys', 'list', '1f0a••••9c1d'])
  expect(exitCode).toBe(2)
  expect(err).toContain('A license id is a whole UUID, not a shortened one.')
})

test.each(['0123456789abcdef', 'Studio'])('a device can’t be released by its name: %s', async (name) => {
  const emulator = await emulatorForTest()
  const { exitCode, err } = await runCli(emulator, ['keys', 'release', emulator.demoLicense.id, name])
  expect(exitCode).toBe(2)
  expect(err).toBe(
    'latchkey: The argument contains no key id. Copy the UUID from the column KEY of keys list.\n',
  )
})

test('an answer that a wrong public key can’t verify names that setting', async () => {
  const emulator = await emulatorForTest({ face: 'keygen' })
  const env = { ...keygenVariables(emulator), LATCHKEY_KEYGEN_PUBLIC_KEY: '0'.repeat(64) }
  const { exitCode, err } = await runCli(emulator, ['keys', 'list', emulator.licenseKey], { env })
  expect(exitCode).toBe(6)
  expect(err).toBe(
    'latchkey: The answer has no valid signature of the service (status 200). Check the public key in the settings.\n',
  )
})

test('a wrong account says where to look', async () => {
  const emulator = await emulatorForTest({ face: 'keygen' })
  const env = { ...keygenVariables(emulator), LATCHKEY_KEYGEN_ACCOUNT: 'another' }
  const { err } = await runCli(emulator, ['keys', 'list', emulator.licenseKey], { env })
  expect(err).toContain('Compare the settings with your account at the service.')
})

test('the service in place of its gateway is named as such', async () => {
  const emulator = await emulatorForTest()
  const words = ['doctor', '--gateway', emulator.baseUrl, '--license', emulator.demoLicense.id]
  const { exitCode, out } = await runCli(emulator, words)
  expect(exitCode).toBe(1)
  expect(out).toMatch(/^BAD {3}access token {2}asked for at this address, and a gateway needs none: /mu)
})

test('releasing a seat twice points to the list of devices', async () => {
  const emulator = await emulatorForTest()
  const keyId = emulator.control.addKey(emulator.demoLicense.id, 'Old laptop').id
  const words = ['keys', 'release', emulator.demoLicense.id, keyId]
  expect(await runCli(emulator, words)).toMatchObject({ exitCode: 0 })
  const { exitCode, err } = await runCli(emulator, words)
  expect(exitCode).toBe(5)
  expect(err).toContain('`latchkey keys list` shows which devices the license still has.')
})
