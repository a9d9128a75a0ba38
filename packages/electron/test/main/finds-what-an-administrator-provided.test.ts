import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { ProvisioningOptions } from '../../src/main/options/licensing-options.ts'
import { readPolicyFile } from '../../src/main/policy-file.ts'
import { createProvisioning, type ProvisioningPorts } from '../../src/main/provisioning.ts'
import { createRecordingLogger } from '../doubles/recording-logger.ts'

const licenseKey = '1f0a6c1e-5b7d-4c39-9e2f-0d7a3b5c9c1d'
const other = '7c2d9e40-1a3b-4f5c-8d6e-9f0a1b2c3d4e'
// Only root may own a policy file, and give it to others.
const isRoot = process.getuid?.() === 0

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'latchkey-policy-'))
  file = path.join(folder, 'license.json')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function provisioning(ports: Partial<ProvisioningPorts> = {}, options: ProvisioningOptions = { file }) {
  const logger = createRecordingLogger()
  const removed: string[] = []
  const given: ProvisioningPorts = {
    platform: 'linux',
    appName: 'Notes',
    argv: [],
    env: {},
    removeSwitch: (name) => void removed.push(name),
    readPreference: () => '',
    readPolicyFile,
    logger,
    ...ports,
  }
  return { ...createProvisioning(options, given), given, removed, lines: logger.lines }
}

const policy = (content: unknown = { licenseKey }): Promise<void> => writeFile(file, JSON.stringify(content))

test.skipIf(!isRoot)(
  'the command line comes first, then the variable, the file and the preference (needs root)',
  async () => {
    await policy()
    const all = { platform: 'darwin', readPreference: () => 'preference' } as const
    const argv = ['notes', '--license-key=argument', 'open.txt']
    const env = { NOTES_LICENSE_KEY: 'variable', PATH: '/bin' }
    const first = provisioning({ ...all, argv, env })
    expect(await first.find()).toEqual({ text: 'argument', source: '--license-key' })
    expect([argv, env, first.removed]).toEqual([['notes', 'open.txt'], { PATH: '/bin' }, ['license-key']])
    const second = provisioning({ ...all, env: { NOTES_LICENSE_KEY: ' variable\n' } })
    expect(await second.find()).toEqual({ text: 'variable', source: 'NOTES_LICENSE_KEY' })
    const third = provisioning(all)
    expect(await third.find()).toEqual({ text: licenseKey, source: file })
    expect(await third.describe()).toBe(`1f0a••••9c1d from ${file}`)
    await rm(file)
    expect(await third.find()).toEqual({ text: 'preference', source: 'preference LicenseKey' })
    expect(await provisioning({ readPreference: () => 'preference' }).find()).toBeNull()
  },
)

test.each([
  [['--license-key', '--hidden'], ['--hidden']],
  [['--license-key=', 'open.txt'], ['open.txt']],
  [['open.txt', '--license-key'], ['open.txt']],
])('an argument without a value is logged, and the next source counts: %j', async (argv, rest) => {
  const { find, lines } = provisioning({ argv, env: { NOTES_LICENSE_KEY: licenseKey } })
  expect(await find()).toMatchObject({ source: 'NOTES_LICENSE_KEY' })
  expect(argv).toEqual(rest)
  expect(lines).toEqual(['warn --license-key has no license key. Write --license-key=<license key>.'])
})

test('the license key may be the next word, and leaves the arguments too', async () => {
  const argv = ['notes', '--license-key', other, '--license-key', licenseKey, 'open.txt']
  expect(await provisioning({ argv }).find()).toEqual({ text: licenseKey, source: '--license-key' })
  expect(argv).toEqual(['notes', 'open.txt'])
})

test('each source has a name of its own, or is off', async () => {
  const argv = ['--key=a', '--license-key=b', '--key=c']
  expect(await provisioning({ argv }, { argument: 'key' }).find()).toEqual({ text: 'c', source: '--key' })
  expect(argv).toEqual(['--license-key=b'])
  const env = { SEAT: licenseKey, NOTES_LICENSE_KEY: other }
  expect(await provisioning({ env }, { variable: 'SEAT' }).find()).toMatchObject({ source: 'SEAT' })
  const off = { argument: false, variable: false, file: false } as const
  const given = { argv: ['--license-key=b'], env: { NOTES_LICENSE_KEY: other } }
  expect(await provisioning(given, off).find()).toBeNull()
  expect(given.env).toEqual({ NOTES_LICENSE_KEY: other })
})

test.each([
  ['Notes', 'NOTES_LICENSE_KEY'],
  ['@acme/field-notes', 'ACME_FIELD_NOTES_LICENSE_KEY'],
  ['Field Notes 2', 'FIELD_NOTES_2_LICENSE_KEY'],
])('the variable of %s is %s', async (appName, name) => {
  expect(await provisioning({ appName, env: { [name]: licenseKey } }).find()).toMatchObject({ source: name })
})

test.skipIf(!isRoot).each([
  ['a byte order mark', Buffer.from(`\ufeff{"licenseKey":"${licenseKey}"}`)],
  ['UTF-16, as PowerShell writes it', Buffer.from(`\ufeff{"licenseKey":"${licenseKey}"}`, 'utf16le')],
  ['further fields', Buffer.from(`{"licenseKey":" ${licenseKey} ","by":"IT"}`)],
])('a policy file may have %s (needs root)', async (_what, content) => {
  await writeFile(file, content)
  const { find, lines } = provisioning()
  expect(await find()).toEqual({ text: licenseKey, source: file })
  expect(lines).toEqual([])
})

/** Nobody may write to a program that runs. */
const running: [string, () => Promise<unknown>] = [
  'while nobody can tell, because it is in use',
  async () => {
    await copyFile('/bin/sleep', file)
    const program = spawn(file, ['60'])
    onTestFinished(() => void program.kill())
    await once(program, 'spawn')
  },
]
const written = (text: string) => () => writeFile(file, text)
const shared =
  'others can change it. It must belong to root, and neither its group nor others may write to it'
const needed = 'it must be { "licenseKey": "…" }, with one license key'

describe.skipIf(!isRoot)('a policy file is ignored, and logged once (needs root)', () => {
  test.each<[string, () => Promise<unknown>, string]>([
    ['a comment', written(`{ // from IT\n"licenseKey": "${licenseKey}" }`), 'JSON has no comments'],
    ['no JSON', written(licenseKey), 'it is not JSON'],
    ['nothing in it', written(''), 'it is not JSON'],
    [
      'two keys',
      written(`{"licenseKey":"${licenseKey}","licenseKey":"${other}"}`),
      'it has more than one license key',
    ],
    ['a list of keys', () => policy({ licenseKey: [licenseKey, other] }), needed],
    ['another name', () => policy({ license_key: licenseKey }), needed],
    ['a blank key', () => policy({ licenseKey: ' ' }), needed],
    ['5 MB', () => policy({ licenseKey, more: 'x'.repeat(5_000_000) }), 'it is larger than 64 KB'],
    ['write access for its group', () => policy().then(() => chmod(file, 0o664)), shared],
    ['write access for others', () => policy().then(() => chmod(file, 0o646)), shared],
    ['another owner', () => policy().then(() => chown(file, 1000, 0)), shared],
    ['a folder in its place', () => mkdir(file), 'it is not a file'],
    ['a pipe in its place', () => promisify(execFile)('mkfifo', [file]), 'it is not a file'],
    [
      'a symbolic link in its place',
      () => policy().then(() => symlink(file, path.join(folder, 'link.json'))),
      'it is a symbolic link',
    ],
  ])('%s', async (what, make, fault) => {
    await make()
    const path_ = what.startsWith('a symbolic') ? path.join(folder, 'link.json') : file
    const { find, describe: report, lines } = provisioning({}, { file: path_ })
    expect([await find(), await find()]).toEqual([null, null])
    expect(lines).toEqual([`warn ${path_} is ignored: ${fault}`])
    expect(await report()).toBe(`${path_} is ignored: ${fault}`)
  })

  test('until it is mended', async () => {
    await writeFile(file, '{')
    const { find } = provisioning()
    expect(await find()).toBeNull()
    await policy()
    expect(await find()).toMatchObject({ text: licenseKey })
  })

  test.each<[string, () => unknown]>([
    ['if the user who runs the app can write to it', () => policy()],
    ['if it is only marked as read-only', () => policy().then(() => chmod(file, 0o444))],
    ...(process.platform === 'linux' ? [running] : []),
  ])('on Windows, %s', async (_what, make) => {
    await make()
    const { find, lines } = provisioning({ platform: 'win32' })
    expect(await find()).toBeNull()
    expect(lines).toEqual([expect.stringContaining('the user who runs the app may be able to change it')])
  })
})

test('without a policy file, nothing is found and nothing is logged', async () => {
  const { find, describe: report, lines } = provisioning()
  expect([await find(), await report(), lines]).toEqual([null, 'no key found', []])
})

test('a preference that cannot be read is no key', async () => {
  const readPreference = () => {
    throw new Error('no')
  }
  const { find, describe: report } = provisioning({ platform: 'darwin', readPreference })
  expect([await find(), await report()]).toEqual([null, 'failed'])
})
