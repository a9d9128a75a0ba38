import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { isFromAnotherDevice, settleIdentity } from '../../../src/core/record.ts'
import {
  createMachineDevice,
  deviceLabel,
  type MachineDeviceOptions,
} from '../../../src/main/adapters/device.ts'
import { describeDeviceContract } from '../../contracts/device-contract.ts'

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
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

function device(options: Partial<MachineDeviceOptions>) {
  return createMachineDevice({
    appId: 'com.example.notes',
    hostname: 'ada.example.org',
    platform: 'win32',
    machineIdFiles: [missing],
    reportMachineId: () => Promise.reject(new Error('must not be asked')),
    ...options,
  })
}

const identify = (options: Partial<MachineDeviceOptions>) => device(options).identify(null)
const reported = (id: string, hostname = 'ada.example.org') =>
  identify({ hostname, reportMachineId: async () => id })

describeDeviceContract('Linux', ({ id, appId }) =>
  device({ platform: 'linux', appId, machineIdFiles: [id === null ? missing : fileWith(`${id}\n`)] }),
)
describeDeviceContract('Windows', ({ id, appId }) =>
  device({
    appId,
    reportMachineId: () =>
      id === null ? Promise.reject(new Error('REG.exe is blocked')) : Promise.resolve(id),
  }),
)

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
    const second = fileWith('a'.repeat(31).concat('b'))
    const first = fileWith(`${linuxId}\n`)
    const both = await identify({ platform: 'linux', machineIdFiles: [first, second] })
    const fallback = await identify({ platform: 'linux', machineIdFiles: [missing, first] })
    expect(both.fingerprint).toBe(fallback.fingerprint)
    const emptied = await identify({ platform: 'linux', machineIdFiles: [fileWith(''), first] })
    expect(emptied.fingerprint).toBe(both.fingerprint)
  })

  test.each([
    ['an empty file', ''],
    ['an image before its first boot', 'uninitialized\n'],
    ['zeros', '0'.repeat(32)],
    ['the ID that Whonix gives to everybody', 'b08dfa6083e7567a1921a715000001fb'],
    ['something else', 'not an id'],
  ])('%s is no identity: a random ID is made instead', async (_what, text) => {
    expect((await identify({ platform: 'linux', machineIdFiles: [fileWith(text)] })).source).toBe('random')
  })

  test.skipIf(process.platform !== 'linux')(
    'isn’t taken from D-Bus while /etc has one that can’t be read, so the license on record stays this device’s',
    async () => {
      const files = [fileWith(linuxId), fileWith('a'.repeat(31).concat('b'))]
      const known = await identify({ platform: 'linux', machineIdFiles: files })
      // Reading this file fails with EIO.
      const found = await identify({ platform: 'linux', machineIdFiles: ['/proc/self/mem', files[1] ?? ''] })
      expect(isFromAnotherDevice(known, found)).toBe(false)
      expect(settleIdentity(known, found)).toEqual(known)
    },
  )

  test.skipIf(process.platform === 'win32')(
    'isn’t read from a pipe, which would hang the launch',
    async () => {
      const pipe = path.join(root, 'pipe')
      execFileSync('mkfifo', [pipe])
      const identity = await identify({ platform: 'linux', machineIdFiles: [pipe, fileWith(linuxId)] })
      expect(identity.source).toBe('machine-id')
    },
  )

  test('is known before anything else in the app runs', async () => {
    const order: string[] = []
    setImmediate(() => order.push('something else'))
    await identify({ platform: 'linux', machineIdFiles: [fileWith(linuxId)] })
    order.push('identified')
    expect(order).toEqual(['identified'])
  })

  test('never starts a process: the command is not even asked for', async () => {
    let isAsked = false
    const reportMachineId = async () => {
      isAsked = true
      return guid
    }
    await identify({ platform: 'linux', reportMachineId })
    expect(isAsked).toBe(false)
  })
})

describe('the machine ID a command reports', () => {
  test('a GUID is taken, whatever its case', async () => {
    expect((await reported(guid)).source).toBe('machine-id')
    expect((await reported(guid.toUpperCase())).fingerprint).toBe((await reported(guid)).fingerprint)
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

  test('is asked for once per launch, however often and however fast the device is identified', async () => {
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
})

describe('an ID set by the developer', () => {
  test('identifies the device, and the machine ID isn’t read', async () => {
    const identity = await identify({ id: 'fleet-042', label: 'Till 42' })
    expect(identity).toMatchObject({ source: 'override', label: 'Till 42', randomId: null })
    expect(identity.fingerprint).not.toBe((await identify({ id: 'fleet-043' })).fingerprint)
  })
})

describe('the label of a device', () => {
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
  ])('of host %j called %j is %j', (hostname, override, label) => {
    expect(deviceLabel(hostname, override)).toBe(label)
  })
})
