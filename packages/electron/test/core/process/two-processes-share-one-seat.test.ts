import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { FaultScope } from '@latchkey/emulator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../fixture.ts'
import { bundleDevice, startDevice } from './device-process.ts'
import { type DeviceHome, openDevice } from './open-device.ts'

const rounds = process.env['LATCHKEY_LONG'] === '1' ? 50 : 3

const root = mkdtempSync(path.join(tmpdir(), 'latchkey-two-'))
let service: TestService
let program = ''
beforeAll(async () => {
  service = await startTestService()
  program = await bundleDevice(root)
}, 600_000)
afterAll(async () => {
  await service.emulator.close()
  rmSync(root, { recursive: true, force: true })
})

/** Delays the first two lists, so that both processes get them before either has activated. */
function bothSeeAnEmptyList(licenseId: string): void {
  delay(licenseId, { operation: 'keys', when: 'after-acting', times: 2 })
}

/** Delays the first activation, so that the other process looks at the list once more before it takes effect. */
function firstActivationIsSlow(licenseId: string): void {
  delay(licenseId, { operation: 'activate', when: 'before-acting', times: 1 })
}

function delay(licenseId: string, requests: FaultScope): void {
  service.emulator.control.faults.inject({ fault: 'delay', delayMs: 300, licenseId, ...requests })
}

/** Launches the app and checks the license. */
async function launched(home: DeviceHome): Promise<string> {
  const core = openDevice(home)
  await core.start()
  await core.validate()
  const { status, problem } = core.state
  await core.dispose()
  return `${status} ${problem?.code ?? 'well'}`
}

test(`two processes of one device with files of their own activate at once, ${rounds} times: one seat`, async () => {
  let raced = 0
  // On a slow machine one can finish before the other begins. Then the test tries again.
  for (let round = 0; round < rounds || (raced === 0 && round < rounds + 20); round += 1) {
    const license = service.newLicense({ activation_limit: 2 })
    bothSeeAnEmptyList(license.id)
    firstActivationIsSlow(license.id)
    const homes = [`one-${round}`, `two-${round}`].map((folder) => ({
      directory: path.join(root, folder),
      baseUrl: service.emulator.baseUrl,
      accessToken: service.emulator.accessToken ?? '',
    }))
    const devices = await Promise.all(
      homes.map((home) => startDevice(program, { ...home, errand: 'activate', licenseKey: license.id })),
    )
    for (const device of devices) device.go()
    expect(await Promise.all(devices.map((device) => device.ended()))).toEqual([true, true])
    if (service.asked(license.id).filter((line) => line === 'activate').length === 2) raced += 1

    for (const home of homes) expect(await launched(home)).toBe('active well')
    expect(service.seats(license.id)).toHaveLength(1)
  }
  // Both must have taken a seat at least once, otherwise there was no race.
  expect(raced).toBeGreaterThan(0)
}, 3_600_000)

test('two processes on the same files wait for each other: one request that takes a seat', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const license = service.newLicense({ activation_limit: 2 })
    bothSeeAnEmptyList(license.id)
    const home: DeviceHome = {
      directory: path.join(root, `locked-${round}`),
      baseUrl: service.emulator.baseUrl,
      accessToken: service.emulator.accessToken ?? '',
      isLocked: true,
    }
    const errand = { ...home, errand: 'activate', licenseKey: license.id } as const
    const devices = [await startDevice(program, errand), await startDevice(program, errand)]
    for (const device of devices) device.go()
    expect(await Promise.all(devices.map((device) => device.ended()))).toEqual([true, true])
    expect(service.asked(license.id).filter((line) => line.startsWith('activate'))).toEqual(['activate'])
    expect(await launched(home)).toBe('active well')
    expect(service.seats(license.id)).toHaveLength(1)
  }
}, 3_600_000)
