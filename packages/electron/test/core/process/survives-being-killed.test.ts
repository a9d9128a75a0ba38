import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import { startTestService, type TestService } from '../fixture.ts'
import { bundleDevice, startDevice } from './device-process.ts'
import { type DeviceHome, openDevice } from './open-device.ts'
import type { Errand } from './run-device.ts'

const kills = process.env['LATCHKEY_LONG'] === '1' ? 300 : 21
const errands = ['activate', 'validate', 'deactivate'] as const

const root = mkdtempSync(path.join(tmpdir(), 'latchkey-killed-'))
let service: TestService
let program = ''
beforeAll(async () => {
  service = await startTestService()
  program = await bundleDevice(root)
  // Each request takes a few milliseconds, so the process can be killed during one.
  service.emulator.control.faults.inject({ fault: 'delay', delayMs: 4 })
  service.emulator.control.faults.inject({ fault: 'delay', delayMs: 4, when: 'after-acting' })
}, 600_000)
afterAll(async () => {
  await service.emulator.close()
  rmSync(root, { recursive: true, force: true })
})

function newHome(name: string): DeviceHome {
  return {
    directory: path.join(root, name),
    baseUrl: service.emulator.baseUrl,
    accessToken: service.emulator.accessToken ?? '',
  }
}

/** One launch of the app in this process. Returns the result after its check. */
async function launch(home: DeviceHome, act?: 'activate', licenseKey = ''): Promise<LicensingState> {
  const core = openDevice(home)
  // A record that doesn't open is reported at once.
  expect((await core.start()).problem?.code ?? '').not.toMatch(/^(store|disk)-/)
  if (act === 'activate') await core.activate(licenseKey)
  const state = await core.validate()
  await core.dispose()
  return state
}

test(`a process killed with -9 at any moment, ${kills} times: the file opens, one seat at most, no activation lost`, async () => {
  const ends: Record<string, number> = {}
  for (let round = 0; round < kills; round += 1) {
    const errand = errands[round % errands.length] ?? 'activate'
    const license = service.newLicense({ activation_limit: 2 })
    const home = newHome(`round-${round}`)
    if (errand !== 'activate')
      expect(await launch(home, 'activate', license.id)).toMatchObject({ status: 'active' })

    const killed = await startDevice(program, { ...home, errand, licenseKey: license.id } satisfies Errand)
    killed.go()
    await delay(Math.random() * 90)
    killed.kill()
    const wasDone = await killed.ended()
    ends[`${errand} ${wasDone ? 'done' : 'killed'}`] =
      (ends[`${errand} ${wasDone ? 'done' : 'killed'}`] ?? 0) + 1

    expect(service.seats(license.id).length).toBeLessThanOrEqual(1)
    const next = await launch(home)
    const seats = service.seats(license.id).length
    // At any moment the device is either activated with its seat, or it isn't and has none.
    expect([`${errand} ${next.status} ${next.problem?.code ?? ''}`, seats]).toEqual([
      expect.stringMatching(errand === 'validate' ? /^validate active $/ : / (active|unlicensed) $/),
      next.status === 'active' ? 1 : 0,
    ])
    expect(await launch(home, 'activate', license.id)).toMatchObject({ status: 'active', problem: null })
    expect(service.seats(license.id)).toHaveLength(1)
  }
  // If every process finished before it was killed, the test proves nothing.
  expect(Object.keys(ends).filter((end) => end.endsWith('killed')).length).toBeGreaterThanOrEqual(2)
}, 3_600_000)
