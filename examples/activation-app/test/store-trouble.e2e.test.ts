import { readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { serviceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import { describe, expect } from 'vitest'
import { activateInkwell, eventually, type Inkwell, seatsInUse, test } from './inkwell.ts'

const record = (userDataPath: string) => path.join(userDataPath, 'latchkey/license.json')
const lastGood = (userDataPath: string) => path.join(userDataPath, 'latchkey/license.last-good.json')

// A service without a list of devices can't show the app its own seat, so a lost record costs another one.
const hasDeviceList = serviceUnderTest.has('the list of devices')

interface Damage {
  /** What happens to a file of the record. */
  readonly harm: (file: string) => Promise<void>
  readonly code: string
  /** The start of the message. */
  readonly told: string
}

const damages: Readonly<Record<string, Damage>> = {
  empty: {
    harm: (file) => truncate(file, 0),
    code: 'store-empty',
    told: 'The license file was empty and has been set aside.',
  },
  'half-written': {
    harm: async (file) => truncate(file, Math.floor((await readFile(file)).length / 2)),
    code: 'store-unreadable',
    told: 'The license file was damaged and has been set aside.',
  },
  'from a future version': {
    harm: async (file) => {
      const document: unknown = JSON.parse(await readFile(file, 'utf8'))
      await writeFile(file, JSON.stringify({ ...Object(document), version: 99 }))
    },
    code: 'store-newer-version',
    told: 'The license file was written by a newer version of this app.',
  },
}

const isLongRun = process.env['LATCHKEY_LONG'] === '1'
// The store's own tests tell every damage; the app treats each alike.
const tried = Object.entries(damages).filter(([name]) => isLongRun || name === 'half-written')

describe.each(tried)('a license file that is %s', (_name, { harm, code, told }) => {
  test('is set aside, never deleted, and the device gets its own seat back', async ({
    openInkwell,
    emulator,
    service,
    userDataPath,
  }) => {
    const first = await openInkwell()
    await activateInkwell(first, emulator.licenseKey)
    await first.close()
    await harm(record(userDataPath))
    await harm(lastGood(userDataPath))
    const damaged = await readFile(record(userDataPath), 'utf8')
    service.forget()

    const second = await openInkwell()
    const activation = await second.activationWindow()
    await activation.getByText(told).first().waitFor()
    const state = await activation.evaluate(() => window.latchkey.getState())
    expect(state).toMatchObject({ status: 'unlicensed', problem: { code } })
    await activateInkwell(second, emulator.licenseKey)

    await eventually(() => service.operations()).not.toHaveLength(0)
    if (hasDeviceList) expect(service.operations()).not.toContain('activate')
    expect(seatsInUse(emulator)).toBe(hasDeviceList ? 1 : 2)
    expect(await setAsideTexts(userDataPath)).toContain(damaged)
  })
})

test('a damaged license file with an intact copy has no effect', async ({
  openInkwell,
  emulator,
  userDataPath,
}) => {
  const first = await openInkwell()
  await activateInkwell(first, emulator.licenseKey)
  await first.close()
  await truncate(record(userDataPath), 40)
  await emulator.control.pause()

  const second = await openInkwell()
  const main = await second.mainWindow()
  expect(await main.evaluate(() => window.latchkey.getState())).toMatchObject({ entitled: true })
})

test('a folder that cannot be written lets the app work until it quits, and takes no second seat', async ({
  openInkwell,
  emulator,
  service,
  userDataPath,
  needs,
}) => {
  needs('the list of devices')
  // A file in place of the folder stops even the superuser, who ignores file modes.
  await writeFile(path.join(userDataPath, 'latchkey'), '')
  const activateAgain = async (): Promise<Inkwell> => {
    const inkwell = await openInkwell()
    const main = await activateInkwell(inkwell, emulator.licenseKey)
    const state = await main.evaluate(() => window.latchkey.getState())
    expect(state).toMatchObject({
      status: 'active',
      storage: 'memory',
      problem: { code: 'store-not-writable' },
    })
    expect(seatsInUse(emulator)).toBe(1)
    return inkwell
  }
  const first = await activateAgain()
  await first.close()
  await activateAgain()
  await eventually(() => service.operations().filter((it) => it === 'activate')).toHaveLength(1)
})

async function setAsideTexts(userDataPath: string): Promise<readonly string[]> {
  const folder = path.join(userDataPath, 'latchkey')
  const names = (await readdir(folder)).filter((name) => name.includes('set-aside'))
  return await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')))
}
