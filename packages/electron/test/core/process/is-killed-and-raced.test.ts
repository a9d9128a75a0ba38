import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { build } from 'esbuild'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import { startTestService } from '../fixture.ts'
import { type DeviceHome, openDevice } from './open-device.ts'
import type { Errand } from './run-device.ts'

const packages = path.join(import.meta.dirname, '..', '..', '..', '..')

/** Bundles the program of a device from the sources, so that it starts quickly. @returns its path. */
async function bundleDevice(directory: string): Promise<string> {
  const outfile = path.join(directory, 'run-device.mjs')
  await build({
    entryPoints: [path.join(import.meta.dirname, 'run-device.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    alias: {
      '@latchkey/commerce/client': path.join(packages, 'commerce', 'src', 'client.ts'),
      '@latchkey/commerce/http': path.join(packages, 'commerce', 'src', 'http.ts'),
      '@latchkey/commerce/options': path.join(packages, 'commerce', 'src', 'options.ts'),
      '@latchkey/commerce': path.join(packages, 'commerce', 'src', 'index.ts'),
      '@latchkey/services': path.join(packages, 'services', 'src', 'index.ts'),
      '@latchkey/services/commerce': path.join(packages, 'services', 'src', 'commerce.ts'),
      '@latchkey/services/license-key': path.join(packages, 'services', 'src', 'license-key.ts'),
    },
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url); const __dirname = import.meta.dirname",
    },
  })
  return outfile
}

/** A real process of the app. */
interface DeviceProcess {
  /** Starts its task. */
  go(): void
  /** `kill -9`. */
  kill(): void
  /** Resolves when it has ended. @returns whether it finished its task. */
  ended(): Promise<boolean>
}

/** Starts a process and waits until it is ready for its task. */
async function startDevice(program: string, errand: Errand): Promise<DeviceProcess> {
  const child = spawn(process.execPath, [program, JSON.stringify(errand)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = endOf(child)
  child.stdin.on('error', () => {})
  const first = await Promise.race([once(child.stdout, 'data').then(String), ended.then(() => 'ended')])
  if (!first.startsWith('ready')) throw new Error(`The process did not get ready: ${first}`)
  return {
    go: () => void child.stdin.write('go\n'),
    kill: () => void child.kill('SIGKILL'),
    ended: () => ended,
  }
}

async function endOf(child: ChildProcess): Promise<boolean> {
  let said = ''
  child.stdout?.on('data', (data) => {
    said += String(data)
  })
  const [code] = await once(child, 'close')
  return code === 0 && said.endsWith('done\n')
}

const isLong = process.env['LATCHKEY_LONG'] === '1'
const kills = isLong ? 300 : 21
const races = isLong ? 50 : 3
const errands = ['activate', 'validate', 'deactivate'] as const

const root = mkdtempSync(path.join(tmpdir(), 'latchkey-processes-'))
const service = await startTestService()
const { faults } = service.control
let program = ''
beforeAll(async () => {
  program = await bundleDevice(root)
}, 600_000)
beforeEach(() => faults.clear())
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

const well = { status: 'active', problem: null }

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
  // Each request takes a few milliseconds, so the process can be killed during one.
  faults.inject({ fault: 'delay', delayMs: 4 })
  faults.inject({ fault: 'delay', delayMs: 4, when: 'after-acting' })
  const interrupted = new Set<string>()
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
    if (!(await killed.ended())) interrupted.add(errand)

    expect(service.seats(license.id).length).toBeLessThanOrEqual(1)
    const next = await launch(home)
    const seats = service.seats(license.id).length
    // At any moment the device is either activated with its seat, or it isn't and has none.
    expect([`${errand} ${next.status} ${next.problem?.code ?? ''}`, seats]).toEqual([
      expect.stringMatching(errand === 'validate' ? /^validate active $/ : / (active|unlicensed) $/),
      next.status === 'active' ? 1 : 0,
    ])
    expect(await launch(home, 'activate', license.id)).toMatchObject(well)
    expect(service.seats(license.id)).toHaveLength(1)
  }
  // If every process finished before it was killed, the test proves nothing.
  expect(interrupted.size).toBeGreaterThanOrEqual(2)
}, 3_600_000)

/** Delays the first two lists, so that both processes get them before either has activated. */
function bothSeeAnEmptyList(licenseId: string): void {
  const scope = { operation: 'keys', when: 'after-acting', times: 2 } as const
  faults.inject({ fault: 'delay', delayMs: 300, licenseId, ...scope })
}

test(`two processes of one device with files of their own activate at once, ${races} times: one seat`, async () => {
  let raced = 0
  // On a slow machine one can finish before the other begins. Then the test tries again.
  for (let round = 0; round < races || (raced === 0 && round < races + 20); round += 1) {
    const license = service.newLicense({ activation_limit: 2 })
    bothSeeAnEmptyList(license.id)
    // The other process looks at the list once more before it takes effect.
    const scope = { operation: 'activate', when: 'before-acting', times: 1 } as const
    faults.inject({ fault: 'delay', delayMs: 300, licenseId: license.id, ...scope })
    const homes = [newHome(`one-${round}`), newHome(`two-${round}`)]
    const devices = await Promise.all(
      homes.map((home) => startDevice(program, { ...home, errand: 'activate', licenseKey: license.id })),
    )
    for (const device of devices) device.go()
    expect(await Promise.all(devices.map((device) => device.ended()))).toEqual([true, true])
    if (service.asked(license.id).filter((line) => line === 'activate').length === 2) raced += 1

    for (const home of homes) expect(await launch(home)).toMatchObject(well)
    expect(service.seats(license.id)).toHaveLength(1)
  }
  // Both must have taken a seat at least once, otherwise there was no race.
  expect(raced).toBeGreaterThan(0)
}, 3_600_000)

test('two processes on the same files wait for each other: one request that takes a seat', async () => {
  for (let round = 0; round < races; round += 1) {
    const license = service.newLicense({ activation_limit: 2 })
    bothSeeAnEmptyList(license.id)
    const home = { ...newHome(`locked-${round}`), isLocked: true }
    const errand = { ...home, errand: 'activate', licenseKey: license.id } as const
    const devices = [await startDevice(program, errand), await startDevice(program, errand)]
    for (const device of devices) device.go()
    expect(await Promise.all(devices.map((device) => device.ended()))).toEqual([true, true])
    expect(service.asked(license.id).filter((line) => line.startsWith('activate'))).toEqual(['activate'])
    expect(await launch(home)).toMatchObject(well)
    expect(service.seats(license.id)).toHaveLength(1)
  }
}, 3_600_000)
