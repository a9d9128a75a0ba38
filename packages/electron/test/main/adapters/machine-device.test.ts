import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import type { DevicePort } from '../../../src/core/ports.ts'
import { isFromAnotherDevice, settleIdentity } from '../../../src/core/record.ts'
import {
  createMachineDevice,
  deviceLabel,
  type MachineDeviceOptions,
} from '../../../src/main/adapters/device.ts'
import { createFakeDevice } from '../../doubles/fake-device.ts'

const root = mkdtempSync(path.join(tmpdir(), 'latchkey-device-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let files = 0

function fileWith(text: string): string {
  files += 1
  const file = path.join(root, `machine-id-${files}`)
  writeFileSync(file, text)
  return file
}

const missing = path.join(root, 'missing')
const guid = '1b4e28ba-2fa1-11d2-883f-0016d3cca427'
const linuxId = 'c0ffee00c0ffee00c0ffee00c0ffee42'
const otherLinuxId = 'a'.repeat(31).concat('b')
const appId = 'com.example.notes'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

function device(options: Partial<MachineDeviceOptions>) {
  return createMachineDevice({
    appId,
    hostname: 'ada.example.org',
    platform: 'win32',
    machineIdFiles: [missing],
    reportMachineId: () => Promise.reject(new Error('must not be asked')),
    ...options,
  })
}

const identify = (options: Partial<MachineDeviceOptions>) => device(options).identify(null)
/** What a command would report is never asked for there. */
const onLinux = (...machineIdFiles: readonly string[]) =>
  identify({ platform: 'linux', machineIdFiles, reportMachineId: async () => guid })
const reported = (id: string, hostname = 'ada.example.org') =>
  identify({ hostname, reportMachineId: async () => id })

/** Makes a device whose machine ID can be read, or one whose cannot. */
const makers: Readonly<Record<string, (id: string | null, appId: string) => DevicePort>> = {
  Linux: (id, appId) =>
    device({ platform: 'linux', appId, machineIdFiles: [id === null ? missing : fileWith(`${id}\n`)] }),
  Windows: (id, appId) =>
    device({
      appId,
      reportMachineId: async () => {
        if (id === null) throw new Error('REG.exe is blocked')
        return id
      },
    }),
  'the fake device of other tests': (machineId, appId) => createFakeDevice({ machineId, appId }),
}

describe.each(Object.entries(makers))('a device of %s', (_name, make) => {
  const identityOf = (id: string | null, app = appId, known: string | null = null) =>
    make(id, app).identify(known)
  const id = 'a1'.repeat(16)

  test('has the same 16 hex digits at every launch, whatever random ID was kept from before', async () => {
    const first = await identityOf(id)
    expect(first.fingerprint).toMatch(/^[0-9a-f]{16}$/)
    expect(first).toMatchObject({ source: 'machine-id', randomId: null })
    expect(await identityOf(id)).toEqual(first)
    expect(await identityOf(id, appId, 'kept-from-before')).toEqual(first)
  })

  test('has others on another machine and in another app', async () => {
    const { fingerprint } = await identityOf(id)
    for (const other of [await identityOf('a2'.repeat(16)), await identityOf(id, `${appId}2`)]) {
      expect(other.fingerprint).not.toBe(fingerprint)
    }
  })

  test('has a random ID without a machine ID, which names the same device if it was kept', async () => {
    const first = await identityOf(null)
    expect(first).toMatchObject({
      source: 'random',
      randomId: expect.any(String),
      label: expect.stringMatching(/./u),
    })
    expect(await identityOf(null, appId, first.randomId)).toEqual(first)
    expect((await identityOf(null)).fingerprint).not.toBe(first.fingerprint)
  })
})

test('no process is started before those who waited for the launch have been answered', async () => {
  const order: string[] = []
  const asked = identify({
    reportMachineId: async () => {
      order.push('a process starts')
      return guid
    },
  })
  // The app's code runs after a chain of promises of any length.
  const answered = Array.from({ length: 100 }).reduce<Promise<void>>(
    (waiting) => waiting.then(() => {}),
    Promise.resolve(),
  )
  await Promise.all([asked, answered.then(() => order.push('the app goes on'))])
  expect(order).toEqual(['the app goes on', 'a process starts'])
})

describe('the machine ID on Linux', () => {
  test('comes from /etc first, and from D-Bus where /etc has none', async () => {
    const first = fileWith(`${linuxId}\n`)
    const { fingerprint } = await onLinux(first, fileWith(otherLinuxId))
    for (const empty of [missing, fileWith('')]) {
      expect((await onLinux(empty, first)).fingerprint).toBe(fingerprint)
    }
  })

  test.each([
    ['an empty file', ''],
    ['an image before its first boot', 'uninitialized\n'],
    ['zeros', '0'.repeat(32)],
    ['the ID that Whonix gives to everybody', 'b08dfa6083e7567a1921a715000001fb'],
    ['something else', 'not an id'],
  ])('%s is no identity: a random ID is made instead', async (_what, text) => {
    expect((await onLinux(fileWith(text))).source).toBe('random')
  })

  test.skipIf(process.platform !== 'linux')(
    'isn’t taken from D-Bus while /etc has one that can’t be read, so the license on record stays this device’s',
    async () => {
      const fromBus = fileWith(otherLinuxId)
      const known = await onLinux(fileWith(linuxId), fromBus)
      // Reading this file fails with EIO.
      const found = await onLinux('/proc/self/mem', fromBus)
      expect(isFromAnotherDevice(known, found)).toBe(false)
      expect(settleIdentity(known, found)).toEqual(known)
    },
  )

  test.skipIf(process.platform === 'win32')(
    'isn’t read from a pipe, which would hang the launch',
    async () => {
      const pipe = path.join(root, 'pipe')
      execFileSync('mkfifo', [pipe])
      expect((await onLinux(pipe, fileWith(linuxId))).source).toBe('machine-id')
    },
  )

  test('is known before anything else in the app runs', async () => {
    const order: string[] = []
    setImmediate(() => order.push('something else'))
    await onLinux(fileWith(linuxId))
    order.push('identified')
    expect(order).toEqual(['identified'])
  })
})

describe('the machine ID a command reports', () => {
  test('is taken whatever its case, and asked for once per launch', async () => {
    expect((await reported(guid)).source).toBe('machine-id')
    expect((await reported(guid.toUpperCase())).fingerprint).toBe((await reported(guid)).fingerprint)
    let asked = 0
    const { identify } = device({
      reportMachineId: async () => {
        asked += 1
        return guid
      },
    })
    await Promise.all([identify(null), identify(null)])
    await identify(null)
    expect(asked).toBe(1)
  })

  test.each([
    ['the hash of nothing, as a broken PATH gives', sha256('')],
    ['the hash of the host name', sha256('ada.example.org')],
    ['the hash of a host name that was written in capitals', sha256('ada'), 'ADA'],
    ['the host name itself', 'ada.example.org'],
    ['a host name that looks like an ID', linuxId, linuxId],
    ['nothing', ''],
    ['zeros', '00000000-0000-0000-0000-000000000000'],
    ['an error in words', 'ERROR: Registry editing has been disabled by your administrator.'],
  ])('%s is refused, for other machines would give the same', async (_what, id, hostname?: string) => {
    expect((await reported(id, hostname)).source).toBe('random')
  })

  /** Asks as on macOS, in a process of its own, with an `ioreg` of the test's making. */
  async function askWith(ioreg: string): Promise<string> {
    const folder = mkdtempSync(path.join(root, 'bin-'))
    const command = path.join(folder, 'ioreg')
    writeFileSync(command, `#!/bin/sh\n${ioreg}\n`)
    chmodSync(command, 0o755)
    const source = path.resolve(import.meta.dirname, '../../../src/main/adapters/device.ts')
    const script = `
      Object.defineProperty(process, 'platform', { value: 'darwin' })
      const { exec } = await import('node:child_process')
      const { reportMachineId } = await import(${JSON.stringify(source)})
      const asked = reportMachineId()
      const childProcess = await import('node:child_process')
      const answer = await asked.then((id) => 'id ' + id, () => 'rejected')
      const isRestored = childProcess.default.exec === exec
      process.stdout.write(answer + (isRestored ? '' : ', exec left changed'))
    `
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
    const asked = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env })
    return (await asked).stdout
  }

  // The stand-in is a shell script.
  test.skipIf(process.platform === 'win32').concurrent.each([
    [
      'gives the ID as the system spells it',
      `echo '    "IOPlatformUUID" = "1B4E28BA-2FA1-11D2-883F-0016D3CCA427"'`,
      'id 1b4e28ba-2fa1-11d2-883f-0016d3cca427',
    ],
    ['fails', 'exit 1', 'rejected'],
    ['has no output', 'exit 0', 'rejected'],
  ])(
    'comes from a real command that %s, which leaves child_process as it was',
    async (_what, ioreg, answer) => {
      expect(await askWith(ioreg)).toBe(answer)
    },
  )
})

test('an ID set by the developer identifies the device, and the machine ID isn’t read', async () => {
  const identity = await identify({ id: 'fleet-042', label: 'Till 42' })
  expect(identity).toMatchObject({ source: 'override', label: 'Till 42', randomId: null })
  expect(identity.fingerprint).not.toBe((await identify({ id: 'fleet-043' })).fingerprint)
})

test.each([
  ['ada.example.org', undefined, 'ada'],
  ['Adas-MacBook-Pro.local', undefined, 'Adas-MacBook-Pro'],
  ['DESKTOP-4F2K', undefined, 'DESKTOP-4F2K'],
  ['', undefined, 'This computer'],
  ['.local', undefined, 'This computer'],
  ['ada', '  Front   desk ', 'Front desk'],
  ['ada', 'v1.2 bench', 'v1.2 bench'],
  ['ada', '   ', 'ada'],
  ['ada', 'two\nlines\u0000 and\u202e tricks', 'two lines and tricks'],
  ['ada', 'x'.repeat(200), 'x'.repeat(64)],
  ['ada', '🔑'.repeat(100), '🔑'.repeat(64)],
])('the label of host %j called %j is %j', (hostname, override, label) => {
  expect(deviceLabel(hostname, override)).toBe(label)
})
