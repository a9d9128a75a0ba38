import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { electronFromEnvironment } from '@latchkey/scripts/e2e/electron-environment'
import {
  environmentFor,
  type ServiceAccess,
  serviceUnderTest,
} from '@latchkey/scripts/e2e/service-under-test'
import { expect } from 'vitest'
import { appPath, seatsInUse, test } from './inkwell.ts'

/** Runs a command of Inkwell in a process of its own, as a script of an administrator does. */
async function run(access: ServiceAccess, userDataPath: string, words: readonly string[], input = '') {
  const { executablePath, args } = electronFromEnvironment()
  const switches = [
    ...args,
    '--password-store=basic',
    '--use-mock-keychain',
    `--user-data-dir=${userDataPath}`,
  ]
  const child = spawn(executablePath, [...switches, appPath, ...words], {
    env: { ...process.env, ...environmentFor(access) },
  })
  const ended = once(child, 'close')
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [printed, complaints, inChildren] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    argumentsOfChildren(child.pid ?? 0, () => child.exitCode !== null || child.signalCode !== null),
  ])
  const [code] = await ended
  return { code, printed, complaints, inChildren }
}

/** Collects arguments and environment of all processes that a process starts, until it has ended. */
async function argumentsOfChildren(parent: number, hasEnded: () => boolean): Promise<string> {
  const seen = new Map<string, string>()
  while (!hasEnded() && process.platform === 'linux') {
    for (const pid of await readdir('/proc')) {
      if (!/^\d+$/u.test(pid) || !(await descendsFrom(pid, parent))) continue
      const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
      seen.set(pid, (seen.get(pid) ?? '') + (await read('cmdline')) + (await read('environ')))
    }
  }
  return [...seen.values()].join('\n')
}

async function descendsFrom(pid: string, ancestor: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const parent = Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2])
  return parent === ancestor || (parent > 1 && (await descendsFrom(String(parent), ancestor)))
}

test('an administrator activates, asks for the status, and deactivates, without a window', async ({
  emulator,
  service,
  userDataPath,
}) => {
  const command = (words: readonly string[], input?: string) =>
    run(service.access, userDataPath, words, input)
  const { licenseKey } = emulator
  const before = await command(['--license-status', '--json'])
  expect(before.code).toBe(1)
  expect(JSON.parse(before.printed)).toMatchObject({ status: 'unlicensed', entitled: false })
  expect(existsSync(path.join(userDataPath, 'latchkey'))).toBe(false)

  const piped = await command(['--activate', '-'], `${licenseKey}\n`)
  expect(piped).toMatchObject({ code: 0, printed: expect.stringContaining('Activated with license') })
  const again = await command([`--activate=${licenseKey}`])
  expect(again.code).toBe(0)
  expect(again.inChildren).not.toContain(licenseKey)
  for (const { printed, complaints } of [piped, again]) expect(printed + complaints).not.toContain(licenseKey)
  expect(seatsInUse(emulator)).toBe(1)

  const status = await command(['--license-status'])
  expect(status).toMatchObject({ code: 0, printed: expect.stringMatching(/^Status: active\nLicense: /u) })
  expect((await command(['--activate'])).code).toBe(2)

  const off = await command(['--deactivate'])
  expect(off.code, off.complaints).toBe(0)
  expect(seatsInUse(emulator)).toBe(0)
})

test('beside a running app, a command activates, and the app is licensed at its next check', async ({
  openInkwell,
  emulator,
  service,
  userDataPath,
}) => {
  const inkwell = await openInkwell()
  const activation = await inkwell.activationWindow()
  const command = await run(service.access, userDataPath, ['--activate', emulator.licenseKey])
  expect(command.code, command.complaints).toBe(0)
  expect(command.inChildren).not.toContain(emulator.licenseKey)
  await activation.evaluate(() => window.latchkey.validate()).catch(() => {})
  await inkwell.mainWindow()
  if (serviceUnderTest.has('the list of devices')) expect(seatsInUse(emulator)).toBe(1)
})
