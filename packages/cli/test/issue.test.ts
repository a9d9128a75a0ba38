import { readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { generateSigningKey } from '@latchkey/services/issue'
import { signedKeys } from '@latchkey/services/signed-keys'
import { expect, test } from 'vitest'
import { type GivenToRun, runCli, temporaryFolder } from './run-cli.ts'

/** None of these commands asks a service. */
const noService = { baseUrl: '', accessToken: null } as Parameters<typeof runCli>[0]
const pair = await generateSigningKey()
const env = { LATCHKEY_LICENSE_SIGNING_KEY: pair.signingKey }
const run = (words: readonly string[], given: GivenToRun = { env }) => runCli(noService, words, given)
const issue = (...words: readonly string[]) => run(['issue', '--product', 'inkwell', ...words])

async function licenseOf(licenseKey: string) {
  const service = signedKeys({ publicKeys: [pair.publicKey], product: 'inkwell' })
  const outcome = await service.activate({ licenseKey, deviceName: '', fingerprint: '' })
  return outcome.kind === 'answer' ? outcome.value.license : outcome
}

test('generates a key that the app’s public key belongs to', async () => {
  const printed = await run(['--json', 'keys', 'generate'])
  const { signingKey, publicKey } = JSON.parse(printed.out)
  const issued = await run(['issue', '--product', 'inkwell'], {
    env: { LATCHKEY_LICENSE_SIGNING_KEY: signingKey },
  })
  const service = signedKeys({ publicKeys: [publicKey], product: 'inkwell' })
  expect(service.findLicenseKey(issued.out)).toEqual({ ok: true, licenseKey: issued.out.trim() })
  expect(
    await service.activate({ licenseKey: issued.out.trim(), deviceName: '', fingerprint: '' }),
  ).toMatchObject({ kind: 'answer' })
})

test('writes the signing key to a file that only its owner can read, and never replaces one', async () => {
  const file = path.join(await temporaryFolder(), 'signing-key')
  const generated = await run(['keys', 'generate', '--out', file])
  expect(generated).toMatchObject({
    exitCode: 0,
    out: expect.stringMatching(/^Public key {3}latchkey-public-/u),
  })
  const signingKey = await readFile(file, 'utf8')
  expect(generated.out + generated.err).not.toContain(signingKey.trim())
  if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await run(['keys', 'generate', '--out', file])).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('already exists'),
  })
  expect(await readFile(file, 'utf8')).toBe(signingKey)
  expect(await run(['issue', '--product', 'inkwell', '--signing-key-file', file], {})).toMatchObject({
    exitCode: 0,
    out: expect.stringMatching(/^LK1-/u),
  })
})

test('issues a key with everything that it can say', async () => {
  const words = ['--id', 'pi_3Oq', '--name', 'Ada Lovelace', '--email', 'ada@example.com', '--plan', 'pro']
  const { out } = await issue(...words, '--features', 'export, sync', '--expires', '2099-12-31')
  expect(await licenseOf(out.trim())).toMatchObject({
    licensee: 'Ada Lovelace (ada@example.com)',
    plan: 'pro',
    features: ['export', 'sync'],
    endsAt: '2099-12-31',
  })
  const json = await run(['--json', 'issue', '--product', 'inkwell', '--id', 'pi_3Oq'])
  expect(await licenseOf(JSON.parse(json.out).licenseKey)).toMatchObject({ endsAtMs: 'never' })
})

test('issues a key for each row, and says which rows it can’t use', async () => {
  const file = path.join(await temporaryFolder(), 'sales.csv')
  const rows = [
    'name,email,expires',
    'Ada,ada@example.com,2099-12-31',
    'Bob,bob@example.com,soon',
    '"C, D",,',
  ]
  await writeFile(file, `\ufeff${rows.join('\r\n')}\r\n`)
  const { exitCode, out, err } = await issue('--csv', file)
  const lines = out.trim().split('\n')
  expect(lines[0]).toBe('id,name,email,plan,features,expires,license_key,error')
  expect(lines[1]).toMatch(/^,Ada,ada@example.com,,,2099-12-31,LK1-[^,]+,$/u)
  expect(lines[2]).toMatch(/^,Bob,bob@example.com,,,soon,,"?expires must be a date, such as 2027-12-31\."?$/u)
  expect(lines[3]).toMatch(/^,"C, D",,,,,LK1-[^,]+,$/u)
  expect(err).toBe('Issued 2 keys. 1 rows have an error.\n')
  expect(exitCode).toBe(1)
})

test('adds refunded keys to a signed list', async () => {
  const list = path.join(await temporaryFolder(), 'revoked.json')
  const { out } = await issue('--id', 'pi_3Oq')
  const revoke = (...keys: readonly string[]) =>
    run(['revoke', '--product', 'inkwell', '--list', list, ...keys])
  expect(await revoke(out.trim())).toMatchObject({ exitCode: 0 })
  // The same key by its id.
  expect((await revoke('pi_3Oq', 'pi_other')).out).toMatch(/Added 1 to.+createIssuer/su)
  expect(JSON.parse(await readFile(list, 'utf8')).ids).toHaveLength(2)
  await writeFile(list, '<html>')
  expect(await revoke('pi_3Oq')).toMatchObject({ exitCode: 2, err: expect.stringContaining('no list') })
})

test.each([
  ['an end in the past', ['--expires', '2020-01-01'], '--expires must not be in the past.'],
  ['an end that is no date', ['--expires', '2027-02-30'], '--expires must be a date'],
  ['a name of two lines', ['--name', 'Ada\nBob'], '--name must be one line'],
  ['too much text', ['--name', 'a'.repeat(300)], 'must have at most 255 bytes'],
  ['a file that isn’t there', ['--csv', '/nowhere/sales.csv'], 'cannot be read (ENOENT)'],
])('refuses %s', async (_, words, sentence) => {
  const { exitCode, out, err } = await issue(...words)
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
  expect(err).toContain(sentence)
})

test.each([
  ['no signing key', {}, 'Set LATCHKEY_LICENSE_SIGNING_KEY'],
  ['the public key', { LATCHKEY_LICENSE_SIGNING_KEY: pair.publicKey }, 'begins with latchkey-secret-'],
  [
    'a damaged one',
    { LATCHKEY_LICENSE_SIGNING_KEY: pair.signingKey.replace(/.{4}$/u, 'AAAA') },
    'signing key is damaged',
  ],
])('refuses %s, and prints no part of it', async (_, given, sentence) => {
  const { exitCode, out, err } = await run(['issue', '--product', 'inkwell'], { env: given })
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
  expect(err).toContain(sentence)
  expect(err).not.toContain(pair.signingKey.slice(16, 40))
})
