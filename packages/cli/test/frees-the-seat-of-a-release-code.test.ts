import { generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Emulator } from '@latchkey/emulator'
import {
  findOfflineText,
  offlineClaimsSchema,
  releaseStatement,
  wrapOfflineText,
  writeReleaseCode,
} from '@latchkey/services/offline'
import { expect, test } from 'vitest'
import { offlineRequest } from './offline-request.ts'
import { emulatorForTest, runCli } from './run-cli.ts'
import { temporaryFolder } from './temporary-folder.ts'

const newKey = (): JsonWebKey => generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
const signingKey = newKey()
const device = generateKeyPairSync('ed25519')

async function runOffline(
  emulator: Emulator,
  command: 'sign' | 'release',
  text: string,
  words: readonly string[] = [],
  key = signingKey,
) {
  const file = path.join(await temporaryFolder(), 'file.latchkey')
  await writeFile(file, text)
  const env = { LATCHKEY_SIGNING_KEY: JSON.stringify(key) }
  return runCli(emulator, ['offline', command, file, ...words], { env })
}

/** The release code of a computer that was activated by support. */
async function releaseCode(emulator: Emulator): Promise<string> {
  const request = offlineRequest(emulator.demoLicense.id, {
    releaseKey: String(device.publicKey.export({ format: 'jwk' }).x),
  })
  const found = findOfflineText('answer', (await runOffline(emulator, 'sign', request)).out)
  if (!found.ok) throw new Error(found.fault)
  const [, payload = ''] = found.payload.split('.')
  const { rel = '' } = offlineClaimsSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()))
  const statement = releaseStatement(rel, Date.parse('2026-11-22T12:00:00Z'))
  const signature = sign(null, Buffer.from(statement), device.privateKey).toString('base64url')
  return wrapOfflineText(writeReleaseCode(statement, signature))
}

test('reads the release code from standard input', async () => {
  const emulator = await emulatorForTest()
  const input = await releaseCode(emulator)
  const env = { LATCHKEY_SIGNING_KEY: JSON.stringify(signingKey) }
  expect(await runCli(emulator, ['offline', 'release', '-'], { env, input })).toMatchObject({ exitCode: 0 })
  expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([])
  const missing = await runCli(emulator, ['offline', 'release', '-'], { env, input: 'Hello!' })
  expect(missing.err).toMatch(/^latchkey: Standard input contains no release code/u)
})

test('frees the seat once, and reports when it is free already', async () => {
  const emulator = await emulatorForTest()
  const seats = () => emulator.control.keys(emulator.demoLicense.id)
  const code = await releaseCode(emulator)
  expect(seats()).toHaveLength(1)
  const inAnEmail = `Hello,\n${code.replace(/^/gmu, '> ')}`
  const run = await runOffline(emulator, 'release', inAnEmail)
  expect(run).toMatchObject({ exitCode: 0, err: '' })
  expect(run.out).toContain('Freed the seat of Lab computer, which was deactivated at 2026-11-22T12:00:00')
  expect(seats()).toEqual([])
  const again = await runOffline(emulator, 'release', code, ['--json'])
  expect(again).toMatchObject({ exitCode: 0, err: '' })
  expect(JSON.parse(again.out)).toMatchObject({ released: false, device: 'Lab computer' })
  expect((await runOffline(emulator, 'release', code)).out).toContain('was free already')
  expect(run.out + again.out).not.toContain(emulator.demoLicense.id)
})

test('frees nothing by a code that can’t be used, and says what to do', async () => {
  const emulator = await emulatorForTest()
  const code = await releaseCode(emulator)
  for (const [text, message, key] of [
    [code.slice(0, 100), 'is incomplete', signingKey],
    [code, 'Set LATCHKEY_SIGNING_KEY to the key that signed it', newKey()],
    [code.replace('-1.', '-2.'), 'Update latchkey', signingKey],
  ] as const) {
    const run = await runOffline(emulator, 'release', text, [], key)
    expect(run).toMatchObject({ exitCode: 2, out: '' })
    expect(run.err).toContain(message)
  }
  emulator.control.faults.inject({ fault: 'status', status: 503 })
  expect(await runOffline(emulator, 'release', code)).toMatchObject({ exitCode: 3, out: '' })
  emulator.control.faults.clear()
  expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(1)
})
