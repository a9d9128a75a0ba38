import { readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { temporaryFolder } from '@latchkey/scripts/test/side-by-side'
import { generateSigningKey } from '@latchkey/services/issue'
import { signedKeys } from '@latchkey/services/signed-keys'
import { expect, test } from 'vitest'
import { type GivenToRun, runCli } from './run-cli.ts'

/** None of these commands asks a service. */
const noService = { baseUrl: '', accessToken: null, face: 'commerce' } as Parameters<typeof runCli>[0]
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
  const { signingKey, publicKey } = JSON.parse((await run(['--json', 'keys', 'generate'])).out)
  const env = { LATCHKEY_LICENSE_SIGNING_KEY: signingKey }
  const { out } = await run(['issue', '--product', 'inkwell'], { env })
  const service = signedKeys({ publicKeys: [publicKey], product: 'inkwell' })
  const licenseKey = out.trim()
  expect(service.findLicenseKey(out)).toEqual({ ok: true, licenseKey })
  const activated = await service.activate({ licenseKey, deviceName: '', fingerprint: '' })
  expect(activated.kind).toBe('answer')
})

test('writes the signing key to a file that only its owner can read, and never replaces one', async () => {
  const file = path.join(await temporaryFolder(), 'signing-key')
  const generate = () => run(['keys', 'generate', '--out', file])
  const { exitCode, out, err } = await generate()
  expect([exitCode, out]).toEqual([0, expect.stringMatching(/^Public key {3}latchkey-public-/u)])
  const signingKey = await readFile(file, 'utf8')
  expect(out + err).not.toContain(signingKey.trim())
  if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
  const refused = { exitCode: 2, err: expect.stringContaining('already exists') }
  expect(await generate()).toMatchObject(refused)
  expect(await readFile(file, 'utf8')).toBe(signingKey)
  const issued = await run(['issue', '--product', 'inkwell', '--signing-key-file', file], {})
  expect(issued).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^LK1-/u) })
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

const damaged = pair.signingKey.replace(/.{4}$/u, 'AAAA')
test.each<[what: string, words: readonly string[], signingKey: string, sentence: string]>([
  ['an end in the past', ['--expires', '2020-01-01'], pair.signingKey, '--expires must not be in the past.'],
  ['an end that is no date', ['--expires', '2027-02-30'], pair.signingKey, '--expires must be a date'],
  ['a name of two lines', ['--name', 'Ada\nBob'], pair.signingKey, '--name must be one line'],
  ['too much text', ['--name', 'a'.repeat(300)], pair.signingKey, 'must have at most 255 bytes'],
  ['a file that isn’t there', ['--csv', '/nowhere/s.csv'], pair.signingKey, 'cannot be read (ENOENT)'],
  ['no signing key', [], '', 'Set LATCHKEY_LICENSE_SIGNING_KEY'],
  ['the public key', [], pair.publicKey, 'begins with latchkey-secret-'],
  ['a damaged key', [], damaged, 'signing key is damaged'],
])('refuses %s, and prints no part of the signing key', async (_what, words, signingKey, sentence) => {
  const env = { LATCHKEY_LICENSE_SIGNING_KEY: signingKey }
  const { exitCode, out, err } = await run(['issue', '--product', 'inkwell', ...words], { env })
  expect([exitCode, out, err]).toEqual([2, '', expect.stringContaining(sentence)])
  expect(err).not.toContain(pair.signingKey.slice(16, 40))
})
